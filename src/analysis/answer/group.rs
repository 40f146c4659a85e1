//! All runs of one value together.

use crate::analysis::numeric::mean;
use crate::analysis::run::Run;

/// The runs of one value, ascending by value in every list of groups.
#[derive(Debug, Clone)]
pub(super) struct Group {
    /// The setting's value.
    pub(super) value: f64,
    /// Its runs.
    pub(super) runs: Vec<Run>,
}

/// The runs by value, ascending.
pub(super) fn groups(runs: &[Run]) -> Vec<Group> {
    let mut sorted: Vec<&Run> = runs.iter().collect();
    sorted.sort_by(|a, b| a.value.total_cmp(&b.value));
    let mut out: Vec<Group> = Vec::new();
    for run in sorted {
        match out.last_mut() {
            Some(group) if (group.value - run.value).abs() < 1e-9 => group.runs.push(run.clone()),
            _ => out.push(Group { value: run.value, runs: vec![run.clone()] }),
        }
    }
    out
}

impl Group {
    /// The mean of a figure over the runs that have it.
    pub(super) fn mean(&self, of: impl Fn(&Run) -> Option<f64>) -> Option<f64> {
        mean(self.runs.iter().filter_map(of))
    }

    fn always(&self, of: impl Fn(&Run) -> f64) -> f64 {
        mean(self.runs.iter().map(of)).unwrap_or(0.0)
    }

    /// Mean loss.
    pub(super) fn loss(&self) -> f64 {
        self.always(|r| r.loss)
    }

    /// Its error: of the batches, or of the runs if they differ by more.
    pub(super) fn loss_se(&self) -> f64 {
        let n = self.runs.len() as f64;
        let within = self.always(|r| r.loss_se) / n.sqrt();
        let apart: f64 = self.runs.iter().map(|r| (r.loss - self.loss()).powi(2)).sum();
        if n > 1.0 { within.max((apart / (n - 1.0) / n).sqrt()) } else { within }
    }

    /// Mean error of one run.
    pub(super) fn run_se(&self) -> f64 {
        self.always(|r| r.loss_se)
    }

    /// Share that failed.
    pub(super) fn failed(&self) -> f64 {
        self.always(|r| r.failed)
    }

    /// Successes a second.
    pub(super) fn good(&self) -> f64 {
        self.always(|r| r.good)
    }

    /// All that ended a second.
    pub(super) fn rate(&self) -> f64 {
        self.always(|r| r.rate)
    }

    /// Arrivals that could not begin, a second.
    pub(super) fn dropped(&self) -> f64 {
        self.always(|r| r.dropped)
    }

    /// Requests waiting.
    pub(super) fn pending(&self) -> Option<f64> {
        self.mean(|r| r.pending)
    }

    /// Connections in use.
    pub(super) fn active(&self) -> Option<f64> {
        self.mean(|r| r.active)
    }

    /// Waiting of a whole request.
    pub(super) fn wait(&self) -> Option<f64> {
        self.mean(Run::wait_request)
    }

    /// Holding of a whole request.
    pub(super) fn hold(&self) -> Option<f64> {
        self.mean(Run::hold_request)
    }

    /// Share of samples with all threads at work.
    pub(super) fn full(&self) -> f64 {
        self.mean(|r| r.full).unwrap_or(0.0)
    }

    /// Cores in use by the service.
    pub(super) fn process_cpu(&self) -> Option<f64> {
        self.mean(|r| r.process_cpu)
    }

    /// Nothing waits here: no queue at the pool, and no waiting that counts.
    pub(super) fn is_quiet(&self) -> bool {
        let queue = self.pending().map(|q| q <= 0.1_f64.max(0.01 * self.active().unwrap_or(0.0)));
        let wait = self.wait().map(|w| w <= 0.02 * self.loss());
        match (queue, wait) {
            (None, None) => false,
            (queue, wait) => queue.unwrap_or(true) && wait.unwrap_or(true),
        }
    }
}
