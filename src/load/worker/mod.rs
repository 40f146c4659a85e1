//! One worker: a share of the users and arrivals on one thread, with its own book. It does what the orders say and hands its
//! intervals over when they end.
//!
//! Everything here runs on one single-threaded runtime; the locks are never contended while load runs and never held across a wait.

mod arrivals;
mod crew;
mod hop;
mod judge;
mod pass;
mod pool;
mod request;
mod send;
#[cfg(test)]
mod tests;
mod user;
mod visit;
mod walk;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(crate) use pool::{Pool, deal};
use tokio::time::Instant;

use super::book::Book;
use super::collect::Note;
use super::compile::Job;
use super::dial::Dial;
use super::orders::{Desk, Permit, Who};
use super::pace::Pacer;
use crate::model::event::slot_begin;
use crate::model::units::{Elapsed, Span};
use crew::Crews;

/// What a worker and all its users share.
pub(crate) struct Worker<D: Dial> {
    /// What is sent.
    pub(crate) job: Arc<Job>,
    /// What is to be done.
    pub(crate) desk: Arc<Desk>,
    /// Where connections come from.
    pub(crate) dial: D,
    /// Connections that its users share, by instance; none if each has its own.
    pub(crate) pools: Vec<Pool<D::Stream>>,
    /// The session's beginning.
    pub(crate) epoch: Instant,
    /// Wakes users.
    pub(crate) pacer: Pacer,
    /// What happened.
    pub(crate) book: Mutex<Book>,
    /// Which worker of how many.
    pub(crate) place: Place,
    /// Seed of everything random.
    pub(crate) seed: u64,
    /// Where intervals go.
    pub(crate) out: std::sync::mpsc::Sender<Note>,
}

/// Which worker of how many; users and arrivals are dealt out in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// From 0.
    pub(crate) index: u64,
    /// At least 1.
    pub(crate) of: u64,
}

impl Place {
    /// How many of `n` fall to this worker.
    const fn share(self, n: u64) -> u64 {
        (n + self.of - 1 - self.index) / self.of
    }

    /// The number among all of this worker's `n`th.
    const fn number(self, n: u64) -> u64 {
        n * self.of + self.index
    }
}

impl<D: Dial> Worker<D> {
    /// The session's clock.
    pub(crate) fn now(&self) -> Elapsed {
        self.elapsed(Instant::now())
    }

    fn elapsed(&self, at: Instant) -> Elapsed {
        Elapsed(u64::try_from(at.saturating_duration_since(self.epoch).as_micros()).unwrap_or(u64::MAX))
    }

    /// The first instant that reads as `at`.
    fn instant(&self, at: Elapsed) -> Instant {
        self.epoch + at.since(Elapsed::ZERO).duration()
    }

    /// The book, which nobody keeps longer than it takes to write a line.
    pub(crate) fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where a request that begins now belongs, if one may begin for this user.
    pub(crate) fn permit(&self, who: Who) -> Permit {
        let permit = self.desk.read().permit(who);
        match (who, permit) {
            (Who::Member { since, crowd, number }, Permit::Go(_)) if self.is_surplus(crowd, number, since) => Permit::Leave,
            _ => permit,
        }
    }

    fn is_surplus(&self, crowd: usize, number: u64, since: Elapsed) -> bool {
        let crowd = self.job.line.as_ref().and_then(|line| line.crowds.get(crowd));
        crowd.is_none_or(|c| number >= c.users_at(self.now().since(since)))
    }

    /// The key of a request meant to begin at `intended`: under a time line with phases, one of that phase.
    fn key_at(&self, base: usize, intended: Elapsed) -> usize {
        let Some(line) = &self.job.line else { return base };
        self.desk.read().line_of_requests().map_or(base, |since| line.key(base, intended.since(since)))
    }

    /// Waits for `at`, or until the orders do not let this user go on; whether it may.
    async fn rest(&self, at: Elapsed, who: Who) -> bool {
        loop {
            let mut changed = std::pin::pin!(self.desk.changed());
            changed.as_mut().enable();
            if !matches!(self.permit(who), Permit::Go(_)) {
                return false;
            }
            if self.now() >= at {
                return true;
            }
            tokio::select! {
                biased;
                () = changed => {}
                () = self.pacer.until(self.instant(at)) => {}
            }
        }
    }

    /// Says something that a reader must know.
    fn warn(&self, text: String) {
        // Without a collector the load is at its end: nobody reads on.
        let _ = self.out.send(Note::Warn(text));
    }

    /// Until the orders end.
    pub(crate) async fn run(self: Arc<Self>) {
        let mut crews = Crews::default();
        let arrivals = tokio::spawn(arrivals::run(Arc::clone(&self)));
        let mut abandoned = 0;
        let mut busy = Busy::default();
        loop {
            let mut changed = std::pin::pin!(self.desk.changed());
            changed.as_mut().enable();
            let orders = self.desk.read();
            if let Some(end) = orders.end {
                arrivals.abort();
                self.finish(end);
                return;
            }
            let change = crews.man(&self, &orders, self.now());
            if orders.abandoned != abandoned {
                abandoned = orders.abandoned;
                crews.forget_busy(&self);
                self.abandon(abandoned).await;
                continue;
            }
            let boundary = self.book().boundary();
            let wake = change.map_or(boundary, |at| at.min(boundary));
            tokio::select! {
                biased;
                () = changed => {}
                () = tokio::time::sleep_until(self.instant(wake)) => {
                    if self.now() >= boundary {
                        self.roll(&mut busy);
                    }
                }
            }
        }
    }

    fn roll(&self, busy: &mut Busy) {
        let span = busy.since_last();
        let mut book = self.book();
        book.busy(span);
        book.roll(self.now());
    }

    /// Gives up what is under way; says so once the interval in which that happened was handed over.
    async fn abandon(&self, count: u64) {
        let now = self.now();
        let lost = self.book().abandon(now);
        lost.iter().for_each(tokio::task::AbortHandle::abort);
        let boundary = slot_begin(now.slot(self.job.tick) + 1, self.job.tick);
        tokio::time::sleep_until(self.instant(boundary)).await;
        self.book().roll(self.now());
        let _ = self.out.send(Note::Reached(count));
    }

    fn finish(&self, end: Elapsed) {
        let mut book = self.book();
        let lost = book.abandon(end);
        book.end(end);
        drop(book);
        lost.iter().for_each(tokio::task::AbortHandle::abort);
        let _ = self.out.send(Note::Left);
    }
}

/// How long this runtime's thread was not asleep.
#[derive(Default)]
struct Busy {
    last: Span,
}

impl Busy {
    fn since_last(&mut self) -> Span {
        let total = Span::from(tokio::runtime::Handle::current().metrics().worker_total_busy_duration(0));
        let span = Span::from_micros(total.as_micros().saturating_sub(self.last.as_micros()));
        self.last = total;
        span
    }
}
