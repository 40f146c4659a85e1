//! A worker's book: what was sent, what is under way, what ended; kept by interval and handed to the collector when one is over.
//!
//! It grows with request names and the cohorts under way, never with requests. Times are handed in.

mod hot;
mod note;
mod part;
mod seats;

use std::sync::mpsc::Sender;

use tokio::task::AbortHandle;

use super::checks::Tested;
use crate::model::event::{Cohort, ErrorKind, slot_begin};
use crate::model::units::{Elapsed, Span};

use hot::Counters;
pub(crate) use note::Note;
pub(crate) use part::{Part, Row};
use seats::Seats;
pub(crate) use seats::Under;

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ending {
    /// When.
    pub(crate) at: Elapsed,
    /// Why without success.
    pub(crate) failed: Option<ErrorKind>,
    /// What was checked of its answer.
    pub(crate) checks: Tested,
    /// How often it went out again because the server had closed the kept connection.
    pub(crate) stale: u32,
    /// Bytes received.
    pub(crate) bytes: u64,
    /// How long it waited for a connection of its own.
    pub(crate) connect_wait: Span,
}

/// One worker's account.
#[derive(Debug)]
pub(crate) struct Book {
    tick: Span,
    timeout: Span,
    slot: u64,
    open: Part,
    counters: Counters,
    seats: Seats,
    out: Sender<Note>,
}

impl Book {
    /// An empty book whose first interval is `slot`.
    pub(crate) fn new(tick: Span, timeout: Span, slot: u64, out: Sender<Note>) -> Self {
        Self { tick, timeout, slot, open: Part::default(), counters: Counters::default(), seats: Seats::default(), out }
    }

    /// Requests under way.
    pub(crate) const fn in_flight(&self) -> u64 {
        self.seats.under_way()
    }

    /// When the current interval ends.
    pub(crate) fn boundary(&self) -> Elapsed {
        slot_begin(self.slot + 1, self.tick)
    }

    /// Closes every interval that is over by `now`.
    pub(crate) fn roll(&mut self, now: Elapsed) {
        while now >= self.boundary() {
            let to = self.boundary();
            self.hand_over(to);
            self.slot += 1;
        }
    }

    /// Closes the current interval early, for good.
    pub(crate) fn end(&mut self, at: Elapsed) {
        self.roll(at);
        self.hand_over(at);
    }

    fn hand_over(&mut self, to: Elapsed) {
        let mut part = std::mem::take(&mut self.open);
        self.counters.pour(&mut part);
        part.slot = self.slot;
        part.to = to.max(slot_begin(self.slot, self.tick));
        part.in_flight = self.seats.under_way();
        part.users = self.seats.taken();
        // Without a collector the load is at its end: nobody reads on.
        let _ = self.out.send(Note::Part(Box::new(part)));
    }

    /// How busy the worker was in the current interval.
    pub(crate) const fn busy(&mut self, span: Span) {
        self.open.busy = span;
    }

    /// Arrivals that were due.
    pub(crate) fn planned(&mut self, now: Elapsed, n: u64) {
        self.roll(now);
        self.open.planned = Some(self.open.planned.unwrap_or(0.0) + n as f64);
    }

    /// An arrival that could not begin.
    pub(crate) fn dropped(&mut self, now: Elapsed) {
        self.roll(now);
        self.open.dropped += 1;
    }

    /// A whole pass of a scenario.
    pub(crate) fn pass(&mut self, now: Elapsed, took: Span) {
        self.roll(now);
        self.open.iterations.record(took);
    }

    /// A user takes its seat.
    pub(crate) fn sit(&mut self) -> usize {
        self.seats.take()
    }

    /// Whom to stop when a seat is to be given up.
    pub(crate) fn bind(&mut self, seat: usize, handle: AbortHandle) {
        self.seats.bind(seat, handle);
    }

    /// A user leaves.
    pub(crate) fn leave(&mut self, seat: usize) {
        self.seats.free(seat);
    }

    /// Whom to stop so that only those stay who have a request under way.
    pub(crate) fn idle(&self) -> Vec<AbortHandle> {
        self.seats.idle()
    }

    /// Whether the user of a seat has a request under way.
    pub(crate) fn is_under_way(&self, seat: usize) -> bool {
        self.seats.is_under_way(seat)
    }

    /// A request begins.
    pub(crate) fn begin(&mut self, seat: usize, under: Under) {
        self.roll(under.sent);
        self.open.sent += 1;
        self.seats.begin(seat, under);
    }

    /// A request ended.
    pub(crate) fn finish(&mut self, seat: usize, ending: Ending) {
        self.roll(ending.at);
        if let Some(under) = self.seats.end(seat) {
            self.open.stale += u64::from(ending.stale);
            self.counters.take(&under, ending, self.timeout, &mut self.open);
        }
    }

    /// Gives up what is under way: all of it is reported as unfinished. Returns whom to stop.
    pub(crate) fn abandon(&mut self, now: Elapsed) -> Vec<AbortHandle> {
        self.roll(now);
        let ending = Ending { at: now, failed: Some(ErrorKind::Unfinished), checks: Tested::default(), stale: 0, bytes: 0, connect_wait: Span::ZERO };
        let (given_up, handles) = self.seats.give_up();
        for under in given_up {
            self.counters.take(&under, ending, self.timeout, &mut self.open);
        }
        handles
    }
}

