//! A table of figures: heads with units, figures right-aligned, columns left out from the least important where there is no room.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::ui::look::{Look, Tone};
use crate::ui::text::{pad_left, put, row, width};

/// One column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Column {
    /// Its head, with the unit.
    pub head: String,
    /// Its figures, as written.
    pub cells: Vec<String>,
    /// Which columns go first where there is no room: the highest.
    pub rank: u8,
}

impl Column {
    /// A column.
    #[must_use]
    pub(crate) fn new(head: impl Into<String>, rank: u8, cells: Vec<String>) -> Self {
        Self { head: head.into(), cells, rank }
    }

    fn width(&self) -> usize {
        self.cells.iter().map(|c| width(c)).chain([width(&self.head)]).max().unwrap_or(0)
    }
}

/// Cells between two columns.
const APART: usize = 2;

/// The columns for which there is room.
fn fitting(columns: &[Column], cells: usize) -> Vec<&Column> {
    let mut kept: Vec<&Column> = columns.iter().collect();
    let taken = |kept: &[&Column]| kept.iter().map(|c| c.width() + APART).sum::<usize>();
    while taken(&kept) > cells && kept.len() > 1 {
        let last = kept.iter().enumerate().max_by_key(|(i, c)| (c.rank, *i)).map_or(0, |(i, _)| i);
        kept.remove(last);
    }
    kept
}

/// Draws the table from row `first` of its figures on; `style` gives a row's style.
pub(crate) fn render(columns: &[Column], first: usize, style: impl Fn(usize) -> Style, look: Look, area: Rect, buf: &mut Buffer) {
    let kept = fitting(columns, usize::from(area.width));
    let rows = columns.iter().map(|c| c.cells.len()).max().unwrap_or(0);
    let mut x = area.x;
    for column in kept {
        let cells = column.width() + APART;
        put(buf, row(area, 0), x, area.y, &pad_left(&column.head, cells), look.style(Tone::Dim));
        for (line, at) in (first..rows).zip(1..area.height) {
            let text = column.cells.get(line).map_or("", String::as_str);
            let place = row(area, at);
            put(buf, place, x, place.y, &pad_left(text, cells), style(line));
        }
        x = x.saturating_add(u16::try_from(cells).unwrap_or(u16::MAX));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> Vec<Column> {
        let cells = |c: &[&str]| c.iter().map(|s| (*s).to_owned()).collect();
        vec![
            Column::new("pool", 0, cells(&["30", "150"])),
            Column::new("loss ms", 1, cells(&["1,204", "98"])),
            Column::new("p50 ms", 2, cells(&["7", "8"])),
        ]
    }

    fn drawn(w: u16, h: u16, first: usize) -> Vec<String> {
        let mut buf = Buffer::empty(Rect::new(0, 0, w, h));
        render(&columns(), first, |_| Style::new(), Look::default(), buf.area, &mut buf);
        let text: Vec<char> = buf.content.iter().flat_map(|c| c.symbol().chars()).collect();
        text.chunks(usize::from(w.max(1))).map(|c| c.iter().collect()).collect()
    }

    #[test]
    fn figures_stand_under_the_end_of_their_head() {
        assert_eq!(drawn(24, 3, 0), ["  pool  loss ms  p50 ms ", "    30    1,204       7 ", "   150       98       8 "]);
    }

    #[test]
    fn the_least_important_column_goes_first() {
        assert_eq!(drawn(16, 2, 0), ["  pool  loss ms ", "    30    1,204 "]);
    }

    #[test]
    fn it_scrolls_and_no_size_is_too_small() {
        assert_eq!(drawn(16, 2, 1), ["  pool  loss ms ", "   150       98 "]);
        for (w, h) in [(0, 0), (1, 1), (2, 5)] {
            drawn(w, h, 9);
        }
    }
}
