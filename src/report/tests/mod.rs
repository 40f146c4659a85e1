//! Reports of a made-up session: two pools measured, one refused, a verdict. Snapshots, and rules that hold for every report.

mod load;
mod machine;
mod people;
mod phases;
mod requests;
mod rules;
mod thresholds;

use std::collections::BTreeMap;

use crate::model::event::{
    Cohort, ErrorKind, Event, Judged, Note, NoteLevel, Outcome, Phase, Proof, Reading, RequestKey, Sample, SettingApplied, SettingProved, Stamped,
    StepEnd, StepId, StepPlanned, Tick, TickRow,
};
use crate::model::histogram::Histogram;
use crate::model::plan::Values;
use crate::model::session::Session;
use crate::model::session::tests::events::head;
use crate::model::signal::{Signal, Value};
use crate::model::units::{Elapsed, Span};
use crate::model::verdict::{Derived, Kind, MeanError, Next, PoolVerdict, Remark, SCHEMA, ValueFigures};

/// Makes events second by second.
struct Story {
    events: Vec<Stamped>,
    second: u64,
    timer: f64,
}

impl Story {
    fn push(&mut self, event: Event) {
        self.events.push(Stamped { seq: self.events.len() as u64, at: Elapsed(self.second * 1_000_000), event });
    }

    fn plan(&mut self, step: u32, pool: f64) {
        let values = Values::default().with("pool", pool);
        self.push(Event::StepPlanned(StepPlanned { step: StepId(step), values, block: step / 3, order: step }));
    }

    /// One step of a minute: settle 2 s, warm-up 3 s, measure, drain 1 s.
    fn step(&mut self, step: u32, pool: f64, latency_ms: u64, seconds: u64) {
        let id = StepId(step);
        self.push(Event::SettingApplied(SettingApplied {
            step: Some(id),
            setting: "pool".into(),
            value: pool,
            instance: None,
            how: "POST /admin/pool".into(),
            restore: false,
        }));
        for (phase, length) in [(Phase::Settle, 2), (Phase::WarmUp, 3), (Phase::Measure, seconds), (Phase::Drain, 1)] {
            self.push(Event::PhaseChanged { step: id, phase });
            for _ in 0..length {
                self.second(id, phase, pool, latency_ms);
            }
            if phase == Phase::Settle {
                let text = format!("{pool} reads back and acts");
                self.push(Event::SettingProved(SettingProved {
                    step: Some(id),
                    setting: "pool".into(),
                    proof: Proof::Acted,
                    seen: Some(pool),
                    text,
                }));
            }
        }
        self.push(Event::StepEnded { step: id, end: StepEnd::Completed, reason: "standard error 0.8%".into() });
    }

    fn second(&mut self, step: StepId, phase: Phase, pool: f64, latency_ms: u64) {
        let (from, slot) = (Elapsed(self.second * 1_000_000), self.second);
        self.second += 1;
        let row = row(Cohort { step, phase, slot }, latency_ms + slot % 7);
        let rows = if phase == Phase::Drain { Vec::new() } else { vec![row] };
        let to = Elapsed(self.second * 1_000_000);
        let tick = Tick { source: "local".into(), number: slot, from, to, sent: 60, in_flight: 20, users: 200, rows, ..Tick::default() };
        self.push(Event::Tick(Box::new(tick)));
        self.timer += 60.0;
        let gauge = |signal, v| Reading { signal, of: None, value: Value::Gauge(v) };
        let timer = |signal, mean: f64| Reading { signal, of: None, value: Value::Timer { sum: self.timer * mean, count: self.timer } };
        let readings = vec![
            gauge(Signal::PoolActive, pool),
            gauge(Signal::PoolPending, 12.0),
            gauge(Signal::PoolIdle, 0.0),
            gauge(Signal::ThreadsBusy, 180.0),
            timer(Signal::PoolAcquire, 0.1),
            timer(Signal::PoolUsage, 0.25),
        ];
        self.push(Event::Sample(Box::new(Sample {
            source: "app".into(),
            instance: None,
            asked: Elapsed(to.0 - 2000),
            answered: Elapsed(to.0 - 1000),
            readings,
        })));
    }
}

fn row(cohort: Cohort, latency_ms: u64) -> TickRow {
    let mut latency = Histogram::default();
    for i in 0..60 {
        latency.record(Span::from_millis(latency_ms + i * 4));
    }
    let failed = if cohort.slot.is_multiple_of(9) { BTreeMap::from([(ErrorKind::Timeout, 2), (ErrorKind::Status, 1)]) } else { BTreeMap::new() };
    TickRow { failed, latency, ..TickRow::new(RequestKey { scenario: "browse".into(), name: "GET /".into(), ..RequestKey::default() }, cohort) }
}

