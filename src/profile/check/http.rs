//! Checks requests, those of the load and those that apply a setting: methods, paths, headers, bodies, statuses. It may import the
//! rest of `profile/`.

use std::collections::BTreeMap;

use super::Context;
use super::names::{Scope, check_json, check_pattern};
use crate::model::plan::Body;
use crate::model::template::{Piece, Template};
use crate::profile::raw::leaf::Pattern;
use crate::profile::raw::reader::At;
use crate::profile::raw::setting::RawContent;
use crate::profile::secret::Text;

/// Headers that belong to the framing of a request, which is not the profile's.
const FRAMING: [&str; 4] = ["connection", "content-length", "transfer-encoding", "upgrade"];

/// A path without placeholders.
pub(super) fn plain_path(c: &mut Context<'_>, at: &At<Text>) {
    path_text(c, at, &at.value.value, at.value.value.starts_with('/'));
}

/// A path with placeholders.
pub(super) fn path(c: &mut Context<'_>, at: &At<Pattern>, scope: &Scope) {
    check_pattern(c, at, scope);
    let begins = matches!(at.value.value.pieces().first(), Some(Piece::Text(text)) if text.starts_with('/'));
    let plain: String = at.value.value.pieces().iter().filter_map(|p| if let Piece::Text(t) = p { Some(t.as_str()) } else { None }).collect();
    path_text(c, at, &plain, begins);
}

fn path_text<T>(c: &mut Context<'_>, at: &At<T>, text: &str, begins: bool) {
    if text.starts_with("http://") || text.starts_with("https://") {
        c.refuse(at, "a whole address", "requests go to target.url: write the path alone, as \"/api/items\"");
    } else if !begins {
        c.refuse(at, "a path begins with /", "write it as \"/api/items\"");
    } else if text.chars().any(|ch| ch.is_whitespace() || ch.is_control()) {
        c.refuse(at, "a path has no blanks", "write %20 for a blank");
    } else if text.contains('#') {
        c.refuse(at, "what follows # is never sent", "leave it out, or write %23");
    }
}

/// A status that an answer can have.
pub(super) fn status(c: &mut Context<'_>, at: &At<u32>) {
    if !(100..=599).contains(&at.value) {
        c.refuse(at, &format!("`{}` is no status", at.value), "write a number from 100 to 599");
    }
}

/// Whether a header or a cookie can have this name.
pub(super) fn is_token(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|ch| ch.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(ch))
}

/// Headers with placeholders.
pub(super) fn headers(c: &mut Context<'_>, raw: &[(At<String>, At<Pattern>)], scope: &Scope) -> BTreeMap<String, Template> {
    for (name, value) in raw {
        if !is_token(&name.value) {
            c.refuse(name, "no header has such a name", "write letters, digits and -, as Accept-Language");
        } else if FRAMING.contains(&name.value.to_ascii_lowercase().as_str()) {
            c.refuse(name, &format!("`{}` belongs to the connection, not to the request", name.value), "leave it out");
        }
        if value.value.value.pieces().iter().any(|p| matches!(p, Piece::Text(t) if t.chars().any(|ch| ch.is_control() && ch != '\t'))) {
            c.refuse(value, "a header has one line", "leave out line breaks and control characters");
        }
        check_pattern(c, value, scope);
    }
    raw.iter().map(|(name, value)| (name.value.clone(), c.pattern(&value.value))).collect()
}

/// JSON or text, not both.
pub(super) fn body(c: &mut Context<'_>, raw: &RawContent, scope: &Scope) -> Option<Body> {
    match (&raw.json, &raw.body) {
        (Some(_), Some(body)) => {
            c.refuse(body, "both `json` and `body`", "a request has one body: leave one of them out");
            None
        }
        (Some(json), None) => {
            check_json(c, json, scope);
            Some(Body::Json(c.json(&json.value)))
        }
        (None, Some(body)) => {
            check_pattern(c, body, scope);
            Some(Body::Text(c.pattern(&body.value)))
        }
        (None, None) => None,
    }
}
