//! A grid of dots: lines, filled areas, rules and marks on two scales, in Braille (2 x 4 dots a cell) or in ASCII (one symbol a cell).
//!
//! A point that is not known breaks a line; nothing is drawn between what is known.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::scale::Scale;

/// How a line is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stroke {
    /// Its style.
    pub style: Style,
    /// Whether every other piece is left out.
    pub dotted: bool,
    /// Its symbol in ASCII.
    pub symbol: char,
}

/// How an area is filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Texture {
    /// Every other dot.
    Dense,
    /// One dot in eight.
    Sparse,
}

#[derive(Debug, Clone, Copy, Default)]
struct Dots {
    line: u8,
    line_style: Style,
    fill: u8,
    fill_style: Style,
    symbol: Option<char>,
    mark: Option<(char, Style)>,
    under: Option<(char, Style)>,
    dim: bool,
}

/// A plot being drawn.
#[derive(Debug)]
pub(crate) struct Plot {
    area: Rect,
    x: Scale,
    y: Scale,
    dot_columns: usize,
    dot_rows: usize,
    ascii: bool,
    cells: Vec<Dots>,
}

impl Plot {
    /// An empty plot over an area.
    #[must_use]
    pub(crate) fn new(area: Rect, x: Scale, y: Scale, ascii: bool) -> Self {
        let (w, h) = (usize::from(area.width), usize::from(area.height));
        let (dot_columns, dot_rows) = if ascii { (w, h) } else { (w * 2, h * 4) };
        Self { area, x, y, dot_columns, dot_rows, ascii, cells: vec![Dots::default(); w * h] }
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place between 0 and 1 times a screen's size")]
    fn spread(place: f64, dots: usize) -> Option<usize> {
        (dots > 0).then(|| ((place * dots as f64) as usize).min(dots - 1))
    }

    fn dot_x(&self, x: f64) -> Option<usize> {
        self.x.place(x).and_then(|p| Self::spread(p, self.dot_columns))
    }

    fn dot_y(&self, y: f64) -> Option<usize> {
        self.y.place_clamped(y).and_then(|p| Self::spread(1.0 - p, self.dot_rows))
    }

    const fn per_cell(&self) -> (usize, usize) {
        if self.ascii { (1, 1) } else { (2, 4) }
    }

    fn cell(&mut self, column: usize, row: usize) -> Option<&mut Dots> {
        let width = usize::from(self.area.width);
        if column < width { self.cells.get_mut(row * width + column) } else { None }
    }

    /// The cell of a point.
    fn cell_of(&self, x: f64, y: f64) -> Option<(usize, usize)> {
        let (w, h) = self.per_cell();
        Some((self.dot_x(x)? / w, self.dot_y(y)? / h))
    }

    fn set_line(&mut self, dx: usize, dy: usize, stroke: Stroke) {
        let (w, h) = self.per_cell();
        let bit = bit(dx % w, dy % h);
        if let Some(cell) = self.cell(dx / w, dy / h) {
            cell.line |= bit;
            cell.line_style = stroke.style;
            cell.symbol = Some(stroke.symbol);
        }
    }

    /// Draws a line through points; a `None` breaks it.
    pub(crate) fn line(&mut self, points: &[Option<(f64, f64)>], stroke: Stroke) {
        let mut before: Option<(usize, usize)> = None;
        for point in points {
            let here = point.and_then(|(x, y)| self.dot_x(x).zip(self.dot_y(y)));
            match (before, here) {
                (Some(a), Some(b)) => self.segment(a, b, stroke),
                (None, Some(b)) => self.set_line(b.0, b.1, stroke),
                _ => {}
            }
            before = here;
        }
    }

    fn segment(&mut self, from: (usize, usize), to: (usize, usize), stroke: Stroke) {
        let (dx, dy) = (to.0.abs_diff(from.0), to.1.abs_diff(from.1));
        let steps = dx.max(dy).max(1);
        for i in 0..=steps {
            let between = |from: usize, to: usize, d: usize| {
                let moved = (d * i + steps / 2) / steps;
                if to >= from { from + moved } else { from - moved }
            };
            let (x, y) = (between(from.0, to.0, dx), between(from.1, to.1, dy));
            let (w, _) = self.per_cell();
            if !stroke.dotted || (x / w).is_multiple_of(2) {
                self.set_line(x, y, stroke);
            }
        }
    }

    /// Fills from `low` to `high` at each point's column, and between neighbouring points.
    pub(crate) fn fill(&mut self, points: &[Option<(f64, f64, f64)>], texture: Texture, style: Style) {
        let mut before: Option<(usize, f64, f64)> = None;
        for point in points {
            let here = point.and_then(|(x, low, high)| self.dot_x(x).map(|dx| (dx, low, high)));
            if let Some((dx, low, high)) = here {
                let from = before.map_or(dx, |b| b.0);
                let (low_before, high_before) = before.map_or((low, high), |b| (b.1, b.2));
                let length = dx.saturating_sub(from).max(1) as f64;
                for column in from..=dx {
                    let share = if dx == from { 1.0 } else { (column - from) as f64 / length };
                    self.fill_column(column, low_before + (low - low_before) * share, high_before + (high - high_before) * share, texture, style);
                }
            }
            before = here;
        }
    }

    fn fill_column(&mut self, dx: usize, low: f64, high: f64, texture: Texture, style: Style) {
        let (Some(bottom), Some(top)) = (self.dot_y(low), self.dot_y(high)) else { return };
        if high <= low {
            return;
        }
        let (w, h) = self.per_cell();
        for dy in top..=bottom {
            let on = match texture {
                Texture::Dense => (dx + dy).is_multiple_of(2),
                Texture::Sparse => dx.is_multiple_of(2) && (dy + dx).is_multiple_of(4),
            };
            let bit = if on || self.ascii { bit(dx % w, dy % h) } else { 0 };
            if let Some(cell) = self.cell(dx / w, dy / h) {
                cell.fill |= bit;
                cell.fill_style = style;
                cell.symbol = cell.symbol.or(Some(if texture == Texture::Dense { ':' } else { '.' }));
            }
        }
    }

    /// A rule from top to bottom, under everything else.
    pub(crate) fn rule(&mut self, x: f64, symbol: char, style: Style) {
        let (w, _) = self.per_cell();
        if let Some(column) = self.dot_x(x).map(|dx| dx / w) {
            for row in 0..usize::from(self.area.height) {
                if let Some(cell) = self.cell(column, row) {
                    cell.under = Some((symbol, style));
                }
            }
        }
    }

    /// Shades all cells between two figures of the x scale, under everything else.
    pub(crate) fn shade(&mut self, from: f64, to: f64, symbol: char, style: Style) {
        let (w, _) = self.per_cell();
        let ends = self.x.place_clamped(from).zip(self.x.place_clamped(to));
        let Some((a, b)) = ends.and_then(|(a, b)| Self::spread(a, self.dot_columns).zip(Self::spread(b, self.dot_columns))) else { return };
        for column in a / w..=b / w {
            for row in 0..usize::from(self.area.height) {
                if let Some(cell) = self.cell(column, row) {
                    cell.under = Some((symbol, style));
                }
            }
        }
    }

    /// Dims all that is drawn between two figures of the x scale.
    pub(crate) fn dim(&mut self, from: f64, to: f64) {
        let (w, _) = self.per_cell();
        let ends = self.x.place_clamped(from).zip(self.x.place_clamped(to));
        let Some((a, b)) = ends.and_then(|(a, b)| Self::spread(a, self.dot_columns).zip(Self::spread(b, self.dot_columns))) else { return };
        for column in a / w..b / w {
            for row in 0..usize::from(self.area.height) {
                if let Some(cell) = self.cell(column, row) {
                    cell.dim = true;
                }
            }
        }
    }

    /// A symbol at a point, over everything else.
    pub(crate) fn mark(&mut self, x: f64, y: f64, symbol: char, style: Style) {
        if let Some((column, row)) = self.cell_of(x, y)
            && let Some(cell) = self.cell(column, row)
        {
            cell.mark = Some((symbol, style));
        }
    }

    /// An error bar: a rule between two heights with an end at each, where there is room for it.
    pub(crate) fn error_bar(&mut self, x: f64, low: f64, high: f64, style: Style) {
        let Some(((column, top), (_, bottom))) = self.cell_of(x, high).zip(self.cell_of(x, low)) else { return };
        for row in top..=bottom {
            let symbol = match row {
                _ if top == bottom => continue,
                r if r == top => '┬',
                r if r == bottom => '┴',
                _ => '│',
            };
            if let Some(cell) = self.cell(column, row) {
                cell.mark = Some((symbol, style));
            }
        }
    }

    /// The row of the screen at which a height lies.
    #[must_use]
    pub(crate) fn row_of(&self, y: f64) -> Option<u16> {
        let (_, h) = self.per_cell();
        self.dot_y(y).and_then(|dy| u16::try_from(dy / h).ok()).map(|r| self.area.y.saturating_add(r))
    }

    /// The column of the screen at which a figure of the x scale lies.
    #[must_use]
    pub(crate) fn column_of(&self, x: f64) -> Option<u16> {
        let (w, _) = self.per_cell();
        self.dot_x(x).and_then(|dx| u16::try_from(dx / w).ok()).map(|c| self.area.x.saturating_add(c))
    }

    /// Puts it on the screen.
    pub(crate) fn render(&self, buf: &mut Buffer) {
        let positions = self.area.rows().flat_map(Rect::columns);
        for (cell, at) in self.cells.iter().zip(positions) {
            let drawn = match *cell {
                Dots { mark: Some((symbol, style)), .. } => Some((symbol, style)),
                Dots { line, line_style, symbol, .. } if line > 0 => {
                    Some((if self.ascii { symbol.unwrap_or('*') } else { braille(line) }, line_style))
                }
                Dots { fill, fill_style, symbol, .. } if fill > 0 => {
                    Some((if self.ascii { symbol.unwrap_or(':') } else { braille(fill) }, fill_style))
                }
                Dots { under, .. } => under,
            };
            if let (Some((symbol, style)), Some(target)) = (drawn, buf.cell_mut((at.x, at.y))) {
                let style = if cell.dim { style.add_modifier(Modifier::DIM) } else { style };
                target.set_char(symbol).set_style(style);
            }
        }
    }
}

/// The bit of a dot in a Braille cell.
const fn bit(column: usize, row: usize) -> u8 {
    match (column, row) {
        (0, 0) => 0x01,
        (0, 1) => 0x02,
        (0, 2) => 0x04,
        (0, _) => 0x40,
        (_, 0) => 0x08,
        (_, 1) => 0x10,
        (_, 2) => 0x20,
        _ => 0x80,
    }
}

fn braille(dots: u8) -> char {
    char::from_u32(0x2800 + u32::from(dots)).unwrap_or(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Stroke = Stroke { style: Style::new(), dotted: false, symbol: '*' };

    fn lines(plot: &Plot, w: u16, h: u16) -> Vec<String> {
        let mut buf = Buffer::empty(Rect::new(0, 0, w, h));
        plot.render(&mut buf);
        let text: String = buf.content.iter().map(ratatui::buffer::Cell::symbol).collect();
        text.chars().collect::<Vec<_>>().chunks(usize::from(w)).map(|c| c.iter().collect()).collect()
    }

    #[test]
    fn a_rising_line_rises() {
        let mut plot = Plot::new(Rect::new(0, 0, 4, 4), Scale::linear(0.0, 3.0), Scale::linear(0.0, 3.0), true);
        plot.line(&[Some((0.0, 0.0)), Some((3.0, 3.0))], PLAIN);
        assert_eq!(lines(&plot, 4, 4), ["   *", "  * ", " *  ", "*   "]);
    }

    #[test]
    fn a_gap_is_a_gap_and_never_zero() {
        let mut plot = Plot::new(Rect::new(0, 0, 5, 2), Scale::linear(0.0, 4.0), Scale::linear(0.0, 1.0), true);
        plot.line(&[Some((0.0, 1.0)), Some((1.0, 1.0)), None, Some((3.0, 1.0)), Some((4.0, 1.0))], PLAIN);
        assert_eq!(lines(&plot, 5, 2), ["** **", "     "]);
    }

    #[test]
    fn what_lies_above_the_scale_is_at_its_top_and_what_lies_beside_it_is_not_drawn() {
        let mut plot = Plot::new(Rect::new(0, 0, 2, 2), Scale::linear(0.0, 1.0), Scale::linear(0.0, 1.0), true);
        plot.line(&[Some((0.0, 9.0)), None, Some((7.0, 0.0))], PLAIN);
        assert_eq!(lines(&plot, 2, 2), ["* ", "  "]);
    }

    #[test]
    fn lines_lie_over_areas_and_marks_over_both() {
        let mut plot = Plot::new(Rect::new(0, 0, 3, 2), Scale::linear(0.0, 2.0), Scale::linear(0.0, 1.0), true);
        plot.rule(0.0, '|', Style::new());
        plot.fill(&[Some((0.0, 0.0, 1.0)), Some((2.0, 0.0, 1.0))], Texture::Dense, Style::new());
        plot.line(&[Some((1.0, 1.0)), Some((2.0, 1.0))], PLAIN);
        plot.mark(2.0, 1.0, 'X', Style::new());
        assert_eq!(lines(&plot, 3, 2), [":*X", ":::"]);
    }

    #[test]
    fn an_error_bar_has_ends() {
        let mut plot = Plot::new(Rect::new(0, 0, 1, 5), Scale::linear(0.0, 1.0), Scale::linear(0.0, 5.0), false);
        plot.error_bar(0.0, 0.5, 4.5, Style::new());
        assert_eq!(lines(&plot, 1, 5), ["┬", "│", "│", "│", "┴"]);
    }

    #[test]
    fn no_size_is_too_small() {
        for (w, h) in [(0, 0), (1, 1), (0, 5), (5, 0), (2, 2)] {
            for ascii in [true, false] {
                let mut plot = Plot::new(Rect::new(0, 0, w, h), Scale::linear(0.0, 1.0), Scale::log(0.1, 1.0), ascii);
                plot.line(&[Some((0.0, 0.5)), Some((1.0, 1.0)), Some((0.5, f64::NAN))], PLAIN);
                plot.fill(&[Some((0.0, 0.1, 1.0)), None], Texture::Sparse, Style::new());
                plot.shade(0.0, 1.0, '.', Style::new());
                plot.dim(0.0, 0.5);
                plot.error_bar(0.5, 0.2, 0.9, Style::new());
                plot.render(&mut Buffer::empty(Rect::new(0, 0, w, h)));
            }
        }
    }
}