fn figures(value: f64, loss: f64, wait: f64, hold: f64) -> ValueFigures {
    ValueFigures {
        value,
        runs: 1,
        requests: 1875,
        loss_s: Some(MeanError { mean: loss, se: (value < 100.0).then_some(loss * 0.02) }),
        p50_s: Some(loss * 0.9),
        p95_s: Some(loss * 1.6),
        p95_95: (value < 40.0).then_some((loss * 1.5, loss * 1.7)),
        p99_s: Some(loss * 2.0),
        rate: Some(61.7),
        failed: Some(0.0055),
        wait_s: Some(wait),
        hold_s: Some(hold),
        active: Some(value),
        pending: Some(12.0),
        threads_busy: None,
        threads_full: None,
        dwait_s: (value > 30.0).then_some(-0.0091),
        dhold_s: (value > 30.0).then_some(0.0032),
        bottleneck: None,
        short: (value > 90.0).then(|| "3 batches of 250 requests, 5 are needed".to_owned()),
    }
}

/// A verdict of this kind over three pools.
fn verdict(kind: Kind) -> PoolVerdict {
    PoolVerdict {
        schema: SCHEMA.to_owned(),
        case: None,
        verdict: kind,
        setting: Some("pool".to_owned()),
        value: Some(50.0),
        zone: Some((44.0, 61.0)),
        best_interval_90: Some((41.0, 78.0)),
        expected_regret: Some(0.008),
        unconstrained: None,
        values: BTreeMap::new(),
        zones: BTreeMap::new(),
        indifferent: Vec::new(),
        next: Some(Next { value: 70.0, runs: 1, why: "between 50 and 100 the curve is least known".into(), values: BTreeMap::new() }),
        reasons: vec![Remark::new(
            "balance",
            "from 30 to 50 waiting falls by 9.1 ms a connection while holding grows by 3.2 ms: they balance near 50",
        )],
        flags: vec![Remark::new("single_run", "one run of each value: the noise between runs is not known")],
        steps: vec![figures(30.0, 0.6, 0.3, 0.25), figures(50.0, 0.431, 0.1, 0.29), figures(100.0, 0.52, 0.0, 0.48)],
        curve: Vec::new(),
        model: None,
        derived: Derived { threads: Some(190), connection_timeout_s: Some(5.0), bulkhead: Some(46), sustainable_rate: None },
    }
}

/// The whole story.
fn story() -> Vec<Stamped> {
    let mut s = Story { events: Vec::new(), second: 0, timer: 0.0 };
    s.push(Event::SessionStarted(Box::new(head())));
    for (step, pool) in [(0, 50.0), (1, 30.0), (2, 100.0)] {
        s.plan(step, pool);
    }
    s.step(0, 50.0, 400, 30);
    s.push(Event::Judged(Box::new(Judged { after: Some(StepId(0)), judge: "1".into(), verdict: verdict(Kind::Repeat) })));
    s.step(1, 30.0, 600, 8);
    s.push(Event::Note(Note { level: NoteLevel::Warning, step: None, text: "the generator used 91% of its core".into() }));
    s.push(Event::SettingApplied(SettingApplied {
        step: Some(StepId(2)),
        setting: "pool".into(),
        value: 100.0,
        instance: None,
        how: "POST /admin/pool".into(),
        restore: false,
    }));
    let text = "pool.max reads 50, not 100: the service does not take the value";
    s.push(Event::SettingProved(SettingProved {
        step: Some(StepId(2)),
        setting: "pool".into(),
        proof: Proof::Refuted,
        seen: Some(50.0),
        text: text.into(),
    }));
    s.push(Event::StepEnded { step: StepId(2), end: StepEnd::Refused, reason: text.into() });
    s.push(Event::Judged(Box::new(Judged { after: Some(StepId(1)), judge: "1".into(), verdict: verdict(Kind::Recommend) })));
    s.push(Event::SettingApplied(SettingApplied {
        step: None,
        setting: "pool".into(),
        value: 10.0,
        instance: None,
        how: "POST /admin/pool".into(),
        restore: true,
    }));
    s.push(Event::SessionEnded { outcome: Outcome::Completed, restored: Some(true), reason: "all that was planned was done".into() });
    s.events
}

fn session() -> Session {
    Session::of(&story())
}
