//! Checks `[settings.NAME]`: values, and that there is a way to put one into effect. It may import the rest of `profile/`.

use super::address::Address;
use super::names::{Scope, check_pattern, texts};
use super::{Context, http, target};
use crate::model::plan::{Apply, Setting, Verify};
use crate::model::signal::{Kind, Signal};
use crate::model::template::Template;
use crate::model::text::nearest;
use crate::profile::raw::leaf::{Pattern, quoted};
use crate::profile::raw::reader::At;
use crate::profile::raw::request::METHODS;
use crate::profile::raw::setting::{LOAD_RATE, LOAD_USERS, RawApply, RawHttp, RawSetting, RawVerify};

const APPLY_HINT: &str = "write apply = { http = { … } }, { command = [ … ] } or { restart = true }";

pub(super) fn setting(c: &mut Context<'_>, raw: &RawSetting) -> Setting {
    name(c, raw);
    values(c, raw);
    Setting {
        name: raw.name.value.clone(),
        values: raw.values.value.iter().map(|v| v.value).collect(),
        range: range(c, raw),
        apply: apply(c, raw),
        verify: raw.verify.as_ref().and_then(|v| verify(c, v)),
        restore: raw.restore.as_ref().map(|r| r.value),
    }
}

/// Whether a setting is the load itself.
fn is_load(raw: &RawSetting) -> bool {
    matches!(raw.name.value.as_str(), LOAD_RATE | LOAD_USERS)
}

fn name(c: &mut Context<'_>, raw: &RawSetting) {
    let name = &raw.name;
    if name.value == "feed" || name.value.starts_with("feed.") {
        c.refuse(name, &format!("`{{{}}}` would mean two things: a setting and a row of a feeder", name.value), "give the setting another name");
    } else if name.value.starts_with("load.") && !is_load(raw) {
        let near = nearest(&name.value, &[LOAD_RATE, LOAD_USERS]).unwrap_or(LOAD_RATE);
        c.refuse(name, &format!("`{}` can not be swept", name.value), format!("did you mean [settings.\"{near}\"]?"));
    } else if Template::parse(&format!("{{{}}}", name.value)).sole_name() != Some(&name.value) {
        c.refuse(
            name,
            &format!("`{}` can not be a setting's name", name.value),
            "write a plain word of letters, digits and _, so that {name} can stand for its value",
        );
    }
}

fn values(c: &mut Context<'_>, raw: &RawSetting) {
    if raw.values.value.is_empty() {
        c.refuse(&raw.values, "no values to try", "write at least one, as [30, 50, 100]");
    }
    let mut seen: Vec<f64> = Vec::new();
    for value in &raw.values.value {
        let n = value.value;
        if n < 0.0 || (is_load(raw) && n <= 0.0) {
            let least = if is_load(raw) { "above 0" } else { "from 0 up" };
            c.refuse(value, &format!("`{n}` is no value for this setting"), format!("write a number {least}"));
        } else if raw.name.value == LOAD_USERS && n.fract() > 0.0 {
            c.refuse(value, &format!("`{n}` users can not be had"), "write a whole number");
        } else if seen.iter().any(|s| s.total_cmp(&n).is_eq()) {
            c.refuse(value, &format!("`{n}` stands here twice"), "leave one out; experiment.repeats runs every value more than once");
        }
        seen.push(n);
    }
}

/// The range as written, or the span of the values.
fn range(c: &mut Context<'_>, raw: &RawSetting) -> (f64, f64) {
    let values = || raw.values.value.iter().map(|v| v.value);
    let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    let Some(range) = &raw.range else {
        return (least, most);
    };
    let (low, high) = (range.value.0.value, range.value.1.value);
    if low > high {
        c.refuse(range, &format!("`{low}` is above `{high}`"), "write the smaller end first, as [10, 250]");
    } else if least < low || most > high {
        let out = if least < low { least } else { most };
        c.refuse(range, &format!("leaves out the value `{out}`"), "a range holds all values: refinement may not go where less is known than there");
    }
    (low, high)
}

fn apply(c: &mut Context<'_>, raw: &RawSetting) -> Apply {
    if is_load(raw) {
        let extra = [raw.apply.as_ref().map(|a| a.with(())), raw.verify.as_ref().map(|v| v.with(())), raw.restore.as_ref().map(|r| r.with(()))];
        for at in extra.into_iter().flatten() {
            c.refuse(&at, "the load itself is what changes: there is nothing to do at the target", "leave it out");
        }
        return Apply::Load;
    }
    let Some(apply) = &raw.apply else {
        c.refuse(&raw.name, "no way to put a value into effect", APPLY_HINT);
        return Apply::Load;
    };
    let RawApply { http, command, restart } = &apply.value;
    match (http, command, restart) {
        (Some(http), None, None) => by_http(c, raw, http),
        (None, Some(command), None) => by_command(c, raw, command),
        (None, None, Some(restart)) if restart.value => by_restart(c, raw, restart),
        (None, None, _) => {
            c.refuse(apply, "no way to put a value into effect", APPLY_HINT);
            Apply::Restart
        }
        _ => {
            c.refuse(apply, "more than one way to put a value into effect", "write one of http, command and restart");
            Apply::Restart
        }
    }
}

