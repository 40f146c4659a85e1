//! For tests only: a made-up session that looks like a real one, and frames as text with the styles written beside them.
//!
//! The session is a sweep of five pools in two blocks under 200 users, with a database that slows down as connections are added.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::look::Look;
use super::state::State;
use super::view;
use crate::model::event::*;
use crate::model::histogram::Histogram;
use crate::model::plan::*;
use crate::model::session::Session;
use crate::model::signal::{Signal, Value};
use crate::model::template::Template;
use crate::model::units::{Elapsed, Span};
use crate::model::verdict::*;

/// The order of the pools: two blocks.
pub(crate) const ORDER: [f64; 10] = [100.0, 30.0, 200.0, 150.0, 50.0, 50.0, 200.0, 30.0, 150.0, 100.0];
const USERS: f64 = 200.0;
const TICK_MS: u64 = 250;

/// The plan of the made-up session.
pub(crate) fn plan() -> Plan {
    let setting = |name: &str, values: &[f64]| Setting {
        name: name.to_owned(),
        values: values.to_vec(),
        range: (10.0, 250.0),
        apply: Apply::Http { method: "POST".to_owned(), path: Template::parse("/admin/pool"), headers: BTreeMap::new(), body: None },
        verify: None,
        restore: (name == "pool").then_some(10.0),
    };
    let target = TargetPlan { url: "http://127.0.0.1:8080".to_owned(), instances: Vec::new(), allow: Vec::new(), ready: None, process: None };
    Plan {
        name: "checkout: pool size".to_owned(),
        target,
        settings: vec![setting("pool", &[30.0, 50.0, 100.0, 150.0, 200.0]), setting("threads", &[200.0])],
        experiment: Experiment {
            design: Design::Grid,
            order: Order::Blocked,
            repeats: 2,
            refine: 4,
            warmup: Span::from_secs(2),
            measure: MeasureRule { min: Span::from_secs(6), max: Span::from_secs(12), precision: 0.01 },
            drain: Span::from_secs(1),
            settle_max: Span::from_secs(10),
            tick: Span::from_millis(TICK_MS),
            seed: 7,
        },
        load: LoadPlan::new(LoadModel::Closed { users: 200 }, Span::from_secs(2)),
        scenarios: Vec::new(),
        sources: Vec::new(),
        objective: Objective::default(),
        thresholds: Vec::new(),
        guards: Vec::new(),
        profile_text: String::new(),
    }
}

