//! An hour of a session at one tick and one scrape a second, with 12 request names and 200 signals: how large its recording is,
//! what writing it takes, and how soon it is open again. Prints the figures once, then times the parts that repeat.

#![expect(clippy::expect_used, reason = "a bench that can not do its work ends")]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use criterion::{Criterion, criterion_group, criterion_main};
use plimsoll::model::event::{Cohort, ErrorKind, Event, Phase, Reading, RequestKey, Sample, Stamped, StepId, StepPlanned, Tick, TickRow};
use plimsoll::model::histogram::Histogram;
use plimsoll::model::plan::Values;
use plimsoll::model::session::Session;
use plimsoll::model::signal::{Signal, Value};
use plimsoll::model::units::{Elapsed, Span};
use plimsoll::store::{self, SqliteRecorder};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

const SECONDS: u64 = 3600;
const NAMES: usize = 12;
const SIGNALS: usize = 200;
/// Requests a second of each name.
const RATE: u64 = 40;
/// Seconds of a step.
const STEP: u64 = 300;

fn latencies(rng: &mut ChaCha8Rng, n: u64, typical_us: f64) -> Histogram {
    let mut h = Histogram::default();
    for _ in 0..n {
        let (u, v): (f64, f64) = (rng.random_range(1e-9..1.0), rng.random_range(0.0..1.0));
        let normal = (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos();
        h.record(Span::from_secs_f64(typical_us * (0.5 * normal).exp() / 1e6));
    }
    h
}

fn tick(rng: &mut ChaCha8Rng, second: u64) -> Event {
    let from = Elapsed(second * 1_000_000);
    let cohort = Cohort { step: StepId(u32::try_from(second / STEP).unwrap_or(0)), phase: Phase::Measure, slot: second };
    let row = |rng: &mut ChaCha8Rng, name: usize| TickRow {
        key: RequestKey { scenario: "browse".into(), name: format!("GET /api/{name}"), ..RequestKey::default() },
        cohort,
        failed: if second.is_multiple_of(11) { BTreeMap::from([(ErrorKind::Timeout, 1)]) } else { BTreeMap::new() },
        stale: 0,
        checks_passed: RATE,
        checks_failed: 0,
        bytes: 20_000,
        latency: latencies(rng, RATE, 300_000.0),
        failed_latency: if second.is_multiple_of(11) { latencies(rng, 1, 5e6) } else { Histogram::default() },
        service_time: latencies(rng, RATE, 300_000.0),
        send_lag: latencies(rng, RATE, 80.0),
        connect_wait: latencies(rng, 2, 300.0),
    };
    let rows = (0..NAMES).map(|name| row(rng, name)).collect();
    let to = from.plus(Span::from_secs(1));
    let iterations = latencies(rng, RATE, 2e6);
    Event::Tick(Box::new(Tick {
        source: "local".into(),
        number: second,
        from,
        to,
        sent: RATE * NAMES as u64,
        in_flight: 180,
        users: 200,
        iterations,
        rows,
        ..Tick::default()
    }))
}

fn sample(rng: &mut ChaCha8Rng, second: u64) -> Event {
    let signals = [Signal::PoolActive, Signal::ServerRequests, Signal::DbSessions, Signal::GcPause, Signal::ProcessCpu];
    let reading = |i: usize| {
        let signal = signals[i % signals.len()];
        let value = match i % signals.len() {
            0 | 2 => Value::Gauge(f64::from(rng.random_range(0..200_u32))),
            4 => Value::Gauge(rng.random_range(0.0..2.0)),
            _ => Value::Timer { sum: second as f64 * 0.3 + rng.random_range(0.0..0.1), count: (second * 40) as f64 },
        };
        Reading { signal, of: Some(format!("part-{i}")), value }
    };
    let readings = (0..SIGNALS).map(reading).collect();
    let at = Elapsed(second * 1_000_000);
    Event::Sample(Box::new(Sample { source: "app".into(), instance: None, asked: at, answered: at.plus(Span::from_millis(4)), readings }))
}

fn hour() -> Vec<Stamped> {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut events = Vec::new();
    for step in 0..u32::try_from(SECONDS / STEP).unwrap_or(0) {
        let planned = StepPlanned { step: StepId(step), values: Values::default().with("pool", f64::from(step * 10)), block: 0, order: step };
        events.push((Elapsed::ZERO, Event::StepPlanned(planned)));
    }
    for second in 0..SECONDS {
        let at = Elapsed((second + 1) * 1_000_000);
        events.push((at, tick(&mut rng, second)));
        events.push((at, sample(&mut rng, second)));
    }
    (0..).zip(events).map(|(seq, (at, event))| Stamped { seq, at, event }).collect()
}

async fn write(path: &Path, events: &[Stamped]) {
    let recorder = SqliteRecorder::create(path).await.expect("a new file");
    let queue = recorder.queue();
    for event in events {
        queue.send(event.clone()).expect("a living recorder");
    }
    recorder.close().await.expect("room on the disk");
}

/// Until the first part is there, and until the last.
async fn in_parts(path: &Path) -> (f64, f64) {
    let start = Instant::now();
    let (to, mut parts) = tokio::sync::mpsc::unbounded_channel();
    let path = path.to_owned();
    let reading = tokio::spawn(async move { store::read_in_parts(&path, to).await });
    let mut first = None;
    let mut session = Session::new();
    while let Some(part) = parts.recv().await {
        for event in &part {
            session.apply(event);
        }
        first.get_or_insert_with(|| start.elapsed().as_secs_f64());
    }
    reading.await.expect("no panic").expect("a whole recording");
    (first.unwrap_or(0.0), start.elapsed().as_secs_f64())
}

#[expect(clippy::print_stderr, reason = "the figures are what this bench is for")]
fn recording(c: &mut Criterion) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("hour.plim");
    let events = hour();
    let start = Instant::now();
    runtime.block_on(write(&path, &events));
    let (wrote, size) = (start.elapsed().as_secs_f64(), std::fs::metadata(&path).expect("a file").len());
    let start = Instant::now();
    let back = runtime.block_on(store::read(&path)).expect("a whole recording");
    let read = start.elapsed().as_secs_f64();
    assert!(back == events, "every event comes back");
    let start = Instant::now();
    black_box(Session::of(&back));
    let fold = start.elapsed().as_secs_f64();
    let (first, all) = runtime.block_on(in_parts(&path));
    eprintln!(
        "an hour: {:.1} MB; writing it takes {wrote:.2} s, reading {read:.2} s, folding {fold:.2} s; in parts: first {first:.3} s, all {all:.2} s",
        size as f64 / 1e6
    );
    let mut group = c.benchmark_group("recording");
    group.sample_size(10);
    group.bench_function("summary", |b| b.iter(|| runtime.block_on(store::summary(&path)).is_ok()));
    group.bench_function("first part", |b| b.iter(|| runtime.block_on(in_parts_first(&path))));
    group.finish();
}

async fn in_parts_first(path: &Path) -> usize {
    let (to, mut parts) = tokio::sync::mpsc::unbounded_channel();
    let path = path.to_owned();
    let reading = tokio::spawn(async move { store::read_in_parts(&path, to).await });
    let first = parts.recv().await.map_or(0, |p| p.len());
    drop(parts);
    let _ = reading.await;
    first
}

criterion_group!(benches, recording);
criterion_main!(benches);
