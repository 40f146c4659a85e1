//! The posterior of the loss at every candidate: contention curves x queue model x residual, mixed over the knees.

use nalgebra::DVector;

use super::draws::{Residual, chance, nodes};
use super::hold::{Clock, Fit, HoldCurve, fit, left_out};
use super::kernel::{Observed, Scales};
use super::queue::{Arrivals, Queue};
use crate::analysis::numeric::{mean, median};
use crate::analysis::run::Run;

const DRAWS: f64 = 600.0;
/// A value is as good as the best within this.
pub(in crate::analysis) const INDIFFERENT: f64 = 0.02;
/// The queue model is never exact.
const LEAST_AMPLITUDE: f64 = 0.015;
/// Candidates at most; a wider range is thinned geometrically.
const MOST_CANDIDATES: usize = 400;

/// What is asked.
#[derive(Debug, Clone)]
pub(in crate::analysis) struct Question {
    /// The load and the rest of the queue model.
    pub(in crate::analysis) queue: Queue,
    /// Cores of the database, if known.
    pub(in crate::analysis) cores: Option<f64>,
    /// The candidates' range.
    pub(in crate::analysis) range: (f64, f64),
}

/// One contention curve with all that follows from it.
#[derive(Debug, Clone)]
pub(in crate::analysis) struct Member {
    /// Weight in the mixture.
    pub(in crate::analysis) weight: f64,
    /// The curve; none where nothing was known of hold times.
    pub(in crate::analysis) hold: Option<HoldCurve>,
    /// Growth of log H over the sweep.
    pub(in crate::analysis) drift: f64,
}

/// What is known about every candidate.
#[derive(Debug, Clone)]
pub(in crate::analysis) struct Posterior {
    /// The candidates.
    pub(in crate::analysis) grid: Vec<f64>,
    /// The mixture's members, heaviest first.
    pub(in crate::analysis) members: Vec<Member>,
    /// Mean and standard deviation of log(loss + think).
    pub(in crate::analysis) mean: Vec<f64>,
    /// See `mean`.
    pub(in crate::analysis) sd: Vec<f64>,
    /// Curves of the loss, drawn jointly.
    pub(in crate::analysis) draws: Vec<Vec<f64>>,
    /// Noise of one further run (log).
    pub(in crate::analysis) noise: f64,
    /// Think time added inside the logarithm.
    pub(in crate::analysis) shift: f64,
}

impl Question {
    /// Added to the loss inside the logarithm: with users it makes drift additive.
    fn shift(&self) -> f64 {
        match self.queue.arrivals {
            Arrivals::Closed { think_s, .. } => think_s,
            Arrivals::Open { .. } => 0.0,
        }
    }

    /// The candidates: every whole number, thinned geometrically if they are very many.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of whole numbers in a checked range")]
    pub(in crate::analysis) fn grid(&self) -> Vec<f64> {
        let (low, high) = (self.range.0.ceil().max(1.0), self.range.1.floor());
        let n = (high - low).clamp(0.0, 1e9) as usize + 1;
        if n <= MOST_CANDIDATES {
            return (0..n).map(|i| low + i as f64).collect();
        }
        let at = |i: usize| (low * (high / low).powf(i as f64 / (MOST_CANDIDATES - 1) as f64)).round();
        let mut grid: Vec<f64> = (0..MOST_CANDIDATES).map(at).collect();
        grid.dedup();
        grid
    }
}

/// Runs whose loss tells how much, not only where: not collapsed, few failures; at least three values.
fn informative(runs: &[Run]) -> Vec<Run> {
    let least = runs.iter().map(|r| r.loss).fold(f64::INFINITY, f64::min);
    let good: Vec<Run> = runs.iter().filter(|r| r.failed < 0.05 && r.loss < 4.0 * least).cloned().collect();
    let values = |runs: &[Run]| {
        let mut v: Vec<f64> = runs.iter().map(|r| r.value).collect();
        v.sort_by(f64::total_cmp);
        v.dedup();
        v
    };
    if values(&good).len() >= 3 {
        return good;
    }
    let best_of = |value: f64| runs.iter().filter(|r| (r.value - value).abs() < 1e-9).map(|r| r.loss).fold(f64::INFINITY, f64::min);
    let mut all = values(runs);
    all.sort_by(|a, b| best_of(*a).total_cmp(&best_of(*b)));
    all.truncate(3);
    runs.iter().filter(|r| all.iter().any(|v| (r.value - v).abs() < 1e-9)).cloned().collect()
}

