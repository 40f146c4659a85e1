//! Errors of a profile, shown at their place: `file:line:column`, the line itself with a caret under the offending text, a hint.
//! It may import `model/` only; it must not colour, print or cut what a reader needs.

use std::fmt;
use std::ops::Range;

use unicode_width::UnicodeWidthChar;

use super::secret;

/// Something wrong at a place of the text, by bytes. Messages hold the text as it was written, never a secret's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    /// Where.
    pub(super) span: Range<usize>,
    /// What is wrong.
    pub(super) message: String,
    /// What to write instead.
    pub(super) hint: Option<String>,
}

/// One error of a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileError {
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
    /// What is wrong, with the key it is about.
    pub message: String,
    /// What to write instead.
    pub hint: Option<String>,
    /// The line of the profile, safe to show.
    excerpt: String,
    /// Cells before the caret, and how many carets.
    caret: (usize, usize),
}

/// Everything that is wrong with a profile, in the order of its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileErrors {
    file: String,
    errors: Vec<ProfileError>,
}

impl ProfileErrors {
    pub(super) fn new(file: &str, text: &str, mut problems: Vec<Problem>) -> Self {
        problems.sort_by(|a, b| (a.span.start, a.span.end, &a.message).cmp(&(b.span.start, b.span.end, &b.message)));
        problems.dedup();
        Self { file: file.to_owned(), errors: problems.into_iter().map(|problem| locate(text, problem)).collect() }
    }

    /// The errors, at least one.
    #[must_use]
    pub fn errors(&self) -> &[ProfileError] {
        &self.errors
    }

    /// The first error on one line, for a list of profiles.
    #[must_use]
    pub fn headline(&self) -> String {
        self.errors.first().map_or_else(String::new, |e| format!("{}:{}: {}", e.line, e.column, e.message))
    }
}

impl std::error::Error for ProfileErrors {}

impl fmt::Display for ProfileErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, error) in self.errors.iter().enumerate() {
            if i > 0 {
                f.write_str("\n\n")?;
            }
            write!(f, "{}:{}:{}: {}", self.file, error.line, error.column, error.message)?;
            write!(f, "\n{:5} | {}", error.line, error.excerpt)?;
            write!(f, "\n      | {}{}", " ".repeat(error.caret.0), "^".repeat(error.caret.1))?;
            if let Some(hint) = &error.hint {
                write!(f, "\n   hint: {hint}")?;
            }
        }
        Ok(())
    }
}

/// Turns bytes into line, column and an excerpt.
fn locate(text: &str, problem: Problem) -> ProfileError {
    let start = floor(text, problem.span.start);
    let end = floor(text, problem.span.end).max(start);
    let before = text.get(..start).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = text.get(line_start..).unwrap_or_default().split('\n').next().unwrap_or_default();
    let line = line.strip_suffix('\r').unwrap_or(line);
    let shown = secret::mask_in_place(line);
    let from = (start - line_start).min(shown.len());
    let to = (end - line_start).clamp(from, shown.len());
    let (left, excerpt_from) = safe(shown.get(..from).unwrap_or_default());
    let (marked, marked_width) = safe(shown.get(from..to).unwrap_or_default());
    let (right, _) = safe(shown.get(to..).unwrap_or_default());
    ProfileError {
        line: before.matches('\n').count() + 1,
        column: text.get(line_start..start).unwrap_or_default().chars().count() + 1,
        message: problem.message,
        hint: problem.hint,
        excerpt: format!("{left}{marked}{right}").trim_end().to_owned(),
        caret: (excerpt_from, marked_width.max(1)),
    }
}

/// The nearest border of a character at or before `at`.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// A piece of a line as it may be shown, and its width in cells: what would move the cursor becomes a blank or a dot.
fn safe(piece: &str) -> (String, usize) {
    let mut width = 0;
    let shown = piece
        .chars()
        .map(|c| {
            let c = match c {
                '\t' => ' ',
                c if c.is_control() || c.width().unwrap_or(0) == 0 => '·',
                c => c,
            };
            width += c.width().unwrap_or(1);
            c
        })
        .collect();
    (shown, width)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, span: Range<usize>) -> String {
        let problem = Problem { span, message: "`key`: wrong".to_owned(), hint: Some("right".to_owned()) };
        ProfileErrors::new("x.toml", text, vec![problem]).to_string()
    }

    #[test]
    fn points_at_the_text() {
        let text = "a = 1\nmeasure = { min = 5 }\n";
        assert_eq!(shown(text, 24..25), "x.toml:2:19: `key`: wrong\n    2 | measure = { min = 5 }\n      |                   ^\n   hint: right");
    }

    #[test]
    fn counts_characters_but_draws_cells() {
        let text = "name = \"결제\" x";
        let at = text.find('x').unwrap();
        let drawn = shown(text, at..at + 1);
        assert!(drawn.starts_with("x.toml:1:13:"), "{drawn}");
        let caret = drawn.lines().nth(2).unwrap();
        assert_eq!(caret.find('^').unwrap(), "      | ".len() + 14, "{drawn}");
    }

    #[test]
    fn control_characters_and_tabs_do_not_reach_the_reader() {
        let drawn = shown("a = \"\u{1b}[31m\"\tb\r\n", 0..1);
        assert!(drawn.contains("a = \"·[31m\" b\n"), "{drawn:?}");
    }

    #[test]
    fn places_past_the_end_or_inside_a_character_are_borne() {
        assert!(shown("", 0..0).starts_with("x.toml:1:1:"));
        assert!(shown("é", 1..99).starts_with("x.toml:1:1:"));
        assert!(shown("a\n", 500..600).starts_with("x.toml:2:1:"));
    }

    #[test]
    fn come_in_the_order_of_lines_and_once() {
        let problem = |at: usize| Problem { span: at..at + 1, message: format!("at {at}"), hint: None };
        let errors = ProfileErrors::new("x", "abc", vec![problem(2), problem(0), problem(2)]);
        let at: Vec<usize> = errors.errors().iter().map(|e| e.column).collect();
        assert_eq!(at, [1, 3]);
        assert_eq!(errors.headline(), "1:1: at 0");
    }
}
