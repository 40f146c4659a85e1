//! The verdict screen: the answer in words, the load line beside the curve, the table of all values.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::answer::{self, Entry};
use super::{footer, header, ship, split_bottom, split_left, split_top, status, sweep};
use crate::model::session::Session;
use crate::model::verdict::{PoolVerdict, ValueFigures};
use crate::ui::look::{Look, Tone};
use crate::ui::number;
use crate::ui::reading::{curve, label};
use crate::ui::state::State;
use crate::ui::text::{cut, put, put_centred, row, wrap};
use crate::ui::widget::panel::Frame;
use crate::ui::widget::table::{self, Column};

/// A figure of a value.
type Figure = fn(&ValueFigures) -> Option<f64>;

/// Cells of the heads before the text.
const HEAD: u16 = 14;
/// From this height on the table has a frame.
const FRAMED_FROM: u16 = 28;
/// The curve is not drawn lower than this.
const CURVE_ROWS: u16 = 7;

/// Draws it.
pub(super) fn render(state: &State, look: Look, area: Rect, buf: &mut Buffer) {
    let session = state.shown();
    let (head, rest) = split_top(area, 1);
    let (rest, foot) = split_bottom(rest, 1);
    let (rest, line) = split_bottom(rest, 1);
    header::render(state, look, head, buf);
    status::render(state, look, line, buf);
    footer::render(state, look, foot, buf);
    let Some(verdict) = curve::verdict(session) else {
        return unjudged(session, look, rest, buf);
    };
    let entries = answer::entries(session, verdict);
    let framed = if rest.height >= FRAMED_FROM { 2 } else { 0 };
    let rows = u16::try_from(verdict.steps.len()).unwrap_or(u16::MAX).saturating_add(1 + framed);
    let most = rest.height.saturating_sub(rows.min(6 + framed) + CURVE_ROWS).max(4);
    let said = fitted(&entries, rest.width, most);
    let needed = u16::try_from(said.iter().map(Vec::len).sum::<usize>()).unwrap_or(u16::MAX);
    let (words, rest) = split_top(rest, needed.min(most));
    sentences(&entries, &said, look, words, buf);
    let (pictures, table) = split_bottom(rest, rows.min(rest.height.saturating_sub(CURVE_ROWS).max(3)));
    if pictures.height >= 5 {
        let (left, right) = split_left(pictures, (pictures.width / 4).clamp(26, 44));
        let inner = Frame::named(format!("load line of {}", label::axis(session)), false).render(look, left, buf);
        ship::render(verdict, look, inner, buf);
        let inner = Frame::named(sweep::title(session), false).render(look, right, buf);
        sweep::render(session, look, inner, buf);
    }
    figures(state, session, verdict, framed > 0, look, table, buf);
}

/// Without a verdict: why, and how the thresholds stand.
fn unjudged(session: &Session, look: Look, area: Rect, buf: &mut Buffer) {
    let swept = session.plan().is_none_or(|p| p.swept().next().is_some());
    let why =
        if swept { "no verdict yet: the judge speaks after the first steps are done" } else { "nothing is swept here: there is nothing to judge" };
    let entries = answer::thresholds(session);
    put_centred(buf, area, area.y + area.height / if entries.is_empty() { 2 } else { 6 }, why, look.style(Tone::Dim));
    let (_, below) = split_top(area, area.height / 6 + 2);
    sentences(&entries, &fitted(&entries, below.width, below.height), look, below, buf);
}

fn text_width(width: u16) -> usize {
    usize::from(width.saturating_sub(HEAD + 1))
}

/// Each entry's lines, none longer than `most`; what is cut ends in an ellipsis.
fn wrapped(entries: &[Entry], width: u16, most: usize) -> Vec<Vec<String>> {
    let shorten = |entry: &Entry| {
        let mut lines = wrap(&entry.text, text_width(width));
        if lines.len() > most {
            let rest = lines.split_off(most.saturating_sub(1));
            lines.push(cut(&rest.join(" "), text_width(width)));
        }
        lines
    };
    entries.iter().map(shorten).collect()
}

