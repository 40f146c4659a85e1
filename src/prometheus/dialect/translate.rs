//! From a page to readings. A signal is believed from one dialect only, the first that has it, so that a thing that
//! stands on a page under two names is never counted twice. Pure: the moment of the page is handed in.

use std::collections::{BTreeMap, BTreeSet};

use super::collect::{Cell, Cells, Collected, Index};
use super::rule::{Dialect, Rule};
use super::select::{Undecided, Wanted};
use crate::model::event::Reading;
use crate::model::signal::{Kind, Signal, Value};
use crate::model::units::Elapsed;
use crate::prometheus::page::Page;
use crate::prometheus::rate::{CounterReading, rate_per_second};

/// How the dialects of a source are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialects {
    /// By looking, at every page anew: some exporters show a family only once it has something to tell.
    Detected,
    /// The profile named them.
    Named,
}

/// A signal that a spoken dialect could supply and the page does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// The signal.
    pub signal: Signal,
    /// The dialect that knows it.
    pub dialect: String,
    /// What turns it on.
    pub hint: String,
}

/// What a page says in canonical words.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Translation {
    /// The signals.
    pub readings: Vec<Reading>,
    /// The dialects that were spoken.
    pub dialects: Vec<String>,
    /// The signals that were not there, each with its mend.
    pub missing: Vec<Missing>,
    /// Where a part has to be named first; its signals are held back.
    pub undecided: Vec<Undecided>,
    /// Rows that stood on the page twice; the first was taken.
    pub duplicates: usize,
}

/// Translates the pages of one source, one after the other.
#[derive(Debug)]
pub struct Translator {
    dialects: Vec<Dialect>,
    known: Dialects,
    wanted: Wanted,
    index: Index,
    /// Counters of which a level is made, as the page before had them.
    before: BTreeMap<(Signal, Option<String>), CounterReading>,
}

impl Translator {
    /// For one source; `select` names parts (`pool`) or labels, each with the value wanted.
    #[must_use]
    pub fn new(dialects: Vec<Dialect>, known: Dialects, select: BTreeMap<String, String>) -> Self {
        let index = Index::new(&dialects);
        Self { dialects, known, wanted: select, index, before: BTreeMap::new() }
    }

    /// Translates a page that was taken at `at`.
    pub fn translate(&mut self, page: &Page<'_>, at: Elapsed) -> Translation {
        let mut collected = self.index.collect(page, &self.dialects, &self.wanted);
        let spoken = spoken(&self.dialects, self.known, &collected);
        let undecided: BTreeSet<Undecided> =
            spoken.iter().filter_map(|&d| collected.parts.get_mut(d).map(std::mem::take)).flat_map(|parts| parts.undecided(&self.wanted)).collect();
        let mut taking = Taking { undecided: undecided.iter().map(Undecided::word).collect(), ..Taking::default() };
        for &d in &spoken {
            let dialect = &self.dialects[d];
            for (r, rule) in dialect.rules.iter().enumerate() {
                taking.rule(d, rule, collected.cells.get(&(d, r)), &collected, &mut self.before, at);
            }
        }
        let missing = spoken.iter().flat_map(|&d| taking.missing(&self.dialects[d]));
        let mut missing: Vec<Missing> = missing.collect();
        missing.sort_by_key(|missing| missing.signal);
        missing.dedup_by_key(|missing| missing.signal);
        Translation {
            missing,
            readings: taking.readings,
            dialects: spoken.iter().map(|&d| self.dialects[d].name.clone()).collect(),
            undecided: undecided.into_iter().collect(),
            duplicates: collected.duplicates,
        }
    }
}

/// The dialects that count on this page, in their order.
fn spoken(dialects: &[Dialect], known: Dialects, collected: &Collected<'_>) -> Vec<usize> {
    let found = |d: usize| collected.found.get(d).copied().unwrap_or(false);
    let present = |name: &String| dialects.iter().enumerate().any(|(d, dialect)| dialect.name == *name && found(d));
    let counts = |&(d, dialect): &(usize, &Dialect)| (known == Dialects::Named || found(d)) && !dialect.yields_to.iter().any(present);
    dialects.iter().enumerate().filter(counts).map(|(d, _)| d).collect()
}

