//! Whether the choice stands on measurements of its own: itself and both neighbours. Contention need not be convex, and a claim to be
//! within 2% of the best that rests on a fitted curve alone is not made.

use super::evidence::Evidence;

/// The smallest regret that may be claimed without the local check.
const UNCHECKED: f64 = 0.02;
/// The smallest that may be claimed where a value near the choice contradicts the curve.
const CONTRADICTED: f64 = 0.05;
/// How far (log) such a value may push the choice.
const PULL: f64 = 0.55;
/// Measured at the choice: within this (log).
const HERE: f64 = 0.05;
/// Measured beside it: within this (log).
const BESIDE: f64 = 0.36;
/// Where a missing neighbour is measured.
const NEIGHBOUR: f64 = 1.15;

/// What the local check lacks, in the order in which it is worth measuring.
pub(super) fn missing(evidence: &Evidence<'_>, chosen: f64, zone: (f64, f64)) -> Option<f64> {
    let apart: Vec<f64> = evidence.groups.iter().map(|g| (g.value / chosen).ln()).collect();
    let grid = &evidence.posterior.grid;
    let (low, high) = (grid.first().copied().unwrap_or(chosen), grid.last().copied().unwrap_or(chosen));
    if !apart.iter().any(|d| d.abs() <= HERE) {
        return Some(chosen);
    }
    // On a plateau the side on which nothing changes needs no neighbour, and left of an open load's plateau is the cliff: known to be bad.
    let left = evidence.target.is_some() || apart.iter().any(|d| *d < -HERE && *d >= -BESIDE) || zone.0 * 1.3 < chosen;
    let right = apart.iter().any(|d| *d > HERE && *d <= BESIDE) || zone.1 > 1.3 * chosen;
    let below = (chosen / NEIGHBOUR).round().min(chosen - 1.0);
    let above = (chosen * NEIGHBOUR).round().max(chosen + 1.0);
    if !left && below >= low {
        Some(below)
    } else if !right && above <= high {
        Some(above)
    } else {
        None
    }
}

/// The regret that may be claimed.
pub(super) fn claimed(evidence: &Evidence<'_>, chosen: f64, zone: (f64, f64), strangers: &[f64], regret: f64) -> f64 {
    if beside(chosen, strangers) {
        regret.max(CONTRADICTED)
    } else if missing(evidence, chosen, zone).is_some() {
        regret.max(UNCHECKED)
    } else {
        regret
    }
}

/// Whether a value at or near the choice does not fit the others: the choice may have been pushed away from it.
fn beside(chosen: f64, strangers: &[f64]) -> bool {
    strangers.iter().any(|s| (s / chosen).ln().abs() <= PULL)
}
