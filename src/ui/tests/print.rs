//! For a person: prints frames (`SHOW=live:120x40 cargo test --lib ui::tests::print -- --nocapture`) and measures what one costs
//! (`FRAMES=1`, the same way, with `--release`).

use std::sync::Arc;

use crate::model::event::Event;
use crate::model::session::Session;
use crate::model::units::Span;
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

/// The sweep again and again, an hour of it.
fn hour() -> Session {
    let mut session = Session::new();
    let once = testkit::sweep();
    let length = once.last().unwrap().at;
    let mut seq = 0;
    for round in 0..38_u64 {
        for event in &once {
            let mut event = event.clone();
            let shift = Span::from_micros(length.0 * round);
            event.at = event.at.plus(shift);
            (event.seq, seq) = (seq, seq + 1);
            match &mut event.event {
                Event::StepPlanned(p) => p.step.0 += round_steps(round),
                Event::SettingApplied(a) => a.step.iter_mut().for_each(|s| s.0 += round_steps(round)),
                Event::PhaseChanged { step, .. } | Event::StepEnded { step, .. } => step.0 += round_steps(round),
                Event::Tick(t) => {
                    (t.from, t.to, t.number) = (t.from.plus(shift), t.to.plus(shift), t.number + round * 380);
                    for row in &mut t.rows {
                        row.cohort.step.0 += round_steps(round);
                        row.cohort.slot += round * 380;
                    }
                }
                Event::Sample(s) => (s.asked, s.answered) = (s.asked.plus(shift), s.answered.plus(shift)),
                Event::SessionEnded { .. } => continue,
                _ => {}
            }
            session.apply(&event);
        }
    }
    session
}

fn round_steps(round: u64) -> u32 {
    u32::try_from(round * 10).unwrap()
}

#[test]
fn cost_of_a_frame() {
    if std::env::var("FRAMES").is_err() {
        return;
    }
    for (name, session) in [("a minute and a half", Session::of(testkit::sweep().iter())), ("an hour", hour())] {
        let mut state = State::new(Start::Live);
        println!("{name}: {} ticks, {} steps", session.ticks().len(), session.steps().len());
        state.session = session;
        for (w, h) in [(80, 24), (120, 40), (200, 50)] {
            let mut buf = ratatui::buffer::Buffer::empty(ratatui::layout::Rect::new(0, 0, w, h));
            let mut times: Vec<f64> = (0..50)
                .map(|_| {
                    let begin = std::time::Instant::now();
                    crate::ui::view::render(&state, Look::default(), &mut buf);
                    begin.elapsed().as_secs_f64() * 1e3
                })
                .collect();
            times.sort_by(f64::total_cmp);
            println!("{w}x{h}: median {:.2} ms, worst {:.2} ms", times[25], times[49]);
        }
    }
}
