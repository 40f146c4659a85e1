//! One line of an exposition page. A line is read on its own so that a broken one costs itself and nothing else; text
//! is borrowed wherever no escape has to be undone. It may import `model/text` only; it must not decide what a family means.

use std::borrow::Cow;

use crate::model::text::clean_short;

/// How many characters of a broken line an error shows.
pub(super) const SHOWN: usize = 80;

/// Why one line of a page could not be read; the rest of the page is not affected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// The line does not begin with a metric name.
    #[error("no metric name at the start of the line")]
    NoName,
    /// The metric name has a character that no name may have unless it is quoted.
    #[error("metric name `{name}` is followed by `{found}`, which no unquoted name may contain")]
    BadName {
        /// What was read of the name.
        name: String,
        /// The character that does not belong there.
        found: char,
    },
    /// `{` without its `}`.
    #[error("the labels are not closed with `}}`")]
    OpenLabels,
    /// A label without `="value"`.
    #[error("label `{label}` has no quoted value")]
    LabelWithoutValue {
        /// The label's name.
        label: String,
    },
    /// A quoted text that the line ends in.
    #[error("a quoted text is not closed")]
    OpenQuote,
    /// Name and labels, and nothing after them.
    #[error("no value after the name")]
    NoValue,
    /// The value is no number.
    #[error("value `{text}` is not a number")]
    BadValue {
        /// What stands in its place.
        text: String,
    },
    /// The time stamp is no number.
    #[error("time stamp `{text}` is not a number")]
    BadTimestamp {
        /// What stands in its place.
        text: String,
    },
    /// Something follows that the format has no place for.
    #[error("`{text}` follows the sample")]
    Surplus {
        /// What follows.
        text: String,
    },
}

/// One label of a sample; the value with its escapes undone.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Label<'a> {
    /// The label's name.
    pub name: Cow<'a, str>,
    /// The label's value.
    pub value: Cow<'a, str>,
}

/// What a line turned out to be.
#[derive(Debug, PartialEq)]
pub(super) enum Line<'a> {
    /// Blank, a comment, HELP or UNIT: nothing to keep.
    Nothing,
    /// `# EOF`, the last line of an OpenMetrics page.
    End,
    /// `# TYPE name kind`.
    Type { family: Cow<'a, str>, kind: &'a str },
    /// A sample; its labels were appended to the list handed in.
    Sample(Sample<'a>),
}

/// A sample without its labels.
#[derive(Debug, PartialEq)]
pub(super) struct Sample<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) value: f64,
    /// As written: milliseconds in the text format, seconds in OpenMetrics.
    pub(super) timestamp: Option<f64>,
}

/// Reads one line; labels are appended to `labels`, also those of a line that then fails (the caller cuts them off).
pub(super) fn read<'a>(line: &'a str, labels: &mut Vec<Label<'a>>) -> Result<Line<'a>, LineError> {
    let mut cursor = Cursor { rest: line };
    cursor.skip_blank();
    if cursor.rest.is_empty() {
        return Ok(Line::Nothing);
    }
    if cursor.eat('#') {
        return Ok(read_comment(cursor));
    }
    read_sample(cursor, labels).map(Line::Sample)
}

