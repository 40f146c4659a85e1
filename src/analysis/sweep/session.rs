//! A session's fold as a sweep: one row for each measured interval of the plan's tick, by the requests' intended start.

use std::collections::BTreeMap;

use super::spread::{Grid, Spread};
use super::{By, Candidates, Column, Goal, LatencySlice, Load, LoadKind, SCHEMA, Series, Sweep, SweepStep};
use crate::model::event::{Proof, StepEnd};
use crate::model::histogram::Histogram;
use crate::model::plan::{LoadModel, Plan, Scenario};
use crate::model::session::{Session, SlotFigures, StepState, StepStatus};
use crate::model::signal::Signal;
use crate::model::units::Span;

/// The session as a sweep; none before it began, without a swept setting, or before a step was measured.
#[must_use]
pub fn sweep_of(session: &Session) -> Option<Sweep> {
    let setting = session.plan()?.swept().next()?.name.clone();
    sweep_by(session, setting)
}

/// The session as a sweep, also where nothing was swept: the first setting stands for it, and without any a nameless one of value 1.
pub(in crate::analysis) fn every_step(session: &Session) -> Option<Sweep> {
    let plan = session.plan()?;
    let setting = plan.swept().chain(&plan.settings).next().map(|s| s.name.clone()).unwrap_or_default();
    sweep_by(session, setting)
}

fn sweep_by(session: &Session, setting: String) -> Option<Sweep> {
    let plan = session.plan()?;
    let swept: Vec<&str> = plan.swept().map(|s| s.name.as_str()).collect();
    let signals = Signals::of(session);
    let steps: Vec<SweepStep> = session.steps().iter().filter_map(|step| step_of(session, &signals, step, &setting)).collect();
    if steps.is_empty() {
        return None;
    }
    let goal =
        Goal { slo: plan.objective.slo.iter().map(|s| s.text.clone()).collect(), failure_cost_s: plan.objective.failure_cost.map(Span::as_secs_f64) };
    let (model, load) = load_of(plan);
    Some(Sweep {
        schema: SCHEMA.to_owned(),
        case: None,
        model,
        load,
        client_timeout_s: Some(plan.load.timeout.as_secs_f64()),
        connection_timeout_s: None,
        accept_count: None,
        db_cores: None,
        process_cores: session.latest(Signal::ProcessCpuLimit, None).filter(|c| *c > 0.0),
        candidates: Candidates(plan.swept().map(|s| (s.name.clone(), s.range)).collect()),
        settings: if swept.len() > 1 { swept.iter().map(|s| (*s).to_owned()).collect() } else { Vec::new() },
        setting,
        has_timers: signals.usage.is_some(),
        scrape_s: plan.sources.iter().map(|s| s.every.as_secs_f64()).reduce(f64::min),
        by: By::Start,
        objective: (goal != Goal::default()).then_some(goal),
        steps,
    })
}

/// The joined series the judge reads, made once for all steps.
struct Signals {
    gauges: Vec<(&'static str, Spread)>,
    acquire: Option<Spread>,
    usage: Option<Spread>,
    timeouts: Option<Spread>,
    server: Option<Spread>,
    gc: Option<Spread>,
}

/// Gauges by their column's name.
const GAUGES: [(&str, Signal, Option<&str>); 11] = [
    ("active", Signal::PoolActive, None),
    ("idle", Signal::PoolIdle, None),
    ("pending", Signal::PoolPending, None),
    ("pool.max", Signal::PoolMax, None),
    ("threads_busy", Signal::ThreadsBusy, None),
    ("threads.max", Signal::ThreadsMax, None),
    ("process_cpu", Signal::ProcessCpu, None),
    ("db_active", Signal::DbSessions, Some("active")),
    ("db.sessions{lock_waiting}", Signal::DbSessions, Some("lock_waiting")),
    ("db.sessions{idle_in_transaction}", Signal::DbSessions, Some("idle_in_transaction")),
    ("generator.cpu", Signal::GeneratorCpu, None),
];

impl Signals {
    fn of(session: &Session) -> Self {
        let track = |signal, of| session.joined(signal, of).map(|t| Spread::new(t.into_owned()));
        Self {
            gauges: GAUGES.iter().filter_map(|(name, signal, of)| track(*signal, *of).map(|t| (*name, t))).collect(),
            acquire: track(Signal::PoolAcquire, None),
            usage: track(Signal::PoolUsage, None),
            timeouts: track(Signal::PoolTimeouts, None),
            server: track(Signal::ServerRequests, None),
            gc: track(Signal::GcPause, None),
        }
    }

