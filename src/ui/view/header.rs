//! The first line of live and verdict: what is being tried, where it is, how long still.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::model::event::{Outcome, Phase};
use crate::model::session::Session;
use crate::model::text::clean;
use crate::ui::look::{Look, Tone};
use crate::ui::message::Start;
use crate::ui::number;
use crate::ui::reading::{estimate, label};
use crate::ui::state::{Origin, State};
use crate::ui::text::{cut, put, put_right, width};

/// Cells between two pieces.
const APART: usize = 3;
/// The name is not cut shorter than this as long as another piece can go.
const SHORTEST_NAME: usize = 18;

/// A piece of the line; the pieces of the highest rank go first where there is no room.
struct Piece {
    rank: u8,
    text: String,
    style: Style,
}

/// Draws the line.
pub(super) fn render(state: &State, look: Look, area: Rect, buf: &mut Buffer) {
    let session = state.shown();
    let right = right(state, look);
    let room = usize::from(area.width).saturating_sub(width(&right.0) + 1);
    let mut pieces = pieces(session, look);
    let shortest = |p: &Piece| if p.rank == 0 { width(&p.text).min(SHORTEST_NAME) } else { width(&p.text) };
    while pieces.iter().map(|p| shortest(p) + APART).sum::<usize>() > room && pieces.iter().any(|p| p.rank > 0) {
        let last = pieces.iter().enumerate().max_by_key(|(_, p)| p.rank).map_or(0, |(i, _)| i);
        pieces.remove(last);
    }
    let taken: usize = pieces.iter().skip(1).map(|p| width(&p.text) + APART).sum();
    let mut x = area.x.saturating_add(1);
    for (i, piece) in pieces.iter().enumerate() {
        let text = if i == 0 { cut(&piece.text, room.saturating_sub(taken + APART)) } else { piece.text.clone() };
        x = put(buf, area, x, area.y, &text, piece.style);
        x = put(buf, area, x, area.y, &" ".repeat(APART), look.style(Tone::Text));
    }
    put_right(buf, area, area.y, &right.0, right.1);
}

fn pieces(session: &Session, look: Look) -> Vec<Piece> {
    let piece = |rank, text: String, tone| Piece { rank, text, style: look.style(tone) };
    let name = session.plan().map_or_else(|| "waiting for the run to begin".to_owned(), |p| p.name.clone());
    let mut out = vec![piece(0, name, Tone::Title)];
    if let Some(step) = session.current() {
        out.push(piece(3, format!("step {} of {}", step.planned().order + 1, session.steps().len()), Tone::Text));
        let (swept, fixed) = label::parted(session, &step.planned().values);
        out.push(piece(1, swept, Tone::Focus));
        if !fixed.is_empty() {
            out.push(piece(4, fixed, Tone::Dim));
        }
        if let Some(text) = phase(session) {
            out.push(piece(1, text, Tone::Text));
        }
        if let Some(name) = session.load_phase() {
            out.push(piece(2, clean(name), Tone::Focus));
        }
        if session.generator_limit().is_some() || step.generator_bound().is_some() {
            out.push(piece(1, "generator-bound".to_owned(), Tone::Bad));
        }
    } else if session.paused() {
        out.push(piece(1, "paused between steps".to_owned(), Tone::Warn));
    } else if session.ended().is_none() && !session.steps().is_empty() {
        let done = session.steps().iter().filter(|s| s.ended().is_some()).count();
        out.push(piece(1, format!("{done} of {} steps done", session.steps().len()), Tone::Text));
    }
    if let Some(left) = estimate::left(session).filter(|_| session.ended().is_none()) {
        out.push(piece(2, format!("left about {}", number::clock(left)), Tone::Text));
    }
    out
}

/// `measuring 00:41 of ≥01:00`.
fn phase(session: &Session) -> Option<String> {
    let progress = estimate::progress(session)?;
    let word = match progress.phase {
        None => "applying",
        Some(Phase::Settle) => "settling",
        Some(Phase::WarmUp) => "warming up",
        Some(Phase::Measure) => "measuring",
        Some(Phase::Drain) => "draining",
    };
    let of = progress.of.map_or_else(String::new, |of| format!(" of {}{}", if progress.at_least { "≥" } else { "" }, number::clock(of)));
    Some(format!("{word} {}{of}", number::clock(progress.passed)))
}

fn right(state: &State, look: Look) -> (String, Style) {
    let (text, tone) = match &state.origin {
        _ if state.live.frozen.is_some() => (format!("frozen at {}", state.shown().now()), Tone::Warn),
        Origin::Run(run) if run.failed.is_some() => ("failed".to_owned(), Tone::Bad),
        Origin::Run(run) if run.stopping && !run.over => ("stopping, settings are put back".to_owned(), Tone::Warn),
        _ if state.session.ended().is_some() => ended(&state.session),
        Origin::Replay(transport) => (format!("▶ replay of {}", cut(&transport.name, 24)), Tone::Dim),
        Origin::Run(_) if state.session.paused() => ("paused".to_owned(), Tone::Warn),
        Origin::Run(_) if state.start == Start::Unrecorded => ("● live, not recorded".to_owned(), Tone::Dim),
        Origin::Run(_) => ("● recording".to_owned(), Tone::Bad),
        Origin::Nothing => (String::new(), Tone::Dim),
    };
    (format!("{text} "), look.style(tone))
}

fn ended(session: &Session) -> (String, Tone) {
    let Some(ended) = session.ended() else { return (String::new(), Tone::Dim) };
    let restored = match ended.restored {
        Some(true) => ", restored",
        Some(false) => ", NOT RESTORED",
        None => "",
    };
    let tone = match (ended.outcome, ended.restored) {
        (_, Some(false)) | (Outcome::Failed | Outcome::Guard, _) => Tone::Bad,
        (Outcome::Completed, _) => Tone::Good,
        (Outcome::Interrupted, _) => Tone::Warn,
    };
    (format!("{}{restored}", ended.outcome.name()), tone)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::event::Event;
    use crate::model::plan::{LoadModel, LoadPhase, TimeLine};
    use crate::model::units::{Elapsed, Span};
    use crate::ui::testkit;

    #[test]
    fn the_phase_of_the_load_and_the_length_of_its_line_are_shown() {
        let mut events = testkit::sweep();
        for event in &mut events {
            if let Event::SessionStarted(head) = &mut event.event {
                let phase = |name: &str, s| LoadPhase { name: name.to_owned(), length: Span::from_secs(s) };
                head.plan.load.model = LoadModel::Line;
                head.plan.load.line = Some(TimeLine { phases: vec![phase("calm", 1), phase("spi\u{7}ke", 400)], populations: Vec::new() });
            }
        }
        let middle = testkit::middle().now();
        let session = Session::of(events.iter().filter(|e| e.at <= middle));
        let shown = |session: &Session| pieces(session, Look::default()).into_iter().map(|p| p.text).collect::<Vec<_>>().join("|");
        let text = shown(&session);
        assert!(text.contains("|spike|") && text.contains(" of 06:41"), "{text}");
        assert!(!shown(&Session::of(events.iter().filter(|e| e.at <= Elapsed(1)))).contains("spike"));
    }
}
