//! What the screen shows and where a person is in it. Events are folded into [`Session`], keys into this; nothing here is recorded.

use super::action::Context;
use super::message::{LibraryEntry, Start};
use super::transport::Transport;
use crate::model::session::Session;

/// Which screen is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Screen {
    /// What can be run or looked at.
    Home,
    /// Charts.
    Live,
    /// The answer.
    Verdict,
}

/// Where the session comes from.
#[derive(Debug, Clone, Default)]
pub(super) enum Origin {
    /// There is none yet.
    #[default]
    Nothing,
    /// An experiment that runs, or ran.
    Run(Run),
    /// A recording.
    Replay(Transport),
}

/// An experiment, as far as the screen steers it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Run {
    /// Whether a person asked it to stop.
    pub stopping: bool,
    /// Whether it is over: everything is put back.
    pub over: bool,
    /// Why it could not begin or broke.
    pub failed: Option<String>,
}

/// A panel of the live screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Panel {
    /// Requests a second.
    Requests,
    /// Latency percentiles.
    Latency,
    /// The connection pool.
    Pool,
    /// Worker threads and the database.
    Threads,
    /// Wait W and hold H over time.
    Waits,
    /// Errors by kind.
    Errors,
    /// The curve so far.
    SoFar,
    /// What happened.
    Log,
}

impl Panel {
    /// All, in the order of the focus.
    pub(super) const ALL: [Self; 8] = [Self::Requests, Self::Latency, Self::Pool, Self::Threads, Self::SoFar, Self::Log, Self::Waits, Self::Errors];

    /// The panel `by` places further.
    #[must_use]
    pub(super) fn turned(self, by: isize) -> Self {
        let here = Self::ALL.iter().position(|p| *p == self).unwrap_or(0);
        let there = here.cast_signed().saturating_add(by).rem_euclid(Self::ALL.len().cast_signed());
        Self::ALL.get(there.cast_unsigned()).copied().unwrap_or(self)
    }
}

/// How much of the session the charts show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) enum Window {
    /// All of it.
    #[default]
    Whole,
    /// The last minute.
    Minute,
    /// The running step.
    Step,
}

impl Window {
    /// The next choice.
    #[must_use]
    pub(super) const fn next(self) -> Self {
        match self {
            Self::Whole => Self::Minute,
            Self::Minute => Self::Step,
            Self::Step => Self::Whole,
        }
    }

    /// In words.
    #[must_use]
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole session",
            Self::Minute => "last minute",
            Self::Step => "this step",
        }
    }
}

/// How a person looks at the charts.
#[derive(Debug, Clone)]
pub(super) struct LiveState {
    /// The panel in focus.
    pub focus: Panel,
    /// Whether it has all the room.
    pub zoom: bool,
    /// The session as it was when the picture was frozen.
    pub frozen: Option<Box<Session>>,
    /// How much time the charts show.
    pub window: Window,
    /// Whether latency is on a logarithmic scale.
    pub log_scale: bool,
}

impl Default for LiveState {
    fn default() -> Self {
        Self { focus: Panel::Requests, zoom: false, frozen: None, window: Window::Whole, log_scale: true }
    }
}

/// Where a person is in the list at home.
#[derive(Debug, Clone, Default)]
pub(super) struct HomeState {
    /// What there is; none until the program has said so.
    pub entries: Option<Vec<LibraryEntry>>,
    /// Which of the lines shown is selected.
    pub selected: usize,
    /// Only lines that hold this.
    pub filter: String,
    /// Whether keys go into the filter.
    pub typing: bool,
}

/// What lies over the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Overlay {
    /// The keys and the words, from this line on.
    Help(usize),
    /// A question before something that can not be undone.
    Confirm(Question),
    /// A line of text is being typed.
    Prompt(Prompt),
}

/// What is asked before it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Question {
    /// Stop the experiment and leave.
    Stop,
    /// End the running step unjudged.
    Skip,
}