fn read_comment(mut cursor: Cursor<'_>) -> Line<'_> {
    cursor.skip_blank();
    match cursor.token() {
        "EOF" if cursor.rest.trim().is_empty() => Line::End,
        "TYPE" => {
            cursor.skip_blank();
            let family = match cursor.rest.as_bytes().first() {
                Some(b'"') => cursor.quoted().unwrap_or_default(),
                _ => Cow::Borrowed(cursor.token()),
            };
            cursor.skip_blank();
            Line::Type { family, kind: cursor.token() }
        }
        _ => Line::Nothing,
    }
}

fn read_sample<'a>(mut cursor: Cursor<'a>, labels: &mut Vec<Label<'a>>) -> Result<Sample<'a>, LineError> {
    let mut name = Cow::Borrowed(cursor.name());
    if let Some(found) = cursor.rest.chars().next().filter(|next| !matches!(next, ' ' | '\t' | '{'))
        && !name.is_empty()
    {
        return Err(LineError::BadName { name: clip(&name), found });
    }
    cursor.skip_blank();
    if cursor.eat('{')
        && let Some(quoted) = read_labels(&mut cursor, labels)?
        && name.is_empty()
    {
        name = quoted;
    }
    if name.is_empty() {
        return Err(LineError::NoName);
    }
    cursor.skip_blank();
    let value = read_value(&mut cursor)?;
    cursor.skip_blank();
    let timestamp = read_timestamp(&mut cursor)?;
    cursor.skip_blank();
    // What follows a `#` here is an exemplar: it points at a trace, it measures nothing.
    if !cursor.rest.is_empty() && !cursor.rest.starts_with('#') {
        return Err(LineError::Surplus { text: clip(cursor.rest) });
    }
    Ok(Sample { name, value, timestamp })
}

fn read_value(cursor: &mut Cursor<'_>) -> Result<f64, LineError> {
    let text = cursor.token();
    if text.is_empty() {
        return Err(LineError::NoValue);
    }
    text.parse().ok().ok_or_else(|| LineError::BadValue { text: clip(text) })
}

fn read_timestamp(cursor: &mut Cursor<'_>) -> Result<Option<f64>, LineError> {
    if cursor.rest.is_empty() || cursor.rest.starts_with('#') {
        return Ok(None);
    }
    let text = cursor.token();
    match text.parse::<f64>() {
        Ok(stamp) if stamp.is_finite() => Ok(Some(stamp)),
        _ => Err(LineError::BadTimestamp { text: clip(text) }),
    }
}

/// Reads up to the closing brace. A quoted text without `=` is the metric's own name (names beyond ASCII are written
/// so) and is returned.
fn read_labels<'a>(cursor: &mut Cursor<'a>, labels: &mut Vec<Label<'a>>) -> Result<Option<Cow<'a, str>>, LineError> {
    let mut metric = None;
    loop {
        cursor.skip_separators();
        if cursor.eat('}') {
            return Ok(metric);
        }
        let quoted = cursor.rest.starts_with('"');
        let name = if quoted { cursor.quoted()? } else { Cow::Borrowed(cursor.name()) };
        cursor.skip_blank();
        if cursor.eat('=') {
            cursor.skip_blank();
            if !cursor.rest.starts_with('"') {
                return Err(LineError::LabelWithoutValue { label: clip(&name) });
            }
            let value = cursor.quoted()?;
            labels.push(Label { name, value });
        } else if quoted {
            metric = Some(name);
        } else if cursor.rest.is_empty() {
            return Err(LineError::OpenLabels);
        } else {
            return Err(LineError::LabelWithoutValue { label: clip(&name) });
        }
    }
}

/// The unread rest of a line. Every cut is at an ASCII byte, hence at a character border.
struct Cursor<'a> {
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    fn skip_blank(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
    }

    fn skip_separators(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', ',']);
    }

    fn eat(&mut self, wanted: char) -> bool {
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }

    /// Up to the next blank.
    fn token(&mut self) -> &'a str {
        let end = self.rest.bytes().position(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
        self.take(end.unwrap_or(self.rest.len()))
    }

    /// As many characters as an unquoted name may have; empty where none stands.
    fn name(&mut self) -> &'a str {
        let stop = |byte: u8| !(byte.is_ascii_alphanumeric() || byte == b'_' || byte == b':');
        if self.rest.bytes().next().is_none_or(|byte| byte.is_ascii_digit()) {
            return "";
        }
        let end = self.rest.bytes().position(stop);
        self.take(end.unwrap_or(self.rest.len()))
    }

    /// A text in quotes with `\\`, `\"` and `\n` undone; other backslashes stay as they are.
    fn quoted(&mut self) -> Result<Cow<'a, str>, LineError> {
        let text = self.rest.strip_prefix('"').ok_or(LineError::OpenQuote)?;
        let mut escaped = false;
        let mut undo = false;
        for (index, byte) in text.bytes().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => {
                    escaped = true;
                    undo = true;
                }
                b'"' => {
                    let (inside, rest) = text.split_at(index);
                    self.rest = rest.strip_prefix('"').unwrap_or(rest);
                    return Ok(if undo { Cow::Owned(unescape(inside)) } else { Cow::Borrowed(inside) });
                }
                _ => {}
            }
        }
        Err(LineError::OpenQuote)
    }
}

fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(next) = chars.next() {
        if next != '\\' {
            plain.push(next);
            continue;
        }
        match chars.next() {
            Some('n') => plain.push('\n'),
            Some(kept @ ('\\' | '"')) => plain.push(kept),
            Some(other) => plain.extend(['\\', other]),
            None => plain.push('\\'),
        }
    }
    plain
}

/// Enough of a foreign text to recognise it by, fit to be shown.
fn clip(text: &str) -> String {
    clean_short(text, SHOWN)
}

#[cfg(test)]
#[path = "tests/line.rs"]
mod tests;
