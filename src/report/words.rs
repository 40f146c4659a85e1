//! A verdict in sentences: the answer, how sure it is, what other values cost, what else to set, what to measure next. Plain text;
//! each format escapes it for itself.

use super::format::{plain, rate, share, time, times};
use crate::model::event::{ErrorKind, StepEnd};
use crate::model::plan::{Plan, Values};
use crate::model::text::clean;
use crate::model::verdict::{Kind, PoolVerdict};

/// The kind of answer in two words at most.
#[must_use]
pub const fn headline(kind: Kind) -> &'static str {
    match kind {
        Kind::Recommend => "recommended",
        Kind::Repeat => "not decided",
        Kind::EdgeHigh => "try more",
        Kind::EdgeLow => "try less",
        Kind::Underloaded => "underloaded",
        Kind::ThreadBound => "thread-bound",
        Kind::Overloaded => "overloaded",
        Kind::GeneratorBound | Kind::Invalid => "no answer",
    }
}

/// The answer in one sentence, without its uncertainty.
#[must_use]
pub fn answer(verdict: &PoolVerdict) -> String {
    let name = setting(verdict);
    let value = verdict.value.map_or_else(|| format!("no {name}"), |v| format!("{name} {}", plain(v)));
    match verdict.verdict {
        Kind::Recommend => format!("Use {value}."),
        Kind::Repeat => format!("Not decided yet: {value} is the best guess, not sure enough to act on."),
        Kind::EdgeHigh => format!("The best lies above what was tried; of these, {value}."),
        Kind::EdgeLow => format!("The best lies below what was tried; of these, {value}."),
        Kind::Underloaded => format!("The load is too small for {name} to matter; {value} is enough for it."),
        Kind::ThreadBound => format!("Worker threads are the limit, not {name}; best guess {value}."),
        Kind::Overloaded => format!("No {name} carries this load; least bad is {value}."),
        Kind::GeneratorBound => format!("The load generator was the limit, so {name} can not be judged."),
        Kind::Invalid => "These data can not be judged.".to_owned(),
    }
}

/// The swept setting's name.
pub(super) fn setting(verdict: &PoolVerdict) -> String {
    clean(verdict.setting.as_deref().unwrap_or("setting"))
}

/// How sure the answer is, one phrase a figure.
pub(super) fn certainty(verdict: &PoolVerdict) -> Vec<String> {
    let name = setting(verdict);
    let range = |(low, high): (f64, f64)| format!("{name} {} to {}", plain(low), plain(high));
    let mut out = Vec::new();
    if let Some(zone) = verdict.zone.filter(|_| verdict.verdict.is_answer()) {
        out.push(format!("as good within 2%: {}", range(zone)));
    }
    if let Some(regret) = verdict.expected_regret {
        out.push(format!("expected to cost {} more than the best", share(regret)));
    }
    if let Some(interval) = verdict.best_interval_90 {
        out.push(format!("90% that the best lies in {}", range(interval)));
    }
    if let Some(free) = verdict.unconstrained {
        out.push(format!("without the objectives it would be {name} {}", plain(free)));
    }
    out
}

/// What the ends of the sweep cost against the value measured nearest to the answer.
pub(super) fn costs(verdict: &PoolVerdict) -> Option<String> {
    let (name, chosen) = (setting(verdict), verdict.value?);
    let losses: Vec<(f64, f64)> = verdict.steps.iter().filter_map(|s| s.loss_s.map(|l| (s.value, l.mean))).collect();
    let near = losses.iter().min_by(|a, b| (a.0 - chosen).abs().total_cmp(&(b.0 - chosen).abs()))?;
    let (first, last) = (losses.first()?, losses.last()?);
    let ends = [Some(first), (losses.len() > 1).then_some(last)].into_iter().flatten();
    let dear: Vec<String> = ends
        .filter(|end| near.1 > 0.0 && end.0.total_cmp(&near.0).is_ne() && end.1 / near.1 > 1.02)
        .map(|end| format!("at {name} {} the loss is {} that at {}", plain(end.0), times(end.1 / near.1), plain(near.0)))
        .collect();
    match (dear.is_empty(), losses.len() > 1) {
        (false, _) => Some(dear.join("; ")),
        (true, true) => Some("the ends of what was tried cost no more than 2%".to_owned()),
        (true, false) => None,
    }
}

/// Other settings that follow.
pub(super) fn also_set(verdict: &PoolVerdict) -> Option<String> {
    let d = &verdict.derived;
    let parts: Vec<String> = [
        d.threads.map(|n| format!("at least {n} worker threads")),
        d.connection_timeout_s.map(|s| format!("connection time-out {}", time(s))),
        d.bulkhead.map(|n| format!("bulkhead of {n} requests")),
        d.sustainable_rate.map(|r| format!("sustainable rate {}", rate(r))),
    ]
    .into_iter()
    .flatten()
    .collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// What to measure next.
pub(super) fn next(verdict: &PoolVerdict) -> Option<String> {
    let next = verdict.next.as_ref()?;
    let times = if next.runs == 1 { "once more".to_owned() } else { format!("{} times more", next.runs) };
    Some(format!("measure {} {} {times}: {}", setting(verdict), plain(next.value), clean(&next.why)))
}

/// Values with their names, what is swept first: `pool 150, threads 200`.
pub(super) fn values(plan: Option<&Plan>, values: &Values) -> String {
    let swept: Vec<&str> = plan.into_iter().flat_map(Plan::swept).map(|s| s.name.as_str()).collect();
    let rest = values.0.keys().map(String::as_str).filter(|name| !swept.contains(name));
    let parts: Vec<String> =
        swept.iter().copied().chain(rest).filter_map(|name| values.get(name).map(|v| format!("{} {}", clean(name), plain(v)))).collect();
    parts.join(", ")
}

/// How a step ended, in a word or two.
pub(super) const fn end(end: StepEnd) -> &'static str {
    match end {
        StepEnd::Completed => "measured",
        StepEnd::Skipped => "skipped",
        StepEnd::Refused => "refused",
        StepEnd::Void => "void",
        StepEnd::Guard => "stopped by a guard",
        StepEnd::Interrupted => "interrupted",
        StepEnd::Failed => "failed",
    }
}

/// Failures by kind: `12 time-out, 3 reset`.
pub(super) fn failures<'a>(failed: impl IntoIterator<Item = (&'a ErrorKind, &'a u64)>) -> String {
    failed.into_iter().map(|(kind, n)| format!("{} {}", super::format::count(*n), kind.name())).collect::<Vec<_>>().join(", ")
}
