//! How far a run is and how long it may still take, from its plan and from what its steps took so far.

use crate::model::event::Phase;
use crate::model::plan::TimeLine;
use crate::model::session::{Session, StepState, StepStatus};
use crate::model::units::Span;

/// How far the running phase is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Progress {
    /// Which phase; none while settings are being applied.
    pub phase: Option<Phase>,
    /// Since it began.
    pub passed: Span,
    /// How long it lasts, as planned; none if nobody knows.
    pub of: Option<Span>,
    /// Whether it may last longer.
    pub at_least: bool,
}

/// Where the running step is.
#[must_use]
pub(crate) fn progress(session: &Session) -> Option<Progress> {
    let step = session.current()?;
    let running = step.phases().last().filter(|p| p.to.is_none());
    let began = running.map_or_else(|| step.begun(), |p| Some(p.from))?;
    let phase = running.map(|p| p.phase);
    let plan = session.plan().map(|p| &p.experiment);
    let line = session.plan().and_then(|p| p.load.time_line()).map(TimeLine::length);
    let (of, at_least) = match (phase, plan) {
        (Some(Phase::WarmUp), Some(e)) => (Some(e.warmup), false),
        (Some(Phase::Measure), Some(_)) if line.is_some() => (line, false),
        (Some(Phase::Measure), Some(e)) => (Some(e.measure.min), e.measure.max > e.measure.min),
        _ => (None, false),
    };
    Some(Progress { phase, passed: session.now().since(began), of, at_least })
}

/// How far the running step is, between 0 and 1.
#[must_use]
pub(crate) fn step_share(session: &Session) -> Option<f64> {
    let begun = session.current()?.begun()?;
    let whole = step_length(session)?.as_secs_f64();
    (whole > 0.0).then(|| (session.now().since(begun).as_secs_f64() / whole).clamp(0.0, 1.0))
}

/// How long a step takes: as the completed ones did, or as planned.
#[must_use]
pub(crate) fn step_length(session: &Session) -> Option<Span> {
    let taken: Vec<f64> = session.steps().iter().filter_map(duration).collect();
    if !taken.is_empty() {
        return Some(Span::from_secs_f64(taken.iter().sum::<f64>() / taken.len() as f64));
    }
    let (load, plan) = (&session.plan()?.load, &session.plan()?.experiment);
    let loaded = load.time_line().map_or_else(|| plan.warmup.plus(plan.measure.min), TimeLine::length);
    Some(loaded.plus(plan.settle_max.times(0.1)))
}

fn duration(step: &StepState) -> Option<f64> {
    use crate::model::event::StepEnd;
    let (end, _, at) = step.ended()?;
    (*end == StepEnd::Completed).then_some(())?;
    Some(at.since(step.begun()?).as_secs_f64())
}

/// How long the planned steps may still take; none before the plan is known, nothing once the session ended.
#[must_use]
pub(crate) fn left(session: &Session) -> Option<Span> {
    if session.ended().is_some() {
        return Some(Span::ZERO);
    }
    let one = step_length(session)?;
    let waiting = session.steps().iter().filter(|s| s.status() == StepStatus::Planned).count();
    let running = session.current().and_then(StepState::begun).map_or(Span::ZERO, |begun| {
        let passed = session.now().since(begun).as_secs_f64();
        Span::from_secs_f64((one.as_secs_f64() - passed).max(0.0))
    });
    Some(one.times(waiting as f64).plus(running))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::units::Elapsed;
    use crate::ui::testkit;

    #[test]
    fn what_is_left_shrinks_to_nothing() {
        let events = testkit::sweep();
        let mut session = Session::new();
        let mut before = None;
        for event in &events {
            session.apply(event);
            if event.at > Elapsed(1) {
                before = left(&session).or(before);
            }
        }
        assert_eq!(left(&session), Some(Span::ZERO));
        let half = Session::of(events.iter().filter(|e| e.at < Elapsed(40_000_000)));
        let rest = left(&half).unwrap().as_secs_f64();
        let truth = session.now().as_secs_f64() - half.now().as_secs_f64();
        assert!((rest - truth).abs() < 0.25 * truth, "{rest} s estimated, {truth} s true");
    }

    #[test]
    fn progress_knows_what_is_planned() {
        let middle = testkit::middle();
        let progress = progress(&middle).unwrap();
        assert_eq!(progress.phase, Some(Phase::Measure));
        assert_eq!(progress.of, Some(Span::from_secs(6)));
        assert!(progress.at_least && progress.passed <= Span::from_secs(6));
        let share = step_share(&middle).unwrap();
        assert!(share > 0.2 && share < 1.0, "{share}");
    }

    #[test]
    fn nothing_is_known_before_the_plan() {
        assert_eq!((progress(&Session::new()), left(&Session::new()), step_share(&Session::new())), (None, None, None));
    }
}
