//! Numbers and stamps events, folds them, and hands them to every consumer. The only place where events are made.

use tokio::sync::mpsc::UnboundedSender;

use crate::model::event::{Event, Stamped};
use crate::model::session::Session;
use crate::model::text::hide;
use crate::model::units::Elapsed;

/// The head of the stream.
pub(super) struct Emitter {
    session: Session,
    last: Elapsed,
    consumers: Vec<UnboundedSender<Stamped>>,
    secrets: Vec<String>,
}

impl Emitter {
    /// `secrets` are values that no event may tell, whoever said them.
    pub(super) fn new(consumers: Vec<UnboundedSender<Stamped>>, secrets: Vec<String>) -> Self {
        Self { session: Session::new(), last: Elapsed::ZERO, consumers, secrets }
    }

    /// Folds an event and gives it to everyone. Never waits: each consumer has a queue of its own.
    pub(super) fn emit(&mut self, now: Elapsed, event: Event) {
        self.last = self.last.max(now);
        let stamped = Stamped { seq: self.session.next_seq(), at: self.last, event: self.without_secrets(event) };
        self.session.apply(&stamped);
        self.consumers.retain(|consumer| consumer.send(stamped.clone()).is_ok());
    }

    /// What a service or a command said may hold what it was told. Ticks hold counts and names of the profile alone, the head was made
    /// without secrets.
    fn without_secrets(&self, event: Event) -> Event {
        if self.secrets.is_empty() || matches!(event, Event::Tick(_) | Event::Sample(_) | Event::SessionStarted(_) | Event::Judged(_)) {
            return event;
        }
        let Ok(mut told) = serde_json::to_value(&event) else { return event };
        hide_in(&mut told, &self.secrets);
        serde_json::from_value(told).unwrap_or(event)
    }

    pub(super) const fn session(&self) -> &Session {
        &self.session
    }

    /// Lets the consumers see the end of the stream.
    pub(super) fn close(self) -> Session {
        self.session
    }
}

/// Every text inside a value.
fn hide_in(value: &mut serde_json::Value, secrets: &[String]) {
    match value {
        serde_json::Value::String(text) => *text = hide(text, secrets),
        serde_json::Value::Array(items) => items.iter_mut().for_each(|item| hide_in(item, secrets)),
        serde_json::Value::Object(fields) => fields.values_mut().for_each(|field| hide_in(field, secrets)),
        _ => {}
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
        let mut emitter = Emitter::new(vec![tx], Vec::new());
        emitter.emit(Elapsed(50), note("a"));
        emitter.emit(Elapsed(20), note("b"));
        let (a, b) = (rx.try_recv().unwrap(), rx.try_recv().unwrap());
        assert_eq!((a.seq, b.seq), (0, 1));
        assert!(b.at >= a.at);
        assert_eq!(&Session::of([&a, &b]), emitter.session());
    }

    #[test]
    fn what_somebody_said_is_told_without_secrets() {
        let (tx, mut rx) = tokio::sync::mpsc::unbounded_channel();
        let mut emitter = Emitter::new(vec![tx], vec!["hunter22".to_owned()]);
        emitter.emit(Elapsed(1), note("400: \"no such token hunter22\""));
        let Event::Note(told) = rx.try_recv().unwrap().event else { panic!("no note") };
        assert_eq!(told.text, "400: \"no such token ***\"");
    }

    #[test]
    fn a_consumer_that_left_stops_nobody() {
        let (gone, rx) = tokio::sync::mpsc::unbounded_channel();
        drop(rx);
        let (tx, mut rx) = tokio::sync::mpsc::unbounded_channel();
        let mut emitter = Emitter::new(vec![gone, tx], Vec::new());
        emitter.emit(Elapsed(1), note("a"));
        emitter.emit(Elapsed(2), note("b"));
        assert_eq!((0..2).filter(|_| rx.try_recv().is_ok()).count(), 2);
    }
}
