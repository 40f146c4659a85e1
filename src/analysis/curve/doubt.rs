//! What the hold times alone say about a run: whether it was disturbed, and whether the service drifted over the sweep.
//!
//! A run is doubted only against its replicates or its own quiet quarter. Being off the fitted curve is no ground: the curve may be
//! what is wrong, and the follow-up that would correct it must not be thrown away.

use super::hold::HOLD_SD;
use crate::analysis::numeric::{mean, median, quantile, spread};
use crate::analysis::run::Run;

/// Fills in each run's doubt; what a common drift in time explains is no ground for it.
pub(in crate::analysis) fn fill_doubts(runs: &mut [Run]) {
    let mut level = undrift(runs);
    doubt(&mut level);
    for (run, level) in runs.iter_mut().zip(level) {
        run.doubt = level.doubt;
    }
}

fn is_full(run: &Run) -> bool {
    run.active.is_some_and(|a| a > 0.95 * run.pool)
}

fn log_hold(run: &Run) -> Option<f64> {
    mean(run.holds.iter().map(|h| h.1)).map(f64::ln)
}

fn doubt(runs: &mut [Run]) {
    let wobble = |r: &Run| spread(&r.holds.iter().map(|h| h.1.ln()).collect::<Vec<_>>());
    let wobbles: Vec<f64> = runs.iter().filter(|r| r.holds.len() > 3 && is_full(r)).filter_map(wobble).collect();
    let usual = median(&wobbles).unwrap_or(0.0);
    let seen: Vec<(f64, Option<f64>)> = runs.iter().map(|r| (r.value, log_hold(r))).collect();
    for (i, run) in runs.iter_mut().enumerate() {
        run.doubt = 0.0;
        let (Some(own), true) = (seen.get(i).and_then(|s| s.1), is_full(run)) else { continue };
        let peers = seen.iter().enumerate().filter(|(j, s)| *j != i && (s.0 - run.value).abs() < 1e-9).filter_map(|(_, s)| s.1);
        let n = run.holds.len() as f64;
        if let Some(best) = peers.reduce(f64::min) {
            run.doubt = (own - best - 2.0 * HOLD_SD - 2.0 * usual / n.sqrt()).max(0.0);
        }
        if run.holds.len() > 3 {
            let holds: Vec<f64> = run.holds.iter().map(|h| h.1).collect();
            let quiet = quantile(&holds, 0.25).map_or(own, f64::ln);
            run.doubt = run.doubt.max(own - quiet - HOLD_SD - 1.5 * usual);
        }
    }
}

/// Takes a drift in time that all hold times share out of them, when repeats of the same value show one.
fn undrift(runs: &[Run]) -> Vec<Run> {
    let mut values: Vec<f64> = runs.iter().map(|r| r.value).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let (mut points, mut groups) = (Vec::new(), 0);
    for value in values {
        let group: Vec<(f64, f64)> =
            runs.iter().filter(|r| (r.value - value).abs() < 1e-9).filter_map(|r| r.hold.map(|h| (r.at_s, h.ln()))).collect();
        if group.len() < 2 {
            continue;
        }
        groups += 1;
        let (t, h) = (mean(group.iter().map(|g| g.0)).unwrap_or(0.0), mean(group.iter().map(|g| g.1)).unwrap_or(0.0));
        points.extend(group.iter().map(|g| (g.0 - t, g.1 - h)));
    }
    let slope = drift(&points, groups);
    let middle = mean(runs.iter().map(|r| r.at_s)).unwrap_or(0.0);
    let mut out = runs.to_vec();
    if let Some(slope) = slope {
        for run in &mut out {
            let factor = (-slope * (run.at_s - middle)).exp();
            run.holds.iter_mut().for_each(|h| h.1 *= factor);
        }
    }
    out
}

/// Slope of log H in time over deviations within groups; none unless it is well above its error.
fn drift(points: &[(f64, f64)], groups: usize) -> Option<f64> {
    let free = points.len().checked_sub(groups + 1).filter(|f| *f >= 2)?;
    let (xx, xy) = points.iter().fold((0.0, 0.0), |(xx, xy), (x, y)| (xx + x * x, xy + x * y));
    if xx <= 0.0 {
        return None;
    }
    let slope = xy / xx;
    let left: f64 = points.iter().map(|(x, y)| (y - slope * x).powi(2)).sum();
    let se = (left / free as f64 / xx).sqrt();
    (slope.abs() > 2.5 * se).then_some(slope)
}
