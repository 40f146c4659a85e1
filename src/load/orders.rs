//! What the workers are to do now: one place that the engine writes and every user looks at before it sends.
//!
//! A change acts at the next look; who waits for one is woken.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::sync::futures::Notified;

use super::fill::Value;
use crate::model::plan::LoadModel;
use crate::model::units::Elapsed;
use crate::ports::Belongs;

/// The standing orders.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Orders {
    /// The load, once it was told.
    pub(crate) load: Option<(LoadModel, Belongs)>,
    /// No request may begin.
    pub(crate) held: bool,
    /// When the arrivals of an open load began to count, or the time line began.
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

    /// The load whose arrivals may begin now, if any may.
    pub(crate) fn arrivals(&self) -> Option<LoadModel> {
        let load = self.load.filter(|_| !self.held && self.end.is_none())?.0;
        matches!(load, LoadModel::Open { .. } | LoadModel::Line).then_some(load)
    }

    /// When the time line began, if it is followed now.
    pub(crate) fn line(&self) -> Option<Elapsed> {
        (self.arrivals() == Some(LoadModel::Line)).then_some(self.since)
    }

    /// When the time line began that requests belong to, also while nothing may begin.
    pub(crate) fn line_of_requests(&self) -> Option<Elapsed> {
        matches!(self.load, Some((LoadModel::Line, _))).then_some(self.since)
    }

    /// Where a request that begins now belongs, if one may begin for this user (or for an arrival).
    pub(crate) fn permit(&self, who: Who) -> Permit {
        match self.load {
            _ if self.end.is_some() => Permit::Leave,
            None => Permit::Wait,
            Some((load, belongs)) => match (who, load) {
                (Who::User(n), LoadModel::Closed { users }) if n >= u64::from(users) => Permit::Leave,
                (Who::Comer { since } | Who::Member { since, .. }, LoadModel::Line) if self.held || since != self.since => Permit::Leave,
                (Who::User(_), LoadModel::Closed { .. })
                | (Who::Arrival, LoadModel::Open { .. })
                | (Who::Comer { .. } | Who::Member { .. }, LoadModel::Line) => {
                    if self.held {
                        Permit::Wait
                    } else {
                        Permit::Go(belongs)
                    }
                }
                _ => Permit::Leave,
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
    /// Somebody who came along the time line that began then.
    Comer {
        /// The line's begin.
        since: Elapsed,
    },
    /// The so-manyth of a population's closed users on the time line that began then.
    Member {
        /// The line's begin.
        since: Elapsed,
        /// Which population.
        crowd: usize,
        /// Which of its users.
        number: u64,
    },
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
    settings: Mutex<Arc<[Option<Value>]>>,
    changed: Notify,
    /// Changed under the lock of the orders, so that whoever sees a new line also sees its places.
    places: Mutex<Arc<Places>>,
}

/// How many arrivals of each population are at work. A line that begins anew has new ones: who is left of the old takes no place in it.
#[derive(Debug, Default)]
pub(crate) struct Places(Vec<AtomicU64>);

impl Places {
    fn of(populations: usize) -> Self {
        Self((0..populations).map(|_| AtomicU64::new(0)).collect())
    }

    /// Takes one of `most` places of a population, if one is free. Given back when it is dropped.
    pub(crate) fn take(self: &Arc<Self>, crowd: usize, most: u64) -> Option<Taken> {
        let taken = Taken { places: Arc::clone(self), crowd };
        // What is over the limit is given back by dropping it.
        (self.0.get(crowd)?.fetch_add(1, Ordering::Relaxed) < most).then_some(taken)
    }
}

/// A place under `max_users`, given back however the visit ends.
#[derive(Debug)]
pub(crate) struct Taken {
    places: Arc<Places>,
    crowd: usize,
}

impl Drop for Taken {
    fn drop(&mut self) {
        if let Some(count) = self.places.0.get(self.crowd) {
            count.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Desk {
    /// Nothing to do yet.
    pub(crate) fn new() -> Self {
        let orders = Orders { load: None, held: true, since: Elapsed::ZERO, abandoned: 0, end: None };
        Self { orders: Mutex::new(orders), settings: Mutex::default(), changed: Notify::new(), places: Mutex::new(Arc::new(Places::of(1))) }
    }

    fn lock(&self) -> MutexGuard<'_, Orders> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The orders as they stand.
    pub(crate) fn read(&self) -> Orders {
        *self.lock()
    }

    /// The settings of the step, for the users whose requests hold one.
    pub(crate) fn settings(&self) -> Arc<[Option<Value>]> {
        Arc::clone(&self.settings.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// These settings from now on.
    pub(crate) fn set(&self, settings: Arc<[Option<Value>]>) {
        *self.settings.lock().unwrap_or_else(PoisonError::into_inner) = settings;
    }

    /// Resolves at the next change after this call once it was enabled.
    pub(crate) fn changed(&self) -> Notified<'_> {
        self.changed.notified()
    }

    fn write(&self, change: impl FnOnce(&mut Orders)) {
        change(&mut self.lock());
        self.changed.notify_waiters();
    }

    /// This load from now on. An open load that stays as it was keeps its rhythm; a time line always begins anew.
    pub(crate) fn drive(&self, load: LoadModel, belongs: Belongs, now: Elapsed) {
        self.write(|o| {
            if load == LoadModel::Line || o.held || o.load.map(|l| l.0) != Some(load) {
                o.since = now;
            }
            (o.load, o.held) = (Some((load, belongs)), false);
        });
    }

    /// Begins the time line anew for so many populations.
    pub(crate) fn follow(&self, populations: usize, belongs: Belongs, now: Elapsed) {
        *self.places.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(Places::of(populations.max(1)));
        self.drive(LoadModel::Line, belongs, now);
    }

    /// Where arrivals take their places.
    pub(crate) fn places(&self) -> Arc<Places> {
        Arc::clone(&self.places.lock().unwrap_or_else(PoisonError::into_inner))
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::event::{Phase, StepId};
    use crate::model::units::Rate;

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
        assert_eq!(desk.read().arrivals(), Some(open(20.0)));
    }

    #[test]
    fn places_are_bounded_and_come_back() {
        let places = Arc::new(Places::of(2));
        let (one, two) = (places.take(1, 2), places.take(1, 2));
        assert!(one.is_some() && two.is_some() && places.take(1, 2).is_none());
        assert!(places.take(0, 2).is_some(), "each population has its own");
        drop(one);
        assert!(places.take(1, 2).is_some());
        assert!(places.take(2, 2).is_none());
    }

    #[test]
    fn a_time_line_begins_anew_each_time_and_its_old_users_leave() {
        let desk = Desk::new();
        desk.follow(1, BELONGS, Elapsed(5));
        let (old, since) = (desk.places().take(0, 1), desk.read().since);
        let (comer, member) = (Who::Comer { since }, Who::Member { since, crowd: 0, number: 0 });
        assert_eq!((desk.read().permit(comer), desk.read().permit(member)), (Permit::Go(BELONGS), Permit::Go(BELONGS)));
        assert_eq!((desk.read().permit(Who::Arrival), desk.read().permit(Who::User(0))), (Permit::Leave, Permit::Leave));
        assert_eq!(desk.read().line(), Some(Elapsed(5)));
        desk.hold();
        assert_eq!((desk.read().permit(comer), desk.read().line()), (Permit::Leave, None));
        desk.follow(1, BELONGS, Elapsed(9));
        assert_eq!((desk.read().permit(comer), desk.read().permit(member)), (Permit::Leave, Permit::Leave));
        assert!(old.is_some() && desk.places().take(0, 1).is_some(), "who is left of the old line takes no place in the new one");
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
