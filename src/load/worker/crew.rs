//! Closed users: hired up to the number that is wanted, let go when there are too many. One crew for a plain closed load, one for each
//! population of a time line.

use std::sync::Arc;

use tokio::task::JoinHandle;

use super::Worker;
use super::user::{self, Seat};
use crate::load::dial::Dial;
use crate::load::orders::{Orders, Who};
use crate::model::units::{Elapsed, Span};

/// A hired user.
struct Member {
    seat: usize,
    task: JoinHandle<()>,
}

/// Users of one kind, by number.
#[derive(Default)]
struct Crew(Vec<Option<Member>>);

impl Crew {
    /// Hires users up to `share`; those too many leave by themselves after their request, or at once if they only wait.
    fn man<D: Dial>(&mut self, worker: &Arc<Worker<D>>, share: u64, who: impl Fn(u64) -> (Who, u64, usize)) {
        let share = usize::try_from(share).unwrap_or(usize::MAX);
        for member in self.0.iter_mut().skip(share) {
            if let Some(m) = member.take_if(|m| !worker.book().is_under_way(m.seat)) {
                m.task.abort();
            }
        }
        self.0.resize_with(self.0.len().max(share), || None);
        for (n, member) in self.0.iter_mut().enumerate().take(share) {
            if member.as_ref().is_none_or(|m| m.task.is_finished()) {
                let (who, number, flow) = who(worker.place.number(n as u64));
                *member = Some(hire(worker, who, number, flow));
            }
        }
    }

    /// Forgets all: who only waits is stopped, who has a request under way leaves behind it.
    fn dismiss<D: Dial>(&mut self, worker: &Worker<D>) {
        for member in self.0.drain(..).flatten() {
            if !worker.book().is_under_way(member.seat) {
                member.task.abort();
            }
        }
    }
}

fn hire<D: Dial>(worker: &Arc<Worker<D>>, who: Who, number: u64, flow: usize) -> Member {
    let seat = worker.book().sit();
    let task = tokio::spawn(user::live(Seat::new(Arc::clone(worker), seat), who, number, flow));
    worker.book().bind(seat, task.abort_handle());
    Member { seat, task }
}

/// All closed users of a worker.
#[derive(Default)]
pub(super) struct Crews {
    plain: Crew,
    line: Vec<Crew>,
    since: Elapsed,
    following: bool,
}

impl Crews {
    /// As many of each kind as the orders want at `now`. Returns when that number changes by itself.
    pub(super) fn man<D: Dial>(&mut self, worker: &Arc<Worker<D>>, orders: &Orders, now: Elapsed) -> Option<Elapsed> {
        let shares = &worker.job.shares;
        self.plain.man(worker, worker.place.share(orders.users()), |n| (Who::User(n), n, shares.nth(usize::try_from(n).unwrap_or(0))));
        let line = worker.job.line.as_ref()?;
        let since = orders.line();
        if since != Some(self.since) {
            self.line.iter_mut().for_each(|crew| crew.dismiss(worker));
        }
        if since.is_none() && std::mem::take(&mut self.following) {
            // Nobody of a line comes back to it: who is in the middle of a long pause would only be counted as being at work.
            worker.book().idle().iter().for_each(tokio::task::AbortHandle::abort);
        }
        self.following = since.is_some();
        self.since = since?;
        self.line.resize_with(line.crowds.len(), Crew::default);
        let at = now.since(self.since);
        let mut next: Option<Span> = None;
        for (crowd, (known, crew)) in line.crowds.iter().zip(&mut self.line).enumerate().filter(|(_, (c, _))| c.has_users()) {
            let who = |number: u64| {
                let flow = known.shares.nth(usize::try_from(number).unwrap_or(0));
                // Users of different populations are different users.
                (Who::Member { since: self.since, crowd, number }, ((crowd as u64 + 1) << 40) + number, flow)
            };
            crew.man(worker, worker.place.share(known.users_at(at)), who);
            next = [next, known.next_change(at)].into_iter().flatten().min();
        }
        next.map(|at| self.since.plus(at))
    }

    /// Forgets those with a request under way, whose tasks are about to be stopped.
    pub(super) fn forget_busy<D: Dial>(&mut self, worker: &Worker<D>) {
        for member in self.line.iter_mut().chain([&mut self.plain]).flat_map(|crew| &mut crew.0) {
            member.take_if(|m| worker.book().is_under_way(m.seat));
        }
    }
}
