//! What casts doubt on a verdict. Never silent: each flag says what was seen.

use super::bottleneck::{CPU_FULL, cpu_share};
use super::choice::Choice;
use super::evidence::Evidence;
use super::group::Group;
use super::rules::Ruling;
use super::slo::Allowed;
use super::words::{figure, percent, seconds};
use crate::analysis::numeric::median;
use crate::analysis::run::{Run, shortness};
use crate::model::session::BOUND_SHARE;
use crate::model::verdict::{Kind, Remark};

/// All flags of a verdict.
pub(super) fn flags(evidence: &Evidence<'_>, choice: &Choice, ruling: &Ruling, allowed: &Allowed, strangers: &[f64]) -> Vec<Remark> {
    let all = [
        single_run(evidence),
        threads_changed(evidence),
        off_curve(strangers),
        growing_queue(evidence, ruling),
        unsteady(evidence, ruling),
        short(evidence, ruling),
        disturbed(evidence),
        non_db_hold(evidence),
        wide_interval(choice, ruling),
        other_bottleneck(evidence, ruling),
        slo_binds(choice, allowed),
        slo_unmet(allowed),
        slo_unknown(allowed),
        failure_cost_assumed(evidence),
        generator_bound(evidence),
        void_steps(evidence),
    ];
    all.into_iter().flatten().collect()
}

fn single_run(evidence: &Evidence<'_>) -> Option<Remark> {
    let single =
        evidence.groups.iter().all(|g| g.runs.len() < 2) || evidence.runs.iter().filter(|r| !r.is_further()).all(|r| r.rep == evidence.runs[0].rep);
    single.then(|| Remark::new("single_run", "one run of each value: the noise between runs is not known"))
}

fn threads_changed(evidence: &Evidence<'_>) -> Option<Remark> {
    if evidence.sweep.setting.contains("thread") {
        return None;
    }
    let mut seen: Vec<f64> = evidence.runs.iter().filter_map(|r| r.threads).collect();
    seen.sort_by(f64::total_cmp);
    seen.dedup();
    let list: Vec<String> = seen.iter().map(|t| figure(*t)).collect();
    (seen.len() > 1).then(|| {
        Remark::new(
            "threads_changed",
            format!("the worker threads changed during the sweep ({}): the steps differ in more than the setting", list.join(", ")),
        )
    })
}

/// A value whose loss is far from what the others say of that place.
fn off_curve(strangers: &[f64]) -> Option<Remark> {
    let values: Vec<String> = strangers.iter().copied().map(figure).collect();
    (!values.is_empty()).then(|| Remark::new("off_curve", format!("{} does not fit the curve of the other values: repeat it", values.join(", "))))
}

fn growing_queue(evidence: &Evidence<'_>, ruling: &Ruling) -> Option<Remark> {
    let near = evidence.nearest(ruling.value);
    let grows = near.runs.iter().any(|r| r.growth.0 > 2.6 && r.growth.1 > 0.05);
    grows.then(|| {
        Remark::new("growing_queue", format!("the queue was still growing at {} when the step ended: its loss is a lower bound", figure(near.value)))
    })
}

fn unsteady(evidence: &Evidence<'_>, ruling: &Ruling) -> Option<Remark> {
    let near = evidence.nearest(ruling.value);
    near.runs
        .iter()
        .any(|r| r.unsteady)
        .then(|| Remark::new("no_steady_state", format!("no steady state was seen at {}: measure longer", figure(near.value))))
}

/// Too few requests or batches at the value itself.
fn short(evidence: &Evidence<'_>, ruling: &Ruling) -> Option<Remark> {
    let near = evidence.nearest(ruling.value);
    let lacking = near.runs.iter().map(|r| shortness(r.batches, r.requests)).collect::<Option<Vec<String>>>()?;
    Some(Remark::new(
        "short_steps",
        format!("no run of {} is long enough to count in full ({}): measure longer", figure(near.value), lacking.first()?),
    ))
}

/// A run whose hold times are far above its replicates or its own quiet part.
fn disturbed(evidence: &Evidence<'_>) -> Option<Remark> {
    let values: Vec<String> = evidence.runs.iter().filter(|r| r.doubt > 0.15).map(|r| format!("{} (block {})", figure(r.value), r.rep + 1)).collect();
    (!values.is_empty())
        .then(|| Remark::new("disturbed", format!("hold times say that something else was at work during {}: repeat", values.join(", "))))
}

fn non_db_hold(evidence: &Evidence<'_>) -> Option<Remark> {
    let share = |r: &Run| Some(1.0 - r.db_active? / r.active.filter(|a| *a > 1.0)?);
    let shares: Vec<f64> = evidence.runs.iter().filter_map(share).collect();
    let share = median(&shares).filter(|s| *s > 0.5)?;
    Some(Remark::new(
        "non_db_hold",
        format!(
            "{} of the time a connection is held is not database work: shorten that first (outside calls, hashing or rendering inside the transaction), then sweep again",
            percent(share)
        ),
    ))
}