/// A line of text being typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Prompt {
    /// What for.
    pub what: Wanted,
    /// So far.
    pub text: String,
}

/// What a typed line is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Wanted {
    /// A note in the recording.
    Mark,
    /// A time to go to.
    Time,
}

/// Everything a frame is drawn from.
#[derive(Debug, Clone)]
pub(super) struct State {
    /// Where the program began, and so where leaving leads.
    pub start: Start,
    /// Which screen is shown.
    pub screen: Screen,
    /// What lies over it.
    pub overlay: Option<Overlay>,
    /// Where the session comes from.
    pub origin: Origin,
    /// The session.
    pub session: Session,
    /// How a person looks at the charts.
    pub live: LiveState,
    /// How far the verdict's table is scrolled.
    pub scroll: usize,
    /// The list at home.
    pub home: HomeState,
    /// Something to say.
    pub notice: Option<String>,
}

impl State {
    /// As it is at the start.
    #[must_use]
    pub(super) fn new(start: Start) -> Self {
        let (screen, origin) = match start {
            Start::Home => (Screen::Home, Origin::Nothing),
            Start::Live | Start::Unrecorded => (Screen::Live, Origin::Run(Run::default())),
            Start::Replay { .. } => (Screen::Live, Origin::Nothing),
        };
        Self {
            start,
            screen,
            overlay: None,
            origin,
            session: Session::new(),
            live: LiveState::default(),
            scroll: 0,
            home: HomeState::default(),
            notice: None,
        }
    }

    /// The session as it is to be drawn: frozen, or as it is.
    #[must_use]
    pub(super) fn shown(&self) -> &Session {
        self.live.frozen.as_deref().unwrap_or(&self.session)
    }

    /// Which keys act.
    #[must_use]
    pub(super) const fn context(&self) -> Context {
        match (self.screen, &self.origin) {
            (Screen::Home, _) => Context::Home,
            (Screen::Live, Origin::Replay(_)) => Context::Replay,
            (Screen::Verdict, Origin::Replay(_)) => Context::ReplayVerdict,
            (Screen::Live, _) => Context::Live,
            (Screen::Verdict, _) => Context::LiveVerdict,
        }
    }

    /// Whether an experiment runs that leaving would stop.
    #[must_use]
    pub(super) const fn running(&self) -> bool {
        matches!(&self.origin, Origin::Run(run) if !run.over)
    }

    /// The recording that is played.
    #[must_use]
    pub(super) const fn transport(&self) -> Option<&Transport> {
        match &self.origin {
            Origin::Replay(transport) => Some(transport),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_focus_goes_round_both_ways() {
        let mut seen = vec![Panel::Requests];
        while seen.len() < Panel::ALL.len() {
            seen.push(seen.last().unwrap().turned(1));
        }
        assert_eq!(seen, Panel::ALL);
        assert_eq!(Panel::Requests.turned(-1), Panel::Errors);
        assert_eq!(Panel::Errors.turned(1), Panel::Requests);
    }

    #[test]
    fn what_keys_mean_follows_the_screen_and_the_origin() {
        assert_eq!(State::new(Start::Home).context(), Context::Home);
        let mut state = State::new(Start::Live);
        assert_eq!((state.context(), state.running()), (Context::Live, true));
        state.screen = Screen::Verdict;
        assert_eq!(state.context(), Context::LiveVerdict);
        state.origin = Origin::Run(Run { over: true, ..Run::default() });
        assert!(!state.running());
    }

    #[test]
    fn a_frozen_picture_stays() {
        let mut state = State::new(Start::Live);
        state.live.frozen = Some(Box::new(Session::new()));
        state.session = Session::of(crate::ui::testkit::sweep().iter());
        assert_eq!(state.shown(), &Session::new());
    }

    #[test]
    fn windows_go_round() {
        assert_eq!(Window::Whole.next().next().next(), Window::Whole);
    }
}
