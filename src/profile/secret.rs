//! Secrets in a profile: `${NAME}` is replaced from the environment, the user part of an address is masked. It imports nothing of
//! the package; it must not let a value out except as the value of the key it stands in.

use std::ops::Range;

/// A text of the profile with its secrets in, and as it may be shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Text {
    /// With the secrets.
    pub(super) value: String,
    /// As it was written, the user part of addresses masked.
    pub(super) shown: String,
}

/// The next `${NAME}` at or after `from`: its place and name.
pub(super) fn next_variable(text: &str, from: usize) -> Option<(Range<usize>, &str)> {
    let mut at = from;
    loop {
        let start = at + text.get(at..)?.find("${")?;
        let inner = text.get(start + 2..)?;
        if let Some((name, _)) = inner.split_once('}')
            && is_variable(name)
        {
            return Some((start..start + name.len() + 3, name));
        }
        at = start + 2;
    }
}

fn is_variable(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Replaces every `${NAME}`; the names that have no value come back as the error.
pub fn replace(text: &str, value: impl Fn(&str) -> Option<String>) -> Result<String, Vec<String>> {
    let mut out = String::with_capacity(text.len());
    let mut missing = Vec::new();
    let mut at = 0;
    while let Some((place, name)) = next_variable(text, at) {
        out.push_str(text.get(at..place.start).unwrap_or_default());
        match value(name) {
            Some(found) => out.push_str(&found),
            None => missing.push(name.to_owned()),
        }
        at = place.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    if missing.is_empty() { Ok(out) } else { Err(missing) }
}

/// The text with the user part of every address in it masked: `postgres://***@db/app`. A part that is variables only stays.
pub(super) fn mask(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for part in user_parts(text) {
        out.push_str(text.get(at..part.start).unwrap_or_default());
        out.push_str("***");
        at = part.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

/// As [`mask`], every byte for itself, so that columns stay where they are.
pub(super) fn mask_in_place(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for part in user_parts(text) {
        out.push_str(text.get(at..part.start).unwrap_or_default());
        out.push_str(&"*".repeat(part.len()));
        at = part.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

/// Where addresses in the text name a user: between `://` and the last `@` before the host ends.
fn user_parts(text: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find("://")) {
        let start = at + found + 3;
        let rest = text.get(start..).unwrap_or_default();
        let end = rest.find(|c: char| matches!(c, '/' | '?' | '#' | '"' | '\'' | '<' | '>') || c.is_whitespace()).unwrap_or(rest.len());
        if let Some(user) = rest.get(..end).and_then(|authority| authority.rfind('@')) {
            let part = start..start + user;
            if !is_variables_only(text.get(part.clone()).unwrap_or_default()) {
                parts.push(part);
            }
        }
        at = start;
    }
    parts
}

/// Whether a user part is nothing but variables and colons: nothing in it is secret as written.
fn is_variables_only(part: &str) -> bool {
    replace(part, |_| Some(String::new())).is_ok_and(|rest| rest.chars().all(|c| c == ':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_replaced_and_anything_else_is_text() {
        let env = |name: &str| (name == "TOKEN").then(|| "s3cr3t".to_owned());
        assert_eq!(replace("Bearer ${TOKEN}!", env).unwrap(), "Bearer s3cr3t!");
        assert_eq!(replace("${} ${a b} $TOKEN {TOKEN} ${", env).unwrap(), "${} ${a b} $TOKEN {TOKEN} ${");
        assert_eq!(replace("${A}${TOKEN}${B}", env).unwrap_err(), ["A", "B"]);
    }

    #[test]
    fn a_value_is_not_read_again() {
        assert_eq!(replace("${A}", |_| Some("${A}".to_owned())).unwrap(), "${A}");
    }

    #[test]
    fn user_parts_are_masked() {
        assert_eq!(mask("postgres://app:pa@ss@db/app"), "postgres://***@db/app");
        assert_eq!(mask("a = \"http://me@h\" # mail me@home"), "a = \"http://***@h\" # mail me@home");
        assert_eq!(mask("http://h/path@x"), "http://h/path@x");
        assert_eq!(mask("http://${USER}:${PASS}@h"), "http://${USER}:${PASS}@h");
        assert_eq!(mask("http://${USER}:word@h"), "http://***@h");
        assert_eq!(mask("http://a@b http://c@d"), "http://***@b http://***@d");
    }

    #[test]
    fn masking_in_place_keeps_columns() {
        assert_eq!(mask_in_place("u = 'http://me:pw@h' x"), "u = 'http://*****@h' x");
    }
}
