//! Single cases of the fold: what a law names and an arbitrary stream seldom meets.

use std::collections::BTreeMap;

use super::events::head;
use crate::model::event::{
    Author, Cohort, ErrorKind, Event, Gap, Outcome, Phase, PlanChange, Proof, Reading, RequestKey, Sample, SettingProved, Stamped, StepEnd, StepId,
    StepPlanned, Tick, TickRow,
};
use crate::model::histogram::Histogram;
use crate::model::plan::Values;
use crate::model::series::Track;
use crate::model::session::{Anomaly, MOST_SLICES, Session, StepStatus};
use crate::model::signal::{Signal, Value};
use crate::model::units::{Elapsed, Span};

const STEP: StepId = StepId(0);

fn at_second(seconds: u64) -> Elapsed {
    Elapsed(seconds * 1_000_000)
}

/// Applies events as they come, numbered.
struct Fold {
    session: Session,
    at: Elapsed,
}

impl Fold {
    /// A session that measures its first step from second 10 on.
    fn measuring() -> Self {
        let mut fold = Self { session: Session::new(), at: Elapsed::ZERO };
        fold.take(0, Event::SessionStarted(Box::new(head())));
        fold.take(0, Event::StepPlanned(StepPlanned { step: STEP, values: Values::default().with("pool", 30.0), block: 0, order: 0 }));
        fold.take(10, Event::PhaseChanged { step: STEP, phase: Phase::Measure });
        fold
    }

    fn take(&mut self, second: u64, event: Event) {
        self.at = self.at.max(at_second(second));
        let seq = self.session.next_seq();
        self.session.apply(&Stamped { seq, at: self.at, event });
    }

    fn tick(&mut self, number: u64, rows: Vec<TickRow>) {
        self.tick_of("local", number, rows);
    }

    fn tick_of(&mut self, source: &str, number: u64, rows: Vec<TickRow>) {
        let (from, to) = (at_second(number), at_second(number + 1));
        let tick = Tick { source: source.to_owned(), number, from, to, sent: 5, rows, ..Tick::default() };
        self.take(number + 1, Event::Tick(Box::new(tick)));
    }
}

fn row(name: &str, slot: u64, latencies_ms: &[u64]) -> TickRow {
    let mut latency = Histogram::default();
    for &ms in latencies_ms {
        latency.record(Span::from_millis(ms));
    }
    TickRow {
        latency,
        ..TickRow::new(
            RequestKey { scenario: "browse".into(), name: name.into(), ..RequestKey::default() },
            Cohort { step: STEP, phase: Phase::Measure, slot },
        )
    }
}

#[test]
fn late_rows_amend_the_interval_their_requests_began_in() {
    let mut fold = Fold::measuring();
    fold.tick(10, vec![row("a", 10, &[100])]);
    fold.tick(13, vec![row("a", 10, &[3000]), row("a", 13, &[50])]);
    let step = fold.session.step(STEP).unwrap();
    let slot = &step.slots()[&(10, Phase::Measure)];
    assert_eq!((slot.ok, slot.max), (2, Some(Span::from_secs(3))));
    assert_eq!(slot.percentiles.map(|p| p[3]), Some(Span::from_secs(3)), "the percentiles too");
    assert_eq!(fold.session.ticks().iter().map(|t| t.finished).collect::<Vec<_>>(), [1, 2], "rates are of what ended when");
    assert!(fold.session.anomalies().is_empty());
}

#[test]
fn rows_later_than_any_request_may_take_are_counted_and_said() {
    let mut fold = Fold::measuring();
    fold.tick(10, vec![row("a", 10, &[100])]);
    fold.tick(40, vec![row("a", 40, &[100])]);
    fold.tick(41, vec![row("a", 10, &[900])]);
    let step = fold.session.step(STEP).unwrap();
    let slot = &step.slots()[&(10, Phase::Measure)];
    assert_eq!((slot.ok, slot.percentiles.map(|p| p[3])), (2, Some(Span::from_millis(100))));
    assert_eq!(fold.session.anomalies(), &BTreeMap::from([(Anomaly::LateRows, 1)]));
    assert_eq!(step.latency().count(), 3, "the whole distribution has it");
}

#[test]
fn a_repeated_tick_number_of_a_source_is_ignored_and_another_source_s_is_not() {
    let mut fold = Fold::measuring();
    fold.tick(10, vec![row("a", 10, &[100])]);
    let once = fold.session.clone();
    fold.tick(10, vec![row("a", 10, &[100])]);
    assert_eq!(fold.session.revision(), once.revision());
    assert_eq!(fold.session.steps(), once.steps());
    fold.tick_of("far", 10, vec![row("a", 10, &[100])]);
    assert_eq!(fold.session.step(STEP).unwrap().measured_counts(), (2, 0));
    assert_eq!(fold.session.ticks().len(), 1, "sources are joined by their interval");
    assert_eq!(fold.session.ticks()[0].sent, 10);
}

#[test]
fn slices_begin_with_measuring_for_all_requests_and_merge_when_full() {
    let mut fold = Fold::measuring();
    for n in 0..100 {
        let mut rows = vec![row("a", 10 + n, &[10 + n])];
        if n >= 7 {
            rows.push(row("b", 10 + n, &[5]));
        }
        fold.tick(10 + n, rows);
    }
    let step = fold.session.step(STEP).unwrap();
    for figures in step.names().values() {
        let edges: Vec<_> = figures.slices.iter().map(|s| (s.from_slot, s.to_slot)).collect();
        assert!(edges.len() <= MOST_SLICES && edges.iter().all(|(a, b)| b - a == 8 && (a - 10) % 8 == 0), "{edges:?}");
    }
    let counts: Vec<u64> = step.names().values().map(|f| f.latency().count()).collect();
    assert_eq!(counts, [100, 93]);
}

