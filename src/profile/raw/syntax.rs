//! What the TOML parser could not read, told with the mend for the mistakes people make most. It may import the rest of `profile/`;
//! it must not judge a key.

use std::ops::Range;

use crate::model::text::clean_short;
use crate::model::units::{Rate, Share, Span};
use crate::profile::error::Problem;

/// The parser's errors up to the first that has no known mend: what follows that one is mostly its echo.
pub(super) fn problems(text: &str, errors: &[toml::de::Error]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for error in errors {
        let span = error.span().unwrap_or(text.len()..text.len());
        if let Some((bare, place)) = bare_quantity(text, span.start) {
            let message = format!("`{bare}` is not in quotes");
            problems.push(Problem { span: place, message, hint: Some(format!("write a quantity in quotes, as \"{bare}\"")) });
        } else {
            problems.push(problem(error.message(), span));
            break;
        }
    }
    problems
}

fn problem(message: &str, span: Range<usize>) -> Problem {
    let message = clean_short(message.lines().next().unwrap_or_default(), 120);
    let hint = if message.contains("array") || message.contains("inline table") {
        "a [ or { above may not be closed, or a comma is missing"
    } else if message.contains("duplicate") {
        "write each key once; a list of tables is written as [[name]]"
    } else if message.contains("string") {
        "a quote is opened and not closed, or a \\ stands alone: write \\\\, or use single quotes"
    } else {
        "write it as key = \"text\", key = 5, [table] or [[list]]"
    };
    Problem { span, message: format!("not TOML: {message}"), hint: Some(hint.to_owned()) }
}

/// A quantity without its quotes around `at`: `warmup = 20s`, `rate = 80/s`, `1%`.
fn bare_quantity(text: &str, at: usize) -> Option<(&str, Range<usize>)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '/' | '%' | 'µ' | '_');
    let before = text.get(..at)?;
    let start = before.char_indices().rev().take_while(|(_, c)| is_part(*c)).last().map_or(at, |(i, _)| i);
    let rest = text.get(start..)?;
    let word = rest.get(..rest.find(|c: char| !is_part(c)).unwrap_or(rest.len()))?;
    let is_quantity = word.ends_with(|c: char| !c.is_ascii_digit())
        && word.starts_with(|c: char| c.is_ascii_digit())
        && (word.parse::<Span>().is_ok() || word.parse::<Rate>().is_ok() || word.parse::<Share>().is_ok());
    is_quantity.then_some((word, start..start + word.len()))
}
