//! Tables for other tools: one row a step, or one row an interval. Names carry units, an empty cell is unknown; text is quoted and
//! can not become a formula in a spreadsheet.

use std::fmt::Write as _;

use super::figures::RunFigures;
use super::words;
use crate::model::event::Phase;
use crate::model::series::{Point, Track, timer_mean};
use crate::model::session::{Session, SlotFigures, StepState, StepStatus, TickPoint};
use crate::model::signal::Signal;
use crate::model::text::clean;
use crate::model::units::{Elapsed, Span};

/// One cell.
enum Cell {
    Text(String),
    Number(Option<f64>),
    Count(Option<u64>),
}

impl Cell {
    fn ms(span: Option<Span>) -> Self {
        Self::Number(span.map(|s| s.as_secs_f64() * 1e3))
    }

    fn written(&self) -> String {
        match self {
            Self::Text(text) => quoted(text),
            Self::Number(value) => value.filter(|v| v.is_finite()).map(decimal).unwrap_or_default(),
            Self::Count(n) => n.map(|n| n.to_string()).unwrap_or_default(),
        }
    }
}

/// At most six digits behind the point: a microsecond of a second, a nanosecond of a millisecond.
fn decimal(value: f64) -> String {
    let text = format!("{value:.6}");
    let short = text.trim_end_matches('0').trim_end_matches('.');
    if short == "-0" { "0".to_owned() } else { short.to_owned() }
}

/// Text that no spreadsheet takes for a formula, in quotes where the format needs them.
fn quoted(text: &str) -> String {
    let clean = clean(text);
    let safe = if clean.starts_with(['=', '+', '-', '@']) { format!("'{clean}") } else { clean };
    if safe.contains([',', '"', ';', '\'']) { format!("\"{}\"", safe.replace('"', "\"\"")) } else { safe }
}

fn table(heads: &[String], rows: impl IntoIterator<Item = Vec<Cell>>) -> String {
    let mut out = heads.iter().map(|h| quoted(h)).collect::<Vec<_>>().join(",");
    out.push('\n');
    for row in rows {
        // Writing into a string can not fail.
        let _ = writeln!(out, "{}", row.iter().map(Cell::written).collect::<Vec<_>>().join(","));
    }
    out
}

/// The settings' names, the swept ones first.
fn settings(session: &Session) -> Vec<String> {
    let Some(plan) = session.plan() else { return Vec::new() };
    let swept: Vec<String> = plan.swept().map(|s| s.name.clone()).collect();
    let held = plan.settings.iter().map(|s| s.name.clone()).filter(|n| !swept.contains(n));
    swept.iter().cloned().chain(held).collect()
}

fn heads(settings: &[String], others: &[&str]) -> Vec<String> {
    settings.iter().cloned().chain(others.iter().map(|h| (*h).to_owned())).collect()
}

fn values<'a>(step: Option<&'a StepState>, settings: &'a [String]) -> impl Iterator<Item = Cell> + 'a {
    settings.iter().map(move |name| Cell::Number(step.and_then(|s| s.planned().values.get(name))))
}

/// One row a step, under the names that `analyze` reads.
#[must_use]
pub fn csv_steps(session: &Session) -> String {
    let settings = settings(session);
    let others = [
        "repeat",
        "duration_s",
        "requests",
        "requests_per_s",
        "failed",
        "dropped",
        "mean_ms",
        "p50_ms",
        "p90_ms",
        "p95_ms",
        "p99_ms",
        "max_ms",
        "active",
        "pending",
        "idle",
        "threads_busy",
        "db_active",
        "what",
    ];
    let rows = session.steps().iter().map(|step| values(Some(step), &settings).chain(step_row(session, step)).collect());
    table(&heads(&settings, &others), rows)
}

fn step_row(session: &Session, step: &StepState) -> Vec<Cell> {
    let f = RunFigures::of(session, step);
    let known = f.measured.is_some();
    let level = |signal, of| Cell::Number(f.level(session, signal, of));
    let quantile = |q| Cell::ms(f.latency.quantile(q));
    let what = match step.status() {
        StepStatus::Planned => "not run",
        StepStatus::Running(_) => "cut off",
        StepStatus::Ended(end) => words::end(end),
    };
    vec![
        Cell::Count(Some(u64::from(step.planned().block) + 1)),
        Cell::Number(f.measured.map(Span::as_secs_f64)),
        Cell::Count(known.then_some(f.requests)),
        Cell::Number(f.rate),
        Cell::Count(known.then_some(f.failed)),
        Cell::Count(f.dropped),
        Cell::Number(f.latency.mean_s().map(|s| s * 1e3)),
        quantile(0.5),
        quantile(0.9),
        quantile(0.95),
        quantile(0.99),
        Cell::ms(f.latency.max()),
        level(Signal::PoolActive, None),
        level(Signal::PoolPending, None),
        level(Signal::PoolIdle, None),
        level(Signal::ThreadsBusy, None),
        level(Signal::DbSessions, Some("active")),
        Cell::Text(what.to_owned()),
    ]
}

