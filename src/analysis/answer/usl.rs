//! The universal scalability law's parameters, as far as the data can tell them.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::evidence::Evidence;
use crate::analysis::curve::{HoldCurve, best_at};
use crate::analysis::numeric::quantile;
use crate::analysis::run::Run;
use crate::model::verdict::ModelFigures;

const RESAMPLES: u32 = 40;
const SEED: u64 = 17;

/// sigma, kappa and the peak; each unknown where it can not be identified: at least four levels of use, spanning four times, are needed.
pub(super) fn model(evidence: &Evidence<'_>) -> Option<ModelFigures> {
    let mut used: Vec<f64> = evidence.groups.iter().filter_map(super::group::Group::active).filter(|a| *a > 0.0).collect();
    used.sort_by(f64::total_cmp);
    used.dedup_by(|a, b| (*a / *b - 1.0).abs() < 0.1);
    let (least, most) = (*used.first()?, *used.last()?);
    if used.len() < 4 || most < 4.0 * least {
        return None;
    }
    let heaviest = evidence.posterior.members.first()?.fit.as_ref()?;
    let curve = &heaviest.curve;
    let (sigma, kappa) = if curve.knee.is_none() { parameters(curve).map_or((None, None), |(s, k)| (Some(s), Some(k))) } else { (None, None) };
    let reach = 1.25 * most;
    let peak = peak(curve, reach).filter(|p| *p < reach);
    Some(ModelFigures { sigma, kappa, peak, peak_90: peak.and_then(|_| interval(evidence, reach, heaviest.drift)) })
}

/// `H = D(1 + sigma (a-1) + kappa a (a-1))` compared term by term.
fn parameters(curve: &HoldCurve) -> Option<(f64, f64)> {
    let [h0, h1, h2, ..] = curve.terms;
    let d = h0 + h1 + h2;
    (d > 0.0).then(|| ((h1 + h2) / d, h2 / d))
}

/// Connections of the greatest capacity `a / H(a)` up to `reach`.
fn peak(curve: &HoldCurve, reach: f64) -> Option<f64> {
    let steps = 400_u32;
    let at = |i: u32| reach.powf(f64::from(i) / f64::from(steps));
    let capacity = |a: f64| a / curve.at(a);
    (0..=steps).map(at).max_by(|a, b| capacity(*a).total_cmp(&capacity(*b))).map(f64::round)
}

/// 90% of the peaks of curves fitted to runs drawn with replacement; unknown if some of them have none in reach.
fn interval(evidence: &Evidence<'_>, reach: f64, drift: f64) -> Option<(f64, f64)> {
    let runs = &evidence.runs;
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let draw = |_| {
        let drawn: Vec<Run> = (0..runs.len()).filter_map(|_| runs.get(rng.random_range(0..runs.len())).cloned()).collect();
        best_at(&drawn, None, drift).and_then(|c| peak(&c, reach))
    };
    let peaks: Vec<f64> = (0..RESAMPLES).filter_map(draw).collect();
    let (low, high) = (quantile(&peaks, 0.05)?, quantile(&peaks, 0.95)?);
    (high < reach - 1.0).then(|| (low.floor(), high.ceil()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usl(d: f64, sigma: f64, kappa: f64) -> HoldCurve {
        HoldCurve { terms: [d * (1.0 - sigma), d * (sigma - kappa), d * kappa, 0.0, 0.0], knee: None }
    }

    #[test]
    fn the_parameters_come_back() {
        let (sigma, kappa) = parameters(&usl(0.05, 0.02, 0.0004)).unwrap();
        assert!((sigma - 0.02).abs() < 1e-12 && (kappa - 0.0004).abs() < 1e-12);
    }

    /// Gunther: the peak lies at sqrt((1 - sigma) / kappa).
    #[test]
    fn the_peak_is_gunthers() {
        let found = peak(&usl(0.05, 0.02, 0.0004), 300.0).unwrap();
        assert!((found - (0.98_f64 / 0.0004).sqrt()).abs() < 1.0, "{found}");
        assert_eq!(peak(&usl(0.05, 0.02, 0.0), 300.0), Some(300.0), "no retrograde: the end");
    }
}
