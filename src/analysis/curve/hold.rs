//! The contention curve: hold time H against active connections, rising and bent upwards, with a knee that is averaged over.
//!
//! `H(a) = h0 + h1 a + h2 a^2 + h3 (a-k)+ + h4 (a-k)+^2`, all coefficients at least 0. Without the knee it is the universal scalability
//! law; the knee is a limit of cores or disks. One fitted knee would pin the optimum with false certainty.

use nalgebra::{DMatrix, DVector};

use crate::analysis::numeric::{mean, nnls, spread};
use crate::analysis::run::Run;

/// Relative misfit at which a sample begins to lose its weight.
const CAUCHY: f64 = 0.045;
/// How far a run's mean hold may be off the curve for reasons of its own.
pub(super) const HOLD_SD: f64 = 0.015;
/// Misfit allowed for each e-fold of loss above the best, and at most: the curve must be right near the best value, not at a collapsed one.
const FAR: (f64, f64) = (0.06, 0.08);
const KNEES: usize = 14;
const ROUNDS: usize = 5;
/// A curve with less weight than this is not carried on.
const LEAST_WEIGHT: f64 = 0.02;

/// One member of the family.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::analysis) struct HoldCurve {
    /// h0 to h4.
    pub(in crate::analysis) terms: [f64; 5],
    /// k.
    pub(in crate::analysis) knee: Option<f64>,
}

impl HoldCurve {
    /// H at `active` connections in use, in seconds.
    pub(in crate::analysis) fn at(&self, active: f64) -> f64 {
        let basis = basis(active, self.knee);
        self.terms.iter().zip(basis).map(|(h, x)| h * x).sum::<f64>().max(1e-6)
    }
}

fn basis(a: f64, knee: Option<f64>) -> [f64; 5] {
    let over = knee.map_or(0.0, |k| (a - k).max(0.0));
    [1.0, a, a * a, over, over * over]
}

/// A sample with its weight.
struct Sample {
    active: f64,
    hold: f64,
    weight: f64,
}

fn samples(runs: &[Run]) -> Vec<Sample> {
    let least = runs.iter().map(|r| r.loss).fold(f64::INFINITY, f64::min).max(1e-9);
    let mut out = Vec::new();
    for run in runs.iter().filter(|r| !r.holds.is_empty()) {
        let n = run.holds.len() as f64;
        let holds: Vec<f64> = run.holds.iter().map(|h| h.1).collect();
        let relative = spread(&holds).zip(mean(holds.iter().copied())).map_or(0.0, |(s, m)| s / m);
        let far = (FAR.0 * (run.loss / least).ln()).clamp(0.0, FAR.1);
        let sd = HOLD_SD.max(relative / n.sqrt()).hypot(run.doubt).hypot(far);
        out.extend(run.holds.iter().map(|&(active, hold)| Sample { active, hold, weight: 1.0 / (sd * n.sqrt()) }));
    }
    out
}

/// The family fitted to all runs: members with their weights, which sum to one. Empty if nothing was held anywhere.
pub(in crate::analysis) fn fit(runs: &[Run], cores: Option<f64>) -> Vec<(f64, HoldCurve)> {
    let samples = samples(runs);
    if samples.len() < 4 {
        let constant = mean(runs.iter().filter_map(|r| r.hold));
        return constant.map(|h| (1.0, HoldCurve { terms: [h, 0.0, 0.0, 0.0, 0.0], knee: None })).into_iter().collect();
    }
    let knees = knees(&samples, cores);
    let penalty = (knees.len() as f64).ln() + 1.0;
    let score = |knee: Option<f64>| {
        let (curve, loss) = fit_one(&samples, knee);
        (-loss - if knee.is_some() { penalty } else { 0.0 }, curve)
    };
    let fits: Vec<(f64, HoldCurve)> = std::iter::once(None).chain(knees.into_iter().map(Some)).map(score).collect();
    let top = fits.iter().map(|f| f.0).fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = fits.iter().map(|f| (f.0 - top).exp()).sum();
    let weighed = fits.into_iter().map(|(s, curve)| ((s - top).exp() / total, curve));
    weighed.filter(|(w, _)| *w > LEAST_WEIGHT).collect()
}

fn knees(samples: &[Sample], cores: Option<f64>) -> Vec<f64> {
    let (low, high) = samples.iter().fold((f64::INFINITY, 0.0_f64), |(lo, hi), s| (lo.min(s.active), hi.max(s.active)));
    let (low, high) = ((0.8 * low).max(1.0), (0.95 * high).max(1.0));
    let at = |i: usize| low * (high / low).powf(i as f64 / (KNEES - 1) as f64);
    (0..KNEES).map(at).chain(cores).collect()
}

/// Least squares of relative misfits, re-weighted so that single far samples do not bend the curve.
fn fit_one(samples: &[Sample], knee: Option<f64>) -> (HoldCurve, f64) {
    let columns = if knee.is_some() { 5 } else { 3 };
    let base = DMatrix::from_fn(samples.len(), columns, |i, j| samples.get(i).map_or(0.0, |s| basis(s.active, knee)[j] / s.hold));
    let weights = DVector::from_iterator(samples.len(), samples.iter().map(|s| s.weight));
    let mut robust = DVector::from_element(samples.len(), 1.0);
    let mut curve = HoldCurve { terms: [0.0; 5], knee };
    let mut loss = 0.0;
    for _ in 0..ROUNDS {
        let target = weights.component_mul(&robust);
        let mut rows = base.clone();
        for (mut row, w) in rows.row_iter_mut().zip(target.iter()) {
            row *= *w;
        }
        for (slot, term) in curve.terms.iter_mut().zip(nnls(&rows, &target)) {
            *slot = term;
        }
        loss = 0.0;
        for ((s, r), w) in samples.iter().zip(robust.iter_mut()).zip(weights.iter()) {
            let off = (curve.at(s.active) / s.hold - 1.0) / CAUCHY;
            *r = 1.0 / (1.0 + off * off).sqrt();
            loss += 0.5 * (w * CAUCHY).powi(2) * (off * off).ln_1p();
        }
    }
    (curve, loss)
}

/// How badly the curve predicts an interior value near the best that it has not seen (root mean square of log H).
pub(super) fn left_out(runs: &[Run], cores: Option<f64>, best: f64) -> f64 {
    let mut values: Vec<f64> = runs.iter().map(|r| r.value).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let Some(at) = (0..values.len()).min_by(|a, b| (values[*a] - best).abs().total_cmp(&(values[*b] - best).abs())) else { return 0.0 };
    let (from, to) = (1.max(at.saturating_sub(1)), (values.len().saturating_sub(1)).min(at + 2));
    let mut squares = Vec::new();
    for value in values.get(from..to.max(from)).unwrap_or_default() {
        let rest: Vec<Run> = runs.iter().filter(|r| (r.value - value).abs() > 1e-9).cloned().collect();
        let mut others: Vec<f64> = rest.iter().map(|r| r.value).collect();
        others.dedup();
        if others.len() < 3 {
            continue;
        }
        let family = fit(&rest, cores);
        let Some(best) = family.iter().max_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
        let off: Vec<f64> =
            runs.iter().filter(|r| (r.value - value).abs() <= 1e-9).flat_map(|r| &r.holds).map(|(a, h)| (h / best.1.at(*a)).ln()).collect();
        squares.extend(crate::analysis::numeric::median(&off).map(|m| m * m));
    }
    mean(squares).map_or(0.0, |m| m.sqrt().min(0.5))
}
