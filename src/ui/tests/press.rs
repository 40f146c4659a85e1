//! What keys do.

use std::path::PathBuf;
use std::sync::Arc;

use crate::control::Command;
use crate::model::event::{Author, Event, Outcome, PlanChange, Stamped, StepId};
use crate::model::session::Session;
use crate::model::verdict::Kind;
use crate::ui::message::{Feed, Key, LibraryEntry, RecordingEntry, Request, Start, UiEnd};
use crate::ui::receive::receive;
use crate::ui::state::{Origin, Overlay, Panel, Question, Run, Screen, State, Window};
use crate::ui::testkit;
use crate::ui::update::{Effect, press};

/// Presses keys written as text: a character each, `<enter>`, `<esc>`, `<tab>`, `<left>`, `<right>`, `<down>`, `<up>`, `<bs>`, `<c-c>`, `<c-l>`.
#[track_caller]
pub(super) fn keys(script: &str) -> Vec<Key> {
    let mut out = Vec::new();
    let mut rest = script;
    while let Some(c) = rest.chars().next() {
        let named = rest.strip_prefix('<').and_then(|r| r.split_once('>'));
        let Some((name, after)) = named else {
            out.push(Key::Char(c));
            rest = &rest[c.len_utf8()..];
            continue;
        };
        out.push(match name {
            "enter" => Key::Enter,
            "esc" => Key::Escape,
            "tab" => Key::Tab,
            "left" => Key::Left,
            "right" => Key::Right,
            "up" => Key::Up,
            "down" => Key::Down,
            "bs" => Key::Backspace,
            "c-c" => Key::Ctrl('c'),
            "c-l" => Key::Ctrl('l'),
            other => panic!("no key is called {other}"),
        });
        rest = after;
    }
    out
}

fn type_in(state: &mut State, script: &str) -> Vec<Effect> {
    keys(script).into_iter().flat_map(|key| press(state, key)).collect()
}

fn live() -> State {
    let mut state = State::new(Start::Live);
    state.session = testkit::middle();
    state
}

fn control(command: Command) -> Vec<Effect> {
    vec![Effect::Ask(Request::Control(command))]
}

/// A home screen with a demo, a good and a broken profile, and a recording.
pub(super) fn library() -> Vec<LibraryEntry> {
    vec![
        LibraryEntry::Demo { preset: "ticketing".to_owned(), about: "a ticket shop under load".to_owned() },
        LibraryEntry::Profile {
            path: PathBuf::from("profiles/checkout.toml"),
            name: Ok("결제 서비스 🚢 pool".to_owned()),
            about: "pool 30 to 200 at 127.0.0.1:8080".to_owned(),
        },
        LibraryEntry::Profile {
            path: PathBuf::from("profiles/broken.toml"),
            name: Err("line 3, column 9: `5` has no unit".to_owned()),
            about: String::new(),
        },
        LibraryEntry::Recording(RecordingEntry {
            path: PathBuf::from("recordings/a.plim"),
            name: "checkout: pool size".to_owned(),
            target: "127.0.0.1:8080".to_owned(),
            date: "2026-11-30T14:03:12+09:00[Asia/Seoul]".to_owned(),
            verdict: Some(Kind::Recommend),
            answer: Some("pool 150 (128 to 172)".to_owned()),
            outcome: Some(Outcome::Completed),
            losses: vec![0.28, 0.21, 0.17, 0.166, 0.169],
        }),
    ]
}

fn home() -> State {
    let mut state = State::new(Start::Home);
    receive(&mut state, Feed::Library(library()));
    state
}

fn replay() -> State {
    let mut state = State::new(Start::Replay { speed: 1.0 });
    receive(&mut state, Feed::Recording { name: "a".to_owned(), events: Arc::new(testkit::sweep()) });
    state
}

#[test]
fn stopping_asks_once_and_no_means_no() {
    let mut state = live();
    assert!(type_in(&mut state, "q").is_empty());
    assert_eq!(state.overlay, Some(Overlay::Confirm(Question::Stop)));
    assert!(type_in(&mut state, "n").is_empty() && state.overlay.is_none());
    assert_eq!(type_in(&mut state, "qy"), control(Command::Stop));
    assert!(type_in(&mut state, "q").is_empty(), "it is stopping already");
    assert!(state.notice.is_some());
}

#[test]
fn ctrl_c_stops_at_once_and_leaves_at_the_second() {
    let mut state = live();
    assert_eq!(type_in(&mut state, "?<c-c>"), control(Command::Stop));
    assert_eq!(type_in(&mut state, "<c-c>"), [Effect::Ask(Request::Quit), Effect::End(UiEnd::Interrupted)]);
}

#[test]
fn without_a_run_q_leaves_without_asking() {
    assert_eq!(type_in(&mut replay(), "q"), [Effect::Ask(Request::Quit), Effect::End(UiEnd::Quit)]);
    assert_eq!(type_in(&mut home(), "q"), [Effect::Ask(Request::Quit), Effect::End(UiEnd::Quit)]);
}

#[test]
fn from_home_q_leads_home() {
    let mut state = home();
    state.screen = Screen::Verdict;
    state.origin = Origin::Run(Run { over: true, ..Run::default() });
    assert_eq!(type_in(&mut state, "q"), [Effect::Ask(Request::List)]);
    assert_eq!((state.screen, &state.session), (Screen::Home, &Session::new()));
}