/// The entries in at most `rows` lines: whole if there is room, else each cut to two lines or one.
fn fitted(entries: &[Entry], width: u16, rows: u16) -> Vec<Vec<String>> {
    let all = [usize::MAX, 2, 1].map(|most| wrapped(entries, width, most));
    let [whole, two, one] = all;
    let fits = |lines: &[Vec<String>]| lines.iter().map(Vec::len).sum::<usize>() <= usize::from(rows);
    if fits(&whole) {
        whole
    } else if fits(&two) {
        two
    } else {
        one
    }
}

fn sentences(entries: &[Entry], lines: &[Vec<String>], look: Look, area: Rect, buf: &mut Buffer) {
    let mut n = 0;
    for (entry, lines) in entries.iter().zip(lines) {
        for (i, text) in lines.iter().enumerate() {
            let line = row(area, n);
            n = n.saturating_add(1);
            if i == 0 {
                let head = if n == 1 { look.style(entry.tone) } else { look.style(Tone::Dim) };
                put(buf, line, line.x.saturating_add(1), line.y, entry.head, head);
            }
            put(buf, line, line.x.saturating_add(HEAD), line.y, text, look.style(entry.tone));
        }
    }
}

fn figures(state: &State, session: &Session, verdict: &PoolVerdict, framed: bool, look: Look, area: Rect, buf: &mut Buffer) {
    let name = verdict.setting.clone().unwrap_or_else(|| label::axis(session));
    let frame = || {
        Frame::named("figures of each value", false)
            .with("± two standard errors · dW, dH: change for one more, against the row above", look.style(Tone::Dim))
    };
    let inner = if framed { frame().render(look, area, buf) } else { area };
    let first = state.scroll.min(verdict.steps.len().saturating_sub(1));
    let style = |i: usize| {
        let chosen = verdict.steps.get(i).zip(verdict.value).is_some_and(|(s, v)| (s.value - v).abs() < 1e-9);
        look.style(if chosen { Tone::Line } else { Tone::Text })
    };
    table::render(&columns(&name, &verdict.steps), first, style, look, inner, buf);
}

fn columns(name: &str, steps: &[ValueFigures]) -> Vec<Column> {
    let each = |of: &dyn Fn(&ValueFigures) -> String| steps.iter().map(of).collect::<Vec<_>>();
    let value = |s: &ValueFigures| format!("{}{}", if s.short.is_some() { "◇ " } else { "" }, number::setting(s.value));
    let mut out = vec![
        Column::new(name, 0, each(&value)),
        Column::new("runs", 5, each(&|s| s.runs.to_string())),
        Column::new("requests", 11, each(&|s| number::count(s.requests as f64))),
        loss(steps),
        times("p50", 8, steps, |s| s.p50_s),
        times("p95", 2, steps, |s| s.p95_s),
        times("p99", 7, steps, |s| s.p99_s),
        numbers("rate /s", 4, steps, |s| s.rate),
        Column::new("failed", 3, each(&|s| s.failed.map_or_else(|| number::UNKNOWN.to_owned(), |f| format!("{:.1}%", f * 100.0)))),
        times("W", 2, steps, |s| s.wait_s),
        times("H", 2, steps, |s| s.hold_s),
    ];
    let levels: [(&str, u8, Figure); 3] = [("active", 6, |s| s.active), ("pending", 6, |s| s.pending), ("threads", 9, |s| s.threads_busy)];
    out.extend(levels.map(|(head, rank, of)| numbers(head, rank, steps, of)));
    out.push(changes("dW", steps, |s| s.dwait_s));
    out.push(changes("dH", steps, |s| s.dhold_s));
    out
}

/// A column of plain figures, all with the same digits behind the point: none where one of them is large.
fn numbers(head: &str, rank: u8, steps: &[ValueFigures], of: Figure) -> Column {
    let digits = usize::from(steps.iter().filter_map(of).all(|v| v < 999.95));
    let cells = steps.iter().map(|s| of(s).map_or_else(|| number::UNKNOWN.to_owned(), |v| number::decimal(v, digits)));
    Column::new(head, rank, cells.collect())
}

