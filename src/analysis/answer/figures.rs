//! The table: one line a value, with what changed against the value before.

use super::bottleneck::{Conditions, bottleneck};
use super::group::Group;
use crate::analysis::run::{MIN_BATCHES, shortness};
use crate::model::verdict::{MeanError, ValueFigures};

/// The figures of every value, ascending.
pub(super) fn figures(groups: &[Group], target: Option<f64>, cores: Option<f64>) -> Vec<ValueFigures> {
    let least_hold = groups.iter().filter_map(Group::hold).reduce(f64::min);
    let given = Conditions { target, cores, least_hold };
    let before = std::iter::once(None).chain(groups.iter().map(Some));
    groups.iter().zip(before).map(|(group, before)| line(group, before, &given)).collect()
}

fn line(group: &Group, before: Option<&Group>, given: &Conditions) -> ValueFigures {
    let step = |of: &dyn Fn(&Group) -> Option<f64>| before.and_then(|b| Some((of(group)? - of(b)?) / (group.value - b.value)));
    let percentile = |of: &dyn Fn(&crate::analysis::run::Percentiles) -> Option<f64>| group.mean(|r| of(&r.percentiles));
    let interval = |of: &dyn Fn((f64, f64)) -> f64| group.mean(|r| r.percentiles.p95_95.map(of));
    let requests: f64 = group.runs.iter().map(|r| r.requests).sum();
    let batches: usize = group.runs.iter().map(|r| r.batches).sum();
    ValueFigures {
        value: group.value,
        runs: u32::try_from(group.runs.len()).unwrap_or(u32::MAX),
        requests: count(requests),
        loss_s: Some(MeanError { mean: group.loss(), se: Some(group.loss_se()).filter(|_| batches >= MIN_BATCHES) }),
        p50_s: percentile(&|p| p.p50),
        p95_s: percentile(&|p| p.p95),
        p95_95: interval(&|i| i.0).zip(interval(&|i| i.1)),
        p99_s: percentile(&|p| p.p99),
        rate: Some(group.rate()),
        failed: Some(group.failed()),
        wait_s: group.wait(),
        hold_s: group.hold(),
        active: group.active(),
        pending: group.pending(),
        threads_busy: group.mean(|r| r.busy),
        threads_full: group.mean(|r| r.full),
        dwait_s: step(&Group::wait),
        dhold_s: step(&Group::hold),
        bottleneck: Some(bottleneck(group, given).to_owned()),
        short: short(group),
    }
}

/// Why the figures of a value do not count in full.
fn short(group: &Group) -> Option<String> {
    let all = group.runs.iter().map(|r| shortness(r.batches, r.requests));
    let lacking: Vec<String> = all.flatten().collect();
    match (lacking.first(), lacking.len() == group.runs.len()) {
        (Some(first), true) => Some(first.clone()),
        (Some(first), false) => Some(format!("{} of {} runs: {first}", lacking.len(), group.runs.len())),
        (None, _) => None,
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of requests, clamped")]
fn count(x: f64) -> u64 {
    x.round().clamp(0.0, 9e15) as u64
}
