//! Reports by request name: a load of several requests, without a verdict and with settings.

use std::collections::BTreeMap;

use super::super::{markdown, session_text};
use crate::model::event::{Cohort, ErrorKind, Event, Phase, RequestKey, Stamped, StepEnd, StepId, StepPlanned, Tick, TickRow};
use crate::model::histogram::Histogram;
use crate::model::plan::Values;
use crate::model::session::Session;
use crate::model::session::tests::events::head;
use crate::model::units::{Elapsed, Span};

fn row(step: StepId, slot: u64, name: &str, took_ms: u64, n: u64, failed: u64) -> TickRow {
    let mut times = Histogram::default();
    times.record_n(took_ms * 1000, n);
    TickRow {
        failed: if failed > 0 { BTreeMap::from([(ErrorKind::Status, failed)]) } else { BTreeMap::new() },
        latency: times.clone(),
        service_time: times,
        ..TickRow::new(RequestKey { scenario: "s".into(), name: name.into(), ..RequestKey::default() }, Cohort { step, phase: Phase::Measure, slot })
    }
}

/// One run of each pool, a second long, in which a login takes 10 ms the first time and 30 ms the second.
fn session(pools: &[f64]) -> Session {
    let mut session = Session::new();
    let mut say = |at: u64, event| session.apply(&Stamped { seq: session.next_seq(), at: Elapsed(at * 1_000_000), event });
    let mut head = head();
    if pools.is_empty() {
        head.plan.settings.clear();
    }
    say(0, Event::SessionStarted(Box::new(head)));
    for (n, pool) in pools.iter().map(|p| Values::default().with("pool", *p)).chain(pools.is_empty().then(Values::default)).enumerate() {
        let (step, second) = (StepId(u32::try_from(n).unwrap()), n as u64);
        say(second, Event::StepPlanned(StepPlanned { step, values: pool, block: 0, order: 0 }));
        say(second, Event::PhaseChanged { step, phase: Phase::Measure });
        let rows = vec![row(step, second, "log|in", 10 + 20 * second, 40, 2), row(step, second, "read", 5, 60, 0)];
        let mut iterations = Histogram::default();
        iterations.record(Span::from_millis(70));
        let (from, to) = (Elapsed(second * 1_000_000), Elapsed((second + 1) * 1_000_000));
        say(second + 1, Event::Tick(Box::new(Tick { source: "local".into(), number: second, from, to, iterations, rows, ..Tick::default() })));
        say(second + 1, Event::StepEnded { step, end: StepEnd::Completed, reason: "done".into() });
    }
    session
}

#[test]
fn a_load_without_a_verdict_shows_its_figures() {
    let text = session_text(&session(&[]));
    let line = |name: &str| text.lines().find(|l| l.starts_with(name)).unwrap_or_default().to_owned();
    assert!(line("log|in").contains("42") && line("log|in").contains("2 unexpected status") && line("log|in").contains("10.0 ms"), "{text}");
    assert!(line("read").contains("60") && line("read").contains("5.00 ms"), "{text}");
    assert!(line("whole pass").contains("70.0 ms") || line("whole pass").contains("70.1 ms"), "{text}");
}

#[test]
fn runs_of_the_same_settings_are_joined_and_others_are_not() {
    let text = session_text(&session(&[50.0, 50.0, 80.0]));
    let logins: Vec<&str> = text.lines().filter(|l| l.contains("log|in")).collect();
    assert_eq!(logins.len(), 2, "{text}");
    assert!(logins[0].contains("84") && logins[1].contains("42"), "{text}");
    assert!(logins[0].contains("10.0 ms") && logins[0].contains("30.0 ms"), "p50 of both runs together, and their longest: {text}");
}

#[test]
fn names_are_escaped_in_markdown() {
    let page = markdown(&session(&[]), "rec");
    assert!(page.contains("## By request") && page.contains("log\\|in"), "{page}");
}