    fn gauge(&self, name: &str, grid: Grid) -> Option<Column> {
        self.gauges.iter().find(|g| g.0 == name).map(|g| g.1.levels(grid))
    }
}

fn step_of(session: &Session, signals: &Signals, step: &StepState, setting: &str) -> Option<SweepStep> {
    let grid = measured_grid(session, step)?;
    let mut values = step.planned().values.0.clone();
    if setting.is_empty() {
        values.insert(String::new(), 1.0);
    }
    values.get(setting)?;
    let mut columns: BTreeMap<String, Column> = BTreeMap::new();
    load_columns(session, step, grid, &mut columns);
    for (name, track) in &signals.gauges {
        columns.insert((*name).to_owned(), track.levels(grid));
    }
    timer_columns(signals, grid, &mut columns);
    columns.retain(|name, c| matches!(name.as_str(), "t" | "ok" | "err") || c.iter().any(Option::is_some));
    let threads = values.get("threads").copied().or_else(|| {
        let seen: Vec<f64> = signals.gauge("threads.max", grid)?.into_iter().flatten().collect();
        seen.iter().copied().reduce(f64::max)
    });
    Some(SweepStep {
        order: step.planned().order,
        rep: step.planned().block,
        values,
        threads: threads.filter(|t| *t > 0.0),
        start_s: grid.begin_s,
        duration_s: grid.seconds(),
        void: void_of(step),
        proof: step.proofs().iter().find(|p| p.setting == setting).map(|p| proof_word(p.proof).to_owned()),
        generator_bound: Some(step.generator_bound_share()).filter(|s| *s > 0.0),
        series: Series(columns),
        slices: slices_of(step, session.tick(), grid),
    })
}

/// The intervals that lie wholly inside the measure phase.
fn measured_grid(session: &Session, step: &StepState) -> Option<Grid> {
    let tick = session.tick().as_secs_f64();
    let slots: Vec<u64> = step.measured_slots().map(|(slot, _)| slot).collect();
    let (mut first, mut last) = (*slots.first()?, *slots.last()?);
    if let Some(span) = step.measured() {
        let slack = 0.02 * tick;
        if first as f64 * tick + slack < span.from.as_secs_f64() {
            first += 1;
        }
        if span.to.is_some_and(|to| (last + 1) as f64 * tick > to.as_secs_f64() + slack) {
            last = last.saturating_sub(1);
        }
    }
    let rows = usize::try_from((last + 1).checked_sub(first)?).ok().filter(|n| (1..=1_000_000).contains(n))?;
    (tick > 0.0).then_some(Grid { first, begin_s: first as f64 * tick, dt: tick, rows })
}

fn load_columns(session: &Session, step: &StepState, grid: Grid, columns: &mut BTreeMap<String, Column>) {
    let by_slot: BTreeMap<u64, &SlotFigures> = step.measured_slots().collect();
    let figures = |row: usize| by_slot.get(&(grid.first + row as u64)).copied();
    let mut add = |name: &str, of: &dyn Fn(usize) -> Option<f64>| columns.insert(name.to_owned(), (0..grid.rows).map(of).collect());
    add("t", &|row| Some((row + 1) as f64 * grid.dt));
    add("ok", &|row| Some(figures(row).map_or(0.0, |f| f.ok as f64)));
    add("err", &|row| Some(figures(row).map_or(0.0, |f| f.failed as f64)));
    add("lat_mean_ms", &|row| figures(row)?.mean_s().map(|s| s * 1e3));
    for (name, at) in [("p50_ms", 0), ("p95_ms", 2), ("p99_ms", 3)] {
        add(name, &|row| figures(row)?.percentiles?.get(at).map(|p| p.as_secs_f64() * 1e3));
    }
    let ticks = super::spread::ticks(session, grid);
    columns.insert("done".to_owned(), ticks.done);
    columns.insert("dropped".to_owned(), ticks.dropped);
}

fn timer_columns(signals: &Signals, grid: Grid, columns: &mut BTreeMap<String, Column>) {
    let growth = |track: &Option<Spread>| track.as_ref().map(|t| t.growth(grid));
    let timeouts = growth(&signals.timeouts);
    if let Some(usage) = growth(&signals.usage) {
        columns.insert("usage_mean_ms".to_owned(), usage.iter().map(|g| g.and_then(super::spread::Growth::mean_ms)).collect());
    }
    if let Some(acquire) = growth(&signals.acquire) {
        // The timer counts the attempts that timed out, each as long as the pool's time-out, which is not known here: a row with any has no W.
        let late = |row: usize| timeouts.as_ref().and_then(|t| t.get(row).copied().flatten()).map_or(0.0, |g| g.count);
        let means = acquire.iter().enumerate().map(|(row, g)| g.filter(|_| late(row) < 0.5).and_then(super::spread::Growth::mean_ms));
        columns.insert("acquire_mean_ms".to_owned(), means.collect());
        columns.insert("acquired".to_owned(), acquire.iter().enumerate().map(|(row, g)| g.map(|g| (g.count - late(row)).max(0.0))).collect());
    }
    if let Some(server) = growth(&signals.server) {
        columns.insert("server_done".to_owned(), server.iter().map(|g| g.map(|g| g.count)).collect());
    }
    if let Some(timeouts) = timeouts {
        columns.insert("conn_timeouts".to_owned(), timeouts.iter().map(|g| g.map(|g| g.count)).collect());
    }
    if let Some(gc) = growth(&signals.gc) {
        columns.insert("gc.pause".to_owned(), gc.iter().map(|g| g.map(|g| g.sum)).collect());
    }
}

fn void_of(step: &StepState) -> Option<String> {
    if step.counts() {
        return None;
    }
    let refuted = || step.proofs().iter().find(|p| p.proof == Proof::Refuted).map(|p| p.text.clone());
    let ended = || match step.status() {
        StepStatus::Ended(StepEnd::Completed) => None,
        StepStatus::Ended(_) => step.ended().map(|e| e.1.clone()),
        _ => Some("not ended yet".to_owned()),
    };
    Some(step.excluded().map(str::to_owned).or_else(refuted).or_else(ended).unwrap_or_else(|| "does not count".to_owned()))
}

const fn proof_word(proof: Proof) -> &'static str {
    match proof {
        Proof::Acted => "acted",
        Proof::Unexercised => "unexercised",
        Proof::Refuted => "refuted",
        Proof::Unverified => "unverified",
    }
}

