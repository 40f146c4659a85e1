//! From rows to the figures of a run.

use super::Run;
use super::percentile::{Percentiles, percentiles};
use super::rows::{Rows, known_mean, weighted};
use crate::analysis::numeric::{batch_bounds, batch_ratio, mann_kendall, mean, mser};
use crate::analysis::sweep::{By, Sweep, SweepStep};

/// Fewer batches than this give no error to rely on.
pub(in crate::analysis) const MIN_BATCHES: usize = 4;
/// Fewer requests a batch than this give no error to rely on.
pub(in crate::analysis) const MIN_REQUESTS: f64 = 300.0;
/// The share of the threads at work that counts as all.
const FULL: f64 = 0.97;
/// The least relative error a run is credited with.
const ERROR_FLOOR: f64 = 1e-3;

/// The figures of a step; none if nothing ended in it.
pub(in crate::analysis) fn measure(sweep: &Sweep, step: &SweepStep) -> Option<Run> {
    let (cap, _) = sweep.failure_cost_s();
    let rows = Rows::new(step, cap);
    let (cut, unsteady) = cut(&rows, sweep.by, cap);
    let n = rows.len().checked_sub(cut).filter(|n| *n > 0)?;
    let bounds = batch_bounds(n, (n / 5).clamp(MIN_BATCHES, 12));
    let sums: Vec<(f64, f64)> = bounds
        .iter()
        .map(|(a, b)| (cut + a..cut + b).fold((0.0, 0.0), |(c, r), row| (c + rows.cost.get(row).copied().unwrap_or(0.0), r + rows.requests(row))))
        .collect();
    let ratio = batch_ratio(&sums)?;
    let seconds = n as f64 * rows.dt;
    let total = |column: &[f64]| column.iter().skip(cut).sum::<f64>();
    let (requests, errors) = (total(&rows.ok) + total(&rows.err), total(&rows.err));
    let value = step.value(&sweep.setting)?;
    let pool = step.value("pool").unwrap_or(value);
    let station = Station::of(&rows, cut, pool, &bounds);
    let full = |threads: f64| {
        let known: Vec<f64> = rows.tail("threads_busy", cut)?.iter().flatten().copied().collect();
        mean(known.iter().map(|b| if *b >= FULL * threads { 1.0 } else { 0.0 }))
    };
    Some(Run {
        value,
        pool,
        threads: step.threads,
        rep: step.rep,
        at_s: step.start_s + step.duration_s / 2.0,
        rows: n,
        seconds,
        batches: bounds.len(),
        requests,
        loss: ratio.mean,
        loss_se: ratio.se.unwrap_or(0.3 * ratio.mean).max(ERROR_FLOOR * ratio.mean),
        rate: total(&rows.done) / seconds,
        good: total(&rows.ok) / seconds,
        failed: errors / requests,
        dropped: rows.tail("dropped", cut).map_or(0.0, |c| c.iter().flatten().sum::<f64>()) / seconds,
        latency: rows.latency(cut),
        percentiles: if step.slices.is_empty() { Percentiles::default() } else { percentiles(&step.slices, cut as f64 * rows.dt) },
        active: known_mean(rows.tail("active", cut)),
        active_max: rows.tail("active", cut).and_then(|c| c.iter().flatten().copied().reduce(f64::max)),
        pending: known_mean(rows.tail("pending", cut)),
        busy: known_mean(rows.tail("threads_busy", cut)),
        full: step.threads.and_then(full),
        wait: station.wait_timer.or(station.wait_little),
        hold: station.hold_timer.or(station.hold_little),
        obtained: station.obtained,
        uses: station.uses,
        hold_timer: station.hold_timer,
        hold_little: station.hold_little,
        wait_little: station.wait_little,
        process_cpu: known_mean(rows.tail("process_cpu", cut)),
        db_active: known_mean(rows.tail("db_active", cut)),
        lock_waiting: known_mean(rows.tail("db.sessions{lock_waiting}", cut)),
        growth: growth(&rows, cut, &bounds),
        unsteady,
        hold_trend: hold_trend(&station.holds),
        generator_bound: step.generator_bound.unwrap_or(0.0),
        holds: station.holds,
        doubt: 0.0,
    })
}

/// How many leading rows do not count, and whether no steady state was seen at all.
fn cut(rows: &Rows<'_>, by: By, cap: f64) -> (usize, bool) {
    let n = rows.len();
    let m = if n >= 60 { 5 } else { 2 };
    let (loss, ended) = (mser(&rows.losses(cap), m), mser(&(0..n).map(|row| rows.requests(row)).collect::<Vec<_>>(), m));
    // Rows by completion begin with the step's cold start; rows by intended start begin after the warm-up.
    let least = if by == By::End { (1..n / 2).find(|row| *row as f64 * rows.dt >= 5.0).unwrap_or(n / 2) } else { 0 };
    (loss.rows.max(ended.rows).max(least).min(n / 2), loss.at_cap && ended.at_cap)
}

