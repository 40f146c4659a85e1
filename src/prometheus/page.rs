//! A whole exposition page: its samples in the order they came, the declared kinds, and what had to be skipped.
//! It may import `model/text`; it must not interpret a family or drop a line silently.

use std::borrow::Cow;
use std::collections::BTreeMap;

pub use super::line::Label;
use super::line::{self, Line, LineError, SHOWN};
use super::refuse::{self, PageError};
use crate::model::text::clean_short;

/// Which of the two formats a page is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Prometheus text, version 0.0.4: time stamps are milliseconds.
    Text,
    /// OpenMetrics: ends in `# EOF`, time stamps are seconds.
    OpenMetrics,
}

/// The declared kind of a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FamilyKind {
    /// Only grows, restarts at zero.
    Counter,
    /// Goes up and down.
    Gauge,
    /// Sum, count and buckets.
    Histogram,
    /// Sum, count and perhaps quantiles.
    Summary,
    /// Not declared, or a kind that is of no use here.
    Untyped,
}

impl FamilyKind {
    fn of(word: &str) -> Self {
        match word.to_ascii_lowercase().as_str() {
            "counter" => Self::Counter,
            "gauge" => Self::Gauge,
            "histogram" | "gaugehistogram" => Self::Histogram,
            "summary" => Self::Summary,
            _ => Self::Untyped,
        }
    }
}

/// The first line that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLine {
    /// Its number, from 1.
    pub number: usize,
    /// Its beginning, fit to be shown.
    pub text: String,
    /// What is wrong with it.
    pub reason: LineError,
}

/// The lines that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Skipped {
    /// How many.
    pub lines: usize,
    /// The first of them.
    pub first: Option<BadLine>,
}

/// One sample of a page.
#[derive(Debug, Clone, Copy)]
pub struct Row<'p> {
    /// The sample's name, with `_sum`, `_count`, `_total` as written.
    pub name: &'p str,
    /// Its labels in the order written.
    pub labels: &'p [Label<'p>],
    /// Its value; NaN and infinities as they came.
    pub value: f64,
    /// When the source says the value was taken, in milliseconds since 1970.
    pub timestamp_ms: Option<f64>,
}

impl<'p> Row<'p> {
    /// The value of a label. An empty one counts as absent, as in Prometheus itself.
    #[must_use]
    pub fn label(&self, name: &str) -> Option<&'p str> {
        let found = self.labels.iter().find(|label| label.name == name)?;
        Some(found.value.as_ref()).filter(|value| !value.is_empty())
    }
}

/// Where a sample's labels lie in the page's list.
#[derive(Debug)]
struct Stored<'a> {
    name: Cow<'a, str>,
    labels: std::ops::Range<usize>,
    value: f64,
    timestamp_ms: Option<f64>,
}

/// A page that was read.
#[derive(Debug)]
pub struct Page<'a> {
    rows: Vec<Stored<'a>>,
    labels: Vec<Label<'a>>,
    families: BTreeMap<Cow<'a, str>, FamilyKind>,
    skipped: Skipped,
    format: Format,
}

impl<'a> Page<'a> {
    /// Reads a page; fails only where not one sample can be had from it.
    pub fn parse(text: &'a str) -> Result<Self, PageError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let begun = text.trim_start();
        if begun.is_empty() {
            return Err(PageError::Empty);
        }
        if let Some(refusal) = refuse::markup(begun) {
            return Err(refusal);
        }
        let mut page = Self::empty(format_of(text));
        let mut lines = 0;
        for (index, line) in text.lines().enumerate() {
            lines += usize::from(!line.trim().is_empty());
            if page.take(index + 1, line) {
                break;
            }
        }
        page.refuse_without_samples(lines)
    }

    fn empty(format: Format) -> Self {
        Self { rows: Vec::new(), labels: Vec::new(), families: BTreeMap::new(), skipped: Skipped::default(), format }
    }

    /// Takes one line in; true when it ends the page.
    fn take(&mut self, number: usize, text: &'a str) -> bool {
        let begin = self.labels.len();
        match line::read(text, &mut self.labels) {
            Ok(Line::Nothing) => {}
            Ok(Line::End) => return self.format == Format::OpenMetrics,
            Ok(Line::Type { family, kind }) => {
                self.families.insert(family, FamilyKind::of(kind));
            }
            Ok(Line::Sample(sample)) => {
                let to_ms = if self.format == Format::OpenMetrics { 1_000.0 } else { 1.0 };
                self.rows.push(Stored {
                    name: sample.name,
                    labels: begin..self.labels.len(),
                    value: sample.value,
                    timestamp_ms: sample.timestamp.map(|stamp| stamp * to_ms),
                });
            }
            Err(reason) => {
                self.labels.truncate(begin);
                self.skipped.lines += 1;
                self.skipped.first.get_or_insert_with(|| BadLine { number, text: clean_short(text.trim(), SHOWN), reason });
            }
        }
        false
    }

    fn refuse_without_samples(self, lines: usize) -> Result<Self, PageError> {
        if !self.rows.is_empty() {
            return Ok(self);
        }
        match self.skipped.first {
            Some(first) => Err(PageError::NotExposition { lines, first }),
            None => Err(PageError::NoSamples),
        }
    }

    /// Every sample, in the order of the page.
    #[must_use]
    pub fn rows(&self) -> impl ExactSizeIterator<Item = Row<'_>> {
        self.rows.iter().map(|stored| Row {
            name: stored.name.as_ref(),
            labels: &self.labels[stored.labels.clone()],
            value: stored.value,
            timestamp_ms: stored.timestamp_ms,
        })
    }

    /// The declared kind of the family that a sample name belongs to.
    #[must_use]
    pub fn kind_of(&self, sample: &str) -> FamilyKind {
        const SUFFIXES: [&str; 5] = ["_total", "_sum", "_count", "_bucket", "_created"];
        let declared = |name: &str| self.families.get(name).copied();
        let stem = || SUFFIXES.iter().find_map(|suffix| declared(sample.strip_suffix(suffix)?));
        declared(sample).or_else(stem).unwrap_or(FamilyKind::Untyped)
    }

    /// True where a sample or a declaration has this very name.
    #[must_use]
    pub fn mentions(&self, name: &str) -> bool {
        self.families.contains_key(name) || self.rows.iter().any(|row| row.name == name)
    }

    /// What could not be read.
    #[must_use]
    pub fn skipped(&self) -> &Skipped {
        &self.skipped
    }

    /// Which format the page is in.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }
}

/// `# EOF` at the very end makes a page OpenMetrics; anywhere else it is a comment like another.
fn format_of(text: &str) -> Format {
    match text.trim_end().rsplit('\n').next() {
        Some(last) if last.trim() == "# EOF" => Format::OpenMetrics,
        _ => Format::Text,
    }
}

#[cfg(test)]
#[path = "tests/page.rs"]
mod tests;
