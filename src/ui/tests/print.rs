//! Prints frames, for looking at: `SHOW=live:120x40 cargo test --lib ui::tests::print -- --nocapture`.

use std::sync::Arc;

use crate::model::session::Session;
use crate::ui::look::Look;
use crate::ui::message::{Feed, Start};
use crate::ui::receive::receive;
use crate::ui::state::{Screen, State};
use crate::ui::testkit;

#[test]
fn print() {
    let Ok(wanted) = std::env::var("SHOW") else { return };
    for one in wanted.split(' ') {
        let (name, size) = one.split_once(':').unwrap();
        let (w, h) = size.split_once('x').unwrap();
        let mut state = State::new(Start::Live);
        state.session = testkit::middle();
        match name {
            "verdict" => {
                state.session = Session::of(testkit::sweep().iter());
                state.screen = Screen::Verdict;
            }
            "end" => state.session = Session::of(testkit::sweep().iter()),
            "replay" => {
                state = State::new(Start::Replay { speed: 0.0 });
                receive(&mut state, Feed::Recording { name: "x".to_owned(), events: Arc::new(testkit::sweep()) });
            }
            _ => {}
        }
        println!("{one}");
        let look = Look { ascii: name == "ascii", ..Look::default() };
        println!("{}", testkit::frame(&state, look, w.parse().unwrap(), h.parse().unwrap()).split("styles\n").next().unwrap());
    }
}
