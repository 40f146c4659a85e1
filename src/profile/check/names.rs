//! Placeholders: which names may stand in braces where, and that no name means two things. It may import the rest of `profile/`.

use serde_json::Value;

use super::Context;
use crate::model::rows::Rows;
use crate::model::template::Template;
use crate::model::text::nearest;
use crate::profile::raw::leaf::{Json, Pattern};
use crate::profile::raw::reader::At;
use crate::profile::raw::request::RawRequest;
use crate::profile::raw::scenario::RawScenario;
use crate::profile::secret::Text;

/// What `{feed.…}` can stand for.
#[derive(Clone)]
pub(super) enum Feed {
    /// There is no feeder.
    None,
    /// There is one, but what it holds could not be read, which has been said.
    Unknown,
    /// The rows of this file.
    Rows {
        /// Its name as written.
        file: String,
        /// What it holds.
        rows: std::rc::Rc<Rows>,
    },
}

/// The names that mean something at a place.
#[derive(Clone)]
pub(super) struct Scope {
    names: Vec<String>,
    feed: Feed,
    /// Names that get their meaning only after this place.
    later: Vec<String>,
    what: &'static str,
}

impl Scope {
    /// Where only settings have names: what applies a setting, and the target's process.
    pub(super) fn settings(c: &Context<'_>) -> Self {
        Self { names: c.raw.settings.iter().map(|s| s.name.value.clone()).collect(), feed: Feed::None, later: Vec::new(), what: "no setting" }
    }

    /// In the first request of a scenario: settings; what the scenario's requests extract is still to come.
    pub(super) fn scenario(c: &Context<'_>, raw: &RawScenario, feed: Feed) -> Self {
        let later = raw.requests().into_iter().flat_map(|r| r.extract.iter().map(|(name, _)| name.value.clone())).collect();
        Self { later, feed, what: "neither a setting nor extracted by this scenario", ..Self::settings(c) }
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
            check_feed(c, at, name, scope);
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

/// Refuses a column that the feeder does not have.
fn check_feed<T>(c: &mut Context<'_>, at: &At<T>, name: &str, scope: &Scope) {
    let mark = format!("{{{name}}}");
    let column = name.strip_prefix("feed.");
    match (&scope.feed, column) {
        (Feed::Rows { rows, .. }, Some(column)) if rows.column(column).is_some() => {}
        (Feed::Unknown, Some(_)) => {}
        (Feed::Rows { file, rows }, column) => {
            let what = format!("`{mark}` is {} of `{file}`", if column.is_some() { "no column" } else { "a whole row" });
            c.refuse_part(at, &mark, &what, rows.missing(column.unwrap_or_default()));
        }
        (_, None) => c.refuse_part(at, &mark, &format!("`{mark}` is a whole row"), "name a column of it, as {feed.username}"),
        (Feed::None, Some(_)) => {
            let hint = "add feeder = { csv = \"accounts.csv\" } to the scenario";
            c.refuse_part(at, &mark, &format!("`{mark}` needs a feeder, and there is none here"), hint);
        }
    }
}

/// Refuses a placeholder where text is taken as it stands, if it would mean something elsewhere.
pub(super) fn check_no_placeholder(c: &mut Context<'_>, at: &At<Text>, scope: &Scope) {
    let template = Template::parse(&at.value.shown);
    let meant = template.names().find(|n| n.starts_with("feed.") || scope.names.iter().chain(&scope.later).any(|known| known == n));
    if let Some(name) = meant {
        let mark = format!("{{{name}}}");
        c.refuse_part(at, &mark, &format!("`{mark}` is not filled here: a check compares with the text as it stands"), "write the text itself");
    }
}

/// Words of `{metric{tag:value}}` that are known by other means than tags.
const OWN_TAGS: [&str; 2] = ["name", "scenario"];

/// Refuses a tag that figures could not be kept by, or that nobody could ask for.
pub(super) fn check_tag(c: &mut Context<'_>, name: &At<String>, value: &At<Text>) {
    let has_phases = c.raw.load.value.phases.is_some();
    if OWN_TAGS.contains(&name.value.as_str()) || (name.value == "phase" && has_phases) {
        c.refuse(name, &format!("`{}` has a meaning of its own where figures are asked for", name.value), "give the tag another name");
    } else if Template::parse(&format!("{{{}}}", name.value)).sole_name() != Some(&name.value) || name.value.contains('.') {
        c.refuse(name, &format!("`{}` can not be a tag's name", name.value), "write a plain word of letters, digits and _");
    }
    if Template::parse(&value.value.shown).is_plain() {
        check_label(c, value);
    } else {
        c.refuse(value, "a tag has one value, and placeholders have many", "write the value itself: figures are kept for each");
    }
}

/// Refuses a name that a threshold could not ask for.
pub(super) fn check_label(c: &mut Context<'_>, at: &At<Text>) {
    if let Some(bad) = at.value.shown.chars().find(|ch| matches!(ch, '{' | '}' | ',' | ':' | '"') || ch.is_control()) {
        let what = format!("`{}` could not be asked for in a threshold", at.value.shown);
        c.refuse(at, &what, format!("leave out {bad:?}"));
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
