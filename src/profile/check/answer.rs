//! Checks what is taken from an answer and what must hold of it: paths, names and regular expressions that can find something. It may
//! import the rest of `profile/`.

use super::Context;
use super::http::is_token;
use super::names::{Scope, check_new_variable, check_no_placeholder};
use crate::model::plan::{Check, Condition, Extract};
use crate::profile::raw::reader::At;
use crate::profile::raw::request::{RawCheck, RawRequest};
use crate::profile::secret::Text;

const PART_HINT: &str = "write \"json:$.accessToken\", \"json:$.items[0].id\", \"header:Location\", \"cookie:session\" or \"regex:id=(\\\\d+)\"";

/// What an `extract` takes under a name.
pub(super) fn extract(c: &mut Context<'_>, request: &RawRequest, name: &At<String>, from: &At<Text>) -> Option<Extract> {
    check_new_variable(c, name);
    let part = part(c, from)?;
    has_body_for(c, request, Some(&part), from);
    Some(part)
}

/// A part of an answer: `json:$.path`, `header:Name`, `cookie:NAME`, `regex:PATTERN`.
fn part(c: &mut Context<'_>, at: &At<Text>) -> Option<Extract> {
    let written = at.value.value.as_str();
    let name = |rest: &str| Some(rest.trim().to_owned()).filter(|n| is_token(n));
    let found = match written.split_once(':') {
        Some(("json", path)) => json_path(path).map(Extract::Json),
        Some(("header", rest)) => name(rest).map(Extract::Header),
        Some(("cookie", rest)) => name(rest).map(Extract::Cookie),
        Some(("regex", pattern)) => return regex(c, at, pattern).then(|| Extract::Regex(pattern.to_owned())),
        _ => None,
    };
    if found.is_none() {
        c.refuse(at, &format!("`{}` names no part of an answer", at.value.shown), PART_HINT);
    }
    found
}

/// Whether a regular expression can be read.
fn regex(c: &mut Context<'_>, at: &At<Text>, pattern: &str) -> bool {
    if pattern.is_empty() {
        c.refuse(at, "an empty regular expression finds nothing", "write what to find, as \"regex:id=(\\\\d+)\"");
        return false;
    }
    let Err(error) = regex::bytes::Regex::new(pattern) else { return true };
    let told = error.to_string();
    let why = told.lines().rev().map(str::trim).find(|l| !l.is_empty()).unwrap_or_default();
    let what = format!("`{}` is no regular expression: {}", at.value.shown, why.trim_start_matches("error: "));
    c.refuse(at, &what, "a mark that stands for itself needs \\ before it; single quotes keep a \\ as it is, as 'regex:a\\.b'");
    false
}

/// Refuses to look into a body that no answer has.
fn has_body_for(c: &mut Context<'_>, request: &RawRequest, part: Option<&Extract>, at: &At<Text>) {
    if matches!(part, Some(Extract::Header(_) | Extract::Cookie(_))) {
        return;
    }
    if request.method == "HEAD" {
        c.refuse(at, "the answer to HEAD has no body: nothing can be found in it", "write get, or look at a header");
    } else if !request.expect_status.is_empty() && request.expect_status.iter().all(|s| matches!(s.value, 204 | 304)) {
        c.refuse(at, "an answer of the expected status has no body: nothing can be found in it", "look at a header, or expect another status");
    }
}

/// What must hold of an answer.
pub(super) fn check(c: &mut Context<'_>, request: &RawRequest, raw: &At<RawCheck>, scope: &Scope) -> Option<Check> {
    const HINT: &str = "write one of is, contains, lacks, matches and exists, as { of = \"json:$.status\", is = \"ok\" }";
    let RawCheck { of, exists, is, contains, lacks, matches } = &raw.value;
    let of = match of {
        Some(at) if at.value.value != "body" => {
            let part = part(c, at)?;
            has_body_for(c, request, Some(&part), at);
            Some(part)
        }
        Some(at) => {
            has_body_for(c, request, None, at);
            None
        }
        None => None,
    };
    for at in [is, contains, lacks].into_iter().flatten() {
        check_no_placeholder(c, at, scope);
    }
    let text = |at: &Option<At<Text>>| at.as_ref().map(|t| c.text(&t.value));
    let there = exists.as_ref().map(|e| if e.value { Condition::Exists } else { Condition::Missing });
    let said = [
        there,
        text(is).map(Condition::Is),
        text(contains).map(Condition::Contains),
        text(lacks).map(Condition::Lacks),
        text(matches).map(Condition::Matches),
    ];
    let said: Vec<Condition> = said.into_iter().flatten().collect();
    if let Some(at) = matches {
        regex(c, at, &at.value.value);
    }
    if let (Some(at), None) = (exists, &of) {
        c.refuse(at, "a body is always there, if empty", "name a part with `of`, or write matches = \".\" for a body that is not empty");
    }
    match said.as_slice() {
        [holds] => return Some(Check { of, holds: holds.clone() }),
        [] => c.refuse(raw, "a check of nothing", HINT),
        _ => c.refuse(raw, "more than one condition in one check", format!("write a check for each: {HINT}")),
    }
    None
}

/// A path into a JSON document as dots: `$.items[0].id` becomes `items.0.id`.
fn json_path(path: &str) -> Option<String> {
    let dotted = path.strip_prefix('$')?.replace('[', ".").replace(']', "");
    let dotted = dotted.strip_prefix('.')?;
    let plain = |part: &str| !part.is_empty() && part.chars().all(|ch| ch.is_alphanumeric() || ch == '_' || ch == '-');
    dotted.split('.').all(plain).then(|| dotted.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_paths_become_dots() {
        assert_eq!(json_path("$.a").as_deref(), Some("a"));
        assert_eq!(json_path("$.items[0].id").as_deref(), Some("items.0.id"));
        assert_eq!(json_path("$[2].id").as_deref(), Some("2.id"));
        for wrong in ["", "a", "$", "$.", "$..a", "$.a b", "$.a[*]"] {
            assert_eq!(json_path(wrong), None, "{wrong}");
        }
    }
}
