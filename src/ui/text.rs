//! Text on a grid: measured by what it takes on the screen, cut between glyphs only, cleaned of everything that is not to be seen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::model::text::clean;

/// How many cells a text takes.
#[must_use]
pub(super) fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// The text, cut to at most `most` cells with an ellipsis; never inside a glyph.
#[must_use]
pub(super) fn cut(text: &str, most: usize) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 0;
    for glyph in text.graphemes(true) {
        let w = width(glyph);
        if used + w + 1 > most {
            break;
        }
        out.push_str(glyph);
        used += w;
    }
    if most > 0 {
        out.push('…');
    }
    out
}

/// Cut or filled up on the right to exactly `cells`.
#[must_use]
pub(super) fn pad(text: &str, cells: usize) -> String {
    let mut out = cut(text, cells);
    out.push_str(&" ".repeat(cells.saturating_sub(width(&out))));
    out
}

/// Cut or filled up on the left to exactly `cells`: how numbers stand.
#[must_use]
pub(super) fn pad_left(text: &str, cells: usize) -> String {
    let short = cut(text, cells);
    format!("{}{short}", " ".repeat(cells.saturating_sub(width(&short))))
}

/// Breaks a text into lines of at most `cells`, between words where it can.
#[must_use]
pub(super) fn wrap(text: &str, cells: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let gap = usize::from(!line.is_empty());
        if width(&line) + gap + width(word) > cells && !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&cut(word, cells));
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// Draws a text at a place, inside `area` only. Returns the column behind it.
pub(super) fn put(buf: &mut Buffer, area: Rect, x: u16, y: u16, text: &str, style: Style) -> u16 {
    let area = area.intersection(buf.area);
    if y < area.top() || y >= area.bottom() || x < area.left() || x >= area.right() {
        return x;
    }
    let room = usize::from(area.right() - x);
    let text = cut(&clean(text), room);
    buf.set_stringn(x, y, &text, room, style).0
}

/// Draws pieces of text one behind the other on one line. Returns the column behind them.
pub(super) fn put_all(buf: &mut Buffer, area: Rect, x: u16, y: u16, pieces: &[(String, Style)]) -> u16 {
    pieces.iter().fold(x, |at, (text, style)| put(buf, area, at, y, text, *style))
}

/// Draws a text so that it ends at the right edge of `area`.
pub(super) fn put_right(buf: &mut Buffer, area: Rect, y: u16, text: &str, style: Style) {
    let text = cut(text, usize::from(area.width));
    let x = area.right().saturating_sub(u16::try_from(width(&text)).unwrap_or(u16::MAX));
    put(buf, area, x, y, &text, style);
}

/// Draws a text in the middle of a line of `area`.
pub(super) fn put_centred(buf: &mut Buffer, area: Rect, y: u16, text: &str, style: Style) {
    let text = cut(text, usize::from(area.width));
    let left = usize::from(area.width).saturating_sub(width(&text)) / 2;
    put(buf, area, area.left().saturating_add(u16::try_from(left).unwrap_or(0)), y, &text, style);
}

/// The line `n` of an area as an area of its own; empty if there is none.
#[must_use]
pub(super) fn row(area: Rect, n: u16) -> Rect {
    let height = u16::from(n < area.height);
    Rect { y: area.y.saturating_add(n.min(area.height)), height, ..area }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_glyphs_are_never_cut_in_half() {
        assert_eq!(cut("결제 서비스", 5), "결제…");
        assert_eq!(cut("결제 서비스", 4), "결…");
        assert_eq!(width(&pad("결제", 7)), 7);
        assert_eq!(cut("🚢🚢🚢", 3), "🚢…");
        assert_eq!(cut("abc", 0), "");
        assert_eq!(pad_left("12", 4), "  12");
    }

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrap("the queue is at the pool", 9), ["the queue", "is at the", "pool"]);
        assert_eq!(wrap("unbreakable", 4), ["unb…"]);
        assert!(wrap("", 4).is_empty());
    }

    #[test]
    fn nothing_is_drawn_outside() {
        let mut buf = Buffer::filled(Rect::new(0, 0, 6, 3), ratatui::buffer::Cell::new("x"));
        let inner = Rect::new(1, 1, 4, 1);
        put(&mut buf, inner, 1, 1, "longer than that", Style::new());
        put(&mut buf, inner, 1, 2, "below", Style::new());
        put(&mut buf, inner, 5, 1, "right", Style::new());
        put_right(&mut buf, Rect::new(9, 9, 4, 1), 9, "outside", Style::new());
        let text: String = buf.content.iter().map(ratatui::buffer::Cell::symbol).collect();
        assert_eq!(text, "xxxxxxxlon…xxxxxxx");
    }

    #[test]
    fn control_sequences_do_not_reach_the_screen() {
        let mut buf = Buffer::empty(Rect::new(0, 0, 8, 1));
        let area = buf.area;
        put(&mut buf, area, 0, 0, "a\u{1b}[31mb\u{202e}c", Style::new());
        let text: String = buf.content.iter().map(ratatui::buffer::Cell::symbol).collect();
        assert_eq!(text, "abc     ");
    }
}