fn by_http(c: &mut Context<'_>, raw: &RawSetting, http: &At<RawHttp>) -> Apply {
    let before = c.problems.len();
    let RawHttp { method, path, headers, content } = &http.value;
    let scope = Scope::settings(c);
    let whole = path.value.value.to_string();
    if whole.starts_with("http://") || whole.starts_with("https://") {
        check_pattern(c, path, &scope);
        match Address::parse(&whole) {
            Ok(parts) => target::allowed(c, path, &parts),
            Err(why) => c.refuse(path, &format!("no address: {why}"), "write a path on the target, as \"/admin/pool\""),
        }
    } else {
        http::path(c, path, &scope);
    }
    let word = method.as_ref().map_or("POST", |m| m.value.value.as_str());
    let known = METHODS.map(|(_, name)| name);
    if let Some(at) = method.as_ref().filter(|_| !known.contains(&word)) {
        c.refuse(at, &format!("`{}` is no method known here", at.value.shown), format!("write one of {}", quoted(&known)));
    }
    let headers_plan = http::headers(c, headers, &scope);
    let body = http::body(c, content, &scope);
    let json = content.json.as_ref().map(|j| texts(&j.value.value)).unwrap_or_default();
    let patterns = std::iter::once(path).chain(headers.iter().map(|(_, v)| v)).chain(&content.body);
    // A misspelt placeholder is the better message than one that is nowhere.
    if c.problems.len() == before && !uses(&raw.name.value, patterns) && !json.iter().any(|t| Template::parse(t).names().any(|n| n == raw.name.value))
    {
        never_used(c, raw, http, "the request");
    }
    Apply::Http { method: word.to_owned(), path: c.pattern(&path.value), headers: headers_plan, body }
}

fn by_command(c: &mut Context<'_>, raw: &RawSetting, command: &At<Vec<At<Pattern>>>) -> Apply {
    let before = c.problems.len();
    let scope = Scope::settings(c);
    for piece in &command.value {
        check_pattern(c, piece, &scope);
    }
    if command.value.is_empty() {
        c.refuse(command, "no program", format!("write the program and its arguments, as [\"./set-{0}\", \"{{{0}}}\"]", raw.name.value));
    } else if c.problems.len() == before && !uses(&raw.name.value, command.value.iter()) {
        never_used(c, raw, command, "the command");
    }
    Apply::Command(command.value.iter().map(|p| c.pattern(&p.value)).collect())
}

fn by_restart(c: &mut Context<'_>, raw: &RawSetting, restart: &At<bool>) -> Apply {
    match &c.raw.target.value.process {
        None => c.refuse(restart, "there is no process to restart", "add [target.process] with its command"),
        Some(process) => {
            let pieces = process.value.command.value.iter().chain(process.value.env.iter().map(|(_, value)| value));
            if !uses(&raw.name.value, pieces) {
                never_used(c, raw, restart, "target.process");
            }
        }
    }
    Apply::Restart
}

/// Whether a setting's placeholder stands in one of the texts.
fn uses<'a>(name: &str, mut patterns: impl Iterator<Item = &'a At<Pattern>>) -> bool {
    patterns.any(|p| p.value.value.names().any(|n| n == name))
}

fn never_used<T>(c: &mut Context<'_>, raw: &RawSetting, at: &At<T>, what: &str) {
    let name = &raw.name.value;
    c.refuse(at, &format!("`{{{name}}}` stands nowhere in {what}: every value would do the same"), format!("write {{{name}}} where the value goes"));
}

fn verify(c: &mut Context<'_>, raw: &At<RawVerify>) -> Option<Verify> {
    let written = &raw.value.signal;
    if c.raw.sources.is_empty() {
        c.refuse(raw, "no source of metrics to read it from", "add [metrics.app] with prometheus = \"http://…\"");
    }
    match written.value.value.parse::<Signal>() {
        Ok(signal) if signal.kind() == Kind::Gauge => Some(Verify { signal, of: raw.value.of.as_ref().map(|o| c.text(&o.value)) }),
        Ok(signal) => {
            c.refuse(
                written,
                &format!("`{signal}` is not a level that reads a setting back"),
                "write the signal of the maximum, as \"pool.max\" or \"threads.max\"",
            );
            None
        }
        Err(error) => {
            let hint =
                error.nearest.map_or_else(|| "write the signal of the maximum, as \"pool.max\"".to_owned(), |n| format!("did you mean \"{n}\"?"));
            c.refuse(written, &format!("`{}` is no signal", written.value.shown), hint);
            None
        }
    }
}
