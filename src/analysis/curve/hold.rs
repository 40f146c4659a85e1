//! The contention curve: hold time H against active connections, rising and bent upwards, with a knee that is averaged over.
//!
//! `H(a) = h0 + h1 a + h2 a^2 + h3 (a-k)+ + h4 (a-k)+^2`, all coefficients at least 0. Without the knee it is the universal scalability
//! law; the knee is a limit of cores or disks. One fitted knee would pin the optimum with false certainty.

use crate::analysis::numeric::{Normal, mean, spread};
use crate::analysis::run::Run;

/// Relative misfit at which a sample begins to lose its weight.
const CAUCHY: f64 = 0.045;
/// How far a run's mean hold may be off the curve for reasons of its own.
pub(super) const HOLD_SD: f64 = 0.015;
/// Misfit allowed for each e-fold of loss above the best, and at most: the curve must be right near the best value, not at a collapsed one.
const FAR: (f64, f64) = (0.06, 0.08);
const KNEES: usize = 14;
const ROUNDS: usize = 5;
/// A curve with less than this share of the heaviest one's weight is not carried on, nor are more than so many.
const LEAST_WEIGHT: f64 = 0.03;
const MOST_MEMBERS: usize = 16;
/// Drifts of log H over the sweep that are tried, either way, and the scale of their (Cauchy) prior.
const DRIFTS: [f64; 8] = [0.02, 0.04, 0.07, 0.1, 0.14, 0.19, 0.25, 0.32];
const DRIFT_SCALE: f64 = 0.04;

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

    /// The same curve, slower by a factor.
    pub(super) fn times(&self, factor: f64) -> Self {
        Self { terms: self.terms.map(|h| h * factor), knee: self.knee }
    }
}

fn basis(a: f64, knee: Option<f64>) -> [f64; 5] {
    let over = knee.map_or(0.0, |k| (a - k).max(0.0));
    [1.0, a, a * a, over, over * over]
}

/// When a run was, on the scale of the sweep: centred, one sweep long.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Clock {
    middle: f64,
    length: f64,
}

impl Clock {
    /// The clock of these runs.
    pub(super) fn of(runs: &[Run]) -> Self {
        let (first, last) = runs.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), r| (a.min(r.at_s), b.max(r.at_s)));
        Self { middle: mean(runs.iter().map(|r| r.at_s)).unwrap_or(0.0), length: (last - first).max(1e-9) }
    }

    /// The time of a run.
    pub(super) fn at(&self, run: &Run) -> f64 {
        (run.at_s - self.middle) / self.length
    }
}

/// A member of the family with its weight.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::analysis) struct Fit {
    /// Weight; those of a family sum to about one.
    pub(in crate::analysis) weight: f64,
    /// The curve in the middle of the sweep.
    pub(in crate::analysis) curve: HoldCurve,
    /// Growth of log H over the sweep.
    pub(in crate::analysis) drift: f64,
}

/// A sample with its weight.
struct Sample {
    active: f64,
    hold: f64,
    weight: f64,
    time: f64,
}

fn samples(runs: &[Run]) -> Vec<Sample> {
    let clock = Clock::of(runs);
    let least = runs.iter().map(|r| r.loss).fold(f64::INFINITY, f64::min).max(1e-9);
    let mut out = Vec::new();
    for run in runs.iter().filter(|r| !r.holds.is_empty()) {
        let n = run.holds.len() as f64;
        let holds: Vec<f64> = run.holds.iter().map(|h| h.1).collect();
        let relative = spread(&holds).zip(mean(holds.iter().copied())).map_or(0.0, |(s, m)| s / m);
        let far = (FAR.0 * (run.loss / least).ln()).clamp(0.0, FAR.1);
        let sd = HOLD_SD.max(relative / n.sqrt()).hypot(run.doubt).hypot(far);
        let time = clock.at(run);
        out.extend(run.holds.iter().map(|&(active, hold)| Sample { active, hold, weight: 1.0 / (sd * n.sqrt()), time }));
    }
    out
}

/// The family fitted to all runs, over knees and drifts. Empty if nothing was held anywhere.
pub(super) fn fit(runs: &[Run], cores: Option<f64>) -> Vec<Fit> {
    let samples = samples(runs);
    if samples.len() < 4 {
        let constant = mean(runs.iter().filter_map(|r| r.hold));
        let curve = |h| HoldCurve { terms: [h, 0.0, 0.0, 0.0, 0.0], knee: None };
        return constant.map(|h| Fit { weight: 1.0, curve: curve(h), drift: 0.0 }).into_iter().collect();
    }
    let knees = knees(&samples, cores);
    // A first look at all drifts with few knees spares most of them the rest.
    let few: Vec<Option<f64>> = std::iter::once(None).chain(knees.iter().copied().step_by(4).map(Some)).collect();
    let look: Vec<(f64, f64)> =
        drifts(runs).into_iter().map(|d| (d, few.iter().map(|k| scored(&samples, *k, d, knees.len()).0).fold(f64::NEG_INFINITY, f64::max))).collect();
    let top = look.iter().map(|l| l.1).fold(f64::NEG_INFINITY, f64::max);
    let all: Vec<Option<f64>> = std::iter::once(None).chain(knees.iter().copied().map(Some)).collect();
    let mut fits = Vec::new();
    for (drift, _) in look.into_iter().filter(|l| l.1 > top - 4.0) {
        fits.extend(all.iter().map(|k| scored(&samples, *k, drift, knees.len())).map(|(score, curve)| (score, curve, drift)));
    }
    weigh(fits)
}

