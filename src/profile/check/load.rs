//! Checks `[load]`: users, arrivals or a time line, never half of each. It may import the rest of `profile/`.

use super::{Context, line, wire};
use crate::model::plan::{Arrivals, LoadModel, LoadPlan};
use crate::model::units::{Rate, Span};
use crate::profile::raw::load::{Model, RawLoad};
use crate::profile::raw::reader::At;
use crate::profile::raw::setting::{LOAD_RATE, LOAD_USERS, RawSetting};

/// The longest a caller waits, unless the profile says otherwise.
const TIMEOUT: Span = Span::from_secs(60);
/// The most arrivals under way at once, unless the profile says otherwise.
pub(super) const MAX_USERS: u32 = 10_000;

pub(super) fn load(c: &mut Context<'_>) -> LoadPlan {
    let raw = &c.raw.load;
    let timeout = raw.value.timeout.as_ref().map_or(TIMEOUT, |t| t.value);
    check_times(c, &raw.value, timeout);
    check_amounts(c, &raw.value);
    let line = raw.value.has_line().then(|| line::line(c, raw));
    let model = if line.is_some() { LoadModel::Line } else { plain(c, raw) };
    check_arrivals(c, &raw.value);
    LoadPlan {
        connect_timeout: raw.value.connect_timeout.as_ref().map(|t| t.value),
        arrivals: raw.value.arrivals.as_ref().map_or(Arrivals::Uniform, |a| a.value),
        prestart: raw.value.prestart.as_ref().map_or(0, |p| p.value),
        line,
        http: wire::http(c, &raw.value),
        ..LoadPlan::new(model, timeout)
    }
}

fn check_times(c: &mut Context<'_>, raw: &RawLoad, timeout: Span) {
    if let Some(timeout) = raw.timeout.as_ref().filter(|t| t.value.is_zero()) {
        c.refuse(timeout, "a request that may take no time", "write a time above 0, as \"10s\"");
    }
    if let Some(connect) = raw.connect_timeout.as_ref().filter(|t| t.value.is_zero() || t.value > timeout) {
        let what = if connect.value.is_zero() {
            "a connection that may take no time".to_owned()
        } else {
            format!("longer than a whole request may take, {timeout}")
        };
        c.refuse(connect, &what, "write a time above 0 and up to load.timeout, as \"2s\"");
    }
}

/// No users and no rate are no load; where stages begin, they may.
fn check_amounts(c: &mut Context<'_>, raw: &RawLoad) {
    let begins = raw.stages.is_some();
    for at in [raw.users.as_ref().filter(|_| !begins), raw.max_users.as_ref()].into_iter().flatten().filter(|n| n.value == 0) {
        c.refuse(at, "`0` users are no load", "write a number from 1 up");
    }
    if let Some(rate) = raw.rate.as_ref().filter(|r| r.value.as_per_second() <= 0.0 && !begins) {
        c.refuse(rate, &format!("`{}` is no load", rate.value), "write a rate above 0, as \"80/s\"");
    }
}

/// What only arrivals have.
fn check_arrivals(c: &mut Context<'_>, raw: &RawLoad) {
    if let (Some(prestart), Some(max)) = (&raw.prestart, &raw.max_users)
        && prestart.value > max.value
    {
        c.refuse(prestart, &format!("`{}` is more than max_users, {}", prestart.value, max.value), "write at most max_users");
    }
    if raw.populations.is_none() && raw.stages.is_none() && model(raw) == Model::Closed {
        only_arrivals(c, raw);
    }
}

/// Refuses what only arrivals have.
fn only_arrivals(c: &mut Context<'_>, raw: &RawLoad) {
    for at in [raw.prestart.as_ref().map(|p| p.with(())), raw.arrivals.as_ref().map(|a| a.with(()))].into_iter().flatten() {
        c.refuse(&at, BELONGS_TO_OPEN, "write users = 200 alone, or model = \"open\" with rate");
    }
}

const BELONGS_TO_OPEN: &str = "belongs to the open model, and the load is closed";

/// Refuses what belongs to the other model.
pub(super) fn only_of(c: &mut Context<'_>, raw: &RawLoad, model: Model) {
    match model {
        Model::Closed => {
            for at in [raw.rate.as_ref().map(|r| r.with(())), raw.max_users.as_ref().map(|m| m.with(()))].into_iter().flatten() {
                c.refuse(&at, BELONGS_TO_OPEN, "write users = 200 alone, or model = \"open\" with rate");
            }
            if raw.stages.is_some() {
                only_arrivals(c, raw);
            }
        }
        Model::Open => {
            if let Some(users) = &raw.users {
                c.refuse(users, "belongs to the closed model, and the load is open", "write max_users for the most that may be under way at once");
            }
        }
    }
}

/// A steady load.
pub(super) fn plain(c: &mut Context<'_>, raw: &At<RawLoad>) -> LoadModel {
    let model = model(&raw.value);
    only_of(c, &raw.value, model);
    match model {
        Model::Closed => closed(c, raw),
        Model::Open => open(c, raw),
    }
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
    if let Some(setting) = swept(c, LOAD_RATE).filter(|_| !raw.value.has_line()) {
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
    if let Some(setting) = swept(c, LOAD_USERS).filter(|_| !raw.value.has_line()) {
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
pub(super) fn swept<'a>(c: &Context<'a>, name: &str) -> Option<&'a RawSetting> {
    c.raw.settings.iter().find(|s| s.name.value == name)
}

/// A number of users; fractions are refused where values are checked.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast of a float saturates")]
pub(super) fn whole(users: f64) -> u32 {
    users as u32
}
