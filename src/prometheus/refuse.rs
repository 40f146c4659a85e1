//! Which pages are no exposition at all. A login page or a 200 with an error text must be named for what it is,
//! because "no metrics" sends people to look in the wrong place. It may import `model/text`; it must not guess at a repair.

use super::line::SHOWN;
use super::page::BadLine;
use crate::model::text::clean_short;

/// Why a whole page was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PageError {
    /// The page is HTML or XML.
    #[error("the page is {what}, not a Prometheus exposition{titled}; \
             name the metrics path itself (Spring Boot: `/actuator/prometheus`, others: `/metrics`)",
            titled = title.as_ref().map(|title| format!(" (its title: \"{title}\")")).unwrap_or_default())]
    Markup {
        /// `HTML` or `XML`.
        what: &'static str,
        /// The page's title, where it has one.
        title: Option<String>,
    },
    /// Nothing but blanks came.
    #[error("the page is empty; check that the metrics registry is on the service's class path and enabled")]
    Empty,
    /// Comments only.
    #[error("the page has no samples, only comments; wait until the service has registered its metrics")]
    NoSamples,
    /// Text, but not one line of it a sample.
    #[error("not one of the page's {lines} lines is a Prometheus sample (line {number}: {reason}: `{text}`); \
             name the metrics path itself (Spring Boot: `/actuator/prometheus`, others: `/metrics`)",
            number = first.number, reason = first.reason, text = first.text)]
    NotExposition {
        /// How many lines were tried.
        lines: usize,
        /// The first of them.
        first: BadLine,
    },
}

/// Recognises markup by its first character: no metric name, comment or brace begins with `<`.
pub(super) fn markup(text: &str) -> Option<PageError> {
    if !text.starts_with('<') {
        return None;
    }
    let head: String = text.chars().take(2_000).flat_map(char::to_lowercase).collect();
    let what = if head.contains("<html") || head.contains("<!doctype html") { "HTML" } else { "XML" };
    Some(PageError::Markup { what, title: title(text) })
}

fn title(text: &str) -> Option<String> {
    let head: String = text.chars().take(2_000).collect();
    // ASCII folding keeps every byte in place, so that the positions fit the text as it came.
    let folded = head.to_ascii_lowercase();
    let open = folded.find("<title")?;
    let begin = open + folded.get(open..)?.find('>')? + 1;
    let end = begin + folded.get(begin..)?.find("</title")?;
    let words: Vec<&str> = head.get(begin..end)?.split_whitespace().collect();
    let title = clean_short(&words.join(" "), SHOWN);
    (!title.is_empty()).then_some(title)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_is_named_with_its_title() {
        let page = "<!DOCTYPE html>\n<html><head><title>\n Please sign\tin </title></head></html>";
        let error = markup(page).unwrap();
        assert_eq!(error, PageError::Markup { what: "HTML", title: Some("Please sign in".into()) });
        assert!(error.to_string().contains("the page is HTML, not a Prometheus exposition (its title: \"Please sign in\")"));
    }

    #[test]
    fn xml_without_a_title_is_named_too() {
        assert_eq!(markup("<?xml version=\"1.0\"?><a/>"), Some(PageError::Markup { what: "XML", title: None }));
    }

    #[test]
    fn an_open_title_is_no_title() {
        assert_eq!(markup("<html><title>never closed"), Some(PageError::Markup { what: "HTML", title: None }));
        assert_eq!(markup("<html><title"), Some(PageError::Markup { what: "HTML", title: None }));
    }

    #[test]
    fn a_sample_is_not_markup() {
        assert_eq!(markup("up 1\n"), None);
    }
}