/// The measure phase's distributions over all requests; names whose slices are narrower are put into the widest ones.
fn slices_of(step: &StepState, tick: Span, grid: Grid) -> Vec<LatencySlice> {
    let all = || step.names().values().flat_map(|n| &n.slices);
    let width = all().map(|s| s.to_slot.saturating_sub(s.from_slot)).max().unwrap_or(1).max(1);
    let mut merged: BTreeMap<u64, Histogram> = BTreeMap::new();
    for slice in all() {
        merged.entry(slice.from_slot.saturating_sub(grid.first) / width).or_default().merge(&slice.latency);
    }
    let at = |slices: u64| (slices * width) as f64 * tick.as_secs_f64();
    merged.into_iter().map(|(i, latency)| LatencySlice { from_s: at(i), to_s: at(i + 1), latency }).collect()
}

fn load_of(plan: &Plan) -> (LoadKind, Load) {
    let weights: f64 = plan.scenarios.iter().map(|s| s.weight).sum();
    let mean = |of: &dyn Fn(&Scenario) -> Option<f64>| {
        let sum: Option<f64> = plan.scenarios.iter().map(|s| Some(s.weight * of(s)?)).sum();
        sum.filter(|_| weights > 0.0).map(|sum| sum / weights)
    };
    let requests = mean(&Scenario::requests_per_pass).filter(|n| *n > 0.0);
    let think_s = mean(&|s| Some(s.mean_think().as_secs_f64())).zip(requests).map(|(think, n)| think / n);
    let requests_per_arrival = requests.unwrap_or(1.0);
    match plan.load.model {
        LoadModel::Closed { users } => (LoadKind::Closed, Load { users: Some(f64::from(users)), think_s, rate: None, requests_per_arrival: 1.0 }),
        LoadModel::Open { rate, .. } => (LoadKind::Open, Load { users: None, think_s: None, rate: Some(rate.as_per_second()), requests_per_arrival }),
        LoadModel::Line => (LoadKind::Open, Load { users: None, think_s: None, rate: None, requests_per_arrival }),
    }
}
