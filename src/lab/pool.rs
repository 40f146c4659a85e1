//! The connection pool: how many connections there are, who holds one, who waits in which order, and what a changed maximum does.
//!
//! Bookkeeping only: the engine says what time it is and what happened. Imports the lab's own files only; no clock, no I/O.

use std::collections::{BTreeSet, VecDeque};

use super::settings::Behaviour;
use super::station::Nanos;

/// A pool of connections with a FIFO queue in front.
#[derive(Debug)]
pub(super) struct Pool {
    /// The maximum that everyone is told.
    told_max: u32,
    /// The maximum that acts.
    max: u32,
    behaviour: Behaviour,
    total: u32,
    in_use: u32,
    waiters: VecDeque<usize>,
    deadlines: BTreeSet<(Nanos, usize)>,
    /// When the connection being opened will be there, and when its opening began.
    opening: Option<(Nanos, Nanos)>,
}

impl Pool {
    pub(super) fn new(max: u32, behaviour: Behaviour) -> Self {
        let (waiters, deadlines) = (VecDeque::new(), BTreeSet::new());
        Self { told_max: max, max, behaviour, total: 0, in_use: 0, waiters, deadlines, opening: None }
    }

    pub(super) fn told_max(&self) -> u32 {
        self.told_max
    }

    pub(super) fn total(&self) -> u32 {
        self.total
    }

    pub(super) fn in_use(&self) -> u32 {
        self.in_use
    }

    pub(super) fn idle(&self) -> u32 {
        self.total - self.in_use
    }

    pub(super) fn pending(&self) -> usize {
        self.waiters.len()
    }

    /// Takes over a changed maximum in the way the behaviour says.
    pub(super) fn change(&mut self, max: u32, behaviour: Behaviour) {
        self.behaviour = behaviour;
        self.told_max = max;
        if behaviour != Behaviour::Echo {
            self.max = max;
        }
        if behaviour == Behaviour::Evict {
            self.total = self.total.min(self.max.max(self.in_use));
        }
    }

    /// Gives `job` an idle connection, if there is one and nobody is before it.
    pub(super) fn take(&mut self) -> bool {
        let free = self.waiters.is_empty() && self.idle() > 0;
        self.in_use += u32::from(free);
        free
    }

    /// Puts `job` at the end of the queue.
    pub(super) fn wait(&mut self, job: usize, deadline: Nanos) {
        self.waiters.push_back(job);
        self.deadlines.insert((deadline, job));
    }

    /// A connection comes back; it is closed if it is one too many.
    pub(super) fn give_back(&mut self) {
        self.in_use = self.in_use.saturating_sub(1);
        if self.behaviour == Behaviour::Evict && self.total > self.max {
            self.total -= 1;
        }
    }

    /// Hands an idle connection to the one who waits longest; `deadline_of` tells the deadline it was queued with.
    pub(super) fn serve_waiter(&mut self, deadline_of: impl Fn(usize) -> Nanos) -> Option<usize> {
        if self.idle() == 0 {
            return None;
        }
        let job = self.waiters.pop_front()?;
        self.deadlines.remove(&(deadline_of(job), job));
        self.in_use += 1;
        Some(job)
    }

    /// When the next waiter runs out of patience.
    pub(super) fn next_deadline(&self) -> Option<Nanos> {
        self.deadlines.first().map(|&(deadline, _)| deadline)
    }

    /// Takes the waiter out whose deadline is the first.
    pub(super) fn give_up(&mut self) -> Option<usize> {
        let (_, job) = self.deadlines.pop_first()?;
        self.waiters.retain(|&waiter| waiter != job);
        Some(job)
    }

    /// Begins to open a connection if one is missing and none is on its way (the minimum idle is the maximum).
    pub(super) fn open_if_short(&mut self, now: Nanos, takes: Nanos) {
        if self.opening.is_none() && self.total < self.max {
            self.opening = Some((now.saturating_add(takes), now));
        }
    }

    /// When the connection on its way will be there.
    pub(super) fn next_opened(&self) -> Option<Nanos> {
        self.opening.map(|(due, _)| due)
    }

    /// The connection on its way is there: how long it took, unless it is no longer wanted.
    pub(super) fn opened(&mut self, now: Nanos) -> Option<Nanos> {
        let (_, began) = self.opening.take()?;
        (self.total < self.max).then(|| {
            self.total += 1;
            now - began
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full(max: u32, behaviour: Behaviour) -> Pool {
        let mut pool = Pool::new(max, behaviour);
        while pool.total() < max {
            pool.open_if_short(0, 0);
            pool.opened(0).unwrap();
        }
        pool
    }

    #[test]
    fn connections_are_lent_until_none_is_left() {
        let mut pool = full(2, Behaviour::Evict);
        assert!(pool.take() && pool.take() && !pool.take());
        assert_eq!((pool.in_use(), pool.idle()), (2, 0));
        pool.give_back();
        assert!(pool.take());
    }

    #[test]
    fn the_first_to_wait_is_the_first_served() {
        let mut pool = full(1, Behaviour::Evict);
        assert!(pool.take());
        pool.wait(7, 100);
        pool.wait(3, 90);
        assert_eq!(pool.next_deadline(), Some(90));
        pool.give_back();
        assert!(!pool.take(), "a newcomer must not pass those who wait");
        let deadline = |job: usize| if job == 7 { 100 } else { 90 };
        assert_eq!(pool.serve_waiter(deadline), Some(7));
        assert_eq!(pool.give_up(), Some(3));
        assert_eq!((pool.pending(), pool.next_deadline()), (0, None));
    }

    #[test]
    fn evicting_closes_the_surplus_as_it_comes_back() {
        let mut pool = full(10, Behaviour::Evict);
        (0..8).for_each(|_| assert!(pool.take()));
        pool.change(3, Behaviour::Evict);
        assert_eq!((pool.told_max(), pool.total()), (3, 8), "the idle go at once");
        (0..8).for_each(|_| pool.give_back());
        assert_eq!((pool.total(), pool.idle()), (3, 3));
    }

    #[test]
    fn keeping_leaves_the_surplus_in_use() {
        let mut pool = full(10, Behaviour::Keep);
        (0..8).for_each(|_| assert!(pool.take()));
        pool.change(3, Behaviour::Keep);
        (0..8).for_each(|_| pool.give_back());
        assert_eq!((pool.told_max(), pool.total()), (3, 10));
        assert!((0..10).all(|_| pool.take()), "all ten are lent again");
    }

    #[test]
    fn echoing_says_the_new_and_does_the_old() {
        let mut pool = full(4, Behaviour::Echo);
        pool.change(9, Behaviour::Echo);
        pool.open_if_short(0, 5);
        assert_eq!((pool.told_max(), pool.total(), pool.next_opened()), (9, 4, None));
        pool.change(9, Behaviour::Evict);
        pool.open_if_short(0, 5);
        assert_eq!(pool.next_opened(), Some(5), "a pool that behaves again grows");
    }

    #[test]
    fn a_connection_no_longer_wanted_is_not_kept() {
        let mut pool = full(2, Behaviour::Evict);
        pool.change(3, Behaviour::Evict);
        pool.open_if_short(10, 5);
        pool.change(2, Behaviour::Evict);
        assert_eq!(pool.opened(15), None);
        assert_eq!(pool.total(), 2);
    }
}
