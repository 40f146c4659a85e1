//! Choosing one part where several stand on a page: a service with two pools must be asked which one is being sized,
//! because adding them up answers a question nobody put. It may import nothing of other modules; it must not guess.

use std::collections::{BTreeMap, BTreeSet};

use super::rule::Rule;
use crate::model::text::clean_short;
use crate::prometheus::page::Row;

/// Which part is meant can not be told.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Undecided {
    /// Several, and none named.
    #[error("the page has {} {word}s ({}); name one: select = {{ {word} = \"{}\" }}",
        values.len(), list(values), clean_short(values.first().map_or("", String::as_str), 60))]
    Several {
        /// What they are called: `pool`.
        word: String,
        /// Their names.
        values: Vec<String>,
    },
    /// One named that is not there.
    #[error("no {word} is called \"{wanted}\"; the page has {}", list(values))]
    NoSuch {
        /// What it is called: `pool`.
        word: String,
        /// The name in the profile.
        wanted: String,
        /// Those on the page.
        values: Vec<String>,
    },
}

fn list(values: &[String]) -> String {
    values.iter().map(|value| clean_short(value, 60)).collect::<Vec<_>>().join(", ")
}

/// What a profile selects: label, or a dialect's word for it, and value.
pub(super) type Wanted = BTreeMap<String, String>;

/// Whether a row passes the selection, as far as the rule knows the labels named; one word can be left aside.
pub(super) fn passes(wanted: &Wanted, rule: &Rule, row: &Row<'_>, aside: Option<&str>) -> bool {
    wanted.iter().filter(|(word, _)| Some(word.as_str()) != aside).all(|(word, value)| {
        let label = rule.label_meant_by(word);
        label.and_then(|label| row.label(&label)).is_none_or(|found| found == value)
    })
}

/// The parts of a page by the word they are chosen with.
#[derive(Debug, Default)]
pub(super) struct Parts(BTreeMap<String, BTreeSet<String>>);

impl Parts {
    pub(super) fn see(&mut self, rule: &Rule, row: &Row<'_>) {
        let (Some(word), Some(of)) = (&rule.choose, &rule.of) else { return };
        let Some(value) = row.label(of) else { return };
        let seen = self.0.entry(word.clone()).or_default();
        if !seen.contains(value) {
            seen.insert(value.to_owned());
        }
    }

    /// What can not be told with this selection.
    pub(super) fn undecided(self, wanted: &Wanted) -> Vec<Undecided> {
        let judge = |(word, values): (String, BTreeSet<String>)| {
            let values: Vec<String> = values.into_iter().collect();
            match wanted.get(&word) {
                Some(value) if values.contains(value) => None,
                Some(value) => Some(Undecided::NoSuch { word, wanted: value.clone(), values }),
                None if values.len() > 1 => Some(Undecided::Several { word, values }),
                None => None,
            }
        };
        self.0.into_iter().filter_map(judge).collect()
    }
}

impl Undecided {
    /// The word whose part can not be told.
    #[must_use]
    pub fn word(&self) -> &str {
        match self {
            Self::Several { word, .. } | Self::NoSuch { word, .. } => word,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(values: &[&str]) -> Parts {
        let values = values.iter().map(|value| (*value).to_owned()).collect();
        Parts(BTreeMap::from([("pool".to_owned(), values)]))
    }

    fn wanted(value: &str) -> Wanted {
        BTreeMap::from([("pool".to_owned(), value.to_owned())])
    }

    #[test]
    fn one_needs_no_name() {
        assert_eq!(parts(&["a"]).undecided(&Wanted::new()), []);
        assert_eq!(parts(&["a"]).undecided(&wanted("a")), []);
        assert_eq!(Parts::default().undecided(&wanted("a")), []);
    }

    #[test]
    fn several_are_listed_with_what_to_write() {
        let undecided = parts(&["orders", "reports"]).undecided(&Wanted::new());
        assert_eq!(undecided[0].to_string(), "the page has 2 pools (orders, reports); name one: select = { pool = \"orders\" }");
        assert_eq!(undecided[0].word(), "pool");
        assert_eq!(parts(&["orders", "reports"]).undecided(&wanted("reports")), []);
    }

    #[test]
    fn a_wrong_name_is_told_the_right_ones() {
        let undecided = parts(&["a", "b\u{1b}[1m"]).undecided(&wanted("c"));
        assert_eq!(undecided[0].to_string(), "no pool is called \"c\"; the page has a, b");
    }
}
