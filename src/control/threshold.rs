//! Thresholds that end a run: whether one that may is crossed, once enough was measured. The figures are the judge's; this only decides.
//! A pure function of the fold.

use crate::analysis;
use crate::model::event::Phase;
use crate::model::session::Session;

/// The sentence of the first threshold that is crossed and ends the run; looked at while a step is measured.
#[must_use]
pub fn crossed(session: &Session) -> Option<String> {
    let step = session.current().filter(|s| s.phase() == Some(Phase::Measure))?;
    let measured = session.now().since(step.measured()?.from);
    let thresholds = session.plan().map(|p| p.thresholds.as_slice()).unwrap_or_default();
    thresholds.iter().filter(|t| t.abort.is_some_and(|a| measured >= a.after)).find_map(|threshold| {
        let standing = analysis::standing(session, threshold);
        // What has no figure yet has crossed nothing.
        let value = standing.value.filter(|_| !standing.ok)?;
        let unit = threshold.rule().ok()?.unit();
        Some(format!("threshold `{}`: `{}` is crossed, it reads {}", threshold.metric, threshold.pass, unit.show(value)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::testkit::{plan, started};
    use crate::model::event::{Cohort, Event, RequestKey, Stamped, StepId, StepPlanned, Tick, TickRow};
    use crate::model::histogram::Histogram;
    use crate::model::plan::{Abort, Threshold, Values};
    use crate::model::units::{Elapsed, Span};

    /// Whether it is crossed after each second of measuring under requests of 2 s.
    fn crossed_at(threshold: Threshold) -> Vec<Option<String>> {
        let mut p = plan(&[10.0], 1);
        p.thresholds = vec![threshold];
        let mut session = Session::new();
        let mut say = |at: u64, event| {
            let seq = session.next_seq();
            session.apply(&Stamped { seq, at: Elapsed(at * 1_000_000), event });
            crossed(&session)
        };
        say(0, started(p));
        say(0, Event::StepPlanned(StepPlanned { step: StepId(0), values: Values::default(), block: 0, order: 0 }));
        say(0, Event::PhaseChanged { step: StepId(0), phase: Phase::Measure });
        let mut found = Vec::new();
        for n in 0..4 {
            let mut latency = Histogram::default();
            latency.record_n(2_000_000, if n == 0 { 0 } else { 10 });
            let row = TickRow { latency, ..TickRow::new(RequestKey::default(), Cohort { step: StepId(0), phase: Phase::Measure, slot: n }) };
            let (from, to) = (Elapsed(n * 1_000_000), Elapsed((n + 1) * 1_000_000));
            found.push(say(n + 1, Event::Tick(Box::new(Tick { source: "local".into(), number: n, from, to, rows: vec![row], ..Tick::default() }))));
        }
        found.push(say(5, Event::PhaseChanged { step: StepId(0), phase: Phase::Drain }));
        found
    }

    fn ending(pass: &str, after: u64) -> Threshold {
        Threshold { abort: Some(Abort { after: Span::from_secs(after) }), ..Threshold::new("http_req_duration", pass) }
    }

    #[test]
    fn it_is_crossed_once_enough_was_measured() {
        let found = crossed_at(ending("p(95) < 1s", 3));
        assert_eq!(found.iter().map(Option::is_some).collect::<Vec<_>>(), [false, false, true, true, false], "and no more in drain");
        assert_eq!(found[2].as_deref(), Some("threshold `http_req_duration`: `p(95) < 1s` is crossed, it reads 2s"));
    }

    #[test]
    fn what_has_no_figure_yet_or_holds_ends_nothing() {
        assert_eq!(crossed_at(ending("p(95) < 1s", 0))[0], None, "the first second has no request");
        assert!(crossed_at(ending("p(95) < 3s", 0)).iter().all(Option::is_none));
        assert!(crossed_at(Threshold::new("http_req_duration", "p(95) < 1s")).iter().all(Option::is_none));
    }
}
