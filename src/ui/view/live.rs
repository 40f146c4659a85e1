//! The live screen: header, plan strip, flow line, panels, status, footer. A replay is the same screen with its position in the status.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::panels::Ground;
use super::{flow, footer, header, split_bottom, split_top, status, strip};
use crate::ui::look::{Look, Tone};
use crate::ui::reading::{curve, timeline};
use crate::ui::state::{Panel, State};
use crate::ui::text::put;

/// From this size on there is room for frames and five lines of flow.
const ROOMY: (u16, u16) = (100, 34);
/// A panel is at least this high.
const PANEL_ROWS: u16 = 8;

/// Draws it.
pub(super) fn render(state: &State, look: Look, area: Rect, buf: &mut Buffer) {
    let roomy = area.width >= ROOMY.0 && area.height >= ROOMY.1;
    let (head, rest) = split_top(area, 1);
    let (rest, foot) = split_bottom(rest, 1);
    let (rest, line) = split_bottom(rest, 1);
    let (plan, rest) = split_top(rest, if roomy { 3 } else { 1 });
    let (stream, mut rest) = split_top(rest, if roomy { 5 } else { 3 });
    header::render(state, look, head, buf);
    strip::render(state, look, plan, buf);
    flow::render(state, look, stream, buf);
    if !roomy {
        let known;
        (rest, known) = split_bottom(rest, 1);
        put(buf, known, known.x.saturating_add(1), known.y, &curve::so_far(state.shown()), look.style(Tone::Text));
    }
    panels(state, look, rest, buf);
    status::render(state, look, line, buf);
    footer::render(state, look, foot, buf);
}

fn panels(state: &State, look: Look, area: Rect, buf: &mut Buffer) {
    let session = state.shown();
    let axis = timeline::timeline(session, state.live.window);
    let ground = Ground { state, session, timeline: &axis, look };
    if state.live.zoom {
        return ground.panel(state.live.focus, area, buf);
    }
    for (panel, place) in places(state.live.focus, area) {
        ground.panel(panel, place, buf);
    }
}

/// Which panels are shown, and where.
fn places(focus: Panel, area: Rect) -> Vec<(Panel, Rect)> {
    let columns: u16 = match area.width {
        0..100 => 1,
        100..165 => 2,
        _ => 3,
    };
    let rows = (area.height / PANEL_ROWS).clamp(1, if columns == 1 { 2 } else { 3 });
    let slots = slots(focus, usize::from(columns), usize::from(rows));
    let mut out = Vec::new();
    for (line, panels) in slots.chunks(usize::from(columns)).enumerate() {
        let (y, height) = part(area.y, area.height, u16::try_from(line).unwrap_or(0), rows);
        let mut column = 0;
        while let Some(panel) = panels.get(usize::from(column)) {
            let same = panels.iter().skip(usize::from(column)).take_while(|p| *p == panel).count();
            let (x, _) = part(area.x, area.width, column, columns);
            column += u16::try_from(same).unwrap_or(1).max(1);
            let (end, _) = part(area.x, area.width, column, columns);
            out.push((*panel, Rect { x, y, width: end.saturating_sub(x), height }));
        }
    }
    out
}

/// The part `n` of `parts` of a length: where it begins and how long it is.
fn part(from: u16, length: u16, n: u16, parts: u16) -> (u16, u16) {
    let at = |n: u16| from.saturating_add(u16::try_from(u32::from(length) * u32::from(n) / u32::from(parts.max(1))).unwrap_or(length));
    (at(n), at(n.saturating_add(1)).saturating_sub(at(n)))
}

/// The panels in reading order; the one in focus is always among them.
fn slots(focus: Panel, columns: usize, rows: usize) -> Vec<Panel> {
    use Panel::{Errors, Latency, Log, Pool, Requests, SoFar, Threads, Waits};
    match (columns, rows) {
        (3, 3) => vec![Requests, Latency, Errors, Pool, Threads, Waits, SoFar, Log, Log],
        (2, 3) | (3, 2) => {
            let first = if focus == Errors { Errors } else { Requests };
            let pool = if focus == Waits { Waits } else { Pool };
            vec![first, Latency, pool, Threads, SoFar, Log]
        }
        _ => {
            let many = (columns * rows).max(1);
            let at = Panel::ALL.iter().position(|p| *p == focus).unwrap_or(0) / many * many;
            Panel::ALL.iter().copied().cycle().skip(at).take(many).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_focus_is_always_in_sight() {
        for (w, h) in [(80, 16), (120, 29), (120, 16), (200, 39), (200, 20), (60, 8), (100, 9)] {
            for panel in Panel::ALL {
                let places = places(panel, Rect::new(0, 0, w, h));
                assert!(places.iter().any(|(p, _)| *p == panel), "{panel:?} at {w}x{h}");
            }
        }
    }

    #[test]
    fn panels_fill_the_area_and_do_not_overlap() {
        for (w, h) in [(80, 16), (120, 29), (200, 39), (199, 38), (101, 17)] {
            let places = places(Panel::Pool, Rect::new(0, 0, w, h));
            let cells: u32 = places.iter().map(|(_, r)| r.area()).sum();
            assert_eq!(cells, u32::from(w) * u32::from(h), "{w}x{h}");
            for (i, (_, a)) in places.iter().enumerate() {
                assert!(places.iter().skip(i + 1).all(|(_, b)| !a.intersects(*b)), "{w}x{h}");
            }
        }
    }
}
