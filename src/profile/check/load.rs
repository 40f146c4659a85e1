//! Checks `[load]`: users or arrivals, never half of each. It may import the rest of `profile/`.

use super::Context;
use crate::model::plan::{LoadModel, LoadPlan};
use crate::model::units::{Rate, Span};
use crate::profile::raw::load::{Model, RawLoad};
use crate::profile::raw::reader::At;
use crate::profile::raw::setting::{LOAD_RATE, LOAD_USERS, RawSetting};

/// The longest a caller waits, unless the profile says otherwise.
const TIMEOUT: Span = Span::from_secs(60);
/// The most arrivals under way at once, unless the profile says otherwise.
const MAX_USERS: u32 = 10_000;

pub(super) fn load(c: &mut Context<'_>) -> LoadPlan {
    let raw = &c.raw.load;
    if let Some(timeout) = raw.value.timeout.as_ref().filter(|t| t.value.is_zero()) {
        c.refuse(timeout, "a request that may take no time", "write a time above 0, as \"10s\"");
    }
    for (at, what) in [(&raw.value.users, "users"), (&raw.value.max_users, "users")] {
        if let Some(at) = at.as_ref().filter(|n| n.value == 0) {
            c.refuse(at, &format!("`0` {what} are no load"), "write a number from 1 up");
        }
    }
    if let Some(rate) = raw.value.rate.as_ref().filter(|r| r.value.as_per_second() <= 0.0) {
        c.refuse(rate, &format!("`{}` is no load", rate.value), "write a rate above 0, as \"80/s\"");
    }
    let model = match model(&raw.value) {
        Model::Closed => closed(c, raw),
        Model::Open => open(c, raw),
    };
    LoadPlan::new(model, raw.value.timeout.as_ref().map_or(TIMEOUT, |t| t.value))
}

/// The model as written, or the one that the written keys belong to.
fn model(raw: &RawLoad) -> Model {
    match &raw.model {
        Some(model) => model.value,
        None if raw.users.is_none() && (raw.rate.is_some() || raw.max_users.is_some()) => Model::Open,
        None => Model::Closed,
    }
}

fn closed(c: &mut Context<'_>, raw: &At<RawLoad>) -> LoadModel {
    for at in [raw.value.rate.as_ref().map(|r| r.with(())), raw.value.max_users.as_ref().map(|m| m.with(()))].into_iter().flatten() {
        c.refuse(&at, "belongs to the open model, and the load is closed", "write users = 200 alone, or model = \"open\" with rate");
    }
    if let Some(setting) = swept(c, LOAD_RATE) {
        c.refuse(&setting.name.clone(), "a rate is swept, and the load is closed", "write model = \"open\" under [load]");
    }
    let first = swept(c, LOAD_USERS).and_then(|s| s.values.value.first()).map(|v| v.value);
    let users = raw.value.users.as_ref().map(|u| u.value).or_else(|| first.map(whole));
    if users.is_none() {
        let at = raw.value.model.as_ref().map_or_else(|| raw.with(()), |m| m.with(()));
        c.refuse(&at, "a closed load without `users`", "write users = 200, or model = \"open\" with rate = \"80/s\"");
    }
    LoadModel::Closed { users: users.unwrap_or(1) }
}

fn open(c: &mut Context<'_>, raw: &At<RawLoad>) -> LoadModel {
    if let Some(users) = &raw.value.users {
        c.refuse(users, "belongs to the closed model, and the load is open", "write max_users for the most that may be under way at once");
    }
    if let Some(setting) = swept(c, LOAD_USERS) {
        c.refuse(&setting.name.clone(), "users are swept, and the load is open", "write model = \"closed\" under [load]");
    }
    let first = swept(c, LOAD_RATE).and_then(|s| s.values.value.first()).map(|v| Rate::per_second(v.value));
    let rate = raw.value.rate.as_ref().map(|r| r.value).or(first);
    if rate.is_none() {
        let at = raw.value.model.as_ref().map_or_else(|| raw.with(()), |m| m.with(()));
        c.refuse(&at, "an open load without `rate`", "write rate = \"80/s\"");
    }
    LoadModel::Open { rate: rate.unwrap_or(Rate::per_second(1.0)), max_users: raw.value.max_users.as_ref().map_or(MAX_USERS, |m| m.value) }
}

/// The setting of the load with this name.
fn swept<'a>(c: &Context<'a>, name: &str) -> Option<&'a RawSetting> {
    c.raw.settings.iter().find(|s| s.name.value == name)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of a float saturates; fractions are refused where the values are checked"
)]
fn whole(users: f64) -> u32 {
    users as u32
}