/// What passed through the pool.
struct Station {
    obtained: f64,
    uses: f64,
    wait_timer: Option<f64>,
    hold_timer: Option<f64>,
    wait_little: Option<f64>,
    hold_little: Option<f64>,
    holds: Vec<(f64, f64)>,
}

impl Station {
    fn of(rows: &Rows<'_>, cut: usize, pool: f64, bounds: &[(usize, usize)]) -> Self {
        let got = rows.obtained(cut);
        let obtained = mean(got.iter().copied()).unwrap_or(0.0) / rows.dt;
        let seconds = |name: &str| weighted(rows.tail(name, cut), &got).map(|ms| ms / 1e3);
        let (wait_timer, hold_timer) = (seconds("acquire_mean_ms"), seconds("usage_mean_ms"));
        let level = |name: &str| known_mean(rows.tail(name, cut));
        let little = |level: Option<f64>| level.filter(|_| obtained > 0.0).map(|l| l / obtained);
        Self {
            obtained,
            uses: uses(rows, cut),
            wait_timer,
            hold_timer,
            wait_little: little(level("pending")),
            hold_little: little(level("active")),
            holds: bounds.iter().filter_map(|b| hold_of(rows, cut, *b, pool, &got)).collect(),
        }
    }
}

/// Uses of a connection a request, where both are counted; one if they can not be told apart.
fn uses(rows: &Rows<'_>, cut: usize) -> f64 {
    let (Some(acquired), Some(server)) = (rows.tail("acquired", cut), rows.tail("server_done", cut)) else { return 1.0 };
    let (a, s) = acquired.iter().zip(server).filter_map(|(a, s)| a.zip(*s)).fold((0.0, 0.0), |(a, s), (x, y)| (a + x, s + y));
    let ratio = if s > 0.0 { a / s } else { 1.0 };
    if ratio > 1.04 { ratio } else { 1.0 }
}

/// (active, hold) of one batch: hold by its timer, else by Little's law; active by the gauge, or by Little's law where it was read too seldom.
fn hold_of(rows: &Rows<'_>, cut: usize, (from, to): (usize, usize), pool: f64, got: &[f64]) -> Option<(f64, f64)> {
    let part = |name: &str| rows.tail(name, cut).and_then(|c| c.get(from..to));
    let got = got.get(from..to)?;
    let rate = mean(got.iter().copied())? / rows.dt;
    if rate <= 0.0 {
        return None;
    }
    let read: Vec<f64> = part("active").unwrap_or_default().iter().flatten().copied().collect();
    let gauge = mean(read.iter().copied());
    let timer = weighted(part("usage_mean_ms"), got).map(|ms| ms / 1e3);
    let by_little = timer.map(|h| (rate * h).min(pool));
    let active = if read.len() >= 3 { gauge } else { by_little.or(gauge) }?;
    let hold = timer.or_else(|| gauge.map(|a| a / rate))?;
    (active > 0.0 && hold > 0.0).then_some((active, hold))
}

/// Growth of log H from the first third of the batches to the last; none with fewer than six.
fn hold_trend(holds: &[(f64, f64)]) -> Option<f64> {
    let third = holds.len() / 3;
    let level = |part: &[(f64, f64)]| mean(part.iter().map(|h| h.1.ln()));
    if third < 2 {
        return None;
    }
    Some(level(holds.get(holds.len() - third..)?)? - level(holds.get(..third)?)?)
}

/// Trend of the backlog over the batches: Mann-Kendall's z and the growth relative to the mean.
fn growth(rows: &Rows<'_>, cut: usize, bounds: &[(usize, usize)]) -> (f64, f64) {
    let (pending, busy) = (rows.tail("pending", cut), rows.tail("threads_busy", cut));
    let level = |(a, b): &(usize, usize)| {
        let of = |c: Option<&[Option<f64>]>| known_mean(c.and_then(|c| c.get(*a..*b)));
        match (of(pending), of(busy)) {
            (None, None) => None,
            (p, t) => Some(p.unwrap_or(0.0) + t.unwrap_or(0.0)),
        }
    };
    let levels: Vec<f64> = bounds.iter().filter_map(level).collect();
    let half = levels.len() / 2;
    let grown =
        mean(levels.iter().skip(levels.len() - half).copied()).zip(mean(levels.iter().take(half).copied())).map_or(0.0, |(late, early)| late - early);
    let middle = mean(levels.iter().copied()).filter(|m| *m > 0.0);
    (mann_kendall(&levels), middle.map_or(0.0, |m| grown / m))
}

/// Why a run's figures do not count in full; none if they do.
pub(in crate::analysis) fn shortness(batches: usize, requests: f64) -> Option<String> {
    let each = requests / batches.max(1) as f64;
    if batches < MIN_BATCHES {
        Some(format!("only {batches} batches, {MIN_BATCHES} are needed for an error"))
    } else if each < MIN_REQUESTS {
        Some(format!("only {each:.0} requests a batch, {MIN_REQUESTS:.0} are needed"))
    } else {
        None
    }
}
