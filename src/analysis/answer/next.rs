//! What to measure next: the largest expected improvement over the choice, discounted by what one more noisy run can show.

use super::choice::Choice;
use super::evidence::Evidence;
use super::local::missing;
use super::rules::Ruling;
use super::words::percent;
use crate::model::verdict::{Kind, Next};

/// A gain smaller than this is not worth a run.
const WORTH: f64 = 0.003;
/// Values closer than this (log) are the same place.
const SAME_PLACE: f64 = 0.02;

/// The next value, if any is worth measuring.
pub(super) fn next(evidence: &Evidence<'_>, choice: &Choice, ruling: &Ruling) -> Option<Next> {
    let near = |value: f64| evidence.groups.iter().map(|g| (g.value / value).ln().abs()).fold(f64::INFINITY, f64::min);
    let plan = |value: f64, why: String| Next { value, runs: 1, why, values: std::collections::BTreeMap::new() };
    if let Some(smaller) = smaller(evidence, choice, ruling).filter(|v| near(*v) > 0.03) {
        return Some(plan(smaller, format!("a smaller value may do, but left of the plateau is a cliff: measure {smaller} before saying so")));
    }
    if let Some((value, gain)) = improvement(evidence, choice, ruling.value) {
        return Some(plan(value, format!("{value} may be better: {} of the loss is to be won there on average", percent(gain))));
    }
    if near(ruling.value) > 0.03 {
        return Some(plan(ruling.value, format!("{} itself was never measured", ruling.value)));
    }
    let missing = missing(evidence, ruling.value, choice.zone(&evidence.posterior.grid))?;
    Some(plan(missing, format!("nothing was measured beside {}: {missing} shows whether the curve is right there", ruling.value)))
}

/// Under open load: a value between the largest measured bad and the choice, if a smaller one is wished and none was tried yet.
fn smaller(evidence: &Evidence<'_>, choice: &Choice, ruling: &Ruling) -> Option<f64> {
    let answers = matches!(ruling.kind, Kind::Recommend | Kind::Repeat);
    let tried = evidence.runs.iter().any(|r| r.is_further() && r.value < 0.97 * ruling.value);
    if choice.wish >= ruling.value || !answers || tried {
        return None;
    }
    let bad = evidence.groups.iter().rev().find(|g| g.value < ruling.value).map_or(choice.wish, |g| g.value);
    Some(choice.wish.max((bad * ruling.value).sqrt().round()))
}

fn improvement(evidence: &Evidence<'_>, choice: &Choice, chosen: f64) -> Option<(f64, f64)> {
    let p = &evidence.posterior;
    let at = p.index(chosen);
    let current: f64 = p.draws.iter().filter_map(|d| d.get(at)).sum();
    let gain = |i: usize| {
        let won: f64 = p.draws.iter().filter_map(|d| Some((d.get(at)? - d.get(i)?).max(0.0))).sum();
        let sd = p.sd.get(i).copied().unwrap_or(0.0);
        won / current * sd / (sd + p.noise)
    };
    let mut gains: Vec<(usize, f64)> =
        (0..p.grid.len()).filter(|i| choice.allowed.get(*i).copied().unwrap_or(true)).map(|i| (i, gain(i))).filter(|g| g.1 > WORTH).collect();
    gains.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let tried = |value: f64| evidence.runs.iter().filter(|r| r.is_further() && (r.value / value).ln().abs() < SAME_PLACE).count();
    gains.into_iter().filter_map(|(i, g)| Some((*p.grid.get(i)?, g))).find(|(value, _)| tried(*value) < 2)
}
