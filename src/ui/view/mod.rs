//! The screens drawn: `(state, look) -> buffer`, changing nothing but the buffer.
//!
//! ```text
//! live  header · plan strip · flow line · panels · status · footer        home     title · list · detail · status · footer
//! verdict  header · answer · load line | curve · table · status · footer  overlays help · question · prompt
//! ```

mod answer;
mod chart;
mod flow;
mod footer;
mod header;
mod help;
mod home;
mod live;
mod panels;
mod ship;
mod small;
mod status;
mod strip;
mod sweep;
mod verdict;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::ascii::degrade;
use super::look::Look;
use super::state::{Overlay, Screen, State};

/// The smallest terminal that is drawn in.
pub(super) const SMALLEST: (u16, u16) = (60, 16);

/// Draws a frame.
pub(super) fn render(state: &State, look: Look, buf: &mut Buffer) {
    let area = buf.area;
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        small::render(state, look, area, buf);
    } else {
        match state.screen {
            Screen::Home => home::render(state, look, area, buf),
            Screen::Live => live::render(state, look, area, buf),
            Screen::Verdict => verdict::render(state, look, area, buf),
        }
        match &state.overlay {
            Some(Overlay::Help(line)) => help::render(state, *line, look, area, buf),
            Some(Overlay::Confirm(question)) => status::ask(state, *question, look, area, buf),
            Some(Overlay::Prompt(_)) | None => {}
        }
    }
    if look.ascii {
        degrade(buf);
    }
}

/// Splits an area into one of `rows` lines at its top and the rest.
fn split_top(area: Rect, rows: u16) -> (Rect, Rect) {
    let rows = rows.min(area.height);
    (Rect { height: rows, ..area }, Rect { y: area.y.saturating_add(rows), height: area.height - rows, ..area })
}

/// Splits an area into the rest and one of `rows` lines at its foot.
fn split_bottom(area: Rect, rows: u16) -> (Rect, Rect) {
    let rows = rows.min(area.height);
    split_top(area, area.height - rows)
}

/// Splits an area into one of `columns` at its left and the rest.
fn split_left(area: Rect, columns: u16) -> (Rect, Rect) {
    let columns = columns.min(area.width);
    (Rect { width: columns, ..area }, Rect { x: area.x.saturating_add(columns), width: area.width - columns, ..area })
}
