//! A chart over time: the shared axis with a rule for each step, figures at the left, the latest value of each line at the right.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::ui::look::{Look, Tone};
use crate::ui::number;
use crate::ui::reading::series::{self, Point};
use crate::ui::reading::timeline::Timeline;
use crate::ui::text::{pad_left, put, put_centred, row};
use crate::ui::widget::plot::{Plot, Stroke, Texture};
use crate::ui::widget::scale::Scale;

/// Cells left of the plot: figures and the axis.
pub(super) const LEFT: u16 = 8;
/// Cells right of the plot: the latest value of each line.
pub(super) const RIGHT: u16 = 13;
/// More figures than this at the left are noise.
const MOST_MARKS: usize = 7;
/// From this width on there is room for the right side.
const WIDE: u16 = 48;

/// One line.
#[derive(Debug, Clone)]
pub(super) struct Series {
    /// Its points.
    pub points: Vec<Point>,
    /// Its style.
    pub style: Style,
    /// Whether it is a limit or a plan.
    pub dotted: bool,
    /// Its symbol in ASCII.
    pub symbol: char,
    /// What it is, at the right.
    pub name: &'static str,
    /// Its latest value as text; none while unknown.
    pub latest: Option<String>,
}

/// An area under the lines.
#[derive(Debug, Clone)]
pub(super) struct Area {
    /// Time, lower and upper edge.
    pub points: Vec<Option<(f64, f64, f64)>>,
    /// How it is filled.
    pub texture: Texture,
    /// Its style.
    pub style: Style,
}

/// What a chart shows.
pub(super) struct Chart<'a> {
    /// The shared axis.
    pub timeline: &'a Timeline,
    /// The scale of the figures.
    pub y: Scale,
    /// How a mark of the scale is written.
    pub mark: fn(f64) -> String,
    /// Areas, from the back to the front.
    pub areas: Vec<Area>,
    /// Lines, from the back to the front.
    pub lines: Vec<Series>,
    /// What is said if there is nothing to draw.
    pub empty: String,
}

/// How many columns of points a plot in this area has.
#[must_use]
pub(super) fn columns(area: Rect, look: Look) -> usize {
    let cells = usize::from(plot_area(area).width);
    if look.ascii { cells } else { cells * 2 }
}

fn plot_area(area: Rect) -> Rect {
    let right = if area.width >= WIDE { RIGHT } else { 0 };
    Rect {
        x: area.x.saturating_add(LEFT).min(area.right()),
        y: area.y,
        width: area.width.saturating_sub(LEFT + right),
        height: area.height.saturating_sub(1),
    }
}

impl Chart<'_> {
    /// Draws it.
    pub(super) fn render(&self, look: Look, area: Rect, buf: &mut Buffer) {
        if self.lines.iter().all(|l| l.points.iter().all(Option::is_none)) {
            put_centred(buf, area, area.y + area.height / 2, &self.empty, look.style(Tone::Dim));
            return;
        }
        let inside = plot_area(area);
        let mut plot = Plot::new(inside, self.timeline.x, self.y, look.ascii);
        for band in &self.timeline.bands {
            plot.rule(band.from, '│', look.style(Tone::Frame));
        }
        for area in &self.areas {
            plot.fill(&area.points, area.texture, area.style);
        }
        for line in &self.lines {
            plot.line(&line.points, Stroke { style: line.style, dotted: line.dotted, symbol: line.symbol });
        }
        for (from, to) in self.timeline.unmeasured() {
            plot.dim(from, to);
        }
        plot.render(buf);
        figures(&plot, self.y, self.mark, look, inside, buf);
        time_axis(self.timeline, &plot, look, inside, buf);
        if area.width >= WIDE {
            self.latest(&plot, look, Rect { x: inside.right(), width: area.right().saturating_sub(inside.right()), ..inside }, buf);
        }
    }

    /// The latest values, each at the height of its line, none over another.
    fn latest(&self, plot: &Plot, look: Look, area: Rect, buf: &mut Buffer) {
        let mut labels: Vec<(u16, &Series)> = Vec::new();
        for line in &self.lines {
            let end = line.points.iter().rev().flatten().next();
            let at = end.and_then(|(_, v)| plot.row_of(*v)).unwrap_or(area.bottom().saturating_sub(1));
            labels.push((at, line));
        }
        labels.sort_by_key(|l| l.0);
        let rows = spread(&labels.iter().map(|l| l.0).collect::<Vec<_>>(), area.y, area.bottom());
        for ((_, line), y) in labels.iter().zip(rows) {
            let text = format!(" {} {}", line.name, line.latest.as_deref().unwrap_or(number::UNKNOWN));
            put(buf, area, area.x, y, &text, if line.latest.is_some() { line.style } else { look.style(Tone::Dim) });
        }
    }
}

/// Places for labels that want to be at these rows, ascending: no two on one row, all between `top` and `bottom` as far as they fit.
fn spread(wanted: &[u16], top: u16, bottom: u16) -> Vec<u16> {
    let mut rows = wanted.to_vec();
    let mut limit = bottom;
    for row in rows.iter_mut().rev() {
        *row = (*row).min(limit.saturating_sub(1));
        limit = *row;
    }
    let mut least = top;
    for row in &mut rows {
        *row = (*row).max(least);
        least = row.saturating_add(1);
    }
    rows
}