/// A column of times in one unit, named in its head.
fn times(head: &str, rank: u8, steps: &[ValueFigures], of: Figure) -> Column {
    let largest = steps.iter().filter_map(of).fold(0.0, f64::max);
    let (unit, factor, digits) = number::column_unit(largest);
    let cells = steps.iter().map(|s| of(s).map_or_else(|| number::UNKNOWN.to_owned(), |v| format!("{:.digits$}", v * factor))).collect();
    Column::new(format!("{head} {unit}"), rank, cells)
}

fn loss(steps: &[ValueFigures]) -> Column {
    let largest = steps.iter().filter_map(|s| s.loss_s.map(|l| l.mean)).fold(0.0, f64::max);
    let (unit, factor, digits) = number::column_unit(largest);
    let digits = digits.max(1);
    let cells = steps.iter().map(|s| match s.loss_s {
        None => number::UNKNOWN.to_owned(),
        Some(l) => {
            let error = l.se.map_or_else(|| number::UNKNOWN.to_owned(), |se| format!("{:.digits$}", 2.0 * se * factor));
            format!("{:.digits$} ±{error}", l.mean * factor)
        }
    });
    Column::new(format!("loss {unit}"), 1, cells.collect())
}

/// A column of changes for one unit more of the setting, signed; the first row has none above it.
fn changes(head: &str, steps: &[ValueFigures], of: Figure) -> Column {
    let largest = steps.iter().filter_map(of).map(f64::abs).fold(0.0, f64::max);
    let (unit, factor, digits) = number::column_unit(largest);
    let cells = steps.iter().enumerate().map(|(i, s)| match of(s) {
        Some(v) => format!("{:+.digits$}", v * factor),
        None if i == 0 => String::new(),
        None => number::UNKNOWN.to_owned(),
    });
    Column::new(format!("{head} {unit}/+1"), 3, cells.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::testkit;

    #[test]
    fn every_head_of_a_time_names_its_unit() {
        let columns = columns("pool", &testkit::verdict(10).steps);
        for column in &columns {
            let timed = ["loss", "p50", "p95", "p99", "W", "H", "dW", "dH"].iter().any(|h| column.head.starts_with(&format!("{h} ")));
            assert!(!timed || column.head.contains("ms") || column.head.contains(" s") || column.head.contains("µs"), "{}", column.head);
        }
    }

    #[test]
    fn figures_of_a_column_have_the_same_digits() {
        let steps = testkit::verdict(10).steps;
        let column = times("p95", 2, &steps, |s| s.p95_s);
        let digits: Vec<usize> = column.cells.iter().map(|c| c.split_once('.').map_or(0, |p| p.1.len())).collect();
        assert!(digits.windows(2).all(|w| w[0] == w[1]), "{:?}", column.cells);
    }

    #[test]
    fn words_are_cut_only_where_there_is_no_room() {
        let entry = |text: &str| Entry { head: "because", text: text.to_owned(), tone: Tone::Text };
        let entries = [entry("one two three four five six"), entry("short")];
        assert_eq!(fitted(&entries, HEAD + 11, 9), [vec!["one two", "three four", "five six"], vec!["short"]]);
        assert_eq!(fitted(&entries, HEAD + 11, 3), [vec!["one two", "three fou…"], vec!["short"]]);
        assert_eq!(fitted(&entries, HEAD + 11, 2), [vec!["one two t…"], vec!["short"]]);
    }

    #[test]
    fn an_unknown_figure_is_not_0() {
        let mut steps = testkit::verdict(10).steps;
        (steps[1].wait_s, steps[1].loss_s, steps[1].dwait_s) = (None, None, None);
        assert_eq!(times("W", 2, &steps, |s| s.wait_s).cells[1], "?");
        assert_eq!(loss(&steps).cells[1], "?");
        let changes = changes("dW", &steps, |s| s.dwait_s);
        assert_eq!((changes.cells[0].as_str(), changes.cells[1].as_str()), ("", "?"));
        assert!(changes.cells[2].starts_with('-'), "{:?}", changes.cells);
    }
}
