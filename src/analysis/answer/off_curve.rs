//! Values whose loss is far from what all the others say of that place.
//!
//! A value is held against the posterior of the others, without itself: its own fit would bend the curve towards it or take the
//! misfit for noise. Few are asked (a refit costs as much as a judgement): those that stick out between their neighbours, the worst first.

use super::evidence::{Evidence, LEAST_VALUES};
use super::group::{Group, groups};
use crate::analysis::curve::Posterior;
use crate::analysis::run::Run;

/// At most so many values are left out and asked.
const MOST: usize = 3;
/// Sticking out by less (log) is not worth a refit.
const STANDS_OUT: f64 = 0.05;
/// Off by so many standard deviations, and by at least this (log).
const FAR: (f64, f64) = (3.0, 0.05);
/// Failures, and losses against the best, that only a collapsed value has.
const COLLAPSED: (f64, f64) = (0.05, 4.0);

/// The values that do not fit the curve of the others, ascending.
pub(super) fn off_curve(evidence: &Evidence<'_>) -> Vec<f64> {
    let least = evidence.best().loss();
    let mut runs = evidence.runs.clone();
    let (mut found, mut asked) = (Vec::new(), Vec::new());
    while asked.len() < MOST {
        let Some(suspect) = sticking_out(&groups(&runs), least, &asked) else { break };
        asked.push(suspect.value);
        let others: Vec<Run> = runs.iter().filter(|r| (r.value - suspect.value).abs() >= 1e-9).cloned().collect();
        if groups(&others).len() < LEAST_VALUES {
            break;
        }
        if is_off(&suspect, &others, evidence) {
            found.push(suspect.value);
            runs = others;
        }
    }
    found.sort_by(f64::total_cmp);
    found
}

/// The inner value that is the farthest off the line between its neighbours. A loss with one best value bends upwards, so what lies
/// above the line is the stranger.
fn sticking_out(groups: &[Group], least: f64, asked: &[f64]) -> Option<Group> {
    let log = |g: &Group| g.loss().ln();
    let apart = |three: &[Group]| -> Option<(f64, Group)> {
        let [a, b, c] = three else { return None };
        let share = (b.value / a.value).ln() / (c.value / a.value).ln();
        let off = log(b) - log(a) - share * (log(c) - log(a));
        (off.abs() > STANDS_OUT).then(|| (if off > 0.0 { off } else { -off / 4.0 }, b.clone()))
    };
    let inner = groups.windows(3).enumerate().filter(|(i, _)| !collapses(groups, i + 1, least)).filter_map(|(_, three)| apart(three));
    inner.filter(|x| !asked.contains(&x.1.value)).max_by(|a, b| a.0.total_cmp(&b.0)).map(|x| x.1)
}

/// A collapsed value is no surprise where all values on one side of it collapsed too.
fn collapses(groups: &[Group], at: usize, least: f64) -> bool {
    let collapsed = |g: &Group| g.failed() >= COLLAPSED.0 || g.loss() >= COLLAPSED.1 * least;
    let all = |side: Option<&[Group]>| side.is_some_and(|s| !s.is_empty() && s.iter().all(collapsed));
    groups.get(at).is_some_and(collapsed) && (all(groups.get(..at)) || all(groups.get(at + 1..)))
}

fn is_off(group: &Group, others: &[Run], evidence: &Evidence<'_>) -> bool {
    let Some(p) = Posterior::given(others, &evidence.question) else { return false };
    let i = p.index(group.value);
    let (Some(mean), Some(sd)) = (p.mean.get(i), p.sd.get(i)) else { return false };
    let off = ((group.loss() + p.shift).ln() - mean).abs();
    let own = group.loss_se() / (group.loss() + p.shift);
    off > FAR.0 * sd.hypot(p.noise).hypot(own) && off > FAR.1
}
