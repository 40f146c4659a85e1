//! The curve of the sweep: loss with its error bars, wait W and hold H against the setting, the zone shaded, the chosen value marked.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::chart::{self, LEFT};
use super::panels::mark_time;
use crate::model::session::Session;
use crate::model::verdict::{PoolVerdict, ValueFigures};
use crate::ui::look::{Look, Tone};
use crate::ui::number;
use crate::ui::reading::curve::{self, StepLoss};
use crate::ui::reading::label;
use crate::ui::text::{put, put_centred, row, width};
use crate::ui::widget::plot::{Plot, Stroke};
use crate::ui::widget::scale::Scale;

/// A figure of a value.
type Figure = fn(&ValueFigures) -> Option<f64>;

/// Cells right of the curve: names of the lines.
const RIGHT: u16 = 9;

/// The panel's name.
#[must_use]
pub(super) fn title(session: &Session) -> String {
    format!("loss ◆  wait W  hold H, against {}", label::axis(session))
}

/// The curve, and under it what is known so far.
pub(super) fn with_sentence(session: &Session, look: Look, area: Rect, buf: &mut Buffer) {
    let foot = row(area, area.height.saturating_sub(1));
    put(buf, foot, foot.x, foot.y, &curve::so_far(session), look.style(Tone::Text));
    render(session, look, Rect { height: area.height.saturating_sub(1), ..area }, buf);
}

/// The curve alone.
pub(super) fn render(session: &Session, look: Look, area: Rect, buf: &mut Buffer) {
    let losses = curve::step_losses(session);
    let figures = curve::judged(session);
    let verdict = curve::verdict(session);
    let values: Vec<f64> = values(session, verdict);
    if losses.is_empty() && figures.iter().all(|f| f.loss_s.is_none()) {
        put_centred(buf, area, area.y + area.height / 2, "nothing measured yet", look.style(Tone::Dim));
        return;
    }
    let inside = Rect {
        x: area.x.saturating_add(LEFT).min(area.right()),
        width: area.width.saturating_sub(LEFT + RIGHT),
        height: area.height.saturating_sub(1),
        ..area
    };
    let (x, y) = (x_scale(&values), Scale::up_to(largest(&losses, figures)));
    let mut plot = Plot::new(inside, x, y, look.ascii);
    if let Some((low, high)) = verdict.and_then(|v| v.zone) {
        plot.shade(low, high, '░', look.style(Tone::Zone));
    }
    if let Some(value) = verdict.and_then(|v| v.value) {
        plot.rule(value, '┃', look.style(Tone::Line));
    }
    fitted(verdict, look, &mut plot);
    let ends = lines(figures, look, &mut plot);
    for loss in &losses {
        plot.mark(loss.value, loss.loss_s, if loss.running { '○' } else { '×' }, look.style(if loss.running { Tone::Focus } else { Tone::Dim }));
    }
    losses_with_errors(figures, look, &mut plot);
    plot.render(buf);
    chart::figures(&plot, y, mark_time, look, inside, buf);
    value_axis(&plot, &values, verdict, look, inside, buf);
    names(&plot, &ends, look, Rect { x: inside.right(), width: RIGHT, ..inside }, buf);
}

/// The values that have a place on the axis: what the plan tries and what was judged.
fn values(session: &Session, verdict: Option<&PoolVerdict>) -> Vec<f64> {
    let axis = label::axis(session);
    let planned = session.plan().and_then(|p| p.setting(&axis)).map(|s| s.values.clone()).unwrap_or_default();
    let stepped = session.steps().iter().filter_map(|s| s.planned().values.get(&axis));
    let judged = verdict.into_iter().flat_map(|v| v.steps.iter().map(|s| s.value).chain(v.value));
    let mut all: Vec<f64> = planned.into_iter().chain(stepped).chain(judged).filter(|v| v.is_finite()).collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}

fn x_scale(values: &[f64]) -> Scale {
    let (low, high) = (values.first().copied().unwrap_or(0.0), values.last().copied().unwrap_or(1.0));
    let margin = ((high - low) * 0.06).max(1e-6);
    Scale::linear(low - margin, high + margin)
}

