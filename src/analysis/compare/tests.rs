//! Whole sessions against each other.

use super::*;
use crate::model::event::{Cohort, Event, Phase, RequestKey, SessionStarted, StepEnd, StepId, StepPlanned, Tick, TickRow};
use crate::model::histogram::Histogram;
use crate::model::plan::{LoadModel, Plan, Values};
use crate::model::session::tests::events::{head, number, plan};
use crate::model::units::Elapsed;
use crate::model::units::Span;

const SECONDS: u64 = 12;

fn usual() -> Plan {
    Plan { sources: Vec::new(), ..plan() }
}

/// Two runs of each pool, whose requests take `ms` times a factor; a second of warm-up in none of them.
fn session(plan: Plan, pools: &[f64], factor: f64) -> Session {
    let mut events = vec![(Event::SessionStarted(Box::new(SessionStarted { plan, ..head() })), 0)];
    let mut second = 1;
    for block in 0..2_u32 {
        for pool in pools {
            let step = StepId(u32::try_from(events.iter().filter(|e| matches!(e.0, Event::StepPlanned(_))).count()).unwrap());
            let values = Values::default().with("pool", *pool);
            events.push((Event::StepPlanned(StepPlanned { step, values, block, order: step.0 }), 0));
            events.push((Event::PhaseChanged { step, phase: Phase::Measure }, 0));
            for i in 0..SECONDS {
                events.push((Event::Tick(Box::new(tick(step, second + i, factor * (40.0 + f64::from(block) + (i % 3) as f64)))), 1_000_000));
            }
            second += SECONDS;
            events.push((Event::StepEnded { step, end: StepEnd::Completed, reason: String::new() }, 0));
        }
    }
    // The first step begins with the first second.
    events[1].1 = 1_000_000;
    Session::of(&number(events))
}

fn tick(step: StepId, second: u64, ms: f64) -> Tick {
    let mut latency = Histogram::default();
    for i in 0..100_u32 {
        latency.record(Span::from_secs_f64(ms / 1e3 * (0.8 + 0.004 * f64::from(i))));
    }
    let (from, to) = (Elapsed(second * 1_000_000), Elapsed((second + 1) * 1_000_000));
    let cohort = Cohort { step, phase: Phase::Measure, slot: second };
    let key = RequestKey { scenario: "s".into(), name: "GET /".into(), ..RequestKey::default() };
    let row = TickRow { service_time: latency.clone(), latency, ..TickRow::new(key, cohort) };
    Tick { source: "local".into(), number: second - 1, from, to, sent: 100, rows: vec![row], ..Tick::default() }
}

#[test]
fn a_session_is_the_same_as_itself() {
    let one = session(usual(), &[30.0, 100.0], 1.0);
    let found = compare(&one, &one);
    assert_eq!(found.verdict, Change::Same, "{found:?}");
    assert_eq!(found.plan_differences, Vec::<String>::new());
    assert_eq!(found.metrics.len(), 18, "six figures over all and for two settings");
    assert!(found.metrics.iter().filter_map(|m| m.change).all(|c| c.change.abs() < 1e-12 && c.p > 0.99));
}

#[test]
fn a_slower_one_is_a_regression_and_a_faster_one_an_improvement() {
    let (base, slower) = (session(usual(), &[30.0, 100.0], 1.0), session(usual(), &[30.0, 100.0], 1.2));
    let found = compare(&base, &slower);
    assert_eq!(found.verdict, Change::Regression, "{found:?}");
    let loss = &found.metrics[0];
    assert_eq!((loss.setting.as_deref(), loss.metric, loss.runs), (None, Metric::Loss, (4, 4)));
    let change = loss.change.unwrap();
    assert!((change.change - 0.2).abs() < 0.01 && change.interval_95.0 > 0.1, "{change:?}");
    assert_eq!(compare(&slower, &base).verdict, Change::Improvement);
    let p95 = found.metrics.iter().find(|m| m.metric == Metric::P95 && m.setting.as_deref() == Some("pool 100")).unwrap();
    assert!((p95.change.unwrap().change - 0.2).abs() < 0.02, "{p95:?}");
    let settings: Vec<&str> = found.metrics.iter().skip(6).filter_map(|m| m.setting.as_deref()).collect();
    assert!(settings[..6].iter().all(|s| *s == "pool 30"), "by value, not by digits: {settings:?}");
}

#[test]
fn what_only_one_measured_is_not_compared() {
    let (base, new) = (session(usual(), &[30.0, 50.0], 1.0), session(usual(), &[50.0, 100.0], 1.0));
    let found = compare(&base, &new);
    assert!(found.metrics.iter().all(|m| m.setting.is_none() && m.runs == (2, 2)), "pool 50 alone: {found:?}");
    let found = compare(&base, &session(usual(), &[100.0], 1.0));
    assert_eq!((found.verdict, found.metrics.len()), (Change::Unknown, 0));
    assert!(found.notes[0].contains("no combination"), "{:?}", found.notes);
}

#[test]
fn other_plans_are_said_first() {
    let mut other = usual();
    other.load.model = LoadModel::Closed { users: 300 };
    other.settings[0].values = vec![30.0];
    let found = compare(&session(usual(), &[30.0], 1.0), &session(other, &[30.0], 1.0));
    assert_eq!(found.plan_differences, ["load: 200 users → 300 users", "pool: 30, 50, 100 → 30"]);
    assert!(found.notes.iter().any(|n| n.contains("can not be shared out")), "{:?}", found.notes);
    assert_eq!(found.verdict, Change::Unknown, "more users are no slower service");
    assert_eq!(found.metrics.len(), 6, "one combination is told once, with its figures");
}

#[test]
fn runs_without_a_setting_are_compared_too() {
    let mut bare = usual();
    bare.settings.clear();
    let of = |factor| {
        let session = session(bare.clone(), &[30.0], factor);
        assert!(every_step(&session).is_some());
        session
    };
    let found = compare(&of(1.0), &of(1.5));
    assert_eq!(found.verdict, Change::Regression, "{found:?}");
}