#[test]
fn a_step_with_a_refuted_setting_does_not_count() {
    let mut fold = Fold::measuring();
    let proved = |proof| Event::SettingProved(SettingProved { step: Some(STEP), setting: "pool".into(), proof, seen: None, text: "as seen".into() });
    fold.take(11, proved(Proof::Acted));
    fold.take(12, Event::StepEnded { step: STEP, end: StepEnd::Completed, reason: "done".into() });
    assert!(fold.session.step(STEP).unwrap().counts());
    fold.take(13, proved(Proof::Refuted));
    assert!(!fold.session.step(STEP).unwrap().counts());
    fold.take(14, proved(Proof::Unexercised));
    fold.take(15, Event::StepExcluded { step: STEP, why: "the neighbour was noisy".into() });
    assert_eq!(fold.session.step(STEP).unwrap().excluded(), Some("the neighbour was noisy"));
    assert!(!fold.session.step(STEP).unwrap().counts());
    fold.take(16, Event::StepIncluded { step: STEP, why: "it was not".into() });
    assert!(fold.session.step(STEP).unwrap().counts());
}

#[test]
fn the_current_step_is_the_one_that_runs() {
    let mut fold = Fold::measuring();
    assert_eq!((fold.session.current().map(|s| s.planned().step), fold.session.phase()), (Some(STEP), Some(Phase::Measure)));
    fold.take(20, Event::PhaseChanged { step: STEP, phase: Phase::Drain });
    fold.take(22, Event::StepEnded { step: STEP, end: StepEnd::Completed, reason: "done".into() });
    assert_eq!((fold.session.current(), fold.session.phase()), (None, None));
    let step = fold.session.step(STEP).unwrap();
    assert_eq!(step.status(), StepStatus::Ended(StepEnd::Completed));
    assert_eq!(step.measured().map(|m| (m.from, m.to)), Some((at_second(10), Some(at_second(20)))));
    assert!(step.phases().iter().all(|p| p.to.is_some()));
}

#[test]
fn a_source_that_falls_silent_makes_one_gap_and_one_line() {
    let mut fold = Fold::measuring();
    let sample = |s| {
        let readings = vec![Reading { signal: Signal::PoolPending, of: None, value: Value::Gauge(4.0) }];
        Event::Sample(Box::new(Sample { source: "app".into(), instance: None, asked: at_second(s), answered: at_second(s), readings }))
    };
    let gap = |s| Event::Gap(Gap { source: "app".into(), instance: None, asked: at_second(s), reason: "no answer within 1s".into() });
    fold.take(11, sample(11));
    let lines = fold.session.log().len();
    fold.take(12, gap(12));
    fold.take(13, gap(13));
    assert_eq!(fold.session.log().len(), lines + 1);
    assert_eq!(fold.session.latest(Signal::PoolPending, None), None);
    assert_eq!(fold.session.silent().len(), 1);
    fold.take(14, sample(14));
    assert!(fold.session.silent().is_empty());
    let points: Vec<_> = fold.session.series().values().flat_map(Track::points).map(|p| p.value.is_some()).collect();
    assert_eq!(points, [true, false, true]);
}

#[test]
fn an_ended_session_can_be_resumed_and_a_second_end_is_odd() {
    let mut fold = Fold::measuring();
    let end = |outcome| Event::SessionEnded { outcome, restored: Some(true), reason: "so".into() };
    fold.take(20, end(Outcome::Interrupted));
    fold.take(21, end(Outcome::Completed));
    assert_eq!(fold.session.ended().map(|e| e.outcome), Some(Outcome::Interrupted));
    assert_eq!(fold.session.anomalies(), &BTreeMap::from([(Anomaly::Repeated, 1)]));
    fold.take(22, Event::SessionResumed { version: "0.1.0".into(), at: "2026-11-30T15:00:00Z[UTC]".into() });
    assert_eq!(fold.session.ended(), None);
    fold.take(23, end(Outcome::Completed));
    assert_eq!(fold.session.ended().map(|e| e.outcome), Some(Outcome::Completed));
}

#[test]
fn pausing_is_seen_and_undone() {
    let mut fold = Fold::measuring();
    let change = |what| Event::PlanChanged { what, by: Author::Person, why: "coffee".into() };
    fold.take(11, change(PlanChange::Pause));
    assert!(fold.session.paused());
    fold.take(12, change(PlanChange::GoOn));
    assert!(!fold.session.paused());
}

#[test]
fn counts_that_no_engine_can_reach_do_not_overflow() {
    let mut fold = Fold::measuring();
    let mut huge = row("a", u64::MAX, &[1]);
    huge.failed = BTreeMap::from([(ErrorKind::Status, u64::MAX), (ErrorKind::Timeout, u64::MAX)]);
    fold.tick(10, vec![huge.clone(), huge]);
    let step = fold.session.step(STEP).unwrap();
    assert_eq!(step.measured_counts(), (2, u64::MAX));
    assert_eq!(fold.session.ticks()[0].failures(), u64::MAX);
}
