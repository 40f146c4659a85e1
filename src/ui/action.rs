//! Everything a key can do. One table gives the keymap, the footer and the help, so that they can not disagree.

use super::message::Key;

/// What a key means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the table below says what each does")]
pub enum Action {
    Quit,
    Interrupt,
    Help,
    Back,
    Redraw,
    Up,
    Down,
    PageUp,
    PageDown,
    Top,
    Bottom,
    Open,
    Demo,
    Filter,
    Reload,
    Verdict,
    Pause,
    Skip,
    Repeat,
    Mark,
    MeasureNext,
    Freeze,
    Zoom,
    NextPanel,
    PreviousPanel,
    Window,
    Scale,
    Play,
    StepBack,
    StepForward,
    SecondBack,
    SecondForward,
    GoTo,
    Speed(u8),
}

/// Where the keys act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Context {
    /// The home screen.
    Home,
    /// The live screen of a run.
    Live,
    /// The verdict screen of a run.
    LiveVerdict,
    /// The live screen of a recording.
    Replay,
    /// The verdict screen of a recording.
    ReplayVerdict,
}

impl Context {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Home, Self::Live, Self::LiveVerdict, Self::Replay, Self::ReplayVerdict];
}

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Binding {
    /// What it does.
    pub action: Action,
    /// The keys; the first is the one shown.
    pub keys: &'static [Key],
    /// Where.
    pub contexts: &'static [Context],
    /// In the footer: a word or two; empty: not in the footer.
    pub short: &'static str,
    /// In the help: a sentence.
    pub long: &'static str,
}

const HOME: &[Context] = &[Context::Home];
const LIVE: &[Context] = &[Context::Live];
const RUN: &[Context] = &[Context::Live, Context::LiveVerdict];
const CHARTS: &[Context] = &[Context::Live, Context::Replay];
const SESSION: &[Context] = &[Context::Live, Context::LiveVerdict, Context::Replay, Context::ReplayVerdict];
const PLAYED: &[Context] = &[Context::Replay, Context::ReplayVerdict];
const LISTS: &[Context] = &[Context::Home, Context::LiveVerdict, Context::ReplayVerdict];
const ALL: &[Context] = &Context::ALL;

const fn row(action: Action, keys: &'static [Key], contexts: &'static [Context], short: &'static str, long: &'static str) -> Binding {
    Binding { action, keys, contexts, short, long }
}

