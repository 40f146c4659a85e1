//! News from the program become changes of [`State`]: events are folded, recordings are opened, the end of a run leads somewhere.

use super::message::{Feed, Request, Start, UiEnd};
use super::state::{LiveState, Origin, Overlay, Screen, State};
use super::transport::Transport;
use super::update::{Effect, keep_selection};
use crate::model::units::Span;

/// Takes in news from the program.
pub(super) fn receive(state: &mut State, feed: Feed) -> Vec<Effect> {
    match feed {
        Feed::Event(event) => state.session.apply(&event),
        Feed::Recording { name, events } => {
            let wanted = if let Start::Replay { speed } = state.start { speed } else { 1.0 };
            let (transport, session) = Transport::new(name, events, wanted);
            state.live = LiveState::default();
            (state.origin, state.session, state.screen) = (Origin::Replay(transport), session, Screen::Live);
        }
        Feed::Library(entries) => {
            state.home.entries = Some(entries);
            keep_selection(state);
        }
        Feed::RunFailed(text) => {
            if let Origin::Run(run) = &mut state.origin {
                run.failed = Some(text);
                run.over = true;
            } else {
                state.notice = Some(text);
            }
        }
        Feed::RunEnded => return run_ended(state),
        Feed::Notice(text) => state.notice = Some(text),
        Feed::Leave => return vec![Effect::End(UiEnd::Dismissed)],
    }
    Vec::new()
}

/// A run that ended by itself shows its verdict; one that a person stopped is left, unless they came from home.
fn run_ended(state: &mut State) -> Vec<Effect> {
    let Origin::Run(run) = &mut state.origin else { return Vec::new() };
    run.over = true;
    let (stopped, broke) = (run.stopping, run.failed.is_some());
    if matches!(state.overlay, Some(Overlay::Confirm(_) | Overlay::Prompt(_))) {
        state.overlay = None;
    }
    if stopped && state.start != Start::Home {
        return vec![Effect::Ask(Request::Quit), Effect::End(UiEnd::Interrupted)];
    }
    if !state.session.judged().is_empty() && !broke {
        state.live.frozen = None;
        state.screen = Screen::Verdict;
    }
    Vec::new()
}

/// Lets time pass for what moves by itself. Returns whether the picture changed.
pub(super) fn pass(state: &mut State, real: Span) -> bool {
    match &mut state.origin {
        Origin::Replay(transport) => transport.advance(real, &mut state.session),
        _ => false,
    }
}
