//! What casts doubt on an answer, one sentence each: the judge's flags, steps that do not count, holes in the stream.

use super::format::share;
use super::words;
use crate::model::event::{Proof, StepEnd};
use crate::model::session::{Session, StepState};
use crate::model::text::clean;
use crate::model::verdict::PoolVerdict;

/// The judge's own flags.
pub(super) fn of_verdict(verdict: &PoolVerdict) -> Vec<String> {
    verdict.flags.iter().map(|f| clean(&f.text)).collect()
}

/// The last verdict's flags and everything else a reader of the session must know.
#[must_use]
pub fn of_session(session: &Session) -> Vec<String> {
    let flags = session.judged().last().map(|j| of_verdict(&j.verdict)).unwrap_or_default();
    let steps = session.steps().iter().filter_map(|s| of_step(session, s));
    let silent = session.silent().iter().map(|((source, instance), reason)| {
        let on = instance.as_ref().map(|i| format!(" on {}", clean(i))).unwrap_or_default();
        format!("metrics of {}{on} were silent at the end: {}", clean(source), clean(reason))
    });
    let told = session.judged().last().is_some_and(|j| j.verdict.has_flag("generator_bound"));
    let bound = session.steps().iter().filter(|_| !told).filter_map(|s| {
        let why = s.generator_bound().filter(|_| s.excluded().is_none())?;
        let share = share(s.generator_bound_share());
        Some(format!("{}: the load generator was the limit {share} of the time, not the service: {}", place(session, s), clean(why)))
    });
    let odd = session.anomalies().iter().map(|(anomaly, n)| format!("{} ({n} times)", anomaly.text()));
    let restored = session
        .ended()
        .filter(|e| e.restored == Some(false))
        .map(|_| "not every setting was put back: look at the target before using it".to_owned());
    flags.into_iter().chain(steps).chain(bound).chain(silent).chain(odd).chain(restored).collect()
}

fn place(session: &Session, step: &StepState) -> String {
    let values = words::values(session.plan(), &step.planned().values);
    if values.is_empty() { format!("step {}", step.planned().step) } else { format!("step {} ({values})", step.planned().step) }
}

fn of_step(session: &Session, step: &StepState) -> Option<String> {
    let place = || place(session, step);
    if let Some(why) = step.excluded() {
        return Some(format!("{} was taken out by a person: {}", place(), clean(why)));
    }
    if let Some((end, reason, _)) = step.ended().filter(|(end, ..)| *end != StepEnd::Completed) {
        return Some(format!("{} does not count, {}: {}", place(), words::end(*end), clean(reason)));
    }
    let unproved = step.proofs().iter().find(|p| matches!(p.proof, Proof::Unexercised | Proof::Refuted | Proof::Unverified))?;
    let what = match unproved.proof {
        Proof::Refuted => "its setting did not act",
        Proof::Unverified => "nothing proves that its setting acted",
        _ => "its setting reads back, but nothing waited, so it was not seen to act",
    };
    Some(format!("{}: {what} ({})", place(), clean(&unproved.text)))
}
