//! A dialect as it is applied: rules that say which rows make which signal. It may import `model/signal`; it must not
//! know how the rules were written down.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::model::signal::Signal;
use crate::prometheus::page::Row;

/// How one exporter speaks.
#[derive(Debug, Clone, PartialEq)]
pub struct Dialect {
    /// What profiles call it.
    pub name: String,
    /// What it is, for a person.
    pub about: String,
    /// Names on a page that give it away.
    pub found_by: Vec<String>,
    /// Dialects that say the same of the same things, and better.
    pub yields_to: Vec<String>,
    pub(super) rules: Vec<Rule>,
}

impl Dialect {
    /// The signals it can supply, each once.
    #[must_use]
    pub fn signals(&self) -> Vec<Signal> {
        let mut signals: Vec<Signal> = self.rules.iter().filter(|rule| !rule.from.is_empty()).map(|r| r.signal).collect();
        signals.sort_unstable();
        signals.dedup();
        signals
    }
}

/// How rows that differ only in labels no rule keeps become one figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Combine {
    /// Parts of one whole.
    #[default]
    Sum,
    /// Several views of one thing.
    Max,
}

/// What makes one signal.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rule {
    pub(super) signal: Signal,
    /// The families; several are added up. None: the dialect only knows why the signal is not there.
    pub(super) from: Vec<String>,
    /// The label that tells the parts of the signal apart.
    pub(super) of: Option<String>,
    /// The word by which a profile chooses one part, where several must not stand side by side.
    pub(super) choose: Option<String>,
    pub(super) scale: f64,
    /// A family to multiply by.
    pub(super) times: Option<String>,
    /// Families to subtract, where they are there.
    pub(super) less: Vec<String>,
    /// A level made of what a counter grew by in a second.
    pub(super) growth: bool,
    pub(super) combine: Combine,
    pub(super) only: BTreeMap<String, Vec<String>>,
    pub(super) leave_out: BTreeMap<String, Vec<String>>,
    pub(super) rename: BTreeMap<String, String>,
    /// What turns the signal on where it is missing.
    pub(super) missing: String,
}

impl Rule {
    /// Whether a row counts. A label the row does not have can not exclude it.
    pub(super) fn takes(&self, row: &Row<'_>) -> bool {
        let is_in = |(label, patterns): (&String, &Vec<String>)| row.label(label).map(|value| patterns.iter().any(|pattern| fits(pattern, value)));
        self.only.iter().all(|entry| is_in(entry).unwrap_or(true)) && !self.leave_out.iter().any(|entry| is_in(entry).unwrap_or(false))
    }

    /// Which part of the signal a row belongs to.
    pub(super) fn part<'r>(&'r self, row: &Row<'r>) -> Option<&'r str> {
        let value = row.label(self.of.as_deref()?)?;
        Some(self.rename.get(value).map_or(value, String::as_str))
    }

    /// The label that a word of the profile's `select` means here.
    pub(super) fn label_meant_by<'w>(&'w self, word: &'w str) -> Option<Cow<'w, str>> {
        match (&self.choose, &self.of) {
            (Some(choose), Some(of)) if choose == word => Some(Cow::Borrowed(of)),
            // `name` is the pool here and the connector there: behind its own word a label is not to be reached.
            (Some(_), Some(of)) if of == word => None,
            _ => Some(Cow::Borrowed(word)),
        }
    }
}

/// A pattern is the value itself, or its beginning and `*`.
fn fits(pattern: &str, value: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => value.starts_with(beginning),
        None => value == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prometheus::Page;

    fn rule() -> Rule {
        Rule {
            signal: Signal::ServerRequests,
            from: vec!["x".into()],
            of: Some("uri".into()),
            choose: None,
            scale: 1.0,
            times: None,
            less: Vec::new(),
            growth: false,
            combine: Combine::Sum,
            only: BTreeMap::from([("kind".into(), vec!["a".into()])]),
            leave_out: BTreeMap::from([("uri".into(), vec!["/admin".into(), "/admin/*".into()])]),
            rename: BTreeMap::from([("/old name".into(), "new".into())]),
            missing: String::new(),
        }
    }

    #[track_caller]
    fn takes(line: &str) -> bool {
        rule().takes(&Page::parse(line).unwrap().rows().next().unwrap())
    }

    #[test]
    fn rows_are_kept_and_left_out_by_labels() {
        assert!(takes("x{uri=\"/a\",kind=\"a\"} 1"));
        assert!(!takes("x{uri=\"/a\",kind=\"b\"} 1"));
        assert!(!takes("x{uri=\"/admin\",kind=\"a\"} 1"));
        assert!(!takes("x{uri=\"/admin/pool\",kind=\"a\"} 1"));
        assert!(takes("x{uri=\"/administer\",kind=\"a\"} 1"));
    }

    #[test]
    fn an_absent_label_excludes_nothing() {
        assert!(takes("x 1"));
        assert!(takes("x{kind=\"\"} 1"));
    }

    #[test]
    fn parts_are_renamed_where_told() {
        let page = Page::parse("x{uri=\"/old name\"} 1\nx{uri=\"/b\"} 1\nx 1").unwrap();
        let rule = rule();
        let parts: Vec<_> = page.rows().map(|row| rule.part(&row)).collect();
        assert_eq!(parts, [Some("new"), Some("/b"), None]);
    }

    #[test]
    fn a_word_of_the_profile_means_a_label_of_the_rule() {
        let mut rule = rule();
        assert_eq!(rule.label_meant_by("uri").as_deref(), Some("uri"));
        rule.choose = Some("route".into());
        assert_eq!(rule.label_meant_by("route").as_deref(), Some("uri"));
        assert_eq!(rule.label_meant_by("uri"), None);
        assert_eq!(rule.label_meant_by("kind").as_deref(), Some("kind"));
    }
}