#[test]
fn a_run_is_steered() {
    let mut state = live();
    assert_eq!(type_in(&mut state, "p"), control(Command::Pause));
    let pause = Event::PlanChanged { what: PlanChange::Pause, by: Author::Person, why: "asked".to_owned() };
    let seq = state.session.next_seq();
    receive(&mut state, Feed::Event(Stamped { seq, at: testkit::middle().now(), event: pause }));
    assert_eq!(type_in(&mut state, "p"), control(Command::GoOn));
    assert_eq!(type_in(&mut state, "r"), control(Command::RepeatStep(StepId(3))));
    assert!(type_in(&mut state, "s").is_empty());
    assert_eq!(type_in(&mut state, "y"), control(Command::SkipStep));
    assert_eq!(type_in(&mut state, "mcache cold<bs><bs><enter>"), control(Command::Mark("cache co".to_owned())));
    assert!(type_in(&mut state, "m  <enter>").is_empty(), "an empty note is none");
}

#[test]
fn the_judges_wish_is_one_key() {
    let mut state = live();
    let values = state.session.steps().last().unwrap().planned().values.clone().with("pool", 170.0);
    assert_eq!(type_in(&mut state, "n"), control(Command::AddStep(values)));
    state.session = Session::new();
    assert!(type_in(&mut state, "n").is_empty());
    assert_eq!(state.notice.as_deref(), Some("the judge has not spoken yet"));
}

#[test]
fn after_the_end_nothing_can_be_steered() {
    let mut state = live();
    state.origin = Origin::Run(Run { over: true, ..Run::default() });
    for key in ["p", "s", "m", "r", "n"] {
        assert!(type_in(&mut state, key).is_empty() && state.overlay.is_none(), "{key}");
        assert!(state.notice.is_some(), "{key} says why");
    }
}

#[test]
fn looking_around() {
    let mut state = live();
    type_in(&mut state, "<tab>zfyw");
    assert_eq!((state.live.focus, state.live.zoom, state.live.window, state.live.log_scale), (Panel::Latency, true, Window::Minute, false));
    assert_eq!(state.live.frozen.as_deref(), Some(&state.session));
    type_in(&mut state, "<esc>");
    assert!(!state.live.zoom && state.live.frozen.is_some(), "one thing at a time");
    type_in(&mut state, "<esc>v");
    assert!(state.live.frozen.is_none() && state.screen == Screen::Verdict);
    type_in(&mut state, "jjjjjjjjjj");
    assert_eq!(state.scroll, 2, "three values are judged so far");
    type_in(&mut state, "v?");
    assert_eq!((state.screen, state.overlay.clone()), (Screen::Live, Some(Overlay::Help(0))));
    type_in(&mut state, "jj<up><down>");
    assert_eq!(state.overlay, Some(Overlay::Help(2)));
    type_in(&mut state, "p");
    assert_eq!(state.overlay, None, "any other key closes the help and does nothing else");
    assert_eq!(type_in(&mut state, "<c-l>"), [Effect::Repaint]);
}

#[test]
fn at_home_lines_are_opened_for_what_they_are() {
    let mut state = home();
    assert_eq!(type_in(&mut state, "jj<enter>"), []);
    assert!(state.notice.as_deref().unwrap().contains("line 3"), "a broken profile says why");
    assert_eq!(type_in(&mut state, "j<enter>"), [Effect::Ask(Request::Open(PathBuf::from("recordings/a.plim")))]);
    assert_eq!(type_in(&mut state, "gj<enter>"), [Effect::Ask(Request::StartProfile(PathBuf::from("profiles/checkout.toml")))]);
    assert_eq!((state.screen, state.running()), (Screen::Live, true));
    let mut state = home();
    assert_eq!(type_in(&mut state, "d"), [Effect::Ask(Request::StartDemo { preset: "ticketing".to_owned() })]);
}

#[test]
fn the_filter_narrows_and_clears() {
    let mut state = home();
    type_in(&mut state, "G/서비스");
    assert_eq!(state.visible_entries().count(), 1);
    assert!(matches!(state.selected_entry(), Some(LibraryEntry::Profile { .. })));
    type_in(&mut state, "<bs><bs><bs>qq");
    assert_eq!((state.home.filter.as_str(), state.visible_entries().count()), ("qq", 0), "q is a letter while typing");
    type_in(&mut state, "<enter><enter>");
    assert_eq!(state.notice, None, "nothing is selected, so nothing opens");
    type_in(&mut state, "<esc>");
    assert_eq!(state.visible_entries().count(), 4);
}

#[test]
fn a_replay_is_moved() {
    let mut state = replay();
    let at = |state: &State| state.transport().unwrap().position().as_secs_f64();
    type_in(&mut state, "t0:20<enter>");
    assert!((at(&state) - 20.0).abs() < 1e-6);
    type_in(&mut state, ".,,");
    assert!((at(&state) - 19.0).abs() < 1e-6);
    type_in(&mut state, "<right>");
    assert!((at(&state) - 28.5).abs() < 1e-6, "step 3 ends where step 4 begins: {}", at(&state));
    type_in(&mut state, "l h");
    let transport = state.transport().unwrap();
    assert!((at(&state) - 28.5).abs() < 1e-6 && !transport.playing, "space holds");
    type_in(&mut state, "4");
    assert!((state.transport().unwrap().speed - 8.0).abs() < 1e-9);
    type_in(&mut state, "tsoon<enter>");
    assert!(state.notice.as_deref().unwrap().contains("1:23"));
    type_in(&mut state, "t5<esc>");
    assert!((at(&state) - 28.5).abs() < 1e-6 && state.overlay.is_none());
}
