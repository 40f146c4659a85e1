//! The table of a verdict: one row a value, each cell with its unit, the change against the row above. Rendered as aligned text
//! or as Markdown from the same cells.

use super::format::{UNKNOWN, change, count, level_or, plain, rate_or, share_or, time, time_change, time_or};
use super::words::setting;
use crate::model::text::clean;
use crate::model::verdict::{PoolVerdict, ValueFigures};
use unicode_width::UnicodeWidthStr as _;

/// Cells in rows under their heads; the first column is set to the left, the others to the right.
pub(super) struct Table {
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table under these heads.
    pub(super) fn new(heads: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { heads: heads.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    pub(super) fn push(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    /// Whether there is no row.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Takes out columns in which nothing is known.
    fn without_unknown(mut self) -> Self {
        let known: Vec<bool> =
            (0..self.heads.len()).map(|i| self.rows.iter().any(|r| r.get(i).is_some_and(|c| c != UNKNOWN && !c.is_empty()))).collect();
        let keep = |cells: &mut Vec<String>| {
            let mut at = known.iter();
            cells.retain(|_| at.next().copied().unwrap_or(false));
        };
        keep(&mut self.heads);
        self.rows.iter_mut().for_each(keep);
        self
    }

    /// Columns set to their widths, two spaces between.
    pub(super) fn text(&self) -> String {
        let lines: Vec<&Vec<String>> = std::iter::once(&self.heads).chain(&self.rows).collect();
        let width = |i: usize| lines.iter().filter_map(|l| l.get(i)).map(|c| c.width()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.heads.len()).map(width).collect();
        let line = |cells: &Vec<String>| {
            let set = cells.iter().zip(&widths).enumerate().map(|(i, (cell, width))| {
                let gap = " ".repeat(width.saturating_sub(cell.width()));
                if i == 0 { format!("{cell}{gap}") } else { format!("{gap}{cell}") }
            });
            set.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        lines.into_iter().map(line).collect::<Vec<_>>().join("\n")
    }

    /// A Markdown table, cells escaped by `escape`.
    pub(super) fn markdown(&self, escape: fn(&str) -> String) -> String {
        let line = |cells: &Vec<String>| format!("| {} |", cells.iter().map(|c| escape(c)).collect::<Vec<_>>().join(" | "));
        let rule: Vec<&str> = (0..self.heads.len()).map(|i| if i == 0 { ":--" } else { "--:" }).collect();
        let head = [line(&self.heads), format!("| {} |", rule.join(" | "))];
        head.into_iter().chain(self.rows.iter().map(line)).collect::<Vec<_>>().join("\n")
    }
}

/// How much of the figures a table shows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    /// All.
    Full,
    /// What fits a terminal.
    Narrow,
}

/// A column: its head in full, its head where it is narrow (none: left out there), its cell.
struct Column {
    full: &'static str,
    narrow: Option<&'static str>,
    cell: fn(&ValueFigures, Option<&ValueFigures>, Width) -> String,
}

const fn column(full: &'static str, narrow: Option<&'static str>, cell: fn(&ValueFigures, Option<&ValueFigures>, Width) -> String) -> Column {
    Column { full, narrow, cell }
}

/// Every column but the first, which is the setting.
const COLUMNS: [Column; 16] = [
    column("runs", Some("runs"), |s, _, _| s.runs.to_string()),
    column("requests", None, |s, _, _| count(s.requests)),
    column("loss", Some("loss"), |s, _, _| loss(s)),
    column("p50", None, |s, _, _| time_or(s.p50_s)),
    column("p95", Some("p95"), |s, _, width| p95(s, width)),
    column("p99", None, |s, _, _| time_or(s.p99_s)),
    column("rate", Some("rate"), |s, _, _| rate_or(s.rate)),
    column("failed", Some("failed"), |s, _, _| share_or(s.failed)),
    column("wait W", Some("wait W"), |s, _, _| time_or(s.wait_s)),
    column("hold H", Some("hold H"), |s, _, _| time_or(s.hold_s)),
    column("connections in use", Some("in use"), |s, _, _| level_or(s.active)),
    column("requests pending", Some("pending"), |s, _, _| level_or(s.pending)),
    column("threads busy", None, |s, _, _| level_or(s.threads_busy)),
    column("loss, against the row above", Some("against above"), |s, above, _| against(s, above)),
    column("W, a connection more", Some("W/conn."), |s, _, _| s.dwait_s.map(time_change).unwrap_or_default()),
    column("H, a connection more", Some("H/conn."), |s, _, _| s.dhold_s.map(time_change).unwrap_or_default()),
];

/// The figures of each value of a verdict.
pub(super) fn figures(verdict: &PoolVerdict, width: Width) -> Table {
    let columns: Vec<(&str, &Column)> =
        COLUMNS.iter().filter_map(|c| if width == Width::Full { Some((c.full, c)) } else { c.narrow.map(|head| (head, c)) }).collect();
    let heads = std::iter::once(setting(verdict)).chain(columns.iter().map(|(head, _)| (*head).to_owned()));
    let mut table = Table::new(heads);
    let mut above: Option<&ValueFigures> = None;
    for step in &verdict.steps {
        let short = if step.short.is_some() { "*" } else { "" };
        let first = format!("{}{short}", plain(step.value));
        table.push(std::iter::once(first).chain(columns.iter().map(|(_, c)| (c.cell)(step, above, width))).collect());
        above = Some(step);
    }
    table.without_unknown()
}

fn loss(step: &ValueFigures) -> String {
    step.loss_s.map_or_else(|| UNKNOWN.to_owned(), |l| format!("{} ± {}", time(l.mean), time_or(l.se)))
}

fn p95(step: &ValueFigures, width: Width) -> String {
    match step.p95_95 {
        Some((low, high)) if width == Width::Full => format!("{} ({} to {})", time_or(step.p95_s), time(low), time(high)),
        _ => time_or(step.p95_s),
    }
}

fn against(step: &ValueFigures, above: Option<&ValueFigures>) -> String {
    let both = above.and_then(|a| a.loss_s).zip(step.loss_s).filter(|(a, _)| a.mean > 0.0);
    both.map(|(a, b)| change(b.mean / a.mean - 1.0)).unwrap_or_default()
}

/// What keeps a row from counting in full, one line each.
pub(super) fn shorts(verdict: &PoolVerdict) -> Vec<String> {
    let name = setting(verdict);
    verdict.steps.iter().filter_map(|s| s.short.as_ref().map(|why| format!("* {name} {}: {}", plain(s.value), clean(why)))).collect()
}
