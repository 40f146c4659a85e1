//! The verdicts, in the order of the method: the first that applies.

use super::choice::Choice;
use super::evidence::Evidence;
use super::group::Group;
use crate::analysis::numeric::{mean, median};
use crate::model::verdict::Kind;

/// Expected regret above which the answer is "measure again".
const TOO_UNSURE: f64 = 0.06;

/// Holds that fall by this much (log) within the steps are those of a service still warming up, not of one that is overloaded.
const STILL_WARMING: f64 = -0.3;
/// A run in which the load generator was the limit for this share of the time has no figures of the service.
const MOSTLY_BOUND: f64 = 0.5;
/// A tenth more connections in use that bring less than half a tenth more throughput: more threads would not help.
const HALF_USELESS: f64 = 0.5;

/// A verdict with the value it names.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ruling {
    /// What kind of answer.
    pub(super) kind: Kind,
    /// The value.
    pub(super) value: f64,
    /// A figure the reason quotes: capacity a second, the pool that is enough, or the share of the time the generator was the limit.
    pub(super) figure: Option<f64>,
}

impl Ruling {
    const fn new(kind: Kind, value: f64) -> Self {
        Self { kind, value, figure: None }
    }
}

/// The first rule that applies.
pub(super) fn rule(evidence: &Evidence<'_>, choice: &Choice) -> Ruling {
    generator(evidence, choice)
        .or_else(|| overload(evidence))
        .or_else(|| threads(evidence, choice))
        .or_else(|| underload(evidence))
        .or_else(|| edges(evidence, choice))
        .unwrap_or_else(|| {
            let kind = if choice.expected_regret() > TOO_UNSURE { Kind::Repeat } else { Kind::Recommend };
            Ruling::new(kind, choice.value)
        })
}

fn range(evidence: &Evidence<'_>) -> (f64, f64) {
    let grid = &evidence.posterior.grid;
    (grid.first().copied().unwrap_or(1.0), grid.last().copied().unwrap_or(1.0))
}

fn generator(evidence: &Evidence<'_>, choice: &Choice) -> Option<Ruling> {
    starved(evidence, choice).or_else(|| saturated(evidence, choice))
}

/// It said of itself that it was the limit, for most of every run of the best value: that loss is its own.
fn saturated(evidence: &Evidence<'_>, choice: &Choice) -> Option<Ruling> {
    let shares = evidence.best().runs.iter().map(|r| r.generator_bound);
    let least = shares.reduce(f64::min).filter(|s| *s >= MOSTLY_BOUND)?;
    Some(Ruling { figure: Some(least), ..Ruling::new(Kind::GeneratorBound, choice.value) })
}

/// Arrivals it could not send although nothing waited at the service.
fn starved(evidence: &Evidence<'_>, choice: &Choice) -> Option<Ruling> {
    let target = evidence.target?;
    let best = evidence.best();
    let sent = evidence.groups.iter().map(Group::rate).fold(0.0, f64::max);
    let starved = sent + best.dropped() >= 0.9 * target && best.dropped() > 0.03 * target;
    (starved && best.is_quiet()).then(|| Ruling::new(Kind::GeneratorBound, choice.value))
}

/// Nobody carries the load; whether a backlog did it, the utilisation law tells: could any pool carry it from a fresh start?
fn overload(evidence: &Evidence<'_>) -> Option<Ruling> {
    let target = evidence.target?;
    let fails = |g: &Group| g.failed() > 0.05 || g.good() < 0.93 * target || g.full() > 0.9;
    if !evidence.groups.iter().all(fails) {
        return None;
    }
    let capacities: Vec<(f64, f64)> = evidence.posterior.grid.iter().filter_map(|c| evidence.capacity(*c).map(|x| (*c, x))).collect();
    let most = capacities.iter().map(|c| c.1).reduce(f64::max);
    if let Some(most) = most.filter(|m| *m > 0.95 * target) {
        let first = capacities.iter().find(|c| c.1 > 0.98 * most).map_or(evidence.best().value, |c| c.0);
        return Some(Ruling { figure: Some(most), ..Ruling::new(Kind::Repeat, first) });
    }
    let best = evidence.groups.iter().max_by(|a, b| a.good().total_cmp(&b.good()))?;
    let trends: Vec<f64> = evidence.runs.iter().filter_map(|r| r.hold_trend).collect();
    if median(&trends).is_some_and(|t| t < STILL_WARMING) {
        return Some(Ruling::new(Kind::Repeat, best.value));
    }
    Some(Ruling { figure: most.or_else(|| Some(best.good())), ..Ruling::new(Kind::Overloaded, best.value) })
}

