//! The curve of the sweep so far: loss, wait W and hold H against the setting, from the latest judgement and from the steps themselves.

use super::label;
use crate::model::event::{Phase, StepEnd};
use crate::model::session::{Session, StepState, StepStatus};
use crate::model::units::Span;
use crate::model::verdict::{Kind, PoolVerdict, ValueFigures};

/// A step's own loss, beside the judge's figures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct StepLoss {
    /// The setting's value.
    pub value: f64,
    /// Mean loss so far, in seconds.
    pub loss_s: f64,
    /// Whether it is still being measured.
    pub running: bool,
}

/// What a failed request costs in this session.
#[must_use]
pub(crate) fn failure_cost(session: &Session) -> Span {
    session.plan().map_or(Span::from_secs(10), |p| p.objective.failure_cost.unwrap_or(p.load.timeout))
}

/// The loss of each step that has been measured, or is.
#[must_use]
pub(crate) fn step_losses(session: &Session) -> Vec<StepLoss> {
    let axis = label::axis(session);
    session.steps().iter().filter_map(|step| step_loss(step, &axis, failure_cost(session))).collect()
}

fn step_loss(step: &StepState, axis: &str, cost: Span) -> Option<StepLoss> {
    let running = match step.status() {
        StepStatus::Ended(StepEnd::Completed) => false,
        StepStatus::Running(Some(Phase::Measure | Phase::Drain)) => true,
        _ => return None,
    };
    let value = step.planned().values.get(axis)?;
    let (sum, n) = step.measured_slots().fold((0.0, 0), |(sum, n), (_, f)| (sum + f.loss_sum_s(cost), n + f.finished()));
    (n > 0).then(|| StepLoss { value, loss_s: sum / n as f64, running })
}

/// The latest judgement.
#[must_use]
pub(crate) fn verdict(session: &Session) -> Option<&PoolVerdict> {
    session.judged().last().map(|j| &j.verdict)
}

/// The figures of each value, as judged; ascending.
#[must_use]
pub(crate) fn judged(session: &Session) -> &[ValueFigures] {
    verdict(session).map_or(&[], |v| v.steps.as_slice())
}

/// What is known so far, in one line.
#[must_use]
pub(crate) fn so_far(session: &Session) -> String {
    let Some(verdict) = verdict(session) else {
        let done = step_losses(session).iter().filter(|s| !s.running).count();
        return match done {
            0 => "so far: nothing measured yet".to_owned(),
            1 => "so far: one run; nothing to compare it with".to_owned(),
            n => format!("so far: {n} runs, not yet judged"),
        };
    };
    let value = verdict.value.map_or_else(|| "no answer".to_owned(), crate::ui::number::setting);
    let zone = verdict.zone.map_or_else(String::new, |(a, b)| format!(" ({a:.0} to {b:.0})"));
    if session.ended().is_some() {
        return format!("{}: {value}{zone}", words(verdict.verdict));
    }
    let said = if matches!(verdict.verdict, Kind::Recommend | Kind::Repeat) { String::new() } else { format!("{}: ", words(verdict.verdict)) };
    let runs = match verdict.steps.iter().map(|s| s.runs).min() {
        None | Some(0) => ", not all values measured yet".to_owned(),
        Some(1) => ", one run each: no answer yet".to_owned(),
        Some(n) => format!(", {n} runs each"),
    };
    format!("so far: {said}{value}{zone}{runs}")
}

/// A kind of verdict in the reader's words.
#[must_use]
pub(crate) const fn words(kind: Kind) -> &'static str {
    match kind {
        Kind::Recommend => "recommended",
        Kind::Repeat => "not decided, best guess",
        Kind::EdgeHigh => "more than tried, of these",
        Kind::EdgeLow => "less than tried, of these",
        Kind::Underloaded => "load too small, enough is",
        Kind::ThreadBound => "threads are the limit, best guess",
        Kind::Overloaded => "overloaded, least bad",
        Kind::GeneratorBound => "generator is the limit, best guess",
        Kind::Invalid => "can not be judged",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::testkit;

    #[test]
    fn steps_have_their_own_loss() {
        let losses = step_losses(&testkit::middle());
        assert!(losses.iter().filter(|l| l.running).count() == 1 && losses.len() == 4, "{losses:?}");
        let best = losses.iter().min_by(|a, b| a.loss_s.total_cmp(&b.loss_s)).unwrap();
        assert!((best.value - 150.0).abs() < 60.0, "{best:?}");
    }

    #[test]
    fn what_is_known_is_said() {
        assert_eq!(so_far(&Session::new()), "so far: nothing measured yet");
        let said = so_far(&testkit::middle());
        assert_eq!(said, "so far: 150 (128 to 172), one run each: no answer yet");
        let end = so_far(&Session::of(testkit::sweep().iter()));
        assert_eq!(end, "recommended: 150 (128 to 172)");
    }

    #[test]
    fn a_failure_costs_what_the_plan_says() {
        assert_eq!(failure_cost(&testkit::middle()), Span::from_secs(2));
        assert_eq!(failure_cost(&Session::new()), Span::from_secs(10));
    }
}
