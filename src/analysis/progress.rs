//! How well the running step's loss is known so far: the runner stops measuring when it is known well enough.

use super::numeric::{batch_bounds, batch_ratio};
use super::run::{MIN_BATCHES, MIN_REQUESTS, shortness};
use crate::model::event::StepId;
use crate::model::session::Session;

/// The loss of a step that is being measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LossSoFar {
    /// Mean loss in seconds.
    pub mean_s: f64,
    /// Its standard error in seconds.
    pub se_s: f64,
    /// Batches it comes from.
    pub batches: usize,
    /// Requests that ended.
    pub requests: u64,
    /// Error over mean.
    pub relative: f64,
}

/// The least a step's figures need to count in full.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Needed {
    /// Batches.
    pub batches: usize,
    /// Requests in each.
    pub requests_a_batch: f64,
}

/// What a step needs.
pub const NEEDED: Needed = Needed { batches: MIN_BATCHES, requests_a_batch: MIN_REQUESTS };

/// The loss of a step so far; none before two batches can be made. The newest interval is left out: its requests are still under way.
#[must_use]
pub fn loss_so_far(session: &Session, step: StepId) -> Option<LossSoFar> {
    let plan = session.plan()?;
    let cost = plan.objective.failure_cost.unwrap_or(plan.load.timeout);
    let state = session.step(step)?;
    let mut rows: Vec<(f64, f64)> = state.measured_slots().map(|(_, f)| (f.loss_sum_s(cost), f.finished() as f64)).collect();
    if state.ended().is_none() {
        rows.pop();
    }
    let parts = (rows.len() / 5).clamp(MIN_BATCHES, 12);
    let sum = |(a, b): &(usize, usize)| rows.get(*a..*b).unwrap_or_default().iter().fold((0.0, 0.0), |(c, n), r| (c + r.0, n + r.1));
    let batches: Vec<(f64, f64)> = batch_bounds(rows.len(), parts).iter().map(sum).filter(|b| b.1 > 0.0).collect();
    let ratio = batch_ratio(&batches)?;
    let se = ratio.se?;
    let requests = rows.iter().map(|r| r.1).sum::<f64>();
    Some(LossSoFar {
        mean_s: ratio.mean,
        se_s: se,
        batches: batches.len(),
        requests: whole(requests),
        relative: if ratio.mean > 0.0 { se / ratio.mean } else { f64::INFINITY },
    })
}

/// Why so many batches and requests do not count in full; none if they do.
#[must_use]
pub fn insufficient(batches: usize, requests: u64) -> Option<String> {
    shortness(batches, requests as f64)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of requests, clamped")]
fn whole(x: f64) -> u64 {
    x.round().clamp(0.0, 9e15) as u64
}
