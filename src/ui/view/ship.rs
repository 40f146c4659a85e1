//! The load line as on a ship's side: the values as draught marks, the zone shaded, the chosen value the line through the disc.
//!
//! ```text
//!  200 ┤
//!      │░░░░░░░░░░░░░░
//!      │░░░░╭─────╮░░░
//!  150 ┿━━━━┿━━━━━┿━━━━  pool 150
//!      │░░░░╰─────╯░░░
//!  100 ┤
//!   30 ┤
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::model::verdict::PoolVerdict;
use crate::ui::look::{Look, Tone};
use crate::ui::number;
use crate::ui::text::{pad_left, put, row};
use crate::ui::widget::scale::Scale;

/// Cells left of the ship's side.
const LEFT: u16 = 8;
/// Cells of the disc.
const DISC: u16 = 9;

/// Draws it.
pub(super) fn render(verdict: &PoolVerdict, look: Look, area: Rect, buf: &mut Buffer) {
    if area.height < 3 || area.width < LEFT + DISC {
        return;
    }
    let Some(scale) = scale(verdict) else { return };
    let side = Rect { x: area.x + LEFT, width: area.width - LEFT, ..area };
    let place = |v: f64| at(scale, v, area);
    for line in area.rows() {
        put(buf, line, side.x - 1, line.y, "│", look.style(Tone::Frame));
    }
    if let Some((low, high)) = verdict.zone
        && let (Some(bottom), Some(top)) = (place(low.max(scale.from())), place(high.min(scale.to())))
    {
        for y in top..=bottom {
            put(buf, side, side.x, y, &"░".repeat(usize::from(side.width)), look.style(Tone::Zone));
        }
    }
    let chosen = verdict.value.and_then(place);
    marks(verdict, chosen, look, area, &place, buf);
    if let Some(y) = chosen {
        line(verdict, y, look, area, buf);
    }
}

/// The values as draught marks, each a row of its own; the chosen one is the line's.
fn marks(verdict: &PoolVerdict, chosen: Option<u16>, look: Look, area: Rect, place: &impl Fn(f64) -> Option<u16>, buf: &mut Buffer) {
    let mut taken: Vec<u16> = chosen.into_iter().collect();
    for value in verdict.steps.iter().rev().map(|s| s.value) {
        let Some(y) = place(value).filter(|y| !taken.contains(y)) else { continue };
        taken.push(y);
        put(buf, area, area.x, y, &pad_left(&number::setting(value), usize::from(LEFT - 2)), look.style(Tone::Text));
        let x = put(buf, area, area.x + LEFT - 1, y, "┤", look.style(Tone::Frame));
        if let Some(factor) = factor(verdict, value).filter(|_| chosen.is_none_or(|c| c.abs_diff(y) > 1)) {
            put(buf, area, x, y, &format!(" loss {}", number::times(factor)), look.style(Tone::Dim));
        }
    }
}

/// A value's loss against that of the value nearest to the chosen one.
fn factor(verdict: &PoolVerdict, value: f64) -> Option<f64> {
    let chosen = verdict.value?;
    let loss = |wanted: f64| {
        let nearest =
            verdict.steps.iter().filter(|s| s.loss_s.is_some()).min_by(|a, b| (a.value - wanted).abs().total_cmp(&(b.value - wanted).abs()))?;
        nearest.loss_s.map(|l| l.mean)
    };
    let (mine, best) = (loss(value)?, loss(chosen)?);
    (best > 0.0).then(|| mine / best)
}

/// The line through the disc.
fn line(verdict: &PoolVerdict, y: u16, look: Look, area: Rect, buf: &mut Buffer) {
    let style = look.style(Tone::Line);
    let name = verdict.value.map(number::setting).unwrap_or_default();
    let length = area.width - LEFT;
    put(buf, area, area.x, y, &pad_left(&name, usize::from(LEFT - 2)), style);
    put(buf, area, area.x + LEFT - 1, y, &format!("┿{}", "━".repeat(usize::from(length))), style);
    let left = area.x + LEFT + length.saturating_sub(DISC) / 3;
    let bar = "─".repeat(usize::from(DISC - 2));
    for (at, text) in [(y.checked_sub(1), format!("╭{bar}╮")), (y.checked_add(1), format!("╰{bar}╯"))] {
        if let Some(at) = at.filter(|at| *at >= area.top() && *at < area.bottom()) {
            put(buf, row(area, at - area.y), left, at, &text, style);
        }
    }
    put(buf, area, left, y, "┿", style);
    put(buf, area, left + DISC - 1, y, "┿", style);
}

fn scale(verdict: &PoolVerdict) -> Option<Scale> {
    let all = verdict.steps.iter().map(|s| s.value).chain(verdict.value).filter(|v| v.is_finite());
    let (low, high) = all.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
    (low <= high).then(|| Scale::linear(low, high))
}

/// The row of a value: the largest at the top.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a screen's height")]
fn at(scale: Scale, value: f64, area: Rect) -> Option<u16> {
    let place = scale.place(value)?;
    Some(area.y + ((1.0 - place) * f64::from(area.height.saturating_sub(1))).round() as u16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::testkit;

    fn drawn(w: u16, h: u16) -> String {
        let mut buf = Buffer::empty(Rect::new(0, 0, w, h));
        render(&testkit::verdict(10), Look::default(), buf.area, &mut buf);
        testkit::text(&buf)
    }

    #[test]
    fn the_line_goes_through_the_disc_inside_the_zone() {
        let text = drawn(30, 18);
        let lines: Vec<&str> = text.lines().collect();
        let at = lines.iter().position(|l| l.contains("150")).unwrap();
        assert!(lines[at].contains("┿━━"), "{text}");
        assert!(lines[at - 1].contains('╭') && lines[at + 1].contains('╰'), "{text}");
        assert!(lines[at - 1].contains('░') && !lines[at + 8].contains('░'), "{text}");
        assert!(lines[0].contains("200") && lines[17].contains("30"), "{text}");
    }

    #[test]
    fn no_size_is_too_small() {
        for (w, h) in [(0, 0), (1, 1), (20, 3), (17, 30), (30, 2)] {
            drawn(w, h);
        }
    }
}
