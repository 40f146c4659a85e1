//! What passes between the screen and the program around it. The screen is told of things ([`Feed`], [`Input`]) and asks for things
//! ([`Request`]); it never opens, lists or starts anything itself.

use std::path::PathBuf;
use std::sync::Arc;

use crate::control::Command;
use crate::model::event::{Outcome, Stamped};
use crate::model::verdict::Kind;

/// Where the screen begins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Start {
    /// At home: a list of what can be run or looked at.
    Home,
    /// A run that the program has started: its events will come.
    Live,
    /// The same, and nothing of it is kept.
    Unrecorded,
    /// A recording that will be handed in, played at this speed (1 is as it was; 0 shows its end at once).
    Replay {
        /// Times as fast.
        speed: f64,
    },
}

/// What the program tells the screen.
#[derive(Debug, Clone)]
pub enum Feed {
    /// An event of the running experiment.
    Event(Stamped),
    /// A recording to replay.
    Recording {
        /// What people call it.
        name: String,
        /// All its events.
        events: Arc<Vec<Stamped>>,
    },
    /// What the home screen lists.
    Library(Vec<LibraryEntry>),
    /// The run could not begin or broke, and is over; in words.
    RunFailed(String),
    /// The run is over, everything is put back; no further event comes.
    RunEnded,
    /// Something to say for a while.
    Notice(String),
    /// The program wants the screen gone.
    Leave,
}

/// One line of the home screen.
#[derive(Debug, Clone, PartialEq)]
pub enum LibraryEntry {
    /// A preset of the demo.
    Demo {
        /// Its name.
        preset: String,
        /// What it shows, in a sentence.
        about: String,
    },
    /// A profile.
    Profile {
        /// Where it is.
        path: PathBuf,
        /// What its experiment is called, or its first error.
        name: Result<String, String>,
        /// Its target and sweep in a few words; empty if it has an error.
        about: String,
    },
    /// A recording.
    Recording(RecordingEntry),
}

/// A recording, as the home screen shows it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecordingEntry {
    /// Where it is.
    pub path: PathBuf,
    /// What its experiment is called.
    pub name: String,
    /// The service it ran against.
    pub target: String,
    /// When it began, wall clock.
    pub date: String,
    /// Its last verdict, if any was given.
    pub verdict: Option<Kind>,
    /// The verdict in a few words (`pool 150`).
    pub answer: Option<String>,
    /// How it ended; none: cut short.
    pub outcome: Option<Outcome>,
    /// Loss in seconds of each value tried, ascending; for the small curve. Empty if unknown.
    pub losses: Vec<f64>,
}

/// What the screen asks of the program.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// The library, anew.
    List,
    /// A recording to replay.
    Open(PathBuf),
    /// A demo run.
    StartDemo {
        /// Which preset.
        preset: String,
    },
    /// A run of a profile.
    StartProfile(PathBuf),
    /// A person's wish to the running experiment.
    Control(Command),
    /// The person leaves.
    Quit,
}

/// How the screen ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UiEnd {
    /// The person left while nothing ran.
    Quit,
    /// The person stopped a run, or pressed ctrl-C.
    Interrupted,
    /// The terminal is gone.
    InputGone,
    /// The program asked for it.
    Dismissed,
}

/// Why the screen could not go on.
#[derive(Debug, thiserror::Error)]
pub enum UiError {
    /// The terminal took no drawing.
    #[error("drawing to the terminal failed: {what}; try --headless")]
    Draw {
        /// What it said.
        what: String,
    },
    /// The terminal could not be set up.
    #[error("setting up the terminal failed: {what}; try --headless")]
    Terminal {
        /// What it said.
        what: String,
    },
}

/// What comes from the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// A key was pressed.
    Key(Key),
    /// The terminal has another size.
    Resize,
}

/// A key, as far as the screens tell keys apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "each is named as on the keyboard")]
pub enum Key {
    /// A character, shift included.
    Char(char),
    /// A letter with the control key.
    Ctrl(char),
    Enter,
    Escape,
    Tab,
    BackTab,
    Backspace,
    Delete,
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
}

impl Key {
    /// As written in the footer and the help.
    #[must_use]
    pub fn label(self) -> String {
        match self {
            Self::Char(' ') => "space".to_owned(),
            Self::Char(c) => c.to_string(),
            Self::Ctrl(c) => format!("ctrl-{c}"),
            Self::Enter => "enter".to_owned(),
            Self::Escape => "esc".to_owned(),
            Self::Tab => "⇥".to_owned(),
            Self::BackTab => "shift-⇥".to_owned(),
            Self::Backspace => "backspace".to_owned(),
            Self::Delete => "del".to_owned(),
            Self::Up => "↑".to_owned(),
            Self::Down => "↓".to_owned(),
            Self::Left => "←".to_owned(),
            Self::Right => "→".to_owned(),
            Self::PageUp => "page up".to_owned(),
            Self::PageDown => "page down".to_owned(),
            Self::Home => "home".to_owned(),
            Self::End => "end".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_named_as_on_the_keyboard() {
        for (key, name) in [(Key::Char(' '), "space"), (Key::Char('q'), "q"), (Key::Ctrl('c'), "ctrl-c"), (Key::Tab, "⇥"), (Key::Left, "←")] {
            assert_eq!(key.label(), name);
        }
    }

    #[test]
    fn errors_say_what_to_try() {
        let error = UiError::Draw { what: "broken pipe".to_owned() };
        assert_eq!(error.to_string(), "drawing to the terminal failed: broken pipe; try --headless");
    }
}