fn observed(runs: &[Run], shift: f64, amplitude: f64) -> Observed {
    let middle = mean(runs.iter().map(|r| r.at_s)).unwrap_or(0.0);
    let (first, last) = runs.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), r| (a.min(r.at_s), b.max(r.at_s)));
    Observed {
        x: runs.iter().map(|r| r.value.ln()).collect(),
        y: runs.iter().map(|r| (r.loss + shift).max(1e-6).ln()).collect(),
        variance: runs.iter().map(|r| (r.loss_se / (r.loss + shift).max(1e-6)).powi(2) + r.doubt.powi(2)).collect(),
        time: runs.iter().map(|r| (r.at_s - middle) / (last - first + 1e-9)).collect(),
        block: runs.iter().map(|r| r.rep).collect(),
        reach: vec![1.0; runs.len()],
        amplitude,
    }
}

/// Where nothing waits by the model, the value can not matter much (open load only).
fn reach(losses: &[f64], plateau: f64) -> Vec<f64> {
    losses.iter().map(|l| 0.15 + 0.85 * (2.0 * (1.0 - plateau / l).max(0.0)).min(1.0)).collect()
}

impl Posterior {
    /// The posterior given prepared runs (see `prepare`); none without candidates or runs.
    pub(in crate::analysis) fn given(runs: &[Run], question: &Question) -> Option<Self> {
        let grid = question.grid();
        let fitted = informative(runs);
        let best = fitted.iter().min_by(|a, b| a.loss.total_cmp(&b.loss))?.value;
        let family = fit(runs, question.cores);
        let misfit = family.first().map_or(0.3, |f| left_out(runs, question.cores, best, f.drift));
        let shift = question.shift();
        let mut seen = observed(&fitted, shift, if family.is_empty() { 0.3 } else { 0.05 });
        let logs: Vec<f64> = grid.iter().map(|c| c.ln()).collect();
        let nodes = nodes(&logs);
        let mut parts: Vec<Part> = Vec::new();
        let clock = Clock::of(runs);
        let times: Vec<f64> = fitted.iter().map(|r| clock.at(r)).collect();
        let curves: Vec<(f64, Option<Fit>)> = if family.is_empty() { vec![(1.0, None)] } else { family.into_iter().map(|f| (f.weight, Some(f))).collect() };
        for (weight, hold) in curves {
            let model = Model::of(question, hold.as_ref(), &fitted, &times, &grid, &seen.y);
            seen.reach.clone_from(&model.reach_seen);
            let r = DVector::from_iterator(seen.y.len(), seen.y.iter().zip(&model.seen).map(|(y, m)| y - m));
            let (mut scales, evidence) = seen.scales(&r, parts.last().map(|p| &p.scales));
            scales.amplitude = scales.amplitude.max(misfit).max(LEAST_AMPLITUDE);
            if let Some(residual) = Residual::given(&seen, &scales, &r, &logs, &nodes) {
                parts.push(Part { log_weight: weight.ln() + evidence, drift: hold.as_ref().map_or(0.0, |f| f.drift), hold: hold.map(|f| f.curve), scales, residual, base: model.grid, reach: model.reach_grid });
            }
        }
        Self::mix(parts, grid, shift, median(&seen.variance).unwrap_or(0.0))
    }

