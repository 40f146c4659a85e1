//! Reports of a load along a time line: figures by its named phases, and arrivals that were not sent.

use std::collections::BTreeMap;

use super::super::{json, markdown, plan_text, progress_line, recording_object, session_text};
use crate::model::event::{Cohort, ErrorKind, Event, Phase, RequestKey, Stamped, StepEnd, StepId, StepPlanned, Tick, TickRow};
use crate::model::histogram::Histogram;
use crate::model::plan::{LoadModel, LoadPhase, Passes, Population, Segment, TimeLine, Values};
use crate::model::session::Session;
use crate::model::session::tests::events::head;
use crate::model::units::{Elapsed, Span};

const STEP: StepId = StepId(0);

/// A step of 3 s in two phases that begins in the middle of a second; its events.
fn story() -> Vec<Stamped> {
    let mut head = head();
    let phase = |name: &str, s| LoadPhase { name: name.to_owned(), length: Span::from_secs(s) };
    let segments = vec![Segment::AtOnce { users: 4 }, Segment::Ramp { users: 9, over: Span::from_secs(3) }];
    let people = Population { name: "people".into(), scenarios: vec![], passes: Passes::Times(1), max_users: 2, segments };
    head.plan.load.model = LoadModel::Line;
    head.plan.load.line = Some(TimeLine { phases: vec![phase("calm", 1), phase("spike|x", 2)], populations: vec![people] });
    head.plan.settings.clear();
    let at = |ms: u64| Elapsed(ms * 1000);
    let mut events = vec![
        (at(0), Event::SessionStarted(Box::new(head))),
        (at(0), Event::StepPlanned(StepPlanned { step: STEP, values: Values::default(), block: 0, order: 0 })),
        (at(10_500), Event::PhaseChanged { step: STEP, phase: Phase::Measure }),
    ];
    let seconds = [(10, 2, None), (11, 0, Some(1)), (12, 5, Some(1)), (13, 1, Some(1))];
    for (n, dropped, key) in seconds {
        if n == 13 {
            events.push((at(13_500), Event::PhaseChanged { step: STEP, phase: Phase::Drain }));
        }
        events.push((at(n * 1000 + 1000), Event::Tick(Box::new(tick(n, dropped, key.map_or("calm", |_| "spike|x"))))));
    }
    events.push((at(15_000), Event::StepEnded { step: STEP, end: StepEnd::Completed, reason: "measured its time line of 3.0 s".into() }));
    (0..).zip(events).map(|(seq, (at, event))| Stamped { seq, at, event }).collect()
}

/// A second with 99 answers of 10 ms and one of 500 ms in a phase, and one failure.
fn tick(n: u64, dropped: u64, phase: &str) -> Tick {
    let mut latency = Histogram::default();
    latency.record_n(10_000, 99);
    latency.record_n(500_000, 1);
    let row = TickRow {
        failed: BTreeMap::from([(ErrorKind::Status, 1)]),
        latency: latency.clone(),
        service_time: latency,
        ..TickRow::new(
            RequestKey { scenario: "s".into(), name: "login".into(), load_phase: Some(phase.into()), ..RequestKey::default() },
            Cohort { step: STEP, phase: Phase::Measure, slot: n },
        )
    };
    Tick {
        source: "local".into(),
        number: n,
        from: Elapsed(n * 1_000_000),
        to: Elapsed((n + 1) * 1_000_000),
        dropped,
        rows: vec![row],
        ..Tick::default()
    }
}

fn session() -> Session {
    Session::of(&story())
}

#[test]
fn there_is_a_row_for_each_phase_and_nothing_dropped_is_silent() {
    let text = session_text(&session());
    let row = |name: &str| text.lines().find(|l| l.starts_with(name)).unwrap_or_else(|| panic!("{text}")).split_whitespace().collect::<Vec<_>>();
    assert_eq!(row("calm")[..2], ["calm", "101"]);
    assert_eq!(row("spike|x")[..2], ["spike|x", "303"]);
    let json = recording_object(&session(), "x");
    let step = &json["steps"][0];
    assert_eq!((&step["requests"], &step["dropped"]), (&404.into(), &8.into()), "{step}");
    let phases = step["load_phases"].as_array().unwrap();
    let of = |i: usize, what: &str| phases[i][what].clone();
    assert_eq!((of(0, "name"), of(0, "requests"), of(0, "failed"), of(0, "dropped")), ("calm".into(), 101.into(), 1.into(), 2.into()));
    assert_eq!((of(1, "name"), of(1, "requests"), of(1, "dropped"), of(1, "measured_s")), ("spike|x".into(), 303.into(), 6.into(), 2.0.into()));
    assert!(of(0, "p99_ms").as_f64().unwrap() < 11.0 && of(0, "max_ms").as_f64().unwrap() > 499.0);
    assert_eq!(phases.len(), 2, "nothing began behind the last phase");
    assert!(json_has_no_phases_without_a_line());
}

fn json_has_no_phases_without_a_line() -> bool {
    let plain = json(&super::session());
    !plain.to_string().contains("load_phases")
}

#[test]
fn markdown_tells_the_line_its_phases_and_what_was_not_sent() {
    let page = markdown(&session(), "x");
    assert!(page.contains("## By phase of the load"), "{page}");
    assert!(page.contains("spike\\|x"), "a name can not break the table: {page}");
    assert!(page.contains("a time line of 3 s with population people; phases calm 1 s, spike\\|x 2 s"), "{page}");
    assert!(page.contains("- population: people: 4 at once, 9 over 3 s, each for one pass, at most 2 at once"), "{page}");
    assert!(page.contains("measure the whole time line of 3 s"), "{page}");
    let runs: Vec<&str> = page.lines().skip_while(|l| *l != "## Runs").skip(2).take(3).collect();
    assert!(runs[0].contains("| not sent |") && runs[2].contains("| 8 |"), "{runs:?}");
}

#[test]
fn a_closed_load_has_no_column_for_what_was_not_sent() {
    let page = markdown(&super::session(), "x");
    assert!(!page.contains("not sent") && !page.contains("By phase"), "{page}");
}

#[test]
fn the_run_says_what_it_follows_and_what_it_could_not_send() {
    let events = story();
    let mut session = Session::new();
    let lines: Vec<String> = events
        .iter()
        .filter_map(|event| {
            session.apply(event);
            progress_line(event, &session)
        })
        .collect();
    let all = lines.join("\n");
    assert!(all.contains("measuring the whole time line of 3 s"), "{all}");
    assert!(all.contains(", not sent 8") && all.contains("measured its time line of 3.0 s"), "{all}");
    let plan = plan_text(session.plan().unwrap());
    assert!(plan.contains("population people: 4 at once") && plan.contains("settle without load"), "{plan}");
}

#[test]
fn the_phase_of_the_load_is_known_while_it_is_measured() {
    let at = |ms: u64| Session::of(story().iter().filter(|e| e.at <= Elapsed(ms * 1000))).load_phase().map(str::to_owned);
    assert_eq!((at(10_400), at(11_000), at(12_000), at(14_000)), (None, Some("calm".to_owned()), Some("spike|x".to_owned()), None));
}
