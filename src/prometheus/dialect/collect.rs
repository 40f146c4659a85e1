//! One pass over a page: every row is put where the rules that want it will look for it. What a rule then makes of it is
//! `translate`'s business; here nothing is decided but whether a row counts.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::rule::{Combine, Dialect, Rule};
use super::select::{Parts, Wanted, passes};
use crate::model::signal::Kind;
use crate::prometheus::page::{Label, Page, Row};

/// A rule by its dialect's and its own place.
pub(super) type RuleAt = (usize, usize);

/// What a sample's name is wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    /// It shows that a dialect is spoken.
    Finds(usize),
    /// It is a level or a count.
    Level(RuleAt),
    /// It is a timer's sum.
    Sum(RuleAt),
    /// It is a timer's count.
    Count(RuleAt),
    /// Another is multiplied by it, or has it subtracted.
    Operand,
}

/// The figures of one part of a rule; `None`: on the page, but its value is not known.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Cell {
    /// A level or a count.
    pub(super) level: Option<f64>,
    /// A timer's sum.
    pub(super) sum: Option<f64>,
    /// A timer's count.
    pub(super) count: Option<f64>,
}

/// The figures of a rule by part.
pub(super) type Cells<'p> = BTreeMap<Option<&'p str>, Cell>;

/// What a page has for the rules.
#[derive(Debug)]
pub(super) struct Collected<'p> {
    /// By dialect: whether the page gives it away.
    pub(super) found: Vec<bool>,
    /// By dialect: the parts there are to choose from.
    pub(super) parts: Vec<Parts>,
    /// By rule and part.
    pub(super) cells: BTreeMap<RuleAt, Cells<'p>>,
    /// Operands by name; of several rows the largest, as they are views of one thing.
    pub(super) operands: HashMap<&'p str, f64>,
    /// Rows that were on the page before with the same labels.
    pub(super) duplicates: usize,
}

/// Which names are wanted for what; made once, used for every page.
#[derive(Debug)]
pub(super) struct Index(HashMap<String, Vec<Use>>);

impl Index {
    pub(super) fn new(dialects: &[Dialect]) -> Self {
        let mut index = Self(HashMap::new());
        for (d, dialect) in dialects.iter().enumerate() {
            for name in &dialect.found_by {
                index.want(name, Use::Finds(d));
            }
            for (r, rule) in dialect.rules.iter().enumerate() {
                index.want_rule(rule, (d, r));
            }
        }
        index
    }

    fn want(&mut self, name: &str, wanted: Use) {
        let uses = self.0.entry(name.to_owned()).or_default();
        if !uses.contains(&wanted) {
            uses.push(wanted);
        }
    }

    fn want_rule(&mut self, rule: &Rule, at: RuleAt) {
        for name in &rule.from {
            if rule.signal.kind() == Kind::Timer {
                self.want(&format!("{name}_sum"), Use::Sum(at));
                self.want(&format!("{name}_count"), Use::Count(at));
            } else {
                self.want(name, Use::Level(at));
            }
        }
        for name in rule.times.iter().chain(&rule.less) {
            self.want(name, Use::Operand);
        }
    }

    /// Goes through a page once.
    pub(super) fn collect<'p>(&self, page: &'p Page<'_>, dialects: &'p [Dialect], wanted: &Wanted) -> Collected<'p> {
        let mut collected = Collected {
            found: vec![false; dialects.len()],
            parts: dialects.iter().map(|_| Parts::default()).collect(),
            cells: BTreeMap::new(),
            operands: HashMap::new(),
            duplicates: 0,
        };
        let mut seen: HashSet<(&str, &[Label<'_>])> = HashSet::new();
        for row in page.rows() {
            let Some(uses) = self.0.get(row.name) else { continue };
            if !seen.insert((row.name, row.labels)) {
                collected.duplicates += 1;
                continue;
            }
            for &one in uses {
                collected.take(&row, one, dialects, wanted);
            }
        }
        collected
    }
}

impl<'p> Collected<'p> {
    fn take(&mut self, row: &Row<'p>, wanted_for: Use, dialects: &'p [Dialect], wanted: &Wanted) {
        match wanted_for {
            Use::Finds(dialect) => {
                if let Some(found) = self.found.get_mut(dialect) {
                    *found = true;
                }
            }
            Use::Operand => {
                if let Some(value) = known(row.value) {
                    let operand = self.operands.entry(row.name).or_insert(value);
                    *operand = operand.max(value);
                }
            }
            Use::Level(at) => self.put(row, at, dialects, wanted, |cell| &mut cell.level),
            Use::Sum(at) => self.put(row, at, dialects, wanted, |cell| &mut cell.sum),
            Use::Count(at) => self.put(row, at, dialects, wanted, |cell| &mut cell.count),
        }
    }