/// The table. Its order is the order of footer and help.
pub const BINDINGS: &[Binding] = &[
    row(Action::Open, &[Key::Enter], HOME, "open", "runs the selected profile or demo, or replays the selected recording"),
    row(Action::Demo, &[Key::Char('d')], HOME, "demo", "runs the demo: a built-in service, five pool sizes, under two minutes"),
    row(Action::Filter, &[Key::Char('/')], HOME, "filter", "shows only lines that hold what you type"),
    row(Action::Reload, &[Key::Char('r')], HOME, "reload", "looks again for profiles and recordings"),
    row(Action::Pause, &[Key::Char('p')], RUN, "pause", "holds before the next step; once more goes on"),
    row(Action::Skip, &[Key::Char('s')], LIVE, "skip", "ends the running step without judging it (asks first)"),
    row(Action::Verdict, &[Key::Char('v')], SESSION, "verdict", "changes between the charts and the verdict"),
    row(Action::NextPanel, &[Key::Tab], CHARTS, "panel", "moves the focus to the next panel"),
    row(Action::Zoom, &[Key::Char('z')], CHARTS, "zoom", "gives the whole room to the panel in focus; once more gives it back"),
    row(Action::Repeat, &[Key::Char('r')], LIVE, "repeat", "runs the current step once more, after the planned ones"),
    row(Action::MeasureNext, &[Key::Char('n')], RUN, "measure next", "measures once more what the judge asks for next"),
    row(Action::Mark, &[Key::Char('m')], RUN, "mark", "writes a note of yours into the recording, at this moment"),
    row(Action::Play, &[Key::Char(' ')], PLAYED, "play", "plays or holds the recording"),
    row(Action::StepBack, &[Key::Left, Key::Char('h')], PLAYED, "step", "goes to the step before"),
    row(Action::StepForward, &[Key::Right, Key::Char('l')], PLAYED, "", "goes to the next step"),
    row(Action::SecondBack, &[Key::Char(',')], PLAYED, "second", "goes back one second"),
    row(Action::SecondForward, &[Key::Char('.')], PLAYED, "", "goes on one second"),
    row(Action::GoTo, &[Key::Char('t')], PLAYED, "time", "goes to a time you type, as 1:23"),
    row(Action::Speed(1), &[Key::Char('1')], PLAYED, "", "plays as fast as it was"),
    row(Action::Speed(2), &[Key::Char('2')], PLAYED, "", "plays 2 times as fast"),
    row(Action::Speed(3), &[Key::Char('3')], PLAYED, "", "plays 4 times as fast"),
    row(Action::Speed(4), &[Key::Char('4')], PLAYED, "", "plays 8 times as fast"),
    row(Action::Speed(5), &[Key::Char('5')], PLAYED, "", "plays 16 times as fast"),
    row(Action::Speed(6), &[Key::Char('6')], PLAYED, "", "plays 32 times as fast"),
    row(Action::Speed(7), &[Key::Char('7')], PLAYED, "", "plays 64 times as fast"),
    row(Action::Speed(8), &[Key::Char('8')], PLAYED, "", "plays 128 times as fast"),
    row(Action::Speed(9), &[Key::Char('9')], PLAYED, "", "plays 256 times as fast"),
    row(Action::Freeze, &[Key::Char('f')], CHARTS, "freeze", "holds the picture while collecting goes on; once more lets it go"),
    row(Action::PreviousPanel, &[Key::BackTab], CHARTS, "", "moves the focus to the panel before"),
    row(Action::Window, &[Key::Char('w')], CHARTS, "window", "shows the whole session, the last minute, or this step"),
    row(Action::Scale, &[Key::Char('y')], CHARTS, "log/linear", "changes the latency chart between a logarithmic and a linear scale"),
    row(Action::Up, &[Key::Up, Key::Char('k')], LISTS, "", "moves up"),
    row(Action::Down, &[Key::Down, Key::Char('j')], LISTS, "", "moves down"),
    row(Action::PageUp, &[Key::PageUp], LISTS, "", "moves up a page"),
    row(Action::PageDown, &[Key::PageDown], LISTS, "", "moves down a page"),
    row(Action::Top, &[Key::Home, Key::Char('g')], LISTS, "", "moves to the top"),
    row(Action::Bottom, &[Key::End, Key::Char('G')], LISTS, "", "moves to the end"),
    row(Action::Help, &[Key::Char('?')], ALL, "help", "shows all keys of this screen and the words used"),
    row(Action::Back, &[Key::Escape], ALL, "", "closes what is open: help, a question, the zoom, the verdict, the filter"),
    row(Action::Redraw, &[Key::Ctrl('l')], ALL, "", "draws the screen anew"),
    row(Action::Quit, &[Key::Char('q')], ALL, "quit", "leaves; a running experiment asks first and puts the settings back"),
    row(Action::Interrupt, &[Key::Ctrl('c')], ALL, "", "stops a running experiment at once, puts the settings back and leaves"),
];

/// The rows of a context, in the order of the table.
pub fn bindings(context: Context) -> impl Iterator<Item = &'static Binding> {
    BINDINGS.iter().filter(move |b| b.contexts.contains(&context))
}

/// What a key does in a context.
#[must_use]
pub fn lookup(context: Context, key: Key) -> Option<Action> {
    bindings(context).find(|b| b.keys.contains(&key)).map(|b| b.action)
}

/// How many times as fast a speed key plays: 1, 2, 4 … 256.
#[must_use]
pub fn speed(key: u8) -> f64 {
    f64::from(1_u32 << u32::from(key.clamp(1, 9) - 1))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn in_every_context_a_key_means_one_thing() {
        for context in Context::ALL {
            let mut seen = BTreeSet::new();
            for key in bindings(context).flat_map(|b| b.keys) {
                assert!(seen.insert(*key), "{key:?} twice in {context:?}");
            }
        }
    }

    #[test]
    fn every_action_is_bound_and_explained() {
        for binding in BINDINGS {
            assert!(!binding.keys.is_empty() && !binding.contexts.is_empty(), "{:?}", binding.action);
            assert!(binding.long.len() > 5, "{:?} is not explained", binding.action);
            assert!(!binding.long.ends_with('.') && binding.short.len() <= 12, "{:?}", binding.action);
        }
        let actions: BTreeSet<String> = BINDINGS.iter().map(|b| format!("{:?}", b.action)).collect();
        assert_eq!(actions.len(), BINDINGS.len(), "an action has one row");
    }

    #[test]
    fn every_screen_can_be_left_and_explained() {
        for context in Context::ALL {
            for key in [Key::Char('q'), Key::Char('?'), Key::Ctrl('c'), Key::Escape] {
                assert!(lookup(context, key).is_some(), "{key:?} in {context:?}");
            }
        }
        assert_eq!(lookup(Context::Home, Key::Char('p')), None);
        assert_eq!(lookup(Context::Replay, Key::Char('p')), None);
    }

    #[test]
    fn speeds_double() {
        assert!((speed(1) - 1.0).abs() < f64::EPSILON && (speed(9) - 256.0).abs() < f64::EPSILON);
        assert!((speed(0) - 1.0).abs() < f64::EPSILON, "out of range is the nearest");
    }
}