fn wide_interval(choice: &Choice, ruling: &Ruling) -> Option<Remark> {
    let (low, high) = choice.interval;
    let wide = matches!(ruling.kind, Kind::Recommend | Kind::Repeat) && high > 3.0 * low.max(1.0);
    wide.then(|| Remark::new("wide_interval", format!("the best may lie anywhere from {} to {}", figure(low), figure(high))))
}

/// The loss does not follow the pool's queue: something else limits.
fn other_bottleneck(evidence: &Evidence<'_>, ruling: &Ruling) -> Option<Remark> {
    if !matches!(ruling.kind, Kind::Recommend | Kind::Repeat | Kind::EdgeLow) {
        return None;
    }
    let cores = evidence.sweep.process_cores;
    let near = evidence.groups.iter().filter(|g| g.loss() <= 1.05 * evidence.best().loss());
    let share = near.clone().filter_map(|g| cpu_share(g, cores)).reduce(f64::max);
    if let (Some(share), Some(cores)) = (share.filter(|s| *s >= CPU_FULL), cores) {
        let used = share * cores;
        return Some(Remark::new(
            "other_bottleneck",
            format!(
                "the service's CPU is what limits ({} of {} cores in use, {}), not the {}: the queue only moves",
                figure(used),
                figure(cores),
                percent(share),
                evidence.sweep.setting
            ),
        ));
    }
    let flat: Vec<&Group> = near.filter(|g| g.loss() <= 1.02 * evidence.best().loss() + 2.0 * g.loss_se()).collect();
    let (first, last) = (flat.first()?, flat.last()?);
    let inside = |g: &Group| Some(g.wait()? + g.hold()?);
    let (before, after) = (inside(first)?, inside(last)?);
    let moved = (before - after).abs() > 0.15 * evidence.best().loss() && last.value > 1.5 * first.value;
    moved.then(|| {
        let text = format!(
            "from {} to {} waiting and holding together go from {} to {}, the loss does not move: something else limits{}",
            figure(first.value),
            figure(last.value),
            seconds(before),
            seconds(after),
            if cores.is_none() { " (the service's CPU is not known: process_cpu and its limit would show it)" } else { "" }
        );
        Remark::new("other_bottleneck", text)
    })
}

fn slo_binds(choice: &Choice, allowed: &Allowed) -> Option<Remark> {
    let free = choice.unconstrained.filter(|_| !allowed.unmet)?;
    let why = if allowed.stated { "an objective rules it out" } else { "more than 1% of the requests failed there" };
    Some(Remark::new("slo_binds", format!("{} has the least loss, but {why}", figure(free))))
}

fn slo_unmet(allowed: &Allowed) -> Option<Remark> {
    allowed.unmet.then(|| Remark::new("slo_unmet", "no value meets the objectives: this is the one of least violation"))
}

fn slo_unknown(allowed: &Allowed) -> Option<Remark> {
    let list = allowed.unknown.join(", ");
    (!list.is_empty()).then(|| Remark::new("slo_unknown", format!("`{list}` can not be judged: the sweep has no distributions of the latency")))
}

fn failure_cost_assumed(evidence: &Evidence<'_>) -> Option<Remark> {
    let (cost, assumed) = evidence.sweep.failure_cost_s();
    assumed.then(|| {
        Remark::new("failure_cost_assumed", format!("how long a caller waits is not known: a failed request is taken to cost {}", seconds(cost)))
    })
}

/// Runs with a good deal of time in which the load generator was the limit.
fn generator_bound(evidence: &Evidence<'_>) -> Option<Remark> {
    let marked = evidence.runs.iter().filter(|r| r.generator_bound >= BOUND_SHARE);
    let list: Vec<String> = marked.map(|r| format!("{} ({} of its time)", figure(r.value), percent(r.generator_bound))).collect();
    (!list.is_empty())
        .then(|| Remark::new("generator_bound", format!("the load generator was the limit at {}: these figures are partly its own", list.join(", "))))
}

fn void_steps(evidence: &Evidence<'_>) -> Option<Remark> {
    let list: Vec<String> = evidence
        .sweep
        .steps
        .iter()
        .filter_map(|s| s.void.as_ref().map(|why| format!("{} ({why})", figure(s.value(&evidence.sweep.setting).unwrap_or(0.0)))))
        .collect();
    (!list.is_empty()).then(|| Remark::new("void_steps", format!("not judged: {}", list.join("; "))))
}
