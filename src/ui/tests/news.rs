//! What news from the program do.

use std::sync::Arc;

use super::press::library;
use crate::model::session::Session;
use crate::model::units::Span;
use crate::ui::message::{Feed, Request, Start, UiEnd};
use crate::ui::receive::{pass, receive};
use crate::ui::state::{Origin, Overlay, Question, Run, Screen, State};
use crate::ui::testkit;
use crate::ui::update::Effect;

fn run_to_the_end(state: &mut State) -> Vec<Effect> {
    let mut effects = Vec::new();
    for event in testkit::sweep() {
        effects.extend(receive(state, Feed::Event(event)));
    }
    effects.extend(receive(state, Feed::RunEnded));
    effects
}

#[test]
fn a_run_that_ends_by_itself_shows_its_verdict() {
    let mut state = State::new(Start::Live);
    assert!(run_to_the_end(&mut state).is_empty());
    assert_eq!((state.screen, state.running()), (Screen::Verdict, false));
    assert_eq!(state.session, Session::of(testkit::sweep().iter()));
}

#[test]
fn a_run_that_a_person_stopped_is_left() {
    let mut state = State::new(Start::Live);
    state.origin = Origin::Run(Run { stopping: true, ..Run::default() });
    assert_eq!(run_to_the_end(&mut state), [Effect::Ask(Request::Quit), Effect::End(UiEnd::Interrupted)]);
    let mut state = State::new(Start::Home);
    state.origin = Origin::Run(Run { stopping: true, ..Run::default() });
    assert!(run_to_the_end(&mut state).is_empty(), "from home one goes on at home");
}

#[test]
fn a_question_about_a_run_that_ended_is_gone() {
    let mut state = State::new(Start::Live);
    state.overlay = Some(Overlay::Confirm(Question::Stop));
    run_to_the_end(&mut state);
    assert_eq!(state.overlay, None);
}

#[test]
fn a_failure_is_a_state_and_hides_nothing() {
    let mut state = State::new(Start::Live);
    state.session = testkit::middle();
    receive(&mut state, Feed::RunFailed("the target is gone".to_owned()));
    assert!(!state.running(), "leaving asks nothing");
    receive(&mut state, Feed::RunEnded);
    assert_eq!(state.screen, Screen::Live);
    let frame = testkit::frame(&state, crate::ui::look::Look::default(), 100, 30);
    assert!(frame.contains("the target is gone") && frame.contains("requests a second"), "{frame}");
}

#[test]
fn a_recording_is_played_from_its_beginning_or_shown_at_its_end() {
    let events = Arc::new(testkit::sweep());
    let recording = || Feed::Recording { name: "a".to_owned(), events: Arc::clone(&events) };
    let mut state = State::new(Start::Replay { speed: 0.0 });
    receive(&mut state, recording());
    assert_eq!(state.session, Session::of(events.iter()));
    assert!(!pass(&mut state, Span::from_secs(1)), "it holds at its end");
    let mut state = State::new(Start::Home);
    receive(&mut state, recording());
    assert_eq!(state.screen, Screen::Live);
    assert!(pass(&mut state, Span::from_secs(10)));
    assert_eq!(state.session, Session::of(events.iter().filter(|e| e.at.0 <= 10_000_000)));
}

#[test]
fn a_shorter_library_keeps_the_selection_inside() {
    let mut state = State::new(Start::Home);
    receive(&mut state, Feed::Library(library()));
    state.home.selected = 3;
    receive(&mut state, Feed::Library(library().into_iter().take(2).collect()));
    assert_eq!(state.home.selected, 1);
    receive(&mut state, Feed::Library(Vec::new()));
    assert_eq!((state.home.selected, state.selected_entry()), (0, None));
}

#[test]
fn the_program_may_take_the_screen_away() {
    let mut state = State::new(Start::Live);
    assert_eq!(receive(&mut state, Feed::Leave), [Effect::End(UiEnd::Dismissed)]);
    receive(&mut state, Feed::Notice("kept in a.plim".to_owned()));
    assert_eq!(state.notice.as_deref(), Some("kept in a.plim"));
}