/// Signals by column, each a level at the interval's end.
const LEVELS: [(&str, Signal, Option<&str>); 6] = [
    ("active", Signal::PoolActive, None),
    ("idle", Signal::PoolIdle, None),
    ("pending", Signal::PoolPending, None),
    ("pool_max", Signal::PoolMax, None),
    ("threads_busy", Signal::ThreadsBusy, None),
    ("db_active", Signal::DbSessions, Some("active")),
];
/// Timers by column, each a mean over the interval.
const TIMERS: [(&str, Signal); 2] = [("wait_ms", Signal::PoolAcquire), ("hold_ms", Signal::PoolUsage)];

/// One row an interval: what ended in it, the latencies of what began in it, the signals at its end.
#[must_use]
pub fn csv_seconds(session: &Session) -> String {
    let settings = settings(session);
    let counts = [
        "at_s",
        "interval_s",
        "step",
        "phase",
        "planned",
        "sent",
        "dropped",
        "in_flight",
        "users",
        "finished",
        "failed",
        "requests_per_s",
        "p50_ms",
        "p95_ms",
        "p99_ms",
        "max_ms",
    ];
    let others: Vec<&str> = counts.into_iter().chain(LEVELS.map(|l| l.0)).chain(TIMERS.map(|t| t.0)).collect();
    let levels = LEVELS.map(|(_, signal, of)| session.joined(signal, of));
    let timers = TIMERS.map(|(_, signal)| session.joined(signal, None));
    let rows = session.ticks().iter().map(|tick| {
        let at = phase_at(session, tick.from);
        let signals = levels.iter().map(|t| Cell::Number(t.as_ref().and_then(|t| level_in(t, tick))));
        let means = timers.iter().map(|t| Cell::Number(t.as_ref().and_then(|t| mean_in(t, tick)).map(|s| s * 1e3)));
        values(at.map(|a| a.0), &settings).chain(tick_row(session, tick, at)).chain(signals).chain(means).collect()
    });
    table(&heads(&settings, &others), rows)
}

fn tick_row(session: &Session, tick: &TickPoint, at: Option<(&StepState, Phase)>) -> Vec<Cell> {
    let slot = at.and_then(|(step, phase)| step.slots().get(&(tick.from.slot(session.tick()), phase)));
    let percentile = |i: usize| Cell::ms(slot.and_then(|s: &SlotFigures| s.percentiles).and_then(|p| p.get(i).copied()));
    vec![
        Cell::Number(Some(tick.from.as_secs_f64())),
        Cell::Number(Some(tick.seconds())),
        Cell::Count(at.map(|(step, _)| u64::from(step.planned().step.0) + 1)),
        Cell::Text(at.map(|(_, phase)| phase.name().to_owned()).unwrap_or_default()),
        Cell::Number(tick.planned),
        Cell::Count(Some(tick.sent)),
        Cell::Count(Some(tick.dropped)),
        Cell::Count(Some(tick.in_flight)),
        Cell::Count(Some(tick.users)),
        Cell::Count(Some(tick.finished)),
        Cell::Count(Some(tick.failures())),
        Cell::Number(tick.rate()),
        percentile(0),
        percentile(2),
        percentile(3),
        Cell::ms(slot.and_then(|s| s.max)),
    ]
}

/// The step and phase that ran at a time.
fn phase_at(session: &Session, at: Elapsed) -> Option<(&StepState, Phase)> {
    session.steps().iter().find_map(|step| {
        let span = step.phases().iter().find(|p| p.from <= at && p.to.is_none_or(|to| at < to))?;
        Some((step, span.phase))
    })
}

fn points_in<'a>(track: &'a Track, tick: &TickPoint) -> &'a [Point] {
    track.between(tick.from, tick.to)
}

fn level_in(track: &Track, tick: &TickPoint) -> Option<f64> {
    points_in(track, tick).last().and_then(|p| p.value).map(crate::model::signal::Value::level)
}

/// Mean of a timer's events from the last point before the interval to the last inside it.
fn mean_in(track: &Track, tick: &TickPoint) -> Option<f64> {
    let last = points_in(track, tick).last()?;
    let before = track.points().partition_point(|p| p.at < tick.from).checked_sub(1).and_then(|i| track.points().get(i))?;
    timer_mean(before.value, last.value)
}