/// Full threads alone are no limit of their own: with a queue at the pool they are full because the pool is short.
fn threads(evidence: &Evidence<'_>, choice: &Choice) -> Option<Ruling> {
    let best = evidence.best();
    let busy = best.mean(|r| r.busy)?;
    let near = evidence.groups.iter().filter(|g| g.loss() <= 1.05 * best.loss());
    let queue = near.filter_map(Group::pending).reduce(f64::min)?;
    if best.full() <= 0.9 || queue >= 0.05 * busy || !threads_matter(evidence) {
        return None;
    }
    let threads = evidence.question.queue.threads;
    let (_, high) = range(evidence);
    let grid = &evidence.posterior.grid;
    let enough = grid.iter().zip(&choice.regret).find(|(c, regret)| **c >= threads.min(high) || **regret <= 0.01);
    Some(Ruling { figure: Some(threads), ..Ruling::new(Kind::ThreadBound, enough.map_or(high, |c| *c.0)) })
}

/// Whether throughput still followed the connections in use where the threads ended it (`1 - dlnH/dln a`); also if only one level
/// of use was seen.
fn threads_matter(evidence: &Evidence<'_>) -> bool {
    let level = |g: &Group| Some((g.active().filter(|a| *a > 0.0)?, g.hold().filter(|h| *h > 0.0)?));
    let levels: Vec<(f64, f64)> = evidence.groups.iter().filter_map(level).collect();
    let most = levels.iter().map(|l| l.0).fold(0.0, f64::max);
    let top: Vec<(f64, f64)> = levels.iter().copied().filter(|l| l.0 >= 0.87 * most).collect();
    let below = levels.iter().filter(|l| l.0 < 0.87 * most).max_by(|a, b| a.0.total_cmp(&b.0));
    let middle = |of: fn(&(f64, f64)) -> f64| mean(top.iter().map(of));
    match (below, middle(|l| l.0), middle(|l| l.1)) {
        (Some((a, h)), Some(active), Some(hold)) => 1.0 - (hold / h).ln() / (active / a).ln() > HALF_USELESS,
        _ => true,
    }
}

fn underload(evidence: &Evidence<'_>) -> Option<Ruling> {
    let groups = &evidence.groups;
    let by_loss = |a: &&Group, b: &&Group| a.loss().total_cmp(&b.loss());
    let (least, most) = (groups.iter().min_by(by_loss)?, groups.iter().max_by(by_loss)?);
    let noise = 4.0 * least.run_se().hypot(most.run_se()) / least.loss();
    let full = groups.iter().map(Group::full).fold(0.0, f64::max);
    let quiet = groups.iter().all(Group::is_quiet) && most.loss() / least.loss() - 1.0 < noise.max(0.03) && full < 0.5;
    let seen = evidence.runs.iter().filter_map(|r| r.active_max).fold(0.0, f64::max);
    quiet.then(|| Ruling { figure: Some((1.1 * seen).ceil()).filter(|n| *n > 0.0), ..Ruling::new(Kind::Underloaded, range(evidence).0) })
}

/// Is the best beyond what was tried? The model is asked there, and the curve at the edge.
fn edges(evidence: &Evidence<'_>, choice: &Choice) -> Option<Ruling> {
    let p = &evidence.posterior;
    let (low, high) = range(evidence);
    let count = choice.best.len().max(1) as f64;
    let share = |test: &dyn Fn(f64) -> bool| choice.best.iter().filter(|b| test(**b)).count() as f64 / count;
    let gain = |edge: f64, beyond: f64, at: usize| {
        let (here, there) = (evidence.model_loss(edge)?, evidence.model_loss(beyond)?);
        let moved = ((there + p.shift) / (here + p.shift)).ln();
        let level = *p.mean.get(at)?;
        Some(1.0 - ((level + moved).exp() - p.shift) / (level.exp() - p.shift))
    };
    let waits = evidence.groups.last().is_some_and(|g| !g.is_quiet());
    let up = gain(high, (1.25 * high).round(), p.grid.len() - 1).unwrap_or(1.0);
    if share(&|b| b >= 0.93 * high) > 0.5 && waits && up > 0.02 {
        return Some(Ruling::new(Kind::EdgeHigh, high));
    }
    let down = gain(low, (0.8 * low).round().max(1.0), 0).unwrap_or(1.0);
    let at_low = choice.value <= low.max(1.07 * low) || (share(&|b| b <= (low + 1.0).max(1.07 * low)) > 0.5 && down > 0.005);
    at_low.then(|| Ruling::new(Kind::EdgeLow, low))
}
