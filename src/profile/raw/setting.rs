//! Reads `[settings.NAME]`. It may import the rest of `profile/`; it must not judge values.

use super::leaf::{self, Json, Named, Pattern};
use super::reader::{At, Node, Reader, Table};
use crate::model::units::Rate;
use crate::profile::secret::Text;

/// A setting of the load itself: its values are rates.
pub(in crate::profile) const LOAD_RATE: &str = "load.rate";
/// A setting of the load itself: its values are users.
pub(in crate::profile) const LOAD_USERS: &str = "load.users";

/// `[settings.NAME]`.
#[derive(Debug)]
pub(in crate::profile) struct RawSetting {
    pub(in crate::profile) name: At<String>,
    pub(in crate::profile) values: At<Vec<At<f64>>>,
    pub(in crate::profile) range: Option<At<(At<f64>, At<f64>)>>,
    pub(in crate::profile) apply: Option<At<RawApply>>,
    pub(in crate::profile) verify: Option<At<RawVerify>>,
    pub(in crate::profile) restore: Option<At<f64>>,
}

/// `apply`: one of three ways.
#[derive(Debug)]
pub(in crate::profile) struct RawApply {
    pub(in crate::profile) http: Option<At<RawHttp>>,
    pub(in crate::profile) command: Option<At<Vec<At<Pattern>>>>,
    pub(in crate::profile) restart: Option<At<bool>>,
}

/// `apply.http`.
#[derive(Debug)]
pub(in crate::profile) struct RawHttp {
    pub(in crate::profile) method: Option<At<Text>>,
    pub(in crate::profile) path: At<Pattern>,
    pub(in crate::profile) headers: Named<Pattern>,
    pub(in crate::profile) content: RawContent,
}

/// What a request carries: JSON or text, not both.
#[derive(Debug)]
pub(in crate::profile) struct RawContent {
    pub(in crate::profile) json: Option<At<Json>>,
    pub(in crate::profile) body: Option<At<Pattern>>,
}

/// `verify`.
#[derive(Debug)]
pub(in crate::profile) struct RawVerify {
    pub(in crate::profile) signal: At<Text>,
    pub(in crate::profile) of: Option<At<Text>>,
}

pub(super) fn settings(r: &mut Reader<'_>, node: &Node<'_>) -> Option<Vec<RawSetting>> {
    let entries = Table::of(r, node, "[settings.pool] with values = [30, 50, 100]")?.free();
    let read: Vec<Option<RawSetting>> = entries.into_iter().map(|e| setting(r, e.key, &e.node)).collect();
    read.into_iter().collect()
}

fn setting(r: &mut Reader<'_>, name: At<String>, node: &Node<'_>) -> Option<RawSetting> {
    let mut t = Table::of(r, node, "[settings.pool] with values = [30, 50, 100]")?;
    if name.value == "load" && (t.has("rate") || t.has("users")) {
        return r.refuse(name.problem(
            "a setting of the load is written with its whole name in quotes",
            "write [settings.\"load.rate\"] or [settings.\"load.users\"]",
        ));
    }
    let value = if name.value == LOAD_RATE { rate_value } else { leaf::number };
    let example = if name.value == LOAD_RATE { "[\"20/s\", \"80/s\"]" } else { "[10, 250]" };
    let values = t.need(r, "values", "values = [30, 50, 100, 150, 200]", leaf::list(value));
    let range = t.take(r, "range", leaf::pair(example, value));
    let apply = t.take(r, "apply", apply);
    let verify = t.take(r, "verify", verify);
    let restore = t.take(r, "restore", value);
    t.done(r);
    Some(RawSetting { name, values: values?, range, apply, verify, restore })
}

fn rate_value(r: &mut Reader<'_>, node: &Node<'_>) -> Option<f64> {
    leaf::rate(r, node).map(Rate::as_per_second)
}

fn apply(r: &mut Reader<'_>, node: &Node<'_>) -> Option<RawApply> {
    let mut t = Table::of(r, node, "apply = { http = { method = \"POST\", path = \"/admin/pool\", json = { max = \"{pool}\" } } }")?;
    let http = t.take(r, "http", http);
    let command = t.take(r, "command", leaf::list(leaf::pattern));
    let restart = t.take(r, "restart", leaf::yes);
    t.done(r);
    Some(RawApply { http, command, restart })
}

fn http(r: &mut Reader<'_>, node: &Node<'_>) -> Option<RawHttp> {
    let mut t = Table::of(r, node, "http = { method = \"POST\", path = \"/admin/pool\", json = { max = \"{pool}\" } }")?;
    let method = t.take(r, "method", leaf::text);
    let path = t.need(r, "path", "path = \"/admin/pool\"", leaf::pattern);
    let headers = headers(r, &mut t);
    let content = content(r, &mut t);
    t.done(r);
    Some(RawHttp { method, path: path?, headers, content })
}

/// Takes `headers` of a request.
pub(super) fn headers(r: &mut Reader<'_>, t: &mut Table<'_>) -> Named<Pattern> {
    t.take(r, "headers", leaf::map("headers = { Accept = \"application/json\" }", leaf::pattern)).map(|h| h.value).unwrap_or_default()
}

/// Takes `json` and `body` of a request.
pub(super) fn content(r: &mut Reader<'_>, t: &mut Table<'_>) -> RawContent {
    RawContent { json: t.take(r, "json", leaf::json), body: t.take(r, "body", leaf::pattern) }
}

fn verify(r: &mut Reader<'_>, node: &Node<'_>) -> Option<RawVerify> {
    let mut t = Table::of(r, node, "verify = { signal = \"pool.max\" }")?;
    let signal = t.need(r, "signal", "signal = \"pool.max\"", leaf::text);
    let of = t.take(r, "of", leaf::text);
    t.done(r);
    Some(RawVerify { signal: signal?, of })
}
