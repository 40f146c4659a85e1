//! No size, no session and no state of the screen makes drawing panic; the same input gives the same picture.

use std::sync::Arc;

use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::press::library;
use crate::model::event::Stamped;
use crate::model::session::Session;
use crate::ui::look::{Colors, Look, Theme};
use crate::ui::message::{Feed, Start};
use crate::ui::receive::receive;
use crate::ui::state::{Overlay, Panel, Question, Screen, State, Window};
use crate::ui::testkit;
use crate::ui::view;

fn any_look() -> impl Strategy<Value = Look> {
    let colors = prop_oneof![Just(Colors::None), Just(Colors::Sixteen), Just(Colors::Many)];
    (colors, any::<bool>(), any::<bool>()).prop_map(|(colors, ascii, light)| Look {
        colors,
        ascii,
        theme: if light { Theme::Light } else { Theme::Dark },
    })
}

/// A prefix of the sweep with some events left out: sessions with holes.
fn any_events() -> impl Strategy<Value = Vec<Stamped>> {
    let all = testkit::sweep();
    (0..=all.len(), 1_usize..40, any::<bool>()).prop_map(move |(n, hole, holes)| {
        let kept = all.iter().take(n).enumerate().filter(|(i, _)| !holes || i % 40 != hole);
        kept.map(|(_, e)| e.clone()).collect()
    })
}

fn any_state() -> impl Strategy<Value = State> {
    let screen = prop_oneof![Just(Screen::Home), Just(Screen::Live), Just(Screen::Verdict)];
    let overlay = prop_oneof![Just(None), Just(Some(Overlay::Help(0))), Just(Some(Overlay::Confirm(Question::Stop)))];
    let window = prop_oneof![Just(Window::Whole), Just(Window::Minute), Just(Window::Step)];
    (any_events(), screen, overlay, window, 0..Panel::ALL.len(), any::<(bool, bool, bool)>(), 0_usize..12).prop_map(
        |(events, screen, overlay, window, panel, (zoom, replay, log_scale), scroll)| {
            let mut state = State::new(if replay { Start::Replay { speed: 0.0 } } else { Start::Live });
            if replay {
                receive(&mut state, Feed::Recording { name: "x".to_owned(), events: Arc::new(events) });
            } else {
                state.session = Session::of(events.iter());
            }
            receive(&mut state, Feed::Library(library()));
            (state.screen, state.overlay, state.scroll) = (screen, overlay, scroll);
            (state.live.window, state.live.focus, state.live.zoom, state.live.log_scale) = (window, Panel::ALL[panel], zoom, log_scale);
            state.home.selected = scroll;
            state
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_size_any_screen_any_session(state in any_state(), look in any_look(), w in 0_u16..220, h in 0_u16..70) {
        let draw = || {
            let mut buf = Buffer::empty(Rect::new(0, 0, w, h));
            view::render(&state, look, &mut buf);
            buf
        };
        prop_assert_eq!(draw(), draw());
    }
}

#[test]
fn the_smallest_sizes_of_all() {
    let mut state = State::new(Start::Live);
    state.session = testkit::middle();
    for (w, h) in [(0, 0), (1, 1), (0, 40), (120, 0), (2, 2), (59, 16), (60, 15), (60, 16)] {
        for screen in [Screen::Home, Screen::Live, Screen::Verdict] {
            state.screen = screen;
            view::render(&state, Look::default(), &mut Buffer::empty(Rect::new(0, 0, w, h)));
        }
    }
}
