//! What the workers are to do now: one place that the engine writes and every user looks at before it sends.
//!
//! A change acts at the next look; who waits for one is woken.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::sync::futures::Notified;

use crate::model::plan::LoadModel;
use crate::model::units::{Elapsed, Rate};
use crate::ports::Belongs;

/// The standing orders.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Orders {
    /// The load, once it was told.
    pub(crate) load: Option<(LoadModel, Belongs)>,
    /// No request may begin.
    pub(crate) held: bool,
    /// When the arrivals of an open load began to count.
    pub(crate) since: Elapsed,
    /// How often everything under way was given up.
    pub(crate) abandoned: u64,
    /// When it all ends.
    pub(crate) end: Option<Elapsed>,
}

impl Orders {
    /// How many users there are under closed load.
    pub(crate) const fn users(&self) -> u64 {
        match self.load {
            Some((LoadModel::Closed { users }, _)) => users as u64,
            _ => 0,
        }
    }

    /// The arrivals, if any may begin: how often, and how many under way at most.
    pub(crate) fn arrivals(&self) -> Option<(Rate, u64)> {
        match self.load {
            Some((LoadModel::Open { rate, max_users }, _)) if !self.held && self.end.is_none() => Some((rate, u64::from(max_users))),
            _ => None,
        }
    }

    /// Where a request that begins now belongs, if one may begin for this user (or for an arrival).
    pub(crate) fn permit(&self, who: Who) -> Permit {
        match self.load {
            _ if self.end.is_some() => Permit::Leave,
            None => Permit::Wait,
            Some((load, belongs)) => match (who, load) {
                (Who::User(n), LoadModel::Closed { users }) if n >= u64::from(users) => Permit::Leave,
                (Who::User(_), LoadModel::Open { .. }) | (Who::Arrival, LoadModel::Closed { .. }) => Permit::Leave,
                _ if self.held => Permit::Wait,
                _ => Permit::Go(belongs),
            },
        }
    }
}

/// Who asks to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Who {
    /// The so-manyth user of a closed load.
    User(u64),
    /// An arrival of an open load.
    Arrival,
}

/// Whether a request may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Permit {
    /// Yes, and it belongs there.
    Go(Belongs),
    /// Not now.
    Wait,
    /// Never again for this user.
    Leave,
}

/// Where orders are written and read.
#[derive(Debug)]
pub(crate) struct Desk {
    orders: Mutex<Orders>,
    changed: Notify,
    under_way: AtomicU64,
}

impl Desk {
    /// Nothing to do yet.
    pub(crate) fn new() -> Self {
        let orders = Orders { load: None, held: true, since: Elapsed::ZERO, abandoned: 0, end: None };
        Self { orders: Mutex::new(orders), changed: Notify::new(), under_way: AtomicU64::new(0) }
    }

    fn lock(&self) -> MutexGuard<'_, Orders> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The orders as they stand.
    pub(crate) fn read(&self) -> Orders {
        *self.lock()
    }

    /// Resolves at the next change after this call once it was enabled.
    pub(crate) fn changed(&self) -> Notified<'_> {
        self.changed.notified()
    }

    fn write(&self, change: impl FnOnce(&mut Orders)) {
        change(&mut self.lock());
        self.changed.notify_waiters();
    }

    /// This load from now on. An open load that stays as it was keeps its rhythm.
    pub(crate) fn drive(&self, load: LoadModel, belongs: Belongs, now: Elapsed) {
        self.write(|o| {
            if o.held || o.load.map(|l| l.0) != Some(load) {
                o.since = now;
            }
            (o.load, o.held) = (Some((load, belongs)), false);
        });
    }

    /// No request begins.
    pub(crate) fn hold(&self) {
        self.write(|o| o.held = true);
    }

    /// Everything under way is given up; returns the how-manyth time that is.
    pub(crate) fn abandon(&self) -> u64 {
        let mut count = 0;
        self.write(|o| {
            o.abandoned += 1;
            count = o.abandoned;
        });
        count
    }

    /// The end.
    pub(crate) fn end(&self, at: Elapsed) {
        self.write(|o| {
            o.end.get_or_insert(at);
        });
    }

    /// Takes one of `most` places for an arrival, if one is free. To be given back by [`Desk::give_back`].
    pub(crate) fn take_place(&self, most: u64) -> bool {
        let taken = self.under_way.fetch_add(1, Ordering::Relaxed) < most;
        if !taken {
            self.give_back();
        }
        taken
    }

    /// A place is free again.
    pub(crate) fn give_back(&self) {
        self.under_way.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::event::{Phase, StepId};

    const BELONGS: Belongs = Belongs { step: StepId(1), phase: Phase::Measure };

    fn open(rate: f64) -> LoadModel {
        LoadModel::Open { rate: Rate::per_second(rate), max_users: 2 }
    }

    #[test]
    fn users_beyond_the_number_leave() {
        let desk = Desk::new();
        assert_eq!(desk.read().permit(Who::User(0)), Permit::Wait);
        desk.drive(LoadModel::Closed { users: 2 }, BELONGS, Elapsed(5));
        assert_eq!(desk.read().permit(Who::User(1)), Permit::Go(BELONGS));
        assert_eq!(desk.read().permit(Who::User(2)), Permit::Leave);
        assert_eq!(desk.read().permit(Who::Arrival), Permit::Leave);
        desk.hold();
        assert_eq!(desk.read().permit(Who::User(1)), Permit::Wait);
        desk.end(Elapsed(9));
        assert_eq!(desk.read().permit(Who::User(1)), Permit::Leave);
    }

    #[test]
    fn an_open_load_keeps_its_rhythm_until_it_changes() {
        let desk = Desk::new();
        desk.drive(open(10.0), BELONGS, Elapsed(5));
        desk.drive(open(10.0), Belongs { phase: Phase::Drain, ..BELONGS }, Elapsed(7));
        assert_eq!(desk.read().since, Elapsed(5));
        desk.drive(open(20.0), BELONGS, Elapsed(8));
        assert_eq!(desk.read().since, Elapsed(8));
        desk.hold();
        assert_eq!(desk.read().arrivals(), None);
        desk.drive(open(20.0), BELONGS, Elapsed(9));
        assert_eq!(desk.read().since, Elapsed(9));
        assert_eq!(desk.read().arrivals(), Some((Rate::per_second(20.0), 2)));
    }

    #[test]
    fn places_are_bounded_and_come_back() {
        let desk = Desk::new();
        assert!(desk.take_place(2) && desk.take_place(2) && !desk.take_place(2));
        desk.give_back();
        assert!(desk.take_place(2));
    }

    #[tokio::test]
    async fn who_waits_is_woken_by_any_change() {
        let desk = Desk::new();
        let mut changed = std::pin::pin!(desk.changed());
        changed.as_mut().enable();
        desk.hold();
        changed.await;
    }
}