/// Hold, answer time and rate at a pool: seconds, seconds, a second.
fn truth(pool: f64) -> (f64, f64, f64) {
    let hold = 0.024 * (1.0 + 0.02 * (pool - 1.0) + 4.36e-5 * pool * (pool - 1.0));
    let rate = pool.min(USERS) / hold;
    (hold, USERS / rate, rate)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few hundred, never below 0")]
fn whole(figure: f64) -> u64 {
    figure.round() as u64
}

/// A wobble between -1 and 1 that is the same every time.
fn wobble(n: u64) -> f64 {
    (n as f64 * 0.731).sin() * 0.6 + (n as f64 * 2.113).sin() * 0.4
}

#[derive(Default)]
struct Maker {
    events: Vec<Stamped>,
    now_ms: u64,
    ticks: u64,
    acquire: (f64, f64),
    usage: (f64, f64),
}

impl Maker {
    fn push(&mut self, event: Event) {
        self.events.push(Stamped { seq: self.events.len() as u64, at: Elapsed(self.now_ms * 1000), event });
    }

    fn begin(&mut self) {
        self.push(Event::SessionStarted(Box::new(SessionStarted {
            plan: plan(),
            version: "0.1.0".to_owned(),
            judge: "1".to_owned(),
            host: Host::default(),
            started_at: "2026-11-30T14:03:00+09:00[Asia/Seoul]".to_owned(),
        })));
        for (i, pool) in ORDER.into_iter().enumerate() {
            let order = u32::try_from(i).unwrap();
            let values = Values::default().with("pool", pool).with("threads", 200.0);
            self.push(Event::StepPlanned(StepPlanned { step: StepId(order), values, block: order / 5, order }));
        }
    }

    fn step(&mut self, index: usize) {
        let (step, pool) = (StepId(u32::try_from(index).unwrap()), ORDER[index]);
        self.push(Event::SettingApplied(SettingApplied {
            step: Some(step),
            setting: "pool".to_owned(),
            value: pool,
            instance: None,
            how: "POST /admin/pool".to_owned(),
            restore: false,
        }));
        for (phase, ticks) in [(Phase::Settle, 4), (Phase::WarmUp, 8), (Phase::Measure, 24), (Phase::Drain, 2)] {
            self.push(Event::PhaseChanged { step, phase });
            for _ in 0..ticks {
                self.tick(step, phase, pool);
            }
            if phase == Phase::Settle {
                let text = format!("{pool} reads back and acts: connections reached {pool}");
                self.push(Event::SettingProved(SettingProved {
                    step: Some(step),
                    setting: "pool".to_owned(),
                    proof: Proof::Acted,
                    seen: Some(pool),
                    text,
                }));
            }
        }
        self.push(Event::StepEnded { step, end: StepEnd::Completed, reason: "standard error 0.8%".to_owned() });
        self.push(Event::Judged(Box::new(Judged { after: Some(step), judge: "1".to_owned(), verdict: verdict(index + 1) })));
    }

    fn tick(&mut self, step: StepId, phase: Phase, pool: f64) {
        let from = self.now_ms;
        self.now_ms += TICK_MS;
        let n = self.ticks;
        self.ticks += 1;
        let (hold, answer, rate) = truth(pool);
        let share = match phase {
            Phase::Settle => 0.3,
            Phase::Drain => 0.0,
            _ => 1.0 + 0.03 * wobble(n),
        };
        let finished = rate * share * TICK_MS as f64 / 1000.0;
        let cohort = Cohort { step, phase, slot: from / TICK_MS };
        let rows = if finished > 0.0 {
            vec![row(cohort, finished, answer * (1.0 + 0.05 * wobble(n + 7)), pool < 40.0 && n.is_multiple_of(6))]
        } else {
            Vec::new()
        };
        let at = Elapsed(self.now_ms * 1000);
        self.push(Event::Tick(Box::new(Tick {
            source: "local".to_owned(),
            number: n,
            from: Elapsed(from * 1000),
            to: at,
            sent: rows.iter().map(TickRow::finished).sum(),
            in_flight: if share > 0.5 { 200 } else { 60 },
            users: 200,
            rows,
            ..Tick::default()
        })));
        if (220..=224).contains(&n) {
            let gap = Gap { source: "app".to_owned(), instance: None, asked: at, reason: "time-out after 1 s".to_owned() };
            self.push(Event::Gap(gap));
        } else {
            self.sample(at, n, (pool, hold, answer, finished, share));
        }
    }

    fn sample(&mut self, at: Elapsed, n: u64, (pool, hold, answer, finished, share): (f64, f64, f64, f64, f64)) {
        let busy = (USERS * share.min(1.0)).round();
        let active = busy.min(pool);
        let pending = ((busy - active) * (1.0 + 0.04 * wobble(n + 3))).max(0.0).round();
        let wait = (answer - hold).max(0.0);
        self.acquire = (self.acquire.0 + wait * finished, self.acquire.1 + finished);
        self.usage = (self.usage.0 + hold * finished, self.usage.1 + finished);
        let gauge = |signal, of: Option<&str>, v: f64| Reading { signal, of: of.map(str::to_owned), value: Value::Gauge(v) };
        let timer = |signal, (sum, count): (f64, f64)| Reading { signal, of: None, value: Value::Timer { sum, count } };
        let locks = (active * active / 600.0).round();
        let readings = vec![
            gauge(Signal::PoolActive, None, active),
            gauge(Signal::PoolIdle, None, pool - active),
            gauge(Signal::PoolPending, None, pending),
            gauge(Signal::PoolMax, None, pool),
            timer(Signal::PoolAcquire, self.acquire),
            timer(Signal::PoolUsage, self.usage),
            gauge(Signal::ThreadsBusy, None, busy),
            gauge(Signal::ThreadsMax, None, 200.0),
            gauge(Signal::DbSessions, Some("active"), (active * 0.95).round()),
            gauge(Signal::DbSessions, Some("lock_waiting"), locks),
        ];
        self.push(Event::Sample(Box::new(Sample { source: "app".to_owned(), instance: None, asked: at, answered: at, readings })));
    }

    fn end(&mut self) {
        self.push(Event::SettingApplied(SettingApplied {
            step: None,
            setting: "pool".to_owned(),
            value: 10.0,
            instance: None,
            how: "POST /admin/pool".to_owned(),
            restore: true,
        }));
        self.push(Event::SessionEnded { outcome: Outcome::Completed, restored: Some(true), reason: "all steps done".to_owned() });
    }
}

fn row(cohort: Cohort, finished: f64, answer_s: f64, failures: bool) -> TickRow {
    let mut latency = Histogram::default();
    let n = whole(finished).max(1);
    for i in 0..n {
        let u = (i as f64 + 0.5) / n as f64;
        let spread = 0.55 + 0.7 * u + 0.9 * u.powi(12) + 0.8 * u.powi(60);
        latency.record(Span::from_secs_f64(answer_s * spread));
    }
    TickRow {
        failed: if failures { BTreeMap::from([(ErrorKind::Status, 3), (ErrorKind::Timeout, 1)]) } else { BTreeMap::new() },
        latency,
        ..TickRow::new(RequestKey { scenario: "browse".to_owned(), name: "GET /checkout".to_owned(), ..RequestKey::default() }, cohort)
    }
}

fn figures(pool: f64, runs: u32, before: Option<f64>) -> ValueFigures {
    let (hold, answer, rate) = truth(pool);
    let failed = if pool < 40.0 { 0.004 } else { 0.0 };
    let loss = answer * 1.05 + failed * 2.0;
    let wait = (answer - hold).max(0.0);
    let change = |now: f64, then: f64, gap: f64| (now - then) / gap;
    let (dwait_s, dhold_s) = before.map_or((None, None), |b| {
        let (h, a, _) = truth(b);
        (Some(change(wait, (a - h).max(0.0), pool - b)), Some(change(hold, h, pool - b)))
    });
    ValueFigures {
        value: pool,
        runs,
        requests: whole(rate * 6.0) * u64::from(runs),
        loss_s: Some(MeanError { mean: loss, se: Some(loss * 0.008) }),
        p50_s: Some(answer * 0.9),
        p95_s: Some(answer * 1.6),
        p95_95: None,
        p99_s: Some(answer * 2.1),
        rate: Some(rate),
        failed: Some(failed),
        wait_s: Some(wait),
        hold_s: Some(hold),
        active: Some(pool.min(USERS)),
        pending: Some((USERS - pool).max(0.0)),
        threads_busy: Some(200.0),
        threads_full: Some(0.9),
        dwait_s,
        dhold_s,
        bottleneck: None,
        short: (runs == 1 && pool < 40.0).then(|| "fewer than 300 requests in a batch".to_owned()),
    }
}

/// A verdict after so many steps; after all ten it is a recommendation.
pub(crate) fn verdict(done: usize) -> PoolVerdict {
    let mut pools: Vec<f64> = ORDER.iter().take(done).copied().collect();
    pools.sort_by(f64::total_cmp);
    pools.dedup();
    let runs = |p: f64| u32::try_from(ORDER.iter().take(done).filter(|v| (**v - p).abs() < 0.5).count()).unwrap();
    let steps = pools.iter().enumerate().map(|(i, p)| figures(*p, runs(*p), i.checked_sub(1).map(|j| pools[j]))).collect();
    let last = done >= ORDER.len();
    let curve = (3..=20).map(|i| {
        let (value, (_, answer, _)) = (f64::from(i) * 10.0, truth(f64::from(i) * 10.0));
        CurvePoint { value, loss_s: answer * 1.05, low_s: answer * 1.02, high_s: answer * 1.08 }
    });
    PoolVerdict {
        schema: SCHEMA.to_owned(),
        case: None,
        verdict: if last { Kind::Recommend } else { Kind::Repeat },
        setting: Some("pool".to_owned()),
        value: Some(150.0),
        zone: Some((128.0, 172.0)),
        best_interval_90: Some((121.0, 180.0)),
        expected_regret: Some(0.008),
        unconstrained: None,
        values: BTreeMap::new(),
        zones: BTreeMap::new(),
        indifferent: Vec::new(),
        next: (!last).then(|| Next {
            value: 170.0,
            runs: 1,
            why: "between 150 and 200 the curve is least known".to_owned(),
            values: BTreeMap::new(),
        }),
        reasons: vec![Remark::new(
            "balance",
            "from 100 to 150 waiting falls by 0.9 ms a connection while holding grows by 0.3; from 150 to 200 by 0.3 and 0.4",
        )],
        flags: Vec::new(),
        steps,
        curve: if done >= 5 { curve.collect() } else { Vec::new() },
        model: None,
        derived: Derived { threads: Some(190), connection_timeout_s: Some(5.0), bulkhead: Some(139), sustainable_rate: Some(1100.0) },
    }
}

/// The events of the whole sweep.
pub(crate) fn sweep() -> Vec<Stamped> {
    let mut maker = Maker::default();
    maker.begin();
    for index in 0..ORDER.len() {
        maker.step(index);
    }
    maker.end();
    maker.events
}

/// The session while the fourth step (pool 150) is being measured.
pub(crate) fn middle() -> Session {
    let until = Elapsed((3 * 38 + 12 + 16) * TICK_MS * 1000);
    Session::of(sweep().iter().filter(|e| e.at <= until))
}

/// A step without a session head: what a broken recording may hold.
pub(crate) fn headless_step() -> Vec<Stamped> {
    let planned = StepPlanned { step: StepId(0), values: Values::default(), block: 0, order: 0 };
    vec![Stamped { seq: 0, at: Elapsed(5), event: Event::StepPlanned(planned) }]
}

/// A frame as text, its styles in a legend below: one line a row that has any, as runs of `column+length style`.
pub(crate) fn frame(state: &State, look: Look, width: u16, height: u16) -> String {
    let mut buf = Buffer::empty(Rect::new(0, 0, width, height));
    view::render(state, look, &mut buf);
    text_and_styles(&buf)
}

/// The text of a buffer alone.
pub(crate) fn text(buf: &Buffer) -> String {
    let mut out = String::new();
    for y in buf.area.top()..buf.area.bottom() {
        let mut skip = 0;
        let mut line = String::new();
        for x in buf.area.left()..buf.area.right() {
            let symbol = buf[(x, y)].symbol();
            if skip == 0 {
                line.push_str(symbol);
                skip = super::text::width(symbol).saturating_sub(1);
            } else {
                skip -= 1;
            }
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

fn text_and_styles(buf: &Buffer) -> String {
    let mut out = text(buf);
    out.push_str("styles\n");
    for y in buf.area.top()..buf.area.bottom() {
        let mut runs: Vec<(u16, u16, String)> = Vec::new();
        for x in buf.area.left()..buf.area.right() {
            let cell = &buf[(x, y)];
            let name = match (cell.fg, cell.modifier) {
                (ratatui::style::Color::Reset, m) if m.is_empty() => String::new(),
                (fg, m) if m.is_empty() => format!("{fg}"),
                (ratatui::style::Color::Reset, m) => format!("{m:?}"),
                (fg, m) => format!("{fg} {m:?}"),
            };
            match runs.last_mut() {
                Some((_, n, last)) if *last == name => *n += 1,
                _ => runs.push((x, 1, name)),
            }
        }
        let named: Vec<String> = runs.into_iter().filter(|r| !r.2.is_empty()).map(|(x, n, name)| format!("{x}+{n} {name}")).collect();
        if !named.is_empty() {
            let _ = writeln!(out, "{y:3}: {}", named.join(", "));
        }
    }
    out
}
