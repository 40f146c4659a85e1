//! Who is at work and what each has under way: a seat for every user, taken again when it is free.

use tokio::task::AbortHandle;

use crate::model::event::Cohort;
use crate::model::units::Elapsed;

/// A request under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Under {
    /// Which of the job's keys.
    pub(crate) key: usize,
    /// Where it belongs.
    pub(crate) cohort: Cohort,
    /// When it was meant to begin.
    pub(crate) intended: Elapsed,
    /// When it began.
    pub(crate) sent: Elapsed,
}

#[derive(Debug, Default)]
struct Seat {
    taken: bool,
    under: Option<Under>,
    handle: Option<AbortHandle>,
}

/// All seats of a worker.
#[derive(Debug, Default)]
pub(super) struct Seats {
    all: Vec<Seat>,
    free: Vec<usize>,
    under_way: u64,
}

impl Seats {
    pub(super) const fn under_way(&self) -> u64 {
        self.under_way
    }

    pub(super) const fn taken(&self) -> u64 {
        (self.all.len() - self.free.len()) as u64
    }

    pub(super) fn take(&mut self) -> usize {
        let at = self.free.pop().unwrap_or_else(|| {
            self.all.push(Seat::default());
            self.all.len() - 1
        });
        if let Some(seat) = self.all.get_mut(at) {
            seat.taken = true;
        }
        at
    }

    pub(super) fn bind(&mut self, at: usize, handle: AbortHandle) {
        if let Some(seat) = self.all.get_mut(at) {
            seat.handle = Some(handle);
        }
    }

    pub(super) fn free(&mut self, at: usize) {
        let Some(seat) = self.all.get_mut(at).filter(|s| s.taken) else { return };
        self.under_way -= u64::from(seat.under.is_some());
        *seat = Seat::default();
        self.free.push(at);
    }

    pub(super) fn begin(&mut self, at: usize, under: Under) {
        if let Some(seat) = self.all.get_mut(at) {
            self.under_way += u64::from(seat.under.is_none());
            seat.under = Some(under);
        }
    }

    pub(super) fn end(&mut self, at: usize) -> Option<Under> {
        let under = self.all.get_mut(at)?.under.take()?;
        self.under_way -= 1;
        Some(under)
    }

    pub(super) fn is_under_way(&self, at: usize) -> bool {
        self.all.get(at).is_some_and(|s| s.under.is_some())
    }

    /// Whom to stop so that nobody is left who has nothing under way.
    pub(super) fn idle(&self) -> Vec<AbortHandle> {
        self.all.iter().filter(|seat| seat.taken && seat.under.is_none()).filter_map(|seat| seat.handle.clone()).collect()
    }

    /// Takes all that is under way, and whom to stop for it.
    pub(super) fn give_up(&mut self) -> (Vec<Under>, Vec<AbortHandle>) {
        let (mut given_up, mut handles) = (Vec::new(), Vec::new());
        for seat in &mut self.all {
            if let Some(under) = seat.under.take() {
                given_up.push(under);
                handles.extend(seat.handle.clone());
            }
        }
        self.under_way = 0;
        (given_up, handles)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::event::{Phase, StepId};

    fn under() -> Under {
        Under { key: 0, cohort: Cohort { step: StepId(0), phase: Phase::Measure, slot: 0 }, intended: Elapsed(1), sent: Elapsed(2) }
    }

    #[test]
    fn seats_are_taken_again() {
        let mut seats = Seats::default();
        let (a, b) = (seats.take(), seats.take());
        assert_eq!(seats.taken(), 2);
        seats.free(a);
        seats.free(a);
        assert_eq!(seats.taken(), 1);
        assert_eq!(seats.take(), a);
        assert_ne!(a, b);
    }

    #[test]
    fn leaving_with_a_request_under_way_takes_it_along() {
        let mut seats = Seats::default();
        let a = seats.take();
        seats.begin(a, under());
        assert_eq!(seats.under_way(), 1);
        seats.free(a);
        assert_eq!((seats.under_way(), seats.end(a)), (0, None));
    }

    #[test]
    fn giving_up_takes_everything_once() {
        let mut seats = Seats::default();
        let (a, b) = (seats.take(), seats.take());
        seats.begin(a, under());
        seats.begin(b, under());
        assert_eq!(seats.end(b), Some(under()));
        assert_eq!(seats.give_up().0, [under()]);
        assert_eq!(seats.give_up().0, []);
        assert_eq!((seats.end(a), seats.taken()), (None, 2));
    }
}
