//! Numbers and stamps events, folds them, and hands them to every consumer. The only place where events are made.

use tokio::sync::mpsc::UnboundedSender;

use crate::model::event::{Event, Stamped};
use crate::model::session::Session;
use crate::model::units::Elapsed;

/// The head of the stream.
pub(super) struct Emitter {
    session: Session,
    last: Elapsed,
    consumers: Vec<UnboundedSender<Stamped>>,
}

impl Emitter {
    pub(super) fn new(consumers: Vec<UnboundedSender<Stamped>>) -> Self {
        Self { session: Session::new(), last: Elapsed::ZERO, consumers }
    }

    /// Folds an event and gives it to everyone. Never waits: each consumer has a queue of its own.
    pub(super) fn emit(&mut self, now: Elapsed, event: Event) {
        self.last = self.last.max(now);
        let stamped = Stamped { seq: self.session.next_seq(), at: self.last, event };
        self.session.apply(&stamped);
        self.consumers.retain(|consumer| consumer.send(stamped.clone()).is_ok());
    }

    pub(super) const fn session(&self) -> &Session {
        &self.session
    }

    /// Lets the consumers see the end of the stream.
    pub(super) fn close(self) -> Session {
        self.session
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::event::{Note, NoteLevel};

    fn note(text: &str) -> Event {
        Event::Note(Note { level: NoteLevel::Mark, step: None, text: text.into() })
    }

    #[test]
    fn numbers_have_no_gaps_and_time_never_runs_back() {
        let (tx, mut rx) = tokio::sync::mpsc::unbounded_channel();
        let mut emitter = Emitter::new(vec![tx]);
        emitter.emit(Elapsed(50), note("a"));
        emitter.emit(Elapsed(20), note("b"));
        let (a, b) = (rx.try_recv().unwrap(), rx.try_recv().unwrap());
        assert_eq!((a.seq, b.seq), (0, 1));
        assert!(b.at >= a.at);
        assert_eq!(&Session::of([&a, &b]), emitter.session());
    }

    #[test]
    fn a_consumer_that_left_stops_nobody() {
        let (gone, rx) = tokio::sync::mpsc::unbounded_channel();
        drop(rx);
        let (tx, mut rx) = tokio::sync::mpsc::unbounded_channel();
        let mut emitter = Emitter::new(vec![gone, tx]);
        emitter.emit(Elapsed(1), note("a"));
        emitter.emit(Elapsed(2), note("b"));
        assert_eq!((0..2).filter(|_| rx.try_recv().is_ok()).count(), 2);
    }
}
