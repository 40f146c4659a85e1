//! A processor-sharing station in virtual time: everyone in it works at the same speed, and the speed depends on how many are in it now.
//!
//! The trick that makes it exact and cheap: one clock of *work done by anybody present* runs at the common speed, a job ends when that clock
//! has run its demand since it came in. A change of company changes the clock's speed, never the order of the jobs. Imports nothing of the
//! product; reads no clock: the time is handed in.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Nanoseconds on the lab's own time line, which begins at 0 when it starts.
pub(super) type Nanos = u64;

/// Where a job's end stands on the work clock. `BinaryHeap` needs a total order, so ties go to the one that came first.
#[derive(Debug, Clone, Copy)]
struct End {
    work: f64,
    turn: u64,
    job: usize,
}

impl Ord for End {
    fn cmp(&self, other: &Self) -> Ordering {
        self.work.total_cmp(&other.work).then(self.turn.cmp(&other.turn))
    }
}

impl PartialOrd for End {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for End {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for End {}

/// A processor-sharing station.
#[derive(Debug, Default)]
pub(super) struct Station {
    ends: BinaryHeap<Reverse<End>>,
    /// The work clock, in nanoseconds of undisturbed work.
    work: f64,
    /// Up to where the work clock has been run.
    at: Nanos,
    turn: u64,
}

impl Station {
    /// Jobs in it now.
    pub(super) fn len(&self) -> u32 {
        u32::try_from(self.ends.len()).unwrap_or(u32::MAX)
    }

    /// Runs the work clock to `now` at the speed of the company there was; to be called before the company or the speed changes.
    pub(super) fn run_to(&mut self, now: Nanos, slowdown: f64) {
        if now > self.at {
            if !self.ends.is_empty() {
                self.work += (now - self.at) as f64 / slowdown;
            }
            self.at = now;
        }
    }

    /// A job comes in with `demand` nanoseconds of undisturbed work. The clock must have been run to now.
    pub(super) fn enter(&mut self, job: usize, demand: f64) {
        if self.ends.is_empty() {
            // Kept small: after days of work a growing clock would lose the nanoseconds.
            self.work = 0.0;
        }
        self.turn += 1;
        self.ends.push(Reverse(End { work: self.work + demand, turn: self.turn, job }));
    }

    /// When the next job ends if nothing changes before.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a saturating cast of a value checked to be positive")]
    pub(super) fn due(&self, slowdown: f64) -> Option<Nanos> {
        let Reverse(first) = self.ends.peek()?;
        let left = ((first.work - self.work) * slowdown).max(0.0);
        Some(self.at.saturating_add(left.ceil() as Nanos))
    }

    /// Takes out the job that ends first.
    pub(super) fn leave(&mut self) -> Option<usize> {
        self.ends.pop().map(|Reverse(end)| end.job)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two jobs that halve each other's speed.
    fn slowdown(n: u32) -> f64 {
        f64::from(n.max(1))
    }

    #[test]
    fn alone_a_job_takes_its_demand() {
        let mut station = Station::default();
        station.run_to(1_000, 1.0);
        station.enter(7, 500.0);
        assert_eq!(station.due(1.0), Some(1_500));
        assert_eq!(station.leave(), Some(7));
        assert_eq!(station.due(1.0), None);
    }

    #[test]
    fn a_newcomer_slows_the_one_at_work_from_that_moment() {
        let mut station = Station::default();
        station.enter(0, 1_000.0);
        station.run_to(400, slowdown(1));
        station.enter(1, 100.0);
        // 600 left for the first, 100 for the second, both at half speed: the second ends 200 later.
        assert_eq!(station.due(slowdown(2)), Some(600));
        station.run_to(600, slowdown(2));
        assert_eq!(station.leave(), Some(1));
        // The first has 500 left and the station to itself.
        assert_eq!(station.due(slowdown(1)), Some(1_100));
    }

    #[test]
    fn equal_ends_keep_their_order() {
        let mut station = Station::default();
        for job in 0..5 {
            station.enter(job, 10.0);
        }
        let order: Vec<_> = std::iter::from_fn(|| station.leave()).collect();
        assert_eq!(order, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn an_idle_stretch_does_no_work() {
        let mut station = Station::default();
        station.run_to(5_000, 1.0);
        station.enter(0, 10.0);
        assert_eq!(station.due(1.0), Some(5_010));
    }

    #[test]
    fn time_never_runs_backwards() {
        let mut station = Station::default();
        station.run_to(100, 1.0);
        station.run_to(50, 1.0);
        station.enter(0, 1.0);
        assert_eq!(station.due(1.0), Some(101));
    }
}
