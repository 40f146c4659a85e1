//! The help: all keys of the screen, from the table of actions, and the words the screens use.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Clear, Widget as _};

use crate::ui::action::{Action, bindings};
use crate::ui::look::{Look, Tone};
use crate::ui::message::Key;
use crate::ui::state::State;
use crate::ui::text::{pad, put, row, wrap};
use crate::ui::widget::panel::Frame;

/// The words used, each in a sentence.
pub(super) const WORDS: [(&str, &str); 12] = [
    ("W", "wait: how long a request waits for a connection of the pool"),
    ("H", "hold: how long a request keeps its connection"),
    ("loss", "mean time a request costs its caller; a failed one costs the time-out, so that errors never look fast"),
    ("zone", "the values whose loss is within 2% of the best: any of them is right"),
    ("load line", "the value at which one more connection removes as much waiting as it adds holding"),
    ("p95", "95 of 100 requests were answered within this time, counted from when they should have been sent"),
    ("planned", "arrivals the load wanted to send; under a fixed number of users nothing is planned ahead"),
    ("pending", "requests that wait for a connection right now"),
    ("settle", "a changed setting is given time to act, and is proved to, before anything is measured"),
    ("warm-up", "full load, not yet measured; drawn dim"),
    ("block", "every value once, in a random order; a second block shows how much runs differ"),
    ("?", "a figure that no source shows; it is never drawn as 0"),
];

/// Draws it over the screen.
pub(super) fn render(state: &State, first: usize, look: Look, area: Rect, buf: &mut Buffer) {
    let width = area.width.saturating_sub(4).min(116);
    let window = Rect { x: area.x + (area.width - width) / 2, y: area.y + 1, width, height: area.height.saturating_sub(2) };
    Clear.render(window, buf);
    let inner = Frame::named("keys and words · ↑ ↓ move, any other key closes this", true).render(look, window, buf);
    let two = inner.width >= 96;
    let cells = if two { inner.width / 2 } else { inner.width };
    let (mut left, right) = (keys(state, usize::from(cells)), words(usize::from(cells) - 1));
    if !two {
        left.extend(right);
        return column(&left, first, look, inner, buf);
    }
    column(&left, first, look, Rect { width: cells, ..inner }, buf);
    column(&right, first, look, Rect { x: inner.x + cells, width: inner.width - cells, ..inner }, buf);
}

/// One line: what stands in front (a key, a word, or nothing) and the text.
type Line = (String, String);

fn column(lines: &[Line], first: usize, look: Look, area: Rect, buf: &mut Buffer) {
    let first = first.min(lines.len().saturating_sub(usize::from(area.height)));
    for ((front, text), n) in lines.iter().skip(first).zip(0..area.height) {
        let line = row(area, n);
        let x = put(buf, line, line.x.saturating_add(1), line.y, front, look.style(Tone::Key));
        put(buf, line, x, line.y, text, look.style(Tone::Text));
    }
}

fn keys(state: &State, cells: usize) -> Vec<Line> {
    let mut out = Vec::new();
    for binding in bindings(state.context()) {
        let names: Vec<String> = binding.keys.iter().map(|k| k.label()).collect();
        match binding.action {
            Action::Speed(1) => out.extend(entry("1-9", "plays 1, 2, 4 … 256 times as fast", cells)),
            Action::Speed(_) => {}
            _ => out.extend(entry(&names.join(" "), binding.long, cells)),
        }
    }
    debug_assert!(bindings(state.context()).any(|b| b.keys.contains(&Key::Char('?'))), "the help can be opened");
    out
}

fn words(cells: usize) -> Vec<Line> {
    WORDS.iter().flat_map(|(word, meaning)| entry(word, meaning, cells)).collect()
}

fn entry(front: &str, text: &str, cells: usize) -> Vec<Line> {
    let parts = wrap(text, cells.saturating_sub(13));
    parts.into_iter().enumerate().map(|(i, part)| (pad(if i == 0 { front } else { "" }, 11), part)).collect()
}