/// The figures of a scale at the left of a plot, with the axis.
pub(super) fn figures(plot: &Plot, y: Scale, mark: fn(f64) -> String, look: Look, inside: Rect, buf: &mut Buffer) {
    let left = Rect { x: inside.x.saturating_sub(LEFT), width: LEFT.min(inside.x), ..inside };
    let axis = inside.x.saturating_sub(1);
    for line in inside.top()..inside.bottom() {
        put(buf, left, axis, line, "│", look.style(Tone::Frame));
    }
    let mut taken = None;
    for value in y.marks((usize::from(inside.height) * 2).div_ceil(3).min(MOST_MARKS)).into_iter().rev() {
        let Some(at) = plot.row_of(value).filter(|at| taken.is_none_or(|t: u16| *at > t)) else { continue };
        put(buf, left, left.x, at, &pad_left(&mark(value), usize::from(LEFT - 1)), look.style(Tone::Dim));
        put(buf, left, axis, at, "┤", look.style(Tone::Frame));
        taken = Some(at);
    }
}

/// The line under the plot: thick where it was measured, each step's values where it began, the times at both ends.
fn time_axis(timeline: &Timeline, plot: &Plot, look: Look, inside: Rect, buf: &mut Buffer) {
    let line = Rect { y: inside.bottom(), height: 1, ..inside };
    for x in line.columns() {
        put(buf, line, x.x, line.y, "─", look.style(Tone::Frame));
    }
    for (from, to) in timeline.bands.iter().filter_map(|b| b.measured) {
        let ends = plot.column_of(from.max(timeline.x.from())).zip(plot.column_of(to.min(timeline.x.to())));
        for x in ends.map(|(a, b)| a..=b).into_iter().flatten() {
            put(buf, line, x, line.y, "━", look.style(Tone::Text));
        }
    }
    let begins: Vec<(u16, &str)> =
        timeline.bands.iter().filter_map(|b| plot.column_of(b.from.max(timeline.x.from())).map(|x| (x, b.label.as_str()))).collect();
    for (x, _) in &begins {
        put(buf, line, *x, line.y, "┴", look.style(Tone::Frame));
    }
    for (x, label) in labels(&begins, line.right()) {
        put(buf, line, x, line.y, label, look.style(Tone::Text));
    }
    let clock = |s: f64| crate::model::units::Elapsed::from_secs_f64(s).to_string();
    let left = Rect { x: inside.x.saturating_sub(LEFT), width: LEFT.min(inside.x), y: line.y, height: 1 };
    put(buf, left, left.x, line.y, &pad_left(&clock(timeline.x.from()), usize::from(LEFT - 1)), look.style(Tone::Dim));
    let right = Rect { x: line.right(), width: RIGHT, ..line };
    if line.right().saturating_add(RIGHT) <= buf.area.right() {
        put(buf, row(right, 0), right.x, line.y, &format!(" {}", clock(timeline.x.to())), look.style(Tone::Dim));
    }
}

/// Where the values of the steps are written behind their notches: the last step's always, of the others those that touch no other.
fn labels<'a>(begins: &[(u16, &'a str)], end: u16) -> Vec<(u16, &'a str)> {
    let cells = |label: &str| u16::try_from(crate::ui::text::width(label)).unwrap_or(u16::MAX);
    let Some(((last, last_label), others)) = begins.split_last() else { return Vec::new() };
    let last_from = last.saturating_add(1).min(end.saturating_sub(cells(last_label)));
    let mut out = Vec::new();
    let mut free = 0;
    for (x, label) in others {
        let from = x.saturating_add(1);
        let to = from.saturating_add(cells(label));
        if *x >= free && to < last_from {
            out.push((from, *label));
            free = to;
        }
    }
    out.push((last_from, *last_label));
    out
}

/// A series whose latest value is written by `write`.
#[must_use]
pub(super) fn series(points: Vec<Point>, name: &'static str, style: Style, symbol: char, write: fn(f64) -> String) -> Series {
    let latest = series::last(&points).map(write);
    Series { points, style, dotted: false, symbol, name, latest }
}

#[cfg(test)]
mod tests {
    use super::{labels, spread};

    #[test]
    fn values_of_narrow_steps_do_not_run_into_each_other() {
        assert_eq!(labels(&[(0, "100"), (8, "30"), (16, "200")], 30), [(1, "100"), (9, "30"), (17, "200")]);
        assert_eq!(labels(&[(0, "100"), (3, "150"), (6, "200"), (9, "150")], 13), [(1, "100"), (10, "150")]);
        assert_eq!(labels(&[(0, "30"), (3, "50"), (6, "200")], 8), [(1, "30"), (5, "200")]);
        assert_eq!(labels(&[], 8), []);
    }

    #[test]
    fn labels_do_not_lie_over_each_other() {
        assert_eq!(spread(&[3, 3, 4], 0, 10), [2, 3, 4]);
        assert_eq!(spread(&[9, 9, 9], 0, 10), [7, 8, 9]);
        assert_eq!(spread(&[0, 0], 0, 10), [0, 1]);
        assert_eq!(spread(&[], 0, 0), Vec::<u16>::new());
    }
}
