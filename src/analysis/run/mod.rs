//! One run of one value as figures: what is left after the unsteady beginning, its loss with the error of batches, wait, hold,
//! and the samples of the contention curve. From `sweep` and `numeric` only.

mod measure;
mod percentile;
mod rows;
#[cfg(test)]
mod tests;

pub(in crate::analysis) use measure::{MIN_BATCHES, MIN_REQUESTS, measure, shortness};
pub(in crate::analysis) use percentile::{Percentiles, percentile_at};

/// The figures of one run. Times in seconds; rates a second.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::analysis) struct Run {
    /// The swept setting's value.
    pub(in crate::analysis) value: f64,
    /// The pool's size.
    pub(in crate::analysis) pool: f64,
    /// Worker threads.
    pub(in crate::analysis) threads: Option<f64>,
    /// Block.
    pub(in crate::analysis) rep: u32,
    /// Middle of the run.
    pub(in crate::analysis) at_s: f64,
    /// Rows that count, and the seconds they take.
    pub(in crate::analysis) rows: usize,
    /// Seconds that count.
    pub(in crate::analysis) seconds: f64,
    /// Batches the error comes from.
    pub(in crate::analysis) batches: usize,
    /// Requests that ended.
    pub(in crate::analysis) requests: f64,
    /// Mean loss J.
    pub(in crate::analysis) loss: f64,
    /// Its standard error, never below 0.1%.
    pub(in crate::analysis) loss_se: f64,
    /// All that ended a second.
    pub(in crate::analysis) rate: f64,
    /// Successes a second.
    pub(in crate::analysis) good: f64,
    /// Share that failed.
    pub(in crate::analysis) failed: f64,
    /// Arrivals that could not begin, a second.
    pub(in crate::analysis) dropped: f64,
    /// Mean latency of the successes.
    pub(in crate::analysis) latency: Option<f64>,
    /// Percentiles from the slices.
    pub(in crate::analysis) percentiles: Percentiles,
    /// Connections in use.
    pub(in crate::analysis) active: Option<f64>,
    /// The most seen.
    pub(in crate::analysis) active_max: Option<f64>,
    /// Requests waiting for a connection.
    pub(in crate::analysis) pending: Option<f64>,
    /// Threads at work.
    pub(in crate::analysis) busy: Option<f64>,
    /// Share of samples with (nearly) all threads at work.
    pub(in crate::analysis) full: Option<f64>,
    /// Wait for a connection, a use.
    pub(in crate::analysis) wait: Option<f64>,
    /// Hold of a connection, a use.
    pub(in crate::analysis) hold: Option<f64>,
    /// Connections obtained a second.
    pub(in crate::analysis) obtained: f64,
    /// Uses of a connection a request.
    pub(in crate::analysis) uses: f64,
    /// Hold by the timer alone, and by Little's law alone.
    pub(in crate::analysis) hold_timer: Option<f64>,
    /// Active over connections obtained a second.
    pub(in crate::analysis) hold_little: Option<f64>,
    /// Pending over connections obtained a second.
    pub(in crate::analysis) wait_little: Option<f64>,
    /// Cores in use by the service.
    pub(in crate::analysis) process_cpu: Option<f64>,
    /// Sessions at work at the database.
    pub(in crate::analysis) db_active: Option<f64>,
    /// Sessions waiting for a lock.
    pub(in crate::analysis) lock_waiting: Option<f64>,
    /// Mann-Kendall's z of the backlog, and its growth over the run relative to its mean.
    pub(in crate::analysis) growth: (f64, f64),
    /// Growth of log H from the first third of the run to the last.
    pub(in crate::analysis) hold_trend: Option<f64>,
    /// Never steady.
    pub(in crate::analysis) unsteady: bool,
    /// Share of the run in which the load generator was the limit.
    pub(in crate::analysis) generator_bound: f64,
    /// (active, hold) by batch.
    pub(in crate::analysis) holds: Vec<(f64, f64)>,
    /// How far the hold may be above the undisturbed one (log).
    pub(in crate::analysis) doubt: f64,
}

impl Run {
    /// Waiting of a whole request.
    pub(in crate::analysis) fn wait_request(&self) -> Option<f64> {
        self.wait.map(|w| w * self.uses)
    }

    /// Holding of a whole request.
    pub(in crate::analysis) fn hold_request(&self) -> Option<f64> {
        self.hold.map(|h| h * self.uses)
    }

    /// A further step, chosen by the judge.
    pub(in crate::analysis) const fn is_further(&self) -> bool {
        self.rep >= 99
    }
}
