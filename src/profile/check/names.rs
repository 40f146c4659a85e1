//! Placeholders: which names may stand in braces where, and that no name means two things. It may import the rest of `profile/`.

use serde_json::Value;

use super::Context;
use crate::model::template::Template;
use crate::model::text::nearest;
use crate::profile::raw::leaf::{Json, Pattern};
use crate::profile::raw::reader::At;
use crate::profile::raw::scenario::{RawRequest, RawScenario};

/// The names that mean something at a place.
pub(super) struct Scope {
    names: Vec<String>,
    /// Names that get their meaning only after this place.
    later: Vec<String>,
    what: &'static str,
}

impl Scope {
    /// Where only settings have names: what applies a setting, and the target's process.
    pub(super) fn settings(c: &Context<'_>) -> Self {
        Self { names: c.raw.settings.iter().map(|s| s.name.value.clone()).collect(), later: Vec::new(), what: "no setting" }
    }

    /// In the first request of a scenario: settings; what the scenario's requests extract is still to come.
    pub(super) fn scenario(c: &Context<'_>, raw: &RawScenario) -> Self {
        let once = raw.once.iter().map(|o| &o.value);
        let requests = once.chain(raw.steps.value.iter().map(|s| &s.value.request));
        let later = requests.flat_map(|r| r.extract.iter().map(|(name, _)| name.value.clone())).collect();
        Self { later, what: "neither a setting nor extracted by this scenario", ..Self::settings(c) }
    }

    /// From here on, what a request extracts has a meaning.
    pub(super) fn extracted(&mut self, request: &RawRequest) {
        self.names.extend(request.extract.iter().map(|(name, _)| name.value.clone()));
    }
}

/// Refuses placeholders without a meaning.
pub(super) fn check_pattern(c: &mut Context<'_>, at: &At<Pattern>, scope: &Scope) {
    check_template(c, at, &at.value.value, scope);
}

/// As [`check_pattern`], for every text inside a JSON value.
pub(super) fn check_json(c: &mut Context<'_>, at: &At<Json>, scope: &Scope) {
    for text in texts(&at.value.value) {
        check_template(c, at, &Template::parse(text), scope);
    }
}

fn check_template<T>(c: &mut Context<'_>, at: &At<T>, template: &Template, scope: &Scope) {
    for name in template.names() {
        if scope.names.iter().any(|known| known == name) {
            continue;
        }
        let mark = format!("{{{name}}}");
        if name == "feed" || name.starts_with("feed.") {
            c.refuse_part(at, &mark, &format!("`{mark}` needs a feeder, and `feeder` is not supported by this version"), "write the value itself");
            continue;
        }
        if scope.later.iter().any(|later| later == name) {
            let what = format!("`{mark}` stands before it is extracted");
            c.refuse_part(at, &mark, &what, "extract it in [[scenario.once]], or in a step that is sure to have run before");
            continue;
        }
        let known: Vec<&str> = scope.names.iter().map(String::as_str).collect();
        let hint = match nearest(name, &known) {
            Some(near) => format!("did you mean `{{{near}}}`? For the text itself write {{{mark}}}"),
            None if known.is_empty() => format!("there are no settings; for the text itself write {{{mark}}}"),
            None => format!("known here: {}; for the text itself write {{{mark}}}", known.join(", ")),
        };
        c.refuse_part(at, &mark, &format!("`{mark}` is {}", scope.what), hint);
    }
}

/// All texts inside a JSON value.
pub(super) fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(map) => map.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

/// Refuses a name that could not stand in braces, or that means something else already.
pub(super) fn check_new_variable(c: &mut Context<'_>, name: &At<String>) {
    if Template::parse(&format!("{{{}}}", name.value)).sole_name() != Some(&name.value) || name.value.contains('.') {
        c.refuse(name, &format!("`{}` can not be a variable's name", name.value), "write a plain word of letters, digits and _");
    } else if name.value == "feed" || c.raw.settings.iter().any(|s| s.name.value == name.value) {
        let other = if name.value == "feed" { "the rows of a feeder" } else { "a setting" };
        c.refuse(name, &format!("`{{{}}}` would mean two things: {other} and an extracted variable", name.value), "give the variable another name");
    }
}
