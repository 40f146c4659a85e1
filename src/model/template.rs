//! Text with `{placeholders}`: `{name}`, `{a.b}` with plain identifiers; `{{` is a brace; anything else in braces is text.

use std::fmt::{self, Write as _};

use serde::{Deserialize, Serialize};

/// A piece of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Text as it stands.
    Text(String),
    /// A placeholder's name, without its braces.
    Name(String),
}

/// Text with placeholders, read once and filled many times.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Template {
    pieces: Vec<Piece>,
}

impl Template {
    /// Reads a template; every text is one.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            let (before, from) = rest.split_at(at);
            plain.push_str(before);
            rest = Self::take_brace(from, &mut plain, &mut pieces);
        }
        plain.push_str(rest);
        push_text(&mut pieces, &mut plain);
        Self { pieces }
    }

    /// Reads what begins with a brace; returns what follows it.
    fn take_brace<'a>(from: &'a str, plain: &mut String, pieces: &mut Vec<Piece>) -> &'a str {
        for (pair, brace) in [("{{", '{'), ("}}", '}')] {
            if let Some(after) = from.strip_prefix(pair) {
                plain.push(brace);
                return after;
            }
        }
        if let Some((name, after)) = from.strip_prefix('{').and_then(|r| r.split_once('}'))
            && is_placeholder(name)
        {
            push_text(pieces, plain);
            pieces.push(Piece::Name(name.to_owned()));
            return after;
        }
        let mut chars = from.chars();
        plain.extend(chars.next());
        chars.as_str()
    }

    /// The pieces in order.
    #[must_use]
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The names of the placeholders, in order, with repeats.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|p| if let Piece::Name(n) = p { Some(n.as_str()) } else { None })
    }

    /// The one placeholder this template consists of, if it is nothing else.
    #[must_use]
    pub fn sole_name(&self) -> Option<&str> {
        if let [Piece::Name(name)] = self.pieces.as_slice() { Some(name) } else { None }
    }

    /// Whether it holds no placeholder.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.names().next().is_none()
    }

    /// Fills the placeholders; one without a value stays as it was written.
    #[must_use]
    pub fn fill(&self, value: impl Fn(&str) -> Option<String>) -> String {
        let mut out = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Name(name) => match value(name) {
                    Some(text) => out.push_str(&text),
                    None => {
                        let _infallible = write!(out, "{{{name}}}");
                    }
                },
            }
        }
        out
    }
}

fn push_text(pieces: &mut Vec<Piece>, plain: &mut String) {
    if !plain.is_empty() {
        pieces.push(Piece::Text(std::mem::take(plain)));
    }
}

/// Plain identifiers joined by dots.
fn is_placeholder(name: &str) -> bool {
    !name.is_empty()
        && name.split('.').all(|part| {
            part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
        })
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => f.write_str(&text.replace('{', "{{").replace('}', "}}"))?,
                Piece::Name(name) => write!(f, "{{{name}}}")?,
            }
        }
        Ok(())
    }
}

impl Serialize for Template {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Template {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Self::parse(&std::borrow::Cow::<'de, str>::deserialize(from)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn placeholders_are_plain_identifiers() {
        let t = Template::parse("/api/{feed.id}/x?{}&{a b}&{1}&{ok}");
        assert_eq!(t.names().collect::<Vec<_>>(), ["feed.id", "ok"]);
        assert_eq!(t.fill(|n| Some(n.to_uppercase())), "/api/FEED.ID/x?{}&{a b}&{1}&OK");
    }

    #[test]
    fn double_braces_are_braces() {
        let t = Template::parse("{{\"max\": {pool}}}");
        assert_eq!(t.fill(|_| Some("5".to_owned())), "{\"max\": 5}");
        assert_eq!(Template::parse("{{pool}}").fill(|_| None), "{pool}");
    }

    #[test]
    fn a_sole_placeholder_is_told_apart() {
        assert_eq!(Template::parse("{pool}").sole_name(), Some("pool"));
        assert_eq!(Template::parse("{pool} ").sole_name(), None);
    }

    #[test]
    fn an_unknown_placeholder_stays() {
        assert_eq!(Template::parse("a{b}c").fill(|_| None), "a{b}c");
    }

    proptest! {
        #[test]
        fn printing_and_reading_agree(text in "[a-c{}. ]{0,24}") {
            let t = Template::parse(&text);
            prop_assert_eq!(Template::parse(&t.to_string()), t);
        }
    }
}
