//! Templates as bytes with gaps, each gap knowing where it stands: what is put in can not break out of its place.

use super::encode;
use super::names::Names;
use crate::load::fill::{Slot, Value, Vars};
use crate::model::template::{Piece, Template};

/// Where a gap stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In the path or query as they were written.
    Path,
    /// Where the path begins: with a slash, of the value or before it.
    PathStart,
    /// In a parameter's value.
    Query,
    /// In a form's value.
    Form,
    /// In a header.
    Header,
    /// In a text body.
    Text,
    /// In a part of a multipart body.
    Part,
    /// Inside a JSON string.
    InJson,
    /// A whole JSON value.
    AsJson,
}

/// What begins every boundary between the parts of a multipart body. No value may hold it.
pub(super) const BOUNDARY: &str = "plimsoll-part-";

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Bytes(Vec<u8>),
    Gap { slot: Slot, name: String, place: Place },
}

/// Bytes with gaps.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Text(Vec<Part>);

impl Text {
    /// Adds bytes as they stand.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        if let Some(Part::Bytes(last)) = self.0.last_mut() {
            last.extend_from_slice(bytes);
        } else {
            self.0.push(Part::Bytes(bytes.to_vec()));
        }
    }

    /// Adds a gap for a variable if there is one of this name, else the placeholder as it was written.
    pub(super) fn push_name(&mut self, name: &str, place: Place, names: &Names<'_>) {
        match names.find(name) {
            Some(slot) => self.0.push(Part::Gap { slot, name: name.to_owned(), place }),
            None => self.push(unfilled(name, place).as_bytes()),
        }
    }

    /// Adds a path: it begins with a slash whatever it was written or filled with.
    pub(super) fn push_path(&mut self, template: &Template, names: &Names<'_>) {
        match template.pieces().split_first() {
            Some((Piece::Name(name), rest)) => {
                self.push_name(name, Place::PathStart, names);
                for piece in rest {
                    self.push_piece(piece, Place::Path, names);
                }
            }
            Some((Piece::Text(text), _)) if text.starts_with('/') => self.push_template(template, Place::Path, names),
            _ => {
                self.push(b"/");
                self.push_template(template, Place::Path, names);
            }
        }
    }

    /// Adds a template.
    pub(super) fn push_template(&mut self, template: &Template, place: Place, names: &Names<'_>) {
        for piece in template.pieces() {
            self.push_piece(piece, place, names);
        }
    }

    fn push_piece(&mut self, piece: &Piece, place: Place, names: &Names<'_>) {
        match piece {
            Piece::Text(text) => self.push_written(text, place),
            Piece::Name(name) => self.push_name(name, place, names),
        }
    }

    /// Adds what the profile says, in the writing of its place.
    pub(super) fn push_written(&mut self, text: &str, place: Place) {
        let mut bytes = Vec::new();
        match place {
            Place::InJson => encode::in_json(text, &mut bytes),
            Place::Path => encode::in_path(text, &mut bytes),
            Place::Query => encode::in_query(text, &mut bytes),
            Place::Form => encode::in_form(text, &mut bytes),
            Place::PathStart | Place::Header | Place::Text | Place::Part | Place::AsJson => bytes.extend_from_slice(text.as_bytes()),
        }
        self.push(&bytes);
    }

    /// Whether it has no gap.
    pub(super) fn is_plain(&self) -> bool {
        self.0.iter().all(|p| matches!(p, Part::Bytes(_)))
    }

    /// Whether its bytes hold these, gaps left out.
    pub(super) fn holds(&self, wanted: &[u8]) -> bool {
        self.0.iter().any(|p| matches!(p, Part::Bytes(bytes) if bytes.windows(wanted.len()).any(|w| w == wanted)))
    }

    /// Adds another text.
    pub(super) fn append(&mut self, other: Self) {
        for piece in other.0 {
            match piece {
                Part::Bytes(bytes) => self.push(&bytes),
                gap @ Part::Gap { .. } => self.0.push(gap),
            }
        }
    }

    /// Fills the gaps; one without a value stays as it was written.
    pub(super) fn render(&self, vars: &Vars, out: &mut Vec<u8>) {
        for piece in &self.0 {
            match piece {
                Part::Bytes(bytes) => out.extend_from_slice(bytes),
                Part::Gap { slot, name, place } => match vars.get(*slot) {
                    Some(value) => push_value(value, *place, out),
                    None => out.extend_from_slice(unfilled(name, *place).as_bytes()),
                },
            }
        }
    }
}

