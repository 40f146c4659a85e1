//! One load step as text and as `load-summary/1`.

use std::collections::BTreeMap;

use crate::model::event::{
    Bound, Cohort, ErrorKind, Event, Limit, Outcome, Phase, Reading, RequestKey, Sample, Stamped, StepEnd, StepId, StepPlanned, Tick, TickRow,
};
use crate::model::histogram::Histogram;
use crate::model::plan::{LoadModel, LoadPlan, Values};
use crate::model::session::Session;
use crate::model::session::tests::events::head;
use crate::model::signal::{Signal, Value};
use crate::model::units::{Elapsed, Rate, Span};
use crate::report::{load_line, load_summary, load_text};

const STEP: StepId = StepId(0);

/// What a made-up load is like.
#[derive(Clone, Copy)]
struct Made {
    model: LoadModel,
    passes: Option<u64>,
    /// Successes of 1 to 2 ms and time-outs a second.
    ok: u64,
    failed: u64,
    bound: bool,
}

const CLOSED: Made = Made { model: LoadModel::Closed { users: 5 }, passes: None, ok: 3000, failed: 0, bound: false };

/// Four seconds of it, measured from the first on.
fn session(made: Made) -> Session {
    let mut head = head();
    head.plan.settings.clear();
    head.plan.load = LoadPlan { passes: made.passes, ..LoadPlan::new(made.model, Span::from_secs(1)) };
    let mut session = Session::new();
    let mut say = |second: u64, event| session.apply(&Stamped { seq: session.next_seq(), at: Elapsed(second * 1_000_000), event });
    say(0, Event::SessionStarted(Box::new(head)));
    say(0, Event::StepPlanned(StepPlanned { step: STEP, values: Values::default(), block: 0, order: 0 }));
    say(0, Event::PhaseChanged { step: STEP, phase: Phase::Measure });
    for n in 0..4 {
        let (from, to) = (Elapsed(n * 1_000_000), Elapsed((n + 1) * 1_000_000));
        let rows = if made.passes.is_some() && n > 1 { Vec::new() } else { vec![row(n, made)] };
        let dropped = u64::from(matches!(made.model, LoadModel::Open { .. }));
        say(n + 1, Event::Tick(Box::new(Tick { source: "local".into(), number: n, from, to, dropped, rows, ..Tick::default() })));
        let readings = vec![Reading { signal: Signal::GeneratorCpu, of: None, value: Value::Gauge(0.5) }];
        say(n + 1, Event::Sample(Box::new(Sample { source: "host".into(), instance: None, asked: to, answered: to, readings })));
        if made.bound {
            let bound = Bound { source: "local".into(), from, to, limit: Limit::Cpu, figure: 0.97 };
            say(n + 1, Event::GeneratorBound { step: Some(STEP), bound });
        }
    }
    say(4, Event::PhaseChanged { step: STEP, phase: Phase::Drain });
    say(5, Event::StepEnded { step: STEP, end: StepEnd::Completed, reason: "done".into() });
    say(5, Event::SessionEnded { outcome: Outcome::Completed, restored: Some(true), reason: "done".into() });
    session
}

fn row(slot: u64, made: Made) -> TickRow {
    let (mut latency, mut failed_latency, mut service_time, mut send_lag, mut connect_wait) = Default::default();
    for i in 0..made.ok {
        Histogram::record(&mut latency, Span::from_micros(1000 + i * 1000 / made.ok));
        Histogram::record(&mut service_time, Span::from_micros(900 + i * 1000 / made.ok));
        Histogram::record(&mut send_lag, Span::from_micros(100));
        Histogram::record(&mut connect_wait, Span::from_micros(if i == 0 { 400 } else { 0 }));
    }
    Histogram::record_n(&mut failed_latency, 1_000_000, made.failed);
    TickRow {
        failed: if made.failed > 0 { BTreeMap::from([(ErrorKind::Timeout, made.failed)]) } else { BTreeMap::new() },
        stale: slot,
        latency,
        failed_latency,
        service_time,
        send_lag,
        connect_wait,
        ..TickRow::new(
            RequestKey { scenario: "load".into(), name: "GET /".into(), ..RequestKey::default() },
            Cohort { step: STEP, phase: Phase::Measure, slot },
        )
    }
}