/// The largest figure that must have a place: an error bar only as far as it does not press the rest down.
fn largest(losses: &[StepLoss], figures: &[ValueFigures]) -> f64 {
    let means = figures.iter().flat_map(|f| [f.loss_s.map(|l| l.mean), f.wait_s, f.hold_s]).flatten();
    let mean = losses.iter().map(|l| l.loss_s).chain(means).fold(0.0, f64::max);
    let bars = figures.iter().filter_map(|f| f.loss_s.map(|l| l.mean + 2.0 * l.se.unwrap_or(0.0)));
    bars.fold(mean, f64::max).min(mean * 1.3)
}

/// The fitted curve, dotted.
fn fitted(verdict: Option<&PoolVerdict>, look: Look, plot: &mut Plot) {
    let points: Vec<_> = verdict.into_iter().flat_map(|v| &v.curve).map(|p| Some((p.value, p.loss_s))).collect();
    plot.line(&points, Stroke { style: look.style(Tone::Limit), dotted: true, symbol: '.' });
}

/// Wait and hold as lines; what they are called at their right ends.
fn lines(figures: &[ValueFigures], look: Look, plot: &mut Plot) -> Vec<(f64, &'static str, Style)> {
    let mut ends = Vec::new();
    let all: [(&'static str, char, Tone, Figure); 2] = [("wait W", 'W', Tone::Wait, |f| f.wait_s), ("hold H", 'H', Tone::Hold, |f| f.hold_s)];
    for (name, symbol, tone, of) in all {
        let points: Vec<_> = figures.iter().map(|f| of(f).map(|v| (f.value, v))).collect();
        plot.line(&points, Stroke { style: look.style(tone), dotted: false, symbol });
        if let Some((_, v)) = points.iter().rev().flatten().next() {
            ends.push((*v, name, look.style(tone)));
        }
    }
    if let Some(loss) = figures.iter().rev().find_map(|f| f.loss_s) {
        ends.push((loss.mean, "loss ◆", look.style(Tone::Loss)));
    }
    ends
}

fn losses_with_errors(figures: &[ValueFigures], look: Look, plot: &mut Plot) {
    for f in figures {
        let Some(loss) = f.loss_s else { continue };
        if let Some(se) = loss.se {
            plot.error_bar(f.value, (loss.mean - 2.0 * se).max(0.0), loss.mean + 2.0 * se, look.style(Tone::Dim));
        }
        plot.mark(f.value, loss.mean, if f.short.is_some() { '◇' } else { '◆' }, look.style(Tone::Loss));
    }
}

/// The line under the curve: each value at its place, the chosen one strong.
fn value_axis(plot: &Plot, values: &[f64], verdict: Option<&PoolVerdict>, look: Look, inside: Rect, buf: &mut Buffer) {
    let line = Rect { y: inside.bottom(), height: 1, ..inside };
    for at in line.columns() {
        put(buf, line, at.x, line.y, "─", look.style(Tone::Frame));
    }
    let chosen = verdict.and_then(|v| v.value);
    let is_chosen = |v: f64| chosen.is_some_and(|c| (c - v).abs() < 1e-9);
    let mut order: Vec<f64> = values.to_vec();
    order.sort_by_key(|v| !is_chosen(*v));
    let mut taken: Vec<(u16, u16)> = Vec::new();
    for value in order {
        let text = number::setting(value);
        let cells = u16::try_from(width(&text)).unwrap_or(u16::MAX);
        let Some(from) = plot.column_of(value).map(|x| x.saturating_sub(cells / 2)) else { continue };
        let to = from.saturating_add(cells);
        if taken.iter().all(|(a, b)| to < *a || from > *b) && to <= line.right() {
            put(buf, line, from, line.y, &text, look.style(if is_chosen(value) { Tone::Line } else { Tone::Text }));
            taken.push((from, to));
        }
    }
}

/// The names of the lines at the height of their ends.
fn names(plot: &Plot, ends: &[(f64, &'static str, Style)], look: Look, area: Rect, buf: &mut Buffer) {
    let mut taken: Vec<u16> = Vec::new();
    for (value, name, style) in ends {
        let Some(mut at) = plot.row_of(*value) else { continue };
        while taken.contains(&at) && at > area.y {
            at -= 1;
        }
        taken.push(at);
        put(buf, area, area.x, at, &format!(" {name}"), *style);
    }
    let _ = look;
}
