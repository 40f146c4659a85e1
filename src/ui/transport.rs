//! Playing a recording: a position in its events, moved by time or by a person. The session shown is the fold of the events up to it.

use std::sync::Arc;

use crate::model::event::{Event, Stamped};
use crate::model::session::Session;
use crate::model::units::{Elapsed, Span};

/// A recording being played.
#[derive(Debug, Clone)]
pub(super) struct Transport {
    /// What people call it.
    pub name: String,
    events: Arc<Vec<Stamped>>,
    applied: usize,
    position: Elapsed,
    end: Elapsed,
    chapters: Vec<Elapsed>,
    /// Times as fast as it was.
    pub speed: f64,
    /// Whether it moves.
    pub playing: bool,
}

impl Transport {
    /// At the beginning, playing at this speed; a speed that is not above 0 goes to the end and holds there.
    #[must_use]
    pub(super) fn new(name: String, events: Arc<Vec<Stamped>>, speed: f64) -> (Self, Session) {
        let end = events.iter().map(|e| e.at).max().unwrap_or_default();
        let chapters = chapters(&events);
        let moves = speed.is_finite() && speed > 0.0;
        let speed = if moves { speed } else { 1.0 };
        let mut transport = Self { name, events, applied: 0, position: Elapsed::ZERO, end, chapters, speed, playing: moves };
        let mut session = Session::new();
        transport.seek(if moves { Elapsed::ZERO } else { end }, &mut session);
        (transport, session)
    }

    /// Where it is.
    #[must_use]
    pub(super) const fn position(&self) -> Elapsed {
        self.position
    }

    /// How long it is.
    #[must_use]
    pub(super) const fn end(&self) -> Elapsed {
        self.end
    }

    /// Whether it is at its end.
    #[must_use]
    pub(super) fn at_end(&self) -> bool {
        self.position >= self.end
    }

    /// When its steps began.
    #[must_use]
    pub(super) fn chapters(&self) -> &[Elapsed] {
        &self.chapters
    }

    /// Lets `real` time pass. Returns whether anything moved.
    pub(super) fn advance(&mut self, real: Span, session: &mut Session) -> bool {
        if !self.playing {
            return false;
        }
        self.seek(self.position.plus(real.times(self.speed)), session);
        if self.at_end() {
            self.playing = false;
        }
        true
    }

    /// Goes to a time. Backwards, the session is folded anew from its beginning.
    pub(super) fn seek(&mut self, to: Elapsed, session: &mut Session) {
        let to = to.min(self.end);
        if to < self.position {
            self.applied = 0;
            *session = Session::new();
        }
        self.position = to;
        while let Some(event) = self.events.get(self.applied).filter(|e| e.at <= to) {
            session.apply(event);
            self.applied += 1;
        }
    }

    /// Plays or holds; at the end it begins anew.
    pub(super) fn toggle(&mut self, session: &mut Session) {
        if self.at_end() && !self.playing {
            self.seek(Elapsed::ZERO, session);
        }
        self.playing = !self.playing;
    }

    /// The begin of the next step, or the end.
    #[must_use]
    pub(super) fn next_chapter(&self) -> Elapsed {
        self.chapters.iter().copied().find(|c| *c > self.position).unwrap_or(self.end)
    }

    /// The begin of this step, or of the one before if this one has just begun.
    #[must_use]
    pub(super) fn previous_chapter(&self) -> Elapsed {
        let before = self.position.minus(Span::from_millis(1500));
        let strictly = |c: &Elapsed| *c < self.position && *c <= before;
        self.chapters.iter().copied().rev().find(strictly).unwrap_or(Elapsed::ZERO)
    }
}

/// The times at which steps begin: the first event that puts one of their settings into effect or begins a phase of theirs.
fn chapters(events: &[Stamped]) -> Vec<Elapsed> {
    let mut begun = std::collections::BTreeSet::new();
    let mut out = Vec::new();
    for stamped in events {
        let step = match &stamped.event {
            Event::SettingApplied(applied) => applied.step,
            Event::PhaseChanged { step, .. } => Some(*step),
            _ => None,
        };
        if step.is_some_and(|s| begun.insert(s)) {
            out.push(stamped.at);
        }
    }
    out
}

/// Reads a time as people type it: `83`, `83s`, `1:23`, `1:02:03`.
#[must_use]
pub(super) fn parse_time(text: &str) -> Option<Elapsed> {
    let mut seconds = 0_u64;
    for part in text.trim().trim_end_matches('s').split(':') {
        seconds = seconds.checked_mul(60)?.checked_add(part.trim().parse().ok()?)?;
    }
    seconds.checked_mul(1_000_000).map(Elapsed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::testkit;

    fn events() -> Arc<Vec<Stamped>> {
        Arc::new(testkit::sweep())
    }

    #[test]
    fn playing_to_the_end_is_the_fold_of_all() {
        let all = events();
        let (mut transport, mut session) = Transport::new("x".to_owned(), Arc::clone(&all), 64.0);
        while transport.advance(Span::from_millis(100), &mut session) {}
        assert!(transport.at_end() && !transport.playing);
        assert_eq!(session, Session::of(all.iter()));
    }

    #[test]
    fn going_back_is_the_fold_of_the_prefix() {
        let all = events();
        let (mut transport, mut session) = Transport::new("x".to_owned(), Arc::clone(&all), 0.0);
        assert!(transport.at_end(), "speed 0 begins at the end");
        let middle = Elapsed(transport.end().0 / 2);
        transport.seek(middle, &mut session);
        assert_eq!(session, Session::of(all.iter().filter(|e| e.at <= middle)));
    }

    #[test]
    fn steps_are_chapters() {
        let (mut transport, mut session) = Transport::new("x".to_owned(), events(), 1.0);
        let first = transport.next_chapter();
        transport.seek(first, &mut session);
        let second = transport.next_chapter();
        assert!(second > first && transport.chapters().len() == 10);
        transport.seek(second, &mut session);
        assert_eq!(transport.previous_chapter(), first);
        transport.seek(second.plus(Span::from_secs(2)), &mut session);
        assert_eq!(transport.previous_chapter(), second);
    }

    #[test]
    fn at_its_end_play_begins_anew() {
        let (mut transport, mut session) = Transport::new("x".to_owned(), events(), 0.0);
        transport.toggle(&mut session);
        assert!(transport.playing && transport.position() == Elapsed::ZERO);
    }

    #[test]
    fn an_empty_recording_is_at_its_end() {
        let (mut transport, mut session) = Transport::new("x".to_owned(), Arc::new(Vec::new()), 1.0);
        assert!(transport.at_end());
        transport.advance(Span::from_secs(1), &mut session);
        assert_eq!(session, Session::new());
    }

    #[test]
    fn times_as_typed() {
        assert_eq!(parse_time("1:23"), Some(Elapsed(83_000_000)));
        assert_eq!(parse_time(" 83s"), Some(Elapsed(83_000_000)));
        assert_eq!(parse_time("1:02:03"), Some(Elapsed(3_723_000_000)));
        assert_eq!(parse_time("soon"), None);
        assert_eq!(parse_time("99999999999999999999"), None);
    }
}