fn keys(value: &serde_json::Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

fn near(value: &serde_json::Value, wanted: f64) -> bool {
    value.as_f64().is_some_and(|v| (v - wanted).abs() <= wanted * 0.01)
}

#[test]
fn the_object_has_the_keys_of_the_contract() {
    let v = load_summary(&session(CLOSED), 1);
    let wanted = [
        "schema",
        "duration_s",
        "planned_rate",
        "rate",
        "requests",
        "failed",
        "dropped",
        "latency_s",
        "service_time_s",
        "send_lag_s",
        "connect_wait_s",
        "sent_again",
        "errors",
        "generator",
        "by_name",
    ];
    assert_eq!(keys(&v), wanted);
    let times = ["mean", "p50", "p90", "p95", "p99", "p999", "p9999", "max"];
    for key in ["latency_s", "service_time_s", "send_lag_s", "connect_wait_s"] {
        assert_eq!(keys(&v[key]), times, "{key}");
    }
    assert_eq!((keys(&v["generator"]), keys(&v["by_name"]["GET /"])), (vec!["cpu_share", "bound"], vec!["requests", "failed", "latency_s"]));
    assert_eq!((v["schema"].as_str(), v["requests"].as_u64(), v["planned_rate"].is_null()), (Some("load-summary/1"), Some(12_000), true));
    assert!(near(&v["rate"], 3000.0) && near(&v["duration_s"], 4.0) && near(&v["generator"]["cpu_share"], 0.5), "{v}");
    assert!(near(&v["latency_s"]["p50"], 0.0015) && near(&v["service_time_s"]["p50"], 0.0014) && near(&v["send_lag_s"]["max"], 0.0001), "{v}");
    assert!(near(&v["latency_s"]["p9999"], 0.002), "12,000 are enough for it");
    assert!(near(&v["connect_wait_s"]["max"], 0.0004) && v["sent_again"] == 6, "{v}");
    let text = load_text(&session(CLOSED), 1, false);
    assert!(text.contains("sent again   6:") && text.contains("connection wait"), "{text}");
    let workers = load_summary(&session(CLOSED), 2);
    assert!(near(&workers["generator"]["cpu_share"], 0.25));
}

#[test]
fn a_percentile_of_too_few_requests_is_not_told() {
    let few = session(Made { ok: 300, ..CLOSED });
    let v = load_summary(&few, 1);
    assert!(v["latency_s"]["p9999"].is_null() && v["latency_s"]["p999"].is_f64(), "{v}");
    assert!(load_text(&few, 1, false).contains("too few"));
    let nothing = load_summary(&Session::new(), 1);
    assert!(["duration_s", "rate", "requests", "failed", "dropped"].iter().all(|k| nothing[k].is_null()), "{nothing}");
    assert!(nothing["latency_s"]["mean"].is_null() && nothing["generator"]["bound"].is_null());
    assert_eq!(load_text(&Session::new(), 1, false), "nothing was measured");
}

#[test]
fn open_load_tells_what_was_planned_dropped_and_cut_off() {
    let made = Made { model: LoadModel::Open { rate: Rate::per_second(4000.0), max_users: 9 }, failed: 100, ..CLOSED };
    let v = load_summary(&session(made), 1);
    assert!(near(&v["planned_rate"], 4000.0) && v["dropped"] == 4 && v["failed"] == 400 && v["errors"]["time-out"] == 400, "{v}");
    assert!(near(&v["latency_s"]["max"], 1.0), "failures are in the times");
    let text = load_text(&session(made), 1, false);
    assert!(text.contains("planned      4,000/s: 78% achieved, 4 dropped"), "{text}");
    assert!(text.contains("failed       400 (3.2%): 400 time-out\n") && text.contains("400 of them are lower bounds"), "{text}");
}

#[test]
fn so_many_requests_last_until_the_last_of_them() {
    let v = load_summary(&session(Made { passes: Some(6000), ..CLOSED }), 1);
    assert!(near(&v["duration_s"], 2.0) && near(&v["rate"], 3000.0), "nothing ended in the last two seconds: {v}");
}

#[test]
fn a_generator_at_its_limit_is_said() {
    let bound = session(Made { bound: true, ..CLOSED });
    assert_eq!(load_summary(&bound, 1)["generator"]["bound"], true);
    let text = load_text(&bound, 1, false);
    assert!(text.contains("THE LIMIT") && text.contains("busy 97% of the time"), "{text}");
    assert!(load_text(&session(CLOSED), 1, false).contains("not the limit"));
}

#[test]
fn people_read_a_table_and_bars() {
    insta::assert_snapshot!(load_text(&session(Made { failed: 20, ..CLOSED }), 1, false));
    assert!(load_text(&session(CLOSED), 1, true).is_ascii() || load_text(&session(CLOSED), 1, true).contains('µ'), "bars are plain");
    assert!(!load_text(&session(CLOSED), 1, true).contains('█'));
    let plan = session(CLOSED).plan().unwrap().clone();
    assert!(load_line(&plan).contains("5 users, each waiting for its answer"), "{}", load_line(&plan));
}
