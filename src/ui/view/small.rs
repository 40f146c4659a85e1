//! A terminal too small to draw in: one sentence with the size needed, and that measuring goes on.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::SMALLEST;
use crate::ui::look::{Look, Tone};
use crate::ui::state::State;
use crate::ui::text::{put_centred, wrap};

/// Draws it.
pub(super) fn render(state: &State, look: Look, area: Rect, buf: &mut Buffer) {
    let goes_on = if state.running() { " Measuring goes on." } else { "" };
    let (w, h) = SMALLEST;
    let text = format!("Plimsoll needs {w}x{h} cells; this terminal has {}x{}.{goes_on}", area.width, area.height);
    let lines = wrap(&text, usize::from(area.width));
    let top = area.y + area.height.saturating_sub(u16::try_from(lines.len()).unwrap_or(u16::MAX)) / 2;
    for (line, y) in lines.iter().zip(top..area.bottom()) {
        put_centred(buf, area, y, line, look.style(Tone::Warn));
    }
}
