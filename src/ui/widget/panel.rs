//! The frame around a chart or a list: a name, a legend, a line at the foot, and a stronger border when it has the focus.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Widget as _};

use crate::model::text::clean;
use crate::ui::look::{Look, Tone};

/// A frame to be drawn.
#[derive(Debug, Clone, Default)]
pub(crate) struct Frame {
    /// Its name.
    pub name: String,
    /// What its lines mean, each in its own style.
    pub legend: Vec<(String, Style)>,
    /// At its foot.
    pub foot: Option<(String, Style)>,
    /// Whether it has the focus.
    pub focus: bool,
}

impl Frame {
    /// A frame with a name.
    #[must_use]
    pub(crate) fn named(name: impl Into<String>, focus: bool) -> Self {
        Self { name: name.into(), focus, ..Self::default() }
    }

    /// With one more entry of the legend.
    #[must_use]
    pub(crate) fn with(mut self, text: impl Into<String>, style: Style) -> Self {
        self.legend.push((text.into(), style));
        self
    }

    /// Draws it and returns the room inside.
    pub(crate) fn render(self, look: Look, area: Rect, buf: &mut Buffer) -> Rect {
        let area = area.intersection(buf.area);
        let (border, kind) = if self.focus { (look.style(Tone::Focus), BorderType::Thick) } else { (look.style(Tone::Frame), BorderType::Plain) };
        let name = look.style(if self.focus { Tone::Focus } else { Tone::Title });
        let mut title = vec![Span::styled(format!(" {} ", clean(&self.name)), name)];
        title.extend(self.legend.into_iter().map(|(text, style)| Span::styled(format!("{} ", clean(&text)), style)));
        let mut block = Block::bordered().border_type(kind).border_style(border).title_top(Line::from(title));
        if let Some((text, style)) = self.foot {
            block = block.title_bottom(Line::from(Span::styled(format!(" {} ", clean(&text)), style)));
        }
        let inner = block.inner(area);
        block.render(area, buf);
        inner
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(frame: Frame, w: u16, h: u16) -> (Vec<String>, Rect) {
        let mut buf = Buffer::empty(Rect::new(0, 0, w, h));
        let inner = frame.render(Look::default(), buf.area, &mut buf);
        let text: Vec<char> = buf.content.iter().flat_map(|c| c.symbol().chars()).collect();
        (text.chunks(usize::from(w.max(1))).map(|c| c.iter().collect()).collect(), inner)
    }

    #[test]
    fn the_focus_is_seen_without_colour() {
        let (plain, inner) = drawn(Frame::named("pool", false), 10, 3);
        let (focused, _) = drawn(Frame::named("pool", true), 10, 3);
        assert_eq!(plain, ["┌ pool ──┐", "│        │", "└────────┘"]);
        assert_eq!(focused.first().unwrap(), "┏ pool ━━┓");
        assert_eq!(inner, Rect::new(1, 1, 8, 1));
    }

    #[test]
    fn no_size_is_too_small() {
        for (w, h) in [(0, 0), (1, 1), (2, 2), (3, 1)] {
            let frame = Frame { foot: Some(("foot".to_owned(), Style::new())), ..Frame::named("a long name", true) };
            drawn(frame.with("legend", Style::new()), w, h);
        }
    }
}
