//! The members of the mixture: one contention curve each, with the queue model's losses and the scales of the residual.

use nalgebra::DVector;

use super::draws::nodes;
use super::hold::{Clock, Fit};
use super::kernel::{Observed, Scales};
use super::posterior::Question;
use super::queue::Arrivals;
use crate::analysis::numeric::mean;
use crate::analysis::run::Run;

/// The queue model is never exact.
const LEAST_AMPLITUDE: f64 = 0.015;
/// A member with less weight than this is not carried on.
const LEAST_WEIGHT: f64 = 0.01;

/// What all members share.
pub(super) struct Setup<'a> {
    pub(super) question: &'a Question,
    /// All runs: they make the contention curve.
    pub(super) runs: &'a [Run],
    /// Those whose loss is fitted.
    pub(super) fitted: &'a [Run],
    /// When they were.
    pub(super) times: Vec<f64>,
    pub(super) grid: Vec<f64>,
    pub(super) logs: Vec<f64>,
    pub(super) nodes: Vec<f64>,
    pub(super) seen: Observed,
    pub(super) shift: f64,
}

impl<'a> Setup<'a> {
    pub(super) fn new(question: &'a Question, runs: &'a [Run], fitted: &'a [Run], amplitude: f64) -> Self {
        let (grid, clock, shift) = (question.grid(), Clock::of(runs), question.shift());
        let logs: Vec<f64> = grid.iter().map(|c| c.ln()).collect();
        let times = fitted.iter().map(|r| clock.at(r)).collect();
        Self { question, runs, fitted, times, nodes: nodes(&logs), logs, grid, seen: observed(fitted, shift, amplitude), shift }
    }
}

fn observed(runs: &[Run], shift: f64, amplitude: f64) -> Observed {
    let clock = Clock::of(runs);
    let scale = |r: &Run| (r.loss + shift).max(1e-6);
    Observed {
        x: runs.iter().map(|r| r.value.ln()).collect(),
        y: runs.iter().map(|r| scale(r).ln()).collect(),
        variance: runs.iter().map(|r| (r.loss_se / scale(r)).powi(2) + r.doubt.powi(2)).collect(),
        time: runs.iter().map(|r| clock.at(r)).collect(),
        block: runs.iter().map(|r| r.rep).collect(),
        reach: vec![1.0; runs.len()],
        amplitude,
    }
}

/// One contention curve with all that follows from it.
#[derive(Debug, Clone)]
pub(in crate::analysis) struct Member {
    /// Weight in the mixture; they sum to one.
    pub(in crate::analysis) weight: f64,
    /// The curve and its drift; none where nothing was known of hold times.
    pub(in crate::analysis) fit: Option<Fit>,
    /// Scales of the residual.
    pub(super) scales: Scales,
}

/// The members, heaviest first.
pub(super) fn members(setup: &Setup<'_>, family: Vec<Fit>, misfit: f64) -> Vec<Member> {
    let curves: Vec<(f64, Option<Fit>)> =
        if family.is_empty() { vec![(1.0, None)] } else { family.into_iter().map(|f| (f.weight, Some(f))).collect() };
    let mut seen = setup.seen.clone();
    let mut found: Vec<(f64, Member)> = Vec::new();
    for (weight, fit) in curves {
        let model = Model::of(setup, fit.as_ref());
        seen.reach.clone_from(&model.reach_seen);
        let (mut scales, evidence) = seen.scales(&model.residual(&seen.y), found.last().map(|f| &f.1.scales));
        scales.amplitude = scales.amplitude.max(misfit).max(LEAST_AMPLITUDE);
        found.push((weight.ln() + evidence, Member { weight, fit, scales }));
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    let top = found.first().map_or(0.0, |f| f.0);
    // Tempered: every member is somewhat wrong.
    let raw = |log: f64| (0.5 * (log - top)).exp();
    found.retain(|f| raw(f.0) > LEAST_WEIGHT);
    let total: f64 = found.iter().map(|f| raw(f.0)).sum();
    found.into_iter().map(|(log, member)| Member { weight: raw(log) / total, ..member }).collect()
}

/// The queue model's log losses at the runs and at the candidates.
pub(super) struct Model {
    pub(super) seen: Vec<f64>,
    pub(super) grid: Vec<f64>,
    pub(super) reach_seen: Vec<f64>,
    pub(super) reach_grid: Vec<f64>,
}

impl Model {
    pub(super) fn of(setup: &Setup<'_>, fit: Option<&Fit>) -> Self {
        let (runs, grid) = (setup.fitted.len(), setup.grid.len());
        let Some(fit) = fit else {
            let level = mean(setup.seen.y.iter().copied()).unwrap_or(0.0);
            return Self { seen: vec![level; runs], grid: vec![level; grid], reach_seen: vec![1.0; runs], reach_grid: vec![1.0; grid] };
        };
        let candidates = setup.question.queue.losses(&fit.curve, &setup.grid);
        let seen = losses_at_runs(setup, fit, 1.0);
        let log = |l: &[f64]| l.iter().map(|l| (l + setup.shift).ln()).collect();
        let (reach_seen, reach_grid) = match (setup.question.queue.arrivals, candidates.last()) {
            (Arrivals::Open { .. }, Some(plateau)) => (reach(&seen, *plateau), reach(&candidates, *plateau)),
            _ => (vec![1.0; runs], vec![1.0; grid]),
        };
        Self { seen: log(&seen), grid: log(&candidates), reach_seen, reach_grid }
    }

    /// What the model leaves of `y`.
    pub(super) fn residual(&self, y: &[f64]) -> DVector<f64> {
        DVector::from_iterator(y.len(), y.iter().zip(&self.seen).map(|(y, m)| y - m))
    }
}

/// The model's losses at the runs, each at its time, with all holds longer by a factor.
pub(super) fn losses_at_runs(setup: &Setup<'_>, fit: &Fit, factor: f64) -> Vec<f64> {
    let queue = &setup.question.queue;
    if fit.drift == 0.0 {
        return queue.losses(&fit.curve.times(factor), &setup.fitted.iter().map(|r| r.value).collect::<Vec<_>>());
    }
    let at = |(r, t): (&Run, &f64)| queue.losses(&fit.curve.times(factor * (fit.drift * t).exp()), &[r.value]);
    setup.fitted.iter().zip(&setup.times).flat_map(at).collect()
}

/// Where nothing waits by the model, the value can not matter much (open load only).
fn reach(losses: &[f64], plateau: f64) -> Vec<f64> {
    losses.iter().map(|l| 0.15 + 0.85 * (2.0 * (1.0 - plateau / l).max(0.0)).min(1.0)).collect()
}
