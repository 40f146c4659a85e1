//! Templates as bytes with gaps, each gap knowing where it stands: what is put in can not break out of its place.

use std::collections::BTreeMap;

use crate::model::template::{Piece, Template};

/// What a variable holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Value {
    /// As text.
    pub(crate) text: String,
    /// Whether it is a JSON number, truth value or null, so that it stands without quotes.
    pub(crate) bare: bool,
}

/// A user's variables, by number.
pub(crate) type Vars = [Option<Value>];

/// Where a gap stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In the path or query.
    Path,
    /// Where the path begins: with a slash, of the value or before it.
    PathStart,
    /// In a header.
    Header,
    /// In a text body.
    Text,
    /// Inside a JSON string.
    InJson,
    /// A whole JSON value.
    AsJson,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Bytes(Vec<u8>),
    Gap { var: usize, name: String, place: Place },
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
    pub(super) fn push_name(&mut self, name: &str, place: Place, names: &BTreeMap<String, usize>) {
        match names.get(name) {
            Some(&var) => self.0.push(Part::Gap { var, name: name.to_owned(), place }),
            None => self.push(unfilled(name, place).as_bytes()),
        }
    }

    /// Adds a path: it begins with a slash whatever it was written or filled with.
    pub(super) fn push_path(&mut self, template: &Template, names: &BTreeMap<String, usize>) {
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
    pub(super) fn push_template(&mut self, template: &Template, place: Place, names: &BTreeMap<String, usize>) {
        for piece in template.pieces() {
            self.push_piece(piece, place, names);
        }
    }

    fn push_piece(&mut self, piece: &Piece, place: Place, names: &BTreeMap<String, usize>) {
        match piece {
            Piece::Text(text) if place == Place::InJson => self.push(inside_json(text).as_bytes()),
            Piece::Text(text) if place == Place::Path => {
                let mut bytes = Vec::new();
                push_in_path(text, &mut bytes);
                self.push(&bytes);
            }
            Piece::Text(text) => self.push(text.as_bytes()),
            Piece::Name(name) => self.push_name(name, place, names),
        }
    }

    /// Whether it has no gap.
    pub(super) fn is_plain(&self) -> bool {
        self.0.iter().all(|p| matches!(p, Part::Bytes(_)))
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
                Part::Gap { var, name, place } => match vars.get(*var).and_then(Option::as_ref) {
                    Some(value) => push_value(value, *place, out),
                    None => out.extend_from_slice(unfilled(name, *place).as_bytes()),
                },
            }
        }
    }
}

fn unfilled(name: &str, place: Place) -> String {
    match place {
        Place::Path => format!("%7B{name}%7D"),
        Place::PathStart => format!("/%7B{name}%7D"),
        Place::AsJson => format!("\"{{{name}}}\""),
        _ => format!("{{{name}}}"),
    }
}

fn push_value(value: &Value, place: Place, out: &mut Vec<u8>) {
    match place {
        Place::Path => push_in_path(&value.text, out),
        Place::PathStart => {
            if !value.text.starts_with('/') {
                out.push(b'/');
            }
            push_in_path(&value.text, out);
        }
        Place::Header => out.extend(value.text.bytes().filter(|b| *b >= b' ' && *b != 0x7f)),
        Place::Text => out.extend_from_slice(value.text.as_bytes()),
        Place::InJson => out.extend_from_slice(inside_json(&value.text).as_bytes()),
        Place::AsJson if value.bare => out.extend_from_slice(value.text.as_bytes()),
        Place::AsJson => {
            out.push(b'"');
            out.extend_from_slice(inside_json(&value.text).as_bytes());
            out.push(b'"');
        }
    }
}

/// What may not stand in a request line is percent-encoded; what has a meaning there is left to whoever wrote it.
fn push_in_path(text: &str, out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    for byte in text.bytes() {
        if byte.is_ascii_graphic() && !matches!(byte, b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}') {
            out.push(byte);
        } else {
            let digits = [usize::from(byte >> 4), usize::from(byte & 15)].map(|d| HEX.get(d).copied().unwrap_or(b'0'));
            out.push(b'%');
            out.extend_from_slice(&digits);
        }
    }
}

fn inside_json(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted.strip_prefix('"').and_then(|q| q.strip_suffix('"')).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(template: &str, place: Place, value: &str) -> String {
        let names = BTreeMap::from([("v".to_owned(), 0)]);
        let mut text = Text::default();
        text.push_template(&Template::parse(template), place, &names);
        let mut out = Vec::new();
        text.render(&[Some(Value { text: value.to_owned(), bare: false })], &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn values_can_not_break_out_of_their_place() {
        assert_eq!(filled("/a/{v}?x=1", Place::Path, "b c\r\nEvil: é"), "/a/b%20c%0D%0AEvil:%20%C3%A9?x=1");
        assert_eq!(filled("Bearer {v}", Place::Header, "t\r\nEvil: 1"), "Bearer tEvil: 1");
        assert_eq!(filled("a \"{v}\"", Place::InJson, "\"\n"), "a \\\"\\\"\\n\\\"");
        assert_eq!(filled("{v}", Place::AsJson, "x\"y"), "\"x\\\"y\"");
        assert_eq!(filled("<{v}>", Place::Text, "a\r\nb"), "<a\r\nb>");
    }

    #[test]
    fn numbers_stay_numbers_where_they_are_the_whole_value() {
        let mut out = Vec::new();
        push_value(&Value { text: "12".to_owned(), bare: true }, Place::AsJson, &mut out);
        assert_eq!(out, b"12");
    }

    #[test]
    fn unknown_and_unfilled_names_stay_as_written() {
        assert_eq!(filled("{other}/{v}", Place::Text, "1"), "{other}/1");
        let names = BTreeMap::from([("v".to_owned(), 0)]);
        let mut text = Text::default();
        text.push_template(&Template::parse("{v}"), Place::Text, &names);
        assert!(!text.is_plain());
        let mut out = Vec::new();
        text.render(&[None], &mut out);
        assert_eq!(out, b"{v}");
    }
}
