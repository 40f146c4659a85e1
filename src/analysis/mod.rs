//! The judge: from what was measured to a verdict with its uncertainty, or the reason why none can be given.
//!
//! The way through: [`Sweep`] (what any tool can write, and what a session becomes) -> the figures of each run -> the contention
//! curve, the queue model and the posterior of the loss at every candidate -> the choice and the rules. Pure: no clock, no I/O,
//! chance only from fixed seeds, so that the same input gives the same verdict byte for byte. It may import `model/` and rank 1.

mod answer;
mod compare;
mod curve;
mod little;
mod numeric;
mod progress;
mod run;
mod sweep;
#[cfg(test)]
mod testkit;
mod threshold;

use crate::model::session::Session;
use crate::model::verdict::PoolVerdict;

pub use compare::{Change, Comparison, Estimate, Metric, MetricChange, compare};
pub use little::{Consistency, Law, Level, littles_law};
pub use progress::{LossSoFar, NEEDED, Needed, insufficient, loss_so_far};
pub use sweep::{By, Candidates, Column, Goal, LatencySlice, Load, LoadKind, SCHEMA, Series, Sweep, SweepError, SweepStep, sweep_of};
pub use threshold::{Standing, standing, thresholds};

/// Version of the judge: moves when the same data may get another verdict.
pub const JUDGE: &str = "2";

/// The verdict on a sweep. The same sweep gives the same verdict.
#[must_use]
pub fn judge(sweep: &Sweep) -> PoolVerdict {
    answer::verdict(sweep)
}

/// The verdict on what a session has measured so far; none without a swept setting or before a step was measured.
#[must_use]
pub fn judge_session(session: &Session) -> Option<PoolVerdict> {
    sweep_of(session).map(|sweep| judge(&sweep))
}