    fn mix(mut parts: Vec<Part>, grid: Vec<f64>, shift: f64, variance: f64) -> Option<Self> {
        parts.sort_by(|a, b| b.log_weight.total_cmp(&a.log_weight));
        let top = parts.first()?.log_weight;
        let noise = (variance + parts.first()?.scales.noise.powi(2)).sqrt();
        // Tempered: every member is somewhat wrong.
        let raw: Vec<f64> = parts.iter().map(|p| (0.5 * (p.log_weight - top)).exp()).collect();
        let total: f64 = raw.iter().sum();
        let (mut mean, mut square) = (vec![0.0; grid.len()], vec![0.0; grid.len()]);
        let (mut draws, mut members, mut rng) = (Vec::new(), Vec::new(), chance());
        for (part, raw) in parts.into_iter().zip(raw) {
            let weight = raw / total;
            let (m, s) = part.residual.moments(&part.base, &part.reach);
            for i in 0..grid.len() {
                mean[i] += weight * m[i];
                square[i] += weight * (s[i].powi(2) + m[i].powi(2));
            }
            let n = (0..600).filter(|i| f64::from(*i) + 0.5 < weight * DRAWS).count();
            let curves = part.residual.draw(&part.base, &part.reach, n, &mut rng);
            draws.extend(curves.into_iter().map(|c| c.into_iter().map(|y| (y.exp() - shift).max(1e-4)).collect::<Vec<f64>>()));
            members.push(Member { weight, hold: part.hold, drift: part.drift });
        }
        let sd = mean.iter().zip(&square).map(|(m, s)| (s - m * m).max(0.0).sqrt()).collect();
        Some(Self { grid, members, mean, sd, draws, noise, shift })
    }

    /// Where a value stands among the candidates: the nearest.
    pub(in crate::analysis) fn index(&self, value: f64) -> usize {
        let apart = |i: &usize| (self.grid[*i] - value).abs();
        (0..self.grid.len()).min_by(|a, b| apart(a).total_cmp(&apart(b))).unwrap_or(0)
    }

    /// The loss at a candidate by the posterior mean of its logarithm.
    pub(in crate::analysis) fn loss(&self, i: usize) -> f64 {
        (self.mean[i].exp() - self.shift).max(1e-4)
    }
}

/// A member before mixing.
struct Part {
    log_weight: f64,
    hold: Option<HoldCurve>,
    drift: f64,
    scales: Scales,
    residual: Residual,
    base: Vec<f64>,
    reach: Vec<f64>,
}

/// The queue model's log losses at the runs and at the candidates.
struct Model {
    seen: Vec<f64>,
    grid: Vec<f64>,
    reach_seen: Vec<f64>,
    reach_grid: Vec<f64>,
}

impl Model {
    fn of(question: &Question, hold: Option<&Fit>, runs: &[Run], times: &[f64], grid: &[f64], y: &[f64]) -> Self {
        let Some(fit) = hold else {
            let level = mean(y.iter().copied()).unwrap_or(0.0);
            return Self { seen: vec![level; y.len()], grid: vec![level; grid.len()], reach_seen: vec![1.0; y.len()], reach_grid: vec![1.0; grid.len()] };
        };
        let candidates = question.queue.losses(&fit.curve, grid);
        let seen: Vec<f64> = if fit.drift == 0.0 {
            question.queue.losses(&fit.curve, &runs.iter().map(|r| r.value).collect::<Vec<_>>())
        } else {
            runs.iter().zip(times).flat_map(|(r, t)| question.queue.losses(&fit.curve.times((fit.drift * t).exp()), &[r.value])).collect()
        };
        let shift = question.shift();
        let log = |l: &[f64]| l.iter().map(|l| (l + shift).ln()).collect();
        let (reach_seen, reach_grid) = match (question.queue.arrivals, candidates.last()) {
            (Arrivals::Open { .. }, Some(plateau)) => (reach(&seen, *plateau), reach(&candidates, *plateau)),
            _ => (vec![1.0; seen.len()], vec![1.0; candidates.len()]),
        };
        Self { seen: log(&seen), grid: log(&candidates), reach_seen, reach_grid }
    }
}
