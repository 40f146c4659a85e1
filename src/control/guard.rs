//! Guards: conditions that stop a step, then the run, before harm is done. Fed with the fold after each event; keeps only since when
//! each condition holds.

use crate::model::event::Event;
use crate::model::plan::{Guard, Plan};
use crate::model::session::Session;
use crate::model::signal::Signal;
use crate::model::units::{Elapsed, Span};

/// The guards of a plan and since when each one's condition holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Guards {
    guards: Vec<(Guard, Option<Elapsed>)>,
}

impl Guards {
    /// The guards of a plan, none tripped.
    #[must_use]
    pub fn new(plan: &Plan) -> Self {
        Self { guards: plan.guards.iter().map(|g| (g.clone(), None)).collect() }
    }

    /// Looks at what an event brought. Gives the sentence of the first guard whose condition has held long enough.
    pub fn watch(&mut self, event: &Event, session: &Session) -> Option<String> {
        if !matches!(event, Event::Tick(_) | Event::Sample(_)) {
            return None;
        }
        let now = session.now();
        for (guard, since) in &mut self.guards {
            let Some(value) = figure(guard, session) else { continue };
            if !guard.comparison.holds(value, guard.bound) {
                *since = None;
                continue;
            }
            let begun = *since.get_or_insert(now);
            if now.since(begun) >= guard.holds {
                return Some(format!("guard `{} {}`: it reads {}", guard.watch, guard.text, shown(guard, value)));
            }
        }
        None
    }

    /// Forgets what held before: a new step begins.
    pub fn reset(&mut self) {
        for (_, since) in &mut self.guards {
            *since = None;
        }
    }
}

/// The figure a guard watches, now; none while it is unknown.
fn figure(guard: &Guard, session: &Session) -> Option<f64> {
    if guard.watch == "failed" {
        return failed_share(session, Span::from_secs(1).max(session.tick().times(2.0)));
    }
    let (name, of) = match guard.watch.split_once('{') {
        Some((name, rest)) => (name, Some(rest.trim_end_matches('}'))),
        None => (guard.watch.as_str(), None),
    };
    session.latest(name.parse::<Signal>().ok()?, of)
}

/// The share of what ended over about the last `window` that failed; none if nothing ended.
fn failed_share(session: &Session, window: Span) -> Option<f64> {
    let last = session.ticks().last()?;
    let from = last.to.minus(window);
    let (mut all, mut failed) = (0_u64, 0_u64);
    for point in session.ticks().iter().rev().take_while(|p| p.to > from) {
        all += point.finished;
        failed += point.failures();
    }
    (all > 0).then(|| failed as f64 / all as f64)
}

fn shown(guard: &Guard, value: f64) -> String {
    if guard.watch == "failed" { format!("{:.1}%", value * 100.0) } else { format!("{value:.1}") }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::control::testkit::{plan, started};
    use crate::model::event::Cohort;
    use crate::model::event::{ErrorKind, Phase, RequestKey, Stamped, StepId, Tick, TickRow};
    use crate::model::histogram::Histogram;
    use crate::model::plan::Comparison;

    fn tick(number: u64, ok: u64, failed: u64) -> Event {
        let mut latency = Histogram::default();
        latency.record_n(1000, ok);
        let row = TickRow {
            failed: BTreeMap::from([(ErrorKind::Status, failed)]),
            latency,
            ..TickRow::new(RequestKey::default(), Cohort { step: StepId(0), phase: Phase::Measure, slot: number })
        };
        let (from, to) = (Elapsed(number * 1_000_000), Elapsed((number + 1) * 1_000_000));
        Event::Tick(Box::new(Tick { source: "local".into(), number, from, to, rows: vec![row], ..Tick::default() }))
    }

    fn fed(ticks: &[(u64, u64)], holds: Span) -> Option<String> {
        let mut p = plan(&[10.0], 1);
        let text = format!("> 50% for {holds}");
        p.guards = vec![Guard { watch: "failed".into(), comparison: Comparison::Above, bound: 0.5, holds, text }];
        let mut guards = Guards::new(&p);
        let mut session = Session::new();
        session.apply(&Stamped { seq: 0, at: Elapsed::ZERO, event: started(p) });
        let mut said = None;
        for (i, &(ok, failed)) in (0_u64..).zip(ticks) {
            let event = tick(i, ok, failed);
            session.apply(&Stamped { seq: i + 1, at: Elapsed((i + 1) * 1_000_000), event: event.clone() });
            said = said.or_else(|| guards.watch(&event, &session));
        }
        said
    }

    #[test]
    fn trips_once_the_condition_has_held_long_enough() {
        let bad = [(1, 99); 6];
        let said = fed(&bad, Span::from_secs(3)).unwrap();
        assert!(said.contains("failed") && said.contains('%'), "{said}");
        assert_eq!(fed(&bad[..3], Span::from_secs(3)), None);
    }

    #[test]
    fn a_good_interval_starts_it_over() {
        assert_eq!(fed(&[(1, 99), (1, 99), (500, 0), (500, 0), (1, 99), (1, 99)], Span::from_secs(3)), None);
    }

    #[test]
    fn an_unknown_figure_trips_nothing() {
        assert_eq!(fed(&[(0, 0); 6], Span::from_secs(1)), None);
    }
}
