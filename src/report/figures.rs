//! The figures of one run, from the fold: what a progress line, the table of runs and the CSV have in common.

use crate::analysis;
use crate::model::histogram::Histogram;
use crate::model::session::{Session, StepState};
use crate::model::signal::Signal;
use crate::model::units::{Elapsed, Span};

/// What one run measured. Each figure is none where it can not be known.
pub(super) struct RunFigures {
    /// Length of the measure phase.
    pub measured: Option<Span>,
    /// Requests of the measure phase that ended, successes and failures.
    pub requests: u64,
    /// Those that failed.
    pub failed: u64,
    /// Arrivals of the measure phase that were never sent.
    pub dropped: Option<u64>,
    /// Requests that ended a second while measuring.
    pub rate: Option<f64>,
    /// Mean loss and its standard error, in seconds.
    pub loss_s: Option<(f64, Option<f64>)>,
    /// Latencies of the successes.
    pub latency: Histogram,
    /// Why these figures do not count in full.
    pub short: Option<String>,
    window: Option<(Elapsed, Elapsed)>,
}

impl RunFigures {
    /// Of one step; a running phase counts up to now.
    pub(super) fn of(session: &Session, step: &StepState) -> Self {
        let window = step.measured().map(|m| (m.from, m.to.unwrap_or(session.now())));
        let (ok, failed) = step.measured_counts();
        let ended = window.and_then(|(from, to)| ended_in(session, from, to));
        let judged = analysis::loss_so_far(session, step.planned().step);
        let loss_s = judged.map(|l| (l.mean_s, Some(l.se_s))).or_else(|| plain_loss(session, step).map(|l| (l, None)));
        Self {
            measured: window.map(|(from, to)| to.since(from)),
            requests: ok.saturating_add(failed),
            failed,
            dropped: window.map(|_| step.dropped()),
            rate: ended.and_then(|(finished, seconds)| (seconds > 0.0).then(|| finished as f64 / seconds)),
            loss_s,
            latency: step.latency(),
            short: window.and_then(|_| analysis::insufficient(judged.map_or(0, |l| l.batches), ok.saturating_add(failed))),
            window,
        }
    }

    /// Share of the requests that failed.
    pub(super) fn failed_share(&self) -> Option<f64> {
        (self.requests > 0).then(|| self.failed as f64 / self.requests as f64)
    }

    /// A percentile of the successes' latency, in seconds.
    pub(super) fn quantile_s(&self, q: f64) -> Option<f64> {
        self.latency.quantile(q).map(Span::as_secs_f64)
    }

    /// Mean level of a signal while measuring.
    pub(super) fn level(&self, session: &Session, signal: Signal, of: Option<&str>) -> Option<f64> {
        let (from, to) = self.window?;
        session.joined(signal, of)?.mean_level(from, to).map(|(mean, _)| mean)
    }
}

/// What ended in the intervals that lie wholly in a window: requests, seconds.
fn ended_in(session: &Session, from: Elapsed, to: Elapsed) -> Option<(u64, f64)> {
    let mut any = false;
    let sums = session.ticks_between(from, to).fold((0_u64, 0.0), |(finished, seconds), t| {
        any = true;
        (finished.saturating_add(t.finished), seconds + t.seconds())
    });
    any.then_some(sums)
}

fn plain_loss(session: &Session, step: &StepState) -> Option<f64> {
    let plan = session.plan()?;
    let cost = plan.objective.failure_cost.unwrap_or(plan.load.timeout);
    let (sum, n) = step.measured_slots().fold((0.0, 0_u64), |(sum, n), (_, f)| (sum + f.loss_sum_s(cost), n.saturating_add(f.finished())));
    (n > 0).then(|| sum / n as f64)
}
