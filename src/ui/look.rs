//! How things look: colours by meaning, from one table, falling back to 16 colours or none. Views name a [`Tone`], never a colour.
//!
//! Colour only strengthens: whatever a tone says is also said by a place, a symbol or a word.

use ratatui::style::{Color, Modifier, Style};

/// How many colours the terminal may be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Colors {
    /// None: bold, dim and reverse only.
    None,
    /// The sixteen that every terminal names.
    Sixteen,
    /// The palette of 256.
    Many,
}

/// Which background the colours are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Theme {
    /// A dark background.
    Dark,
    /// A light background.
    Light,
}

impl Theme {
    /// All names a person may give, in the order of the help.
    pub const NAMES: [&'static str; 2] = ["dark", "light"];

    /// The theme of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "dark" => Some(Self::Dark),
            "light" => Some(Self::Light),
            _ => None,
        }
    }
}

/// What the screen may use of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Look {
    /// Colours.
    pub colors: Colors,
    /// Plain ASCII instead of line drawing, blocks and Braille.
    pub ascii: bool,
    /// For which background.
    pub theme: Theme,
}

impl Default for Look {
    fn default() -> Self {
        Self { colors: Colors::Many, ascii: false, theme: Theme::Dark }
    }
}

/// What something means; the only way to ask for a style.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tone {
    /// Ordinary text.
    Text,
    /// Less important text.
    Dim,
    /// Borders and rules.
    Frame,
    /// Titles and heads.
    Title,
    /// The panel or row the keys act on.
    Focus,
    /// The selected row of a list.
    Selected,
    /// A key in the footer.
    Key,
    /// Where the queue is; what must be seen first.
    Hot,
    /// Fine.
    Good,
    /// Worth a look.
    Warn,
    /// Wrong.
    Bad,
    /// What was achieved; the main line of a chart.
    Main,
    /// What was planned, a limit.
    Limit,
    /// Connections in use, the hold H.
    Hold,
    /// Connections free.
    Idle,
    /// Requests waiting, the wait W.
    Wait,
    /// The database.
    Database,
    /// The loss.
    Loss,
    /// The zone in which all values are as good.
    Zone,
    /// The chosen value: the load line itself.
    Line,
    /// The median.
    P50,
    /// The 90th percentile.
    P90,
    /// The 95th percentile.
    P95,
    /// The 99th percentile.
    P99,
}

/// How many colours a terminal of this name may be given; a person's wish for none goes before.
#[must_use]
pub fn colors_of(term: Option<&str>, colorterm: Option<&str>, no_color: bool) -> Colors {
    let term = term.unwrap_or_default();
    if no_color || term.is_empty() || term == "dumb" {
        Colors::None
    } else if term.contains("256color") || colorterm.is_some_and(|c| !c.is_empty()) {
        Colors::Many
    } else {
        Colors::Sixteen
    }
}

impl Look {
    /// The style of a tone.
    #[must_use]
    pub fn style(self, tone: Tone) -> Style {
        let style = Style::new().add_modifier(emphasis(tone));
        let color = match self.colors {
            Colors::None => None,
            Colors::Sixteen => sixteen(tone, self.theme),
            Colors::Many => many(tone, self.theme).map(Color::Indexed),
        };
        color.map_or(style, |c| style.fg(c))
    }
}

const fn emphasis(tone: Tone) -> Modifier {
    match tone {
        Tone::Title | Tone::Key | Tone::Focus | Tone::Line | Tone::Loss | Tone::Hot | Tone::Bad => Modifier::BOLD,
        Tone::Selected => Modifier::REVERSED,
        _ => Modifier::empty(),
    }
}

const fn sixteen(tone: Tone, theme: Theme) -> Option<Color> {
    Some(match tone {
        Tone::Text | Tone::Title | Tone::Selected | Tone::Loss => return None,
        Tone::Dim | Tone::Frame | Tone::Limit => match theme {
            Theme::Dark => Color::DarkGray,
            Theme::Light => Color::Gray,
        },
        Tone::Focus | Tone::Key | Tone::Main | Tone::P50 => Color::Cyan,
        Tone::Hot | Tone::Warn | Tone::Wait | Tone::P95 => Color::Yellow,
        Tone::Good | Tone::Zone | Tone::P90 | Tone::Line => Color::Green,
        Tone::Bad | Tone::P99 => Color::Red,
        Tone::Hold | Tone::Idle => Color::Blue,
        Tone::Database => Color::Magenta,
    })
}

const fn many(tone: Tone, theme: Theme) -> Option<u8> {
    let (dark, light) = match tone {
        Tone::Text | Tone::Title | Tone::Selected | Tone::Loss => return None,
        Tone::Dim => (246, 242),
        Tone::Frame => (240, 249),
        Tone::Focus | Tone::Key => (80, 30),
        Tone::Hot | Tone::Wait => (215, 166),
        Tone::Good | Tone::Line | Tone::P90 => (114, 28),
        Tone::Warn | Tone::P95 => (221, 136),
        Tone::Bad | Tone::P99 => (203, 160),
        Tone::Main | Tone::P50 => (117, 25),
        Tone::Limit => (250, 244),
        Tone::Hold => (75, 26),
        Tone::Idle => (66, 109),
        Tone::Database => (176, 90),
        Tone::Zone => (71, 71),
    };
    Some(match theme {
        Theme::Dark => dark,
        Theme::Light => light,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOME: [Tone; 6] = [Tone::Hot, Tone::Bad, Tone::Frame, Tone::P99, Tone::Zone, Tone::Database];

    #[test]
    fn without_colour_no_tone_has_one() {
        for tone in SOME {
            let style = Look { colors: Colors::None, ..Look::default() }.style(tone);
            assert_eq!((style.fg, style.bg), (None, None), "{tone:?}");
        }
    }

    #[test]
    fn no_true_colour_and_nothing_blinks() {
        for theme in [Theme::Dark, Theme::Light] {
            for colors in [Colors::Sixteen, Colors::Many] {
                for tone in SOME {
                    let style = Look { colors, theme, ascii: false }.style(tone);
                    assert!(!matches!(style.fg, Some(Color::Rgb(..)) | None), "{tone:?}");
                    assert!(!style.add_modifier.intersects(Modifier::SLOW_BLINK | Modifier::RAPID_BLINK));
                }
            }
        }
    }

    #[test]
    fn the_queue_stands_out_without_colour() {
        let plain = Look { colors: Colors::None, ..Look::default() };
        assert_ne!(plain.style(Tone::Hot), plain.style(Tone::Text));
        assert_ne!(plain.style(Tone::Selected), plain.style(Tone::Text));
    }

    #[test]
    fn colours_follow_the_terminal_and_the_wish() {
        assert_eq!(colors_of(Some("xterm-256color"), None, false), Colors::Many);
        assert_eq!(colors_of(Some("xterm"), Some("truecolor"), false), Colors::Many);
        assert_eq!(colors_of(Some("linux"), None, false), Colors::Sixteen);
        assert_eq!(colors_of(Some("xterm-256color"), Some("truecolor"), true), Colors::None);
        assert_eq!(colors_of(None, None, false), Colors::None);
    }

    #[test]
    fn themes_have_names() {
        for name in Theme::NAMES {
            assert!(Theme::named(name).is_some(), "{name}");
        }
        assert_eq!(Theme::named("solarized"), None);
    }
}
