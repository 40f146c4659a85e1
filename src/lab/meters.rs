//! The service's own books: timers with count, sum and decaying maximum, kept the way Micrometer and HikariCP keep theirs, traps included.
//!
//! Pure bookkeeping in virtual time. Imports the lab's own files only; no clock, no I/O.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::station::Nanos;

/// One of Micrometer's windows for a maximum: three slots of a minute each.
const SLOT: Nanos = 60_000_000_000;
const SLOTS: usize = 3;

/// A maximum that forgets: the largest value of the last two to three minutes, not of a step.
#[derive(Debug, Clone, Default)]
struct WindowMax {
    slots: [Nanos; SLOTS],
    turn: u64,
}

impl WindowMax {
    fn turn_to(&mut self, now: Nanos) {
        let turn = now / SLOT;
        for passed in 0..(turn.saturating_sub(self.turn)).min(SLOTS as u64) {
            self.slots[Self::index(turn - passed)] = 0;
        }
        self.turn = self.turn.max(turn);
    }

    fn index(turn: u64) -> usize {
        usize::try_from(turn % SLOTS as u64).unwrap_or(0)
    }

    fn record(&mut self, now: Nanos, value: Nanos) {
        self.turn_to(now);
        let slot = &mut self.slots[Self::index(self.turn)];
        *slot = value.max(*slot);
    }

    fn at(&self, now: Nanos) -> Nanos {
        let mut copy = self.clone();
        copy.turn_to(now);
        copy.slots.into_iter().max().unwrap_or(0)
    }
}

/// A Micrometer timer: how many, how long together, and the longest of late.
#[derive(Debug, Clone, Default)]
pub(super) struct Timer {
    pub(super) count: u64,
    pub(super) sum: Nanos,
    max: WindowMax,
}

impl Timer {
    pub(super) fn record(&mut self, now: Nanos, took: Nanos) {
        self.count += 1;
        self.sum += took;
        self.max.record(now, took);
    }

    /// As [`Self::record`], in the whole milliseconds (rounded down) that HikariCP hands to its usage and creation timers.
    pub(super) fn record_whole_ms(&mut self, now: Nanos, took: Nanos) {
        self.record(now, took / 1_000_000 * 1_000_000);
    }

    /// The longest of the last two to three minutes.
    pub(super) fn max(&self, now: Nanos) -> Nanos {
        self.max.at(now)
    }
}

/// The labels under which a request is counted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RequestKey {
    pub(super) uri: Arc<str>,
    pub(super) method: &'static str,
    pub(super) status: u16,
}

/// All timers of the service.
#[derive(Debug, Default)]
pub(super) struct Meters {
    /// Waiting for a connection, given or timed out.
    pub(super) acquire: Timer,
    /// Holding one.
    pub(super) usage: Timer,
    /// Opening one.
    pub(super) creation: Timer,
    /// Waits that ended without a connection.
    pub(super) timeouts: u64,
    /// Requests that ended, from the moment a thread took them.
    pub(super) requests: BTreeMap<RequestKey, Timer>,
    /// Core time used by modelled work.
    pub(super) cpu: f64,
}

impl Meters {
    pub(super) fn request(&mut self, key: RequestKey, now: Nanos, took: Nanos) {
        self.requests.entry(key).or_default().record(now, took);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Nanos = 1_000_000_000;

    #[test]
    fn a_timer_counts_and_sums() {
        let mut timer = Timer::default();
        timer.record(0, 5);
        timer.record(1, 7);
        assert_eq!((timer.count, timer.sum, timer.max(2)), (2, 12, 7));
    }

    #[test]
    fn usage_keeps_whole_milliseconds_of_each_recording() {
        let mut timer = Timer::default();
        for _ in 0..4 {
            timer.record_whole_ms(0, 1_900_000);
        }
        assert_eq!(timer.sum, 4_000_000, "1.9 ms four times is recorded as 4 x 1 ms");
    }

    #[test]
    fn a_maximum_is_forgotten_after_three_minutes() {
        let mut timer = Timer::default();
        timer.record(0, 900);
        timer.record(100 * SECOND, 5);
        assert_eq!(timer.max(119 * SECOND), 900);
        assert_eq!(timer.max(179 * SECOND), 900);
        assert_eq!(timer.max(181 * SECOND), 5);
        assert_eq!(timer.max(1_000 * SECOND), 0);
        timer.record(2_000 * SECOND, 3);
        assert_eq!(timer.max(2_001 * SECOND), 3);
    }

    #[test]
    fn requests_are_kept_apart_by_their_labels() {
        let mut meters = Meters::default();
        let key = |status| RequestKey { uri: "/api/tickets".into(), method: "GET", status };
        meters.request(key(200), 0, 10);
        meters.request(key(200), 0, 20);
        meters.request(key(503), 0, 30);
        let counts: Vec<_> = meters.requests.iter().map(|(key, timer)| (key.status, timer.count)).collect();
        assert_eq!(counts, [(200, 2), (503, 1)]);
    }
}