fn unfilled(name: &str, place: Place) -> String {
    match place {
        Place::Path | Place::Query | Place::Form => format!("%7B{name}%7D"),
        Place::PathStart => format!("/%7B{name}%7D"),
        Place::AsJson => format!("\"{{{name}}}\""),
        Place::Header | Place::Text | Place::Part | Place::InJson => format!("{{{name}}}"),
    }
}

fn push_value(value: &Value, place: Place, out: &mut Vec<u8>) {
    match place {
        Place::Path => encode::in_path(&value.text, out),
        Place::PathStart => {
            if !value.text.starts_with('/') {
                out.push(b'/');
            }
            encode::in_path(&value.text, out);
        }
        Place::Query => encode::in_query(&value.text, out),
        Place::Form => encode::in_form(&value.text, out),
        Place::Header => encode::in_header(&value.text, out),
        Place::Text => out.extend_from_slice(value.text.as_bytes()),
        Place::Part => push_part(&value.text, out),
        Place::InJson => encode::in_json(&value.text, out),
        Place::AsJson if value.bare => out.extend_from_slice(value.text.as_bytes()),
        Place::AsJson => {
            out.push(b'"');
            encode::in_json(&value.text, out);
            out.push(b'"');
        }
    }
}

/// A value that holds the beginning of a boundary loses it: no part may end before its end.
fn push_part(text: &str, out: &mut Vec<u8>) {
    let mut text = std::borrow::Cow::Borrowed(text);
    while text.contains(BOUNDARY) {
        text = text.replace(BOUNDARY, "").into();
    }
    out.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn value(text: &str) -> Value {
        Value { text: text.to_owned(), bare: false }
    }

    fn filled(template: &str, place: Place, filling: Option<&str>) -> String {
        let own = BTreeMap::from([("v".to_owned(), 0)]);
        let mut text = Text::default();
        text.push_template(&Template::parse(template), place, &Names { own: Some(&own), ..Names::default() });
        let mut out = Vec::new();
        let mut vars = Vars::new(1);
        vars.set(0, filling.map(value));
        text.render(&vars, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn values_can_not_break_out_of_their_place() {
        for (template, place, filling, wanted) in [
            ("/a/{v}?x=1", Place::Path, "b c\r\nEvil: é", "/a/b%20c%0D%0AEvil:%20%C3%A9?x=1"),
            ("x{v}", Place::Query, "&a=1 #", "x%26a%3D1%20%23"),
            ("x{v}", Place::Form, "&a=1 #", "x%26a%3D1+%23"),
            ("Bearer {v}", Place::Header, "t\r\nEvil: 1", "Bearer tEvil: 1"),
            ("a \"{v}\"", Place::InJson, "\"\n", "a \\\"\\\"\\n\\\""),
            ("{v}", Place::AsJson, "x\"y", "\"x\\\"y\""),
            ("<{v}>", Place::Text, "a\r\nb", "<a\r\nb>"),
            ("{v}", Place::Part, "a\r\n--plimsoll-plimsoll-part-part-0\r\nb", "a\r\n--0\r\nb"),
        ] {
            assert_eq!(filled(template, place, Some(filling)), wanted, "{template} {place:?}");
        }
    }

    #[test]
    fn numbers_stay_numbers_where_they_are_the_whole_value() {
        let mut out = Vec::new();
        push_value(&Value { bare: true, ..value("12") }, Place::AsJson, &mut out);
        assert_eq!(out, b"12");
    }

    #[test]
    fn unknown_and_unfilled_names_stay_as_written() {
        assert_eq!(filled("{other}/{v}", Place::Text, Some("1")), "{other}/1");
        assert_eq!(filled("a{v}", Place::Text, None), "a{v}");
        assert_eq!(filled("a{v}", Place::Query, None), "a%7Bv%7D");
    }

    #[test]
    fn what_is_written_is_searched_gaps_are_not() {
        let own = BTreeMap::from([("v".to_owned(), 0)]);
        let mut text = Text::default();
        text.push_template(&Template::parse("ab{v}cd"), Place::Text, &Names { own: Some(&own), ..Names::default() });
        assert!(!text.is_plain());
        assert!(text.holds(b"ab") && text.holds(b"cd") && !text.holds(b"bc"));
    }
}