/// Scores to weights; the light ones are left out, and of the rest at most so many are kept.
fn weigh(mut fits: Vec<(f64, HoldCurve, f64)>) -> Vec<Fit> {
    fits.sort_by(|a, b| b.0.total_cmp(&a.0));
    let top = fits.first().map_or(0.0, |f| f.0);
    let total: f64 = fits.iter().map(|f| (f.0 - top).exp()).sum();
    let weighed = fits.into_iter().map(|(s, curve, drift)| Fit { weight: (s - top).exp() / total, curve, drift });
    let heaviest = 1.0 / total;
    weighed.take(MOST_MEMBERS).filter(|f| f.weight > LEAST_WEIGHT * heaviest).collect()
}

/// Drifts that are tried: none alone where no two runs are apart in time.
fn drifts(runs: &[Run]) -> Vec<f64> {
    let apart = runs.iter().any(|r| (r.at_s - runs[0].at_s).abs() > 1e-9);
    let sizes: &[f64] = if apart { &DRIFTS } else { &[] };
    std::iter::once(0.0).chain(sizes.iter().flat_map(|d| [*d, -d])).collect()
}

fn scored(samples: &[Sample], knee: Option<f64>, drift: f64, knees: usize) -> (f64, HoldCurve) {
    let (curve, loss) = fit_one(samples, knee, drift);
    let penalty = if knee.is_some() { (knees as f64).ln() + 1.0 } else { 0.0 };
    (-loss - penalty - (drift / DRIFT_SCALE).powi(2).ln_1p(), curve)
}

fn knees(samples: &[Sample], cores: Option<f64>) -> Vec<f64> {
    let (low, high) = samples.iter().fold((f64::INFINITY, 0.0_f64), |(lo, hi), s| (lo.min(s.active), hi.max(s.active)));
    let (low, high) = ((0.8 * low).max(1.0), (0.95 * high).max(1.0));
    let at = |i: usize| low * (high / low).powf(i as f64 / (KNEES - 1) as f64);
    (0..KNEES).map(at).chain(cores).collect()
}

/// Least squares of relative misfits, re-weighted so that single far samples do not bend the curve.
fn fit_one(samples: &[Sample], knee: Option<f64>, drift: f64) -> (HoldCurve, f64) {
    let columns = if knee.is_some() { 5 } else { 3 };
    let holds: Vec<f64> = samples.iter().map(|s| s.hold * (-drift * s.time).exp()).collect();
    let mut rows: Vec<([f64; 5], f64)> = Vec::with_capacity(samples.len());
    for (s, hold) in samples.iter().zip(&holds) {
        rows.push((basis(s.active, knee).map(|x| x / hold), 1.0));
    }
    let mut curve = HoldCurve { terms: [0.0; 5], knee };
    let mut loss = 0.0;
    for _ in 0..ROUNDS {
        let mut normal = Normal::new(columns);
        for (s, (row, robust)) in samples.iter().zip(&rows) {
            normal.add(row.get(..columns).unwrap_or_default(), 1.0, (s.weight * robust).powi(2));
        }
        for (slot, term) in curve.terms.iter_mut().zip(normal.solve()) {
            *slot = term;
        }
        loss = 0.0;
        for (s, (row, robust)) in samples.iter().zip(&mut rows) {
            let fitted: f64 = curve.terms.iter().zip(row.iter()).map(|(h, x)| h * x).sum();
            let off = (fitted - 1.0) / CAUCHY;
            *robust = 1.0 / (1.0 + off * off).sqrt();
            loss += 0.5 * (s.weight * CAUCHY).powi(2) * (off * off).ln_1p();
        }
    }
    (curve, loss)
}

/// How badly the curve predicts an interior value near the best that it has not seen (root mean square of log H).
pub(super) fn left_out(runs: &[Run], cores: Option<f64>, best: f64, drift: f64) -> f64 {
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
        let Some(curve) = best_at(&rest, cores, drift) else { continue };
        let clock = Clock::of(&rest);
        let own = runs.iter().filter(|r| (r.value - value).abs() <= 1e-9);
        let off: Vec<f64> = own.flat_map(|r| r.holds.iter().map(|(a, h)| (h / curve.at(*a)).ln() - drift * clock.at(r))).collect();
        squares.extend(crate::analysis::numeric::median(&off).map(|m| m * m));
    }
    mean(squares).map_or(0.0, |m| m.sqrt().min(0.5))
}

/// The same member (knee, drift) fitted to other runs.
pub(super) fn refit(runs: &[Run], like: &Fit) -> Fit {
    Fit { curve: fit_one(&samples(runs), like.curve.knee, like.drift).0, ..like.clone() }
}

/// The best curve at a given drift.
pub(in crate::analysis) fn best_at(runs: &[Run], cores: Option<f64>, drift: f64) -> Option<HoldCurve> {
    let samples = samples(runs);
    if samples.len() < 4 {
        return None;
    }
    let knees = knees(&samples, cores);
    let all = std::iter::once(None).chain(knees.iter().copied().map(Some)).map(|k| scored(&samples, k, drift, knees.len()));
    all.max_by(|a, b| a.0.total_cmp(&b.0)).map(|f| f.1)
}