/// A request's cohort and key, as far as a book needs them.
pub(crate) const fn under(key: usize, cohort: Cohort, intended: Elapsed, sent: Elapsed) -> Under {
    Under { key, cohort, intended, sent }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::event::{Phase, StepId};
    use std::sync::mpsc::{Receiver, channel};

    const TICK: Span = Span::from_millis(100);
    const TIMEOUT: Span = Span::from_millis(500);

    fn book() -> (Book, Receiver<Note>) {
        let (out, notes) = channel();
        (Book::new(TICK, TIMEOUT, 3, out), notes)
    }

    fn at(ms: u64) -> Elapsed {
        Elapsed(ms * 1000)
    }

    fn began(key: usize, intended_ms: u64, sent_ms: u64) -> Under {
        let cohort = Cohort { step: StepId(0), phase: Phase::Measure, slot: at(intended_ms).slot(TICK) };
        under(key, cohort, at(intended_ms), at(sent_ms))
    }

    fn ended(ms: u64, failed: Option<ErrorKind>) -> Ending {
        Ending { at: at(ms), failed, checks: Tested::default(), stale: 0, bytes: 10, connect_wait: Span::ZERO }
    }

    fn parts(notes: &Receiver<Note>) -> Vec<Part> {
        notes.try_iter().filter_map(|n| if let Note::Part(p) = n { Some(*p) } else { None }).collect()
    }

    #[test]
    fn a_request_counts_where_it_ends_and_belongs_where_it_was_meant_to_begin() {
        let (mut book, notes) = book();
        let seat = book.sit();
        book.begin(seat, began(0, 310, 315));
        assert_eq!(book.in_flight(), 1);
        book.finish(seat, ended(450, None));
        book.roll(at(500));
        let parts = parts(&notes);
        assert_eq!(parts.iter().map(|p| (p.slot, p.sent, p.in_flight)).collect::<Vec<_>>(), [(3, 1, 1), (4, 0, 0)]);
        let row = &parts[1].rows[0];
        assert_eq!(row.cohort.slot, 3);
        assert_eq!(
            (row.latency.sum(), row.service_time.sum(), row.send_lag.sum()),
            (Span::from_millis(140), Span::from_millis(135), Span::from_millis(5))
        );
        assert_eq!(row.bytes, 10);
    }

    #[test]
    fn intervals_without_anything_are_handed_over_too() {
        let (mut book, notes) = book();
        book.roll(at(650));
        assert_eq!(parts(&notes).iter().map(|p| (p.slot, p.to)).collect::<Vec<_>>(), [(3, at(400)), (4, at(500)), (5, at(600))]);
        book.end(at(680));
        assert_eq!(parts(&notes).iter().map(|p| (p.slot, p.to)).collect::<Vec<_>>(), [(6, at(680))]);
    }

    #[test]
    fn a_time_out_is_at_least_its_time_out_long() {
        let (mut book, notes) = book();
        let seat = book.sit();
        book.begin(seat, began(0, 310, 310));
        book.finish(seat, ended(800, Some(ErrorKind::Timeout)));
        book.roll(at(1000));
        let rows: Vec<Row> = parts(&notes).into_iter().flat_map(|p| p.rows).collect();
        assert_eq!(rows[0].failed_latency.max(), Some(TIMEOUT));
        assert_eq!(rows[0].service_time.max(), Some(TIMEOUT));
        assert!(rows[0].latency.is_empty());
        assert_eq!(rows[0].failed_count(ErrorKind::Timeout), 1);
    }

    #[test]
    fn what_is_given_up_is_unfinished_and_at_least_its_age_long() {
        let (mut book, notes) = book();
        let (a, b) = (book.sit(), book.sit());
        book.begin(a, began(0, 310, 312));
        book.begin(b, began(1, 320, 320));
        book.finish(b, ended(330, None));
        assert!(book.is_under_way(a) && !book.is_under_way(b));
        book.abandon(at(390));
        assert_eq!(book.in_flight(), 0);
        book.finish(a, ended(395, None));
        book.roll(at(400));
        let parts = parts(&notes);
        let lost: Vec<&Row> = parts[0].rows.iter().filter(|r| r.key == 0).collect();
        assert_eq!(lost[0].failed_count(ErrorKind::Unfinished), 1, "a late end of a request given up counts no more");
        assert_eq!(lost[0].failed_latency.max(), Some(Span::from_millis(80)));
    }

    #[test]
    fn memory_does_not_grow_with_requests() {
        let (mut book, notes) = book();
        let seat = book.sit();
        for i in 0..10_000 {
            book.begin(seat, began(0, 310, 310));
            book.finish(seat, ended(311 + i % 80, None));
        }
        book.roll(at(400));
        let parts = parts(&notes);
        assert_eq!(parts[0].rows.len(), 1);
        assert_eq!(parts[0].rows[0].latency.count(), 10_000);
    }
}