/// What has been taken from a page so far.
#[derive(Debug, Default)]
struct Taking<'p> {
    readings: Vec<Reading>,
    /// Which dialect a signal is believed from.
    believed: BTreeMap<Signal, usize>,
    done: BTreeSet<(Signal, Option<&'p str>)>,
    undecided: BTreeSet<&'p str>,
}

type Before = BTreeMap<(Signal, Option<String>), CounterReading>;

impl<'p> Taking<'p> {
    fn rule(&mut self, dialect: usize, rule: &Rule, cells: Option<&Cells<'p>>, collected: &Collected<'_>, before: &mut Before, at: Elapsed) {
        let Some(cells) = cells else { return };
        let operand = |name: &String| collected.operands.get(name.as_str()).copied();
        let factor = match &rule.times {
            // Without what it is a share of, the figure says nothing; another rule may know better.
            Some(name) => match operand(name) {
                Some(factor) => factor,
                None => return,
            },
            None => 1.0,
        };
        if *self.believed.entry(rule.signal).or_insert(dialect) != dialect || self.is_undecided(rule) {
            return;
        }
        let less: f64 = rule.less.iter().filter_map(operand).sum();
        for (&of, cell) in cells {
            if !self.done.insert((rule.signal, of)) {
                continue;
            }
            let made = match rule.signal.kind() {
                Kind::Timer => timer(cell, rule.scale),
                Kind::Counter => cell.level.map(|level| Value::Counter(level * rule.scale)),
                Kind::Gauge if rule.growth => growth(rule, of, cell, before, at).map(Value::Gauge),
                Kind::Gauge => level(cell, rule.scale * factor, less).map(Value::Gauge),
                Kind::Histogram => None,
            };
            if let Some(value) = made.filter(|value| is_figure(*value)) {
                self.readings.push(Reading { signal: rule.signal, of: of.map(str::to_owned), value });
            }
        }
    }

    fn is_undecided(&self, rule: &Rule) -> bool {
        rule.choose.as_deref().is_some_and(|word| self.undecided.contains(word))
    }

    /// The signals of a dialect that no dialect had.
    fn missing(&self, dialect: &Dialect) -> Vec<Missing> {
        let absent = |rule: &&Rule| !self.believed.contains_key(&rule.signal) && !self.is_undecided(rule);
        let tell = |rule: &Rule| Missing { signal: rule.signal, dialect: dialect.name.clone(), hint: rule.missing.clone() };
        dialect.rules.iter().filter(absent).map(tell).collect()
    }
}

/// Finite rows can still add up to an infinity.
fn is_figure(value: Value) -> bool {
    match value {
        Value::Gauge(value) | Value::Counter(value) => value.is_finite(),
        Value::Timer { sum, count } => sum.is_finite() && count.is_finite(),
    }
}

fn timer(cell: &Cell, scale: f64) -> Option<Value> {
    Some(Value::Timer { sum: cell.sum? * scale, count: cell.count? })
}

fn level(cell: &Cell, scale: f64, less: f64) -> Option<f64> {
    Some((cell.level? * scale - less).max(0.0))
}

/// What a counter grew by in a second since the page before; nothing on the first page and after a restart.
fn growth(rule: &Rule, of: Option<&str>, cell: &Cell, before: &mut Before, at: Elapsed) -> Option<f64> {
    let now = CounterReading { at_s: at.as_secs_f64(), value: cell.level? * rule.scale };
    let earlier = before.insert((rule.signal, of.map(str::to_owned)), now)?;
    rate_per_second(earlier, now)
}

#[cfg(test)]
#[path = "../tests/translate.rs"]
mod tests;
