//! What frames look like: every screen at three sizes, with its styles in a legend; without colour and in ASCII once each.

use std::sync::Arc;

use super::press::library;
use crate::model::event::{Bound, Event, Limit, Stamped};
use crate::model::session::Session;
use crate::model::units::Elapsed;
use crate::ui::look::{Colors, Look, Theme};
use crate::ui::message::{Feed, Start};
use crate::ui::receive::receive;
use crate::ui::state::{Origin, Overlay, Panel, Prompt, Question, Run, Screen, State, Wanted};
use crate::ui::testkit;

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 50)];

fn live() -> State {
    let mut state = State::new(Start::Live);
    state.session = testkit::middle();
    state
}

fn ended(screen: Screen) -> State {
    let mut state = State::new(Start::Live);
    state.session = Session::of(testkit::sweep().iter());
    state.origin = Origin::Run(Run { over: true, ..Run::default() });
    state.screen = screen;
    state
}

fn replayed() -> State {
    let mut state = State::new(Start::Replay { speed: 0.0 });
    receive(&mut state, Feed::Recording { name: "checkout".to_owned(), events: Arc::new(testkit::sweep()) });
    state
}

fn at_sizes(name: &str, state: &State) {
    for (w, h) in SIZES {
        insta::assert_snapshot!(format!("{name}_{w}x{h}"), testkit::frame(state, Look::default(), w, h));
    }
}

#[test]
fn live_screens() {
    at_sizes("live", &live());
}

#[test]
fn a_generator_at_its_limit_is_said_on_the_live_screen() {
    let mut state = live();
    let to = state.session.now();
    let bound = Bound { source: "local".into(), from: Elapsed(to.0 - 1_000_000), to, limit: Limit::Cpu, figure: 0.97 };
    let step = state.session.current().map(|s| s.planned().step);
    state.session.apply(&Stamped { seq: state.session.next_seq(), at: to, event: Event::GeneratorBound { step, bound } });
    for look in [Look::default(), Look { ascii: true, ..Look::default() }, Look { theme: Theme::Light, ..Look::default() }] {
        for (w, h) in SIZES {
            let frame = testkit::frame(&state, look, w, h);
            assert!(frame.contains("the load generator is the limit: a worker was busy 97% of the time"), "{w}x{h}\n{frame}");
            assert!(frame.contains("generator-bound") || w < 100, "{w}x{h}\n{frame}");
        }
    }
}

#[test]
fn verdict_screens() {
    at_sizes("verdict", &ended(Screen::Verdict));
}

#[test]
fn replay_screens() {
    at_sizes("replay", &replayed());
}

#[test]
fn home_screens() {
    let mut state = State::new(Start::Home);
    receive(&mut state, Feed::Library(library()));
    state.home.selected = 3;
    at_sizes("home", &state);
}

#[test]
fn refusal_and_small_tables() {
    let mut state = live();
    state.screen = Screen::Verdict;
    insta::assert_snapshot!("refusal_120x40", testkit::frame(&state, Look::default(), 120, 40));
}

#[test]
fn overlays() {
    let mut state = live();
    for (name, overlay) in [
        ("help", Overlay::Help(0)),
        ("stop", Overlay::Confirm(Question::Stop)),
        ("skip", Overlay::Confirm(Question::Skip)),
        ("mark", Overlay::Prompt(Prompt { what: Wanted::Mark, text: "캐시 비움".to_owned() })),
    ] {
        state.overlay = Some(overlay);
        let (w, h) = if name == "help" { (120, 40) } else { (80, 24) };
        insta::assert_snapshot!(format!("{name}_{w}x{h}"), testkit::frame(&state, Look::default(), w, h));
    }
}

#[test]
fn every_panel_alone() {
    let mut state = live();
    state.live.zoom = true;
    for panel in Panel::ALL {
        state.live.focus = panel;
        let frame = testkit::frame(&state, Look::default(), 100, 30);
        insta::assert_snapshot!(format!("zoom_{panel:?}").to_lowercase(), frame.split("styles\n").next().unwrap());
    }
}

