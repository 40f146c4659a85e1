//! What a recording must keep, and what it must refuse.

mod broken;
mod keeps;
mod queries;

use std::path::{Path, PathBuf};

use super::{SqliteRecorder, open, write::Writer};
use crate::model::event::{Cohort, ErrorKind, Judged, Reading, RequestKey, TickRow};
use crate::model::event::{Event, Note, NoteLevel, Outcome, Phase, Sample, Stamped, StepEnd, StepId, StepPlanned, Tick};
use crate::model::histogram::Histogram;
use crate::model::plan::Values;
use crate::model::session::tests::events::head;
use crate::model::signal::{Signal, Value};
use crate::model::units::{Elapsed, Span};
use crate::model::verdict::{Derived, Kind, PoolVerdict, SCHEMA};

fn note(text: &str) -> Event {
    Event::Note(Note { level: NoteLevel::Info, step: None, text: text.to_owned() })
}

fn stamped(events: Vec<Event>) -> Vec<Stamped> {
    (0..).zip(events).map(|(seq, event)| Stamped { seq, at: Elapsed(seq * 500_000), event }).collect()
}

fn row(slot: u64, ok: u64) -> TickRow {
    let mut latency = Histogram::default();
    latency.record_n(40_000, ok);
    TickRow {
        failed: std::collections::BTreeMap::from([(ErrorKind::Timeout, 1)]),
        bytes: 100,
        latency,
        ..TickRow::new(
            RequestKey { scenario: "browse".into(), name: "GET /".into(), ..RequestKey::default() },
            Cohort { step: StepId(0), phase: Phase::Measure, slot },
        )
    }
}

fn tick(number: u64) -> Event {
    let from = Elapsed(number * 1_000_000);
    Event::Tick(Box::new(Tick {
        source: "local".into(),
        number,
        from,
        to: from.plus(Span::from_secs(1)),
        sent: 11,
        rows: vec![row(number, 10)],
        ..Tick::default()
    }))
}

fn sample(second: u64, pending: f64) -> Event {
    Event::Sample(Box::new(Sample {
        source: "app".into(),
        instance: None,
        asked: Elapsed(second * 1_000_000),
        answered: Elapsed(second * 1_000_000 + 2000),
        readings: vec![
            Reading { signal: Signal::PoolPending, of: Some("main".into()), value: Value::Gauge(pending) },
            Reading { signal: Signal::PoolAcquire, of: Some("main".into()), value: Value::Timer { sum: 0.25, count: 7.0 } },
        ],
    }))
}

fn verdict(kind: Kind) -> PoolVerdict {
    PoolVerdict {
        schema: SCHEMA.to_owned(),
        case: None,
        verdict: kind,
        setting: Some("pool".to_owned()),
        value: Some(100.0),
        zone: Some((90.0, 120.0)),
        best_interval_90: None,
        expected_regret: Some(0.01),
        unconstrained: None,
        values: std::collections::BTreeMap::new(),
        zones: std::collections::BTreeMap::new(),
        indifferent: Vec::new(),
        next: None,
        reasons: Vec::new(),
        flags: Vec::new(),
        steps: Vec::new(),
        curve: Vec::new(),
        model: None,
        derived: Derived::default(),
    }
}

/// A short session with one of everything that has a table or a view.
fn session() -> Vec<Stamped> {
    stamped(vec![
        Event::SessionStarted(Box::new(head())),
        Event::StepPlanned(StepPlanned { step: StepId(0), values: Values::default().with("pool", 100.0), block: 0, order: 0 }),
        Event::PhaseChanged { step: StepId(0), phase: Phase::Measure },
        tick(2),
        sample(2, 3.5),
        tick(3),
        Event::StepEnded { step: StepId(0), end: StepEnd::Completed, reason: "precise enough".into() },
        Event::Judged(Box::new(Judged { after: Some(StepId(0)), judge: "pool-judge/1".into(), verdict: verdict(Kind::Recommend) })),
        Event::SessionEnded { outcome: Outcome::Completed, restored: Some(true), reason: "all done".into() },
    ])
}

/// Records events into a new file and closes it.
async fn record(path: &Path, events: &[Stamped]) {
    let recorder = SqliteRecorder::create(path).await.unwrap();
    let queue = recorder.queue();
    for event in events {
        queue.send(event.clone()).unwrap();
    }
    recorder.close().await.unwrap();
}

/// A recording as a killed process leaves it: committed, never closed. Returns where its files were copied to.
async fn killed(folder: &Path, events: &[Stamped]) -> PathBuf {
    let (living, dead) = (folder.join("living.plim"), folder.join("dead.plim"));
    let mut writer = Writer::new(open::create(&living).await.unwrap());
    writer.commit(events).await.unwrap();
    std::fs::copy(&living, &dead).unwrap();
    if open::wal_of(&living).exists() {
        std::fs::copy(open::wal_of(&living), open::wal_of(&dead)).unwrap();
    }
    writer.close().await.unwrap();
    dead
}