    fn put(&mut self, row: &Row<'p>, at: RuleAt, dialects: &'p [Dialect], wanted: &Wanted, field: fn(&mut Cell) -> &mut Option<f64>) {
        let Some(rule) = dialects.get(at.0).and_then(|dialect| dialect.rules.get(at.1)) else { return };
        if !rule.takes(row) || !passes(wanted, rule, row, rule.choose.as_deref()) {
            return;
        }
        if let Some(parts) = self.parts.get_mut(at.0) {
            parts.see(rule, row);
        }
        if !passes(wanted, rule, row, None) {
            return;
        }
        let cells = self.cells.entry(at).or_default();
        let field = field(cells.entry(rule.part(row)).or_default());
        *field = match (*field, known(row.value), rule.combine) {
            (Some(before), Some(value), Combine::Sum) => Some(before + value),
            (Some(before), Some(value), Combine::Max) => Some(before.max(value)),
            (before, value, _) => value.or(before),
        };
    }
}

/// No canonical signal is ever below zero: exporters write -1, NaN or an infinity for what they do not know.
fn known(value: f64) -> Option<f64> {
    (value.is_finite() && value >= 0.0).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dialects(rule: &str) -> Vec<Dialect> {
        let text = format!("name=\"d\"\nabout=\"a\"\nfound_by=[\"x\"]\n[[signal]]\nmissing=\"m\"\n{rule}");
        vec![Dialect::parse("d", &text).unwrap()]
    }

    fn cells(rule: &str, page: &str) -> Vec<(Option<String>, Cell)> {
        let dialects = dialects(rule);
        let page = Page::parse(page).unwrap();
        let collected = Index::new(&dialects).collect(&page, &dialects, &Wanted::new());
        let cells = collected.cells.into_values().flatten();
        cells.map(|(part, cell)| (part.map(str::to_owned), cell)).collect()
    }

    fn level(level: Option<f64>) -> Cell {
        Cell { level, ..Cell::default() }
    }

    #[test]
    fn rows_of_a_part_are_added_up_or_the_largest_taken() {
        let page = "x{db=\"a\"} 3\nx{db=\"b\"} 4\n";
        assert_eq!(cells("name=\"db.sessions\"\nfrom=\"x\"", page), [(None, level(Some(7.0)))]);
        assert_eq!(cells("name=\"db.sessions\"\nfrom=\"x\"\ncombine=\"max\"", page), [(None, level(Some(4.0)))]);
        assert_eq!(
            cells("name=\"db.sessions\"\nfrom=\"x\"\nof=\"db\"", page),
            [(Some("a".into()), level(Some(3.0))), (Some("b".into()), level(Some(4.0)))]
        );
    }

    #[test]
    fn unknown_rows_do_not_count_but_are_there() {
        let rule = "name=\"heap.max\"\nfrom=\"x\"";
        assert_eq!(cells(rule, "x{id=\"a\"} -1\nx{id=\"b\"} 5\nx{id=\"c\"} NaN"), [(None, level(Some(5.0)))]);
        assert_eq!(cells(rule, "x -1"), [(None, level(None))]);
        assert_eq!(cells(rule, "y 1"), []);
    }

    #[test]
    fn a_row_that_stands_twice_counts_once() {
        let dialects = dialects("name=\"db.sessions\"\nfrom=\"x\"");
        let page = Page::parse("x{a=\"1\"} 3\nx{a=\"1\"} 3\nx{a=\"2\"} 1").unwrap();
        let collected = Index::new(&dialects).collect(&page, &dialects, &Wanted::new());
        assert_eq!(collected.duplicates, 1);
        assert_eq!(collected.cells[&(0, 0)][&None].level, Some(4.0));
        assert_eq!(collected.found, [true]);
    }

    #[test]
    fn timers_have_their_two_halves() {
        let found = cells("name=\"gc.pause\"\nfrom=\"x\"", "x_sum 1.5\nx_count 3\nx_max 9\nx 4");
        assert_eq!(found, [(None, Cell { level: None, sum: Some(1.5), count: Some(3.0) })]);
    }
}
