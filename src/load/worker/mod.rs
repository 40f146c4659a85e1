//! One worker: a share of the users and arrivals on one thread, with its own book. It does what the orders say and hands its
//! intervals over when they end.
//!
//! Everything here runs on one single-threaded runtime; the locks are never contended while load runs and never held across a wait.

mod arrivals;
mod pass;
mod request;
#[cfg(test)]
mod tests;
mod user;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::book::Book;
use super::collect::Note;
use super::compile::Job;
use super::dial::Dial;
use super::orders::Desk;
use super::pace::Pacer;
use crate::model::event::slot_begin;
use crate::model::units::{Elapsed, Span};

/// What a worker and all its users share.
pub(crate) struct Worker<D> {
    /// What is sent.
    pub(crate) job: Arc<Job>,
    /// What is to be done.
    pub(crate) desk: Arc<Desk>,
    /// Where connections come from.
    pub(crate) dial: D,
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

    /// Until the orders end.
    pub(crate) async fn run(self: Arc<Self>) {
        let mut crew: Vec<Option<Member>> = Vec::new();
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
            self.man(&mut crew, orders.users());
            if orders.abandoned != abandoned {
                abandoned = orders.abandoned;
                self.abandon(&mut crew, abandoned).await;
                continue;
            }
            let boundary = self.book().boundary();
            tokio::select! {
                biased;
                () = changed => {}
                () = tokio::time::sleep_until(self.instant(boundary)) => self.roll(&mut busy),
            }
        }
    }

    fn roll(&self, busy: &mut Busy) {
        let span = busy.since_last();
        let mut book = self.book();
        book.busy(span);
        book.roll(self.now());
    }

    /// Hires users up to this worker's share of `users`; those too many leave by themselves after their request, or at once if they only wait.
    fn man(self: &Arc<Self>, crew: &mut Vec<Option<Member>>, users: u64) {
        let share = usize::try_from(self.place.share(users)).unwrap_or(usize::MAX);
        for member in crew.iter_mut().skip(share) {
            if let Some(m) = member.take_if(|m| !self.book().is_under_way(m.seat)) {
                m.task.abort();
            }
        }
        crew.resize_with(crew.len().max(share), || None);
        for (n, member) in crew.iter_mut().enumerate().take(share) {
            if member.as_ref().is_none_or(|m| m.task.is_finished()) {
                *member = Some(self.hire(n as u64));
            }
        }
    }

    fn hire(self: &Arc<Self>, n: u64) -> Member {
        let seat = self.book().sit();
        let task = tokio::spawn(user::live(user::Seat::new(Arc::clone(self), seat), self.place.number(n)));
        self.book().bind(seat, task.abort_handle());
        Member { seat, task }
    }

    /// Gives up what is under way; says so once the interval in which that happened was handed over.
    async fn abandon(&self, crew: &mut [Option<Member>], count: u64) {
        for member in crew.iter_mut() {
            member.take_if(|m| self.book().is_under_way(m.seat));
        }
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

/// A hired user.
struct Member {
    seat: usize,
    task: JoinHandle<()>,
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