#[test]
fn without_colour_only_emphasis_is_left() {
    let look = Look { colors: Colors::None, ..Look::default() };
    let frame = testkit::frame(&live(), look, 120, 40);
    let styles = frame.split("styles\n").nth(1).unwrap();
    for color in ["Reset", "Indexed", "Red", "Cyan", "Yellow", "Blue", "Green", "Magenta"] {
        assert!(!styles.contains(color), "{styles}");
    }
    let digits = styles.split(|c: char| !c.is_alphanumeric()).filter(|w| w.len() > 3 && w.chars().all(|c| c.is_ascii_digit()));
    assert_eq!(digits.count(), 0, "{styles}");
    assert!(styles.contains("BOLD"), "the queue still stands out");
}

#[test]
fn in_ascii_nothing_of_ours_is_beyond_it() {
    let look = Look { ascii: true, ..Look::default() };
    for (w, h) in SIZES {
        for state in [live(), ended(Screen::Verdict), replayed()] {
            let frame = testkit::frame(&state, look, w, h);
            let beyond: String = frame.chars().filter(|c| !c.is_ascii()).collect();
            assert_eq!(beyond, "", "{frame}");
        }
    }
    let frame = testkit::frame(&live(), look, 120, 40);
    insta::assert_snapshot!("ascii_120x40", frame.split("styles\n").next().unwrap());
}

/// The rows of a frame without the last two: the status line, which a replay uses for its position, and the footer.
fn picture(state: &State, w: u16, h: u16) -> Vec<String> {
    let frame = testkit::frame(state, Look::default(), w, h);
    frame.lines().take(usize::from(h) - 2).map(str::to_owned).collect()
}

#[test]
fn the_end_of_a_replay_is_the_end_of_the_run() {
    for (w, h) in SIZES {
        assert_eq!(picture(&replayed(), w, h), picture(&ended(Screen::Live), w, h));
        let mut verdict = replayed();
        verdict.screen = Screen::Verdict;
        assert_eq!(picture(&verdict, w, h), picture(&ended(Screen::Verdict), w, h));
    }
}

#[test]
fn too_small_says_so_and_that_measuring_goes_on() {
    let frame = testkit::frame(&live(), Look::default(), 50, 10);
    assert!(frame.contains("Plimsoll needs 60x16 cells; this terminal has") && frame.contains("Measuring goes on"), "{frame}");
    let frame = testkit::frame(&ended(Screen::Live), Look::default(), 50, 10);
    assert!(!frame.contains("goes on"), "{frame}");
}

#[test]
fn what_is_not_known_is_a_question_mark_with_its_mend() {
    let mut state = State::new(Start::Live);
    let blind: Vec<_> = testkit::sweep().into_iter().filter(|e| !matches!(e.event, crate::model::event::Event::Sample(_))).collect();
    state.session = Session::of(blind.iter().take(200));
    let frame = testkit::frame(&state, Look::default(), 120, 40);
    assert!(frame.contains("whether requests wait for a connection is not known"), "{frame}");
    assert!(frame.contains("server.tomcat.mbeanregistry.enabled=true turns it on"), "{frame}");
    let flow = frame.lines().nth(6).unwrap();
    assert!(flow.contains('?') && !flow.contains(" 0 "), "missing is never 0: {flow}");
}

#[test]
fn no_control_sequence_of_a_name_reaches_the_screen() {
    let mut state = live();
    let mut head = state.session.head().unwrap().clone();
    head.plan.name = "evil\u{1b}]0;owned\u{7}\u{1b}[2J\u{202e}name".to_owned();
    let mut events = testkit::sweep();
    events[0].event = crate::model::event::Event::SessionStarted(Box::new(head));
    state.session = Session::of(events.iter().take(60));
    let frame = testkit::frame(&state, Look::default(), 120, 40);
    assert!(frame.contains("evilname") && !frame.contains('\u{1b}') && !frame.contains('\u{202e}'), "{frame}");
}
