//! How long the load generator, not the service, was the limit of a step. Part of the fold.

use super::{Session, StepState};
use crate::model::event::{Bound, StepId};
use crate::model::units::{Elapsed, Span};

/// From this share of the measured time on in which the generator was the limit, a step is marked.
pub const BOUND_SHARE: f64 = 0.1;
/// A limit counts as present for so long after it was last seen.
const PRESENT: Span = Span::from_secs(3);

/// Figures of a step's load while it was measured.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct LoadFigures {
    bound: Span,
    why: Option<String>,
    /// The end of the last interval that was measured.
    seen: Elapsed,
}

impl LoadFigures {
    /// An interval that ended then was measured.
    pub(super) fn saw(&mut self, to: Elapsed) {
        self.seen = self.seen.max(to);
    }
}

impl StepState {
    /// Takes in that the generator was the limit. What it looked at may reach a little beyond the measure phase.
    /// Returns whether any of it was measured.
    pub(super) fn add_bound(&mut self, bound: &Bound) -> bool {
        let Some(measured) = self.measured() else { return false };
        let (from, to) = (bound.from.max(measured.from), measured.to.map_or(bound.to, |end| bound.to.min(end)));
        if from < to {
            self.load.bound = self.load.bound.plus(to.since(from));
            self.load.why = Some(bound.to_string());
            self.load.saw(to);
        }
        from < to
    }

    /// The share of the measured time in which the load generator was the limit.
    #[must_use]
    pub fn generator_bound_share(&self) -> f64 {
        let Some(measured) = self.measured() else { return 0.0 };
        let whole = measured.to.unwrap_or(self.load.seen).since(measured.from).as_secs_f64();
        if whole > 0.0 { (self.load.bound.as_secs_f64() / whole).min(1.0) } else { 0.0 }
    }

    /// Why the load generator, not the service, was the limit of this step; none if it was not, or only for a moment.
    #[must_use]
    pub fn generator_bound(&self) -> Option<&str> {
        self.load.why.as_deref().filter(|_| self.generator_bound_share() >= BOUND_SHARE)
    }
}

impl Session {
    pub(super) fn take_bound(&mut self, step: Option<StepId>, bound: &Bound) -> bool {
        let mut changed = self.bound.as_ref() != Some(bound);
        self.bound = Some(bound.clone());
        let Some(step) = step else { return changed };
        let mut moved = false;
        let known = self.with_step(step, |s| moved = s.add_bound(bound));
        changed |= known && (moved || self.step(step).is_none());
        changed
    }

    /// The limit of the load generator that is present now, while a step runs.
    #[must_use]
    pub fn generator_limit(&self) -> Option<&Bound> {
        let present = PRESENT.max(self.tick().times(2.5));
        self.bound.as_ref().filter(|b| self.current().is_some() && self.now().since(b.to) <= present)
    }

    /// Whether a limit goes on, so that it is no news.
    pub(super) fn is_known_limit(&self, bound: &Bound) -> bool {
        self.bound.as_ref().is_some_and(|known| known.limit == bound.limit && bound.from.since(known.to) <= PRESENT.max(self.tick().times(2.5)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::event::{Event, Limit, Phase, Stamped, StepEnd, StepPlanned};
    use crate::model::plan::Values;
    use crate::model::session::tests::events::head;

    const STEP: StepId = StepId(0);

    fn say(session: &mut Session, second: u64, event: Event) {
        let seq = session.next_seq();
        session.apply(&Stamped { seq, at: Elapsed(second * 1_000_000), event });
    }

    fn measuring() -> Session {
        let mut session = Session::new();
        say(&mut session, 0, Event::SessionStarted(Box::new(head())));
        say(&mut session, 0, Event::StepPlanned(StepPlanned { step: STEP, values: Values::default(), block: 0, order: 0 }));
        say(&mut session, 10, Event::PhaseChanged { step: STEP, phase: Phase::Measure });
        session
    }

    fn bound(second: u64) -> Event {
        let bound = Bound {
            source: "local".into(),
            from: Elapsed((second - 1) * 1_000_000),
            to: Elapsed(second * 1_000_000),
            limit: Limit::Cpu,
            figure: 0.95,
        };
        Event::GeneratorBound { step: Some(STEP), bound }
    }

    #[test]
    fn a_limit_is_present_at_once_told_once_and_passes() {
        let mut session = measuring();
        assert_eq!(session.generator_limit(), None);
        for second in 11..14 {
            say(&mut session, second, bound(second));
            assert!(session.generator_limit().is_some());
        }
        assert_eq!(session.log().iter().filter(|l| l.text.starts_with("the load generator is the limit: a worker was busy 95%")).count(), 1);
        say(&mut session, 17, Event::StepPlanned(StepPlanned { step: StepId(1), values: Values::default(), block: 0, order: 1 }));
        assert_eq!(session.generator_limit(), None);
        say(&mut session, 18, bound(18));
        assert_eq!(session.log().iter().filter(|l| l.text.starts_with("the load generator is the limit")).count(), 2, "it came back");
    }

    #[test]
    fn a_step_is_marked_by_the_share_of_its_time() {
        for (seconds, marked) in [(3, false), (4, true)] {
            let mut session = measuring();
            (11..11 + seconds).for_each(|s| say(&mut session, s, bound(s)));
            say(&mut session, 45, Event::PhaseChanged { step: STEP, phase: Phase::Drain });
            say(&mut session, 46, Event::StepEnded { step: STEP, end: StepEnd::Completed, reason: String::new() });
            let step = session.step(STEP).unwrap();
            assert_eq!(step.generator_bound().is_some(), marked, "{seconds} of 35 s: {}", step.generator_bound_share());
        }
    }

    #[test]
    fn what_was_before_measuring_marks_nothing() {
        let mut session = measuring();
        say(&mut session, 10, bound(10));
        assert!(session.step(STEP).unwrap().generator_bound().is_none());
    }
}
