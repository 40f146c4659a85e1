//! Checks `[experiment]` and fills in its defaults; divides every length by `compress`. It may import the rest of `profile/`.

use super::Context;
use crate::model::plan::{Design, Experiment, LoadPlan, MeasureRule, Order, TimeLine};
use crate::model::units::Span;
use crate::profile::raw::experiment::RawMeasure;
use crate::profile::raw::reader::At;

const WARMUP: Span = Span::from_secs(20);
const MEASURE_MIN: Span = Span::from_secs(60);
const MEASURE_MAX: Span = Span::from_secs(180);
const PRECISION: f64 = 0.01;
const SETTLE_MAX: Span = Span::from_secs(45);
const TICK: Span = Span::from_secs(1);
/// Below this the aggregates of a tick cost more than they tell.
const SHORTEST_TICK: Span = Span::from_millis(10);
const REPEATS: u32 = 2;
const MOST_STEPS: u64 = 10_000;
const REFINE: u32 = 4;
const SEED: u64 = 7;

/// A length divided by `experiment.compress`.
pub(super) fn compressed(c: &Context<'_>, span: Span) -> Span {
    match &c.raw.experiment.compress {
        Some(factor) if factor.value > 0.0 => span.times(1.0 / factor.value),
        _ => span,
    }
}

/// The experiment; a drain that is not written lasts as long as a request may, whatever is compressed.
pub(super) fn experiment(c: &mut Context<'_>, load: &LoadPlan) -> Experiment {
    let raw = &c.raw.experiment;
    let line = load.line.as_ref().map(TimeLine::length);
    if line.is_some() {
        follows_the_line(c);
    }
    if let Some(factor) = raw.compress.as_ref().filter(|f| !(1.0..=10_000.0).contains(&f.value)) {
        c.refuse(
            factor,
            &format!("`{}` is no factor to divide lengths by", factor.value),
            "write a number from 1 to 10000; 60 makes a minute a second",
        );
    }
    if let Some(repeats) = raw.repeats.as_ref().filter(|n| n.value == 0) {
        c.refuse(repeats, "`0` repeats are no experiment", "write at least 1; 2 or more show how far runs differ");
    }
    check_steps(c, raw.repeats.as_ref());
    let length = |c: &Context<'_>, at: &Option<At<Span>>, default: Span| compressed(c, at.as_ref().map_or(default, |s| s.value));
    let measure = match line {
        Some(length) => MeasureRule { min: length, max: length, precision: PRECISION },
        None => measure(c, raw.measure.as_ref()),
    };
    let tick = length(c, &raw.tick, TICK);
    check_tick(c, tick, measure.min);
    Experiment {
        design: raw.design.as_ref().map_or(Design::Grid, |d| d.value),
        order: raw.order.as_ref().map_or(Order::Blocked, |o| o.value),
        repeats: raw.repeats.as_ref().map_or(REPEATS, |n| n.value),
        refine: raw.refine.as_ref().map_or(REFINE, |n| n.value),
        warmup: if line.is_some() { Span::ZERO } else { length(c, &raw.warmup, WARMUP) },
        measure,
        drain: raw.drain.as_ref().map_or(load.timeout, |d| compressed(c, d.value)),
        settle_max: length(c, &raw.settle_max, SETTLE_MAX),
        tick,
        seed: raw.seed.as_ref().map_or(SEED, |s| s.value),
    }
}

/// A load with a time line is measured over exactly that line.
fn follows_the_line(c: &mut Context<'_>) {
    let raw = &c.raw.experiment;
    for at in [raw.warmup.as_ref().map(|w| w.with(())), raw.measure.as_ref().map(|m| m.with(()))].into_iter().flatten() {
        c.refuse(&at, "does not apply: a load with a time line is measured over exactly that line", "leave it out");
    }
}

/// More steps than anybody can wait for are a slip of the keyboard.
fn check_steps(c: &mut Context<'_>, repeats: Option<&At<u32>>) {
    let raw = &c.raw.settings;
    let combinations = raw.iter().map(|s| s.values.value.len().max(1) as u64).fold(1_u64, u64::saturating_mul);
    let steps = combinations.saturating_mul(u64::from(repeats.map_or(REPEATS, |r| r.value)));
    if steps <= MOST_STEPS {
        return;
    }
    let (what, hint) = (format!("{steps} steps in all"), format!("write fewer values or repeats: at most {MOST_STEPS} steps"));
    match (repeats, raw.iter().max_by_key(|s| s.values.value.len())) {
        (Some(repeats), _) if u64::from(repeats.value) >= combinations => c.refuse(&repeats.with(()), &what, hint),
        (_, Some(setting)) => c.refuse(&setting.values.with(()), &what, hint),
        (Some(repeats), None) => c.refuse(&repeats.with(()), &what, hint),
        (None, None) => {}
    }
}

fn measure(c: &mut Context<'_>, raw: Option<&At<RawMeasure>>) -> MeasureRule {
    let empty = RawMeasure::default();
    let RawMeasure { min, max, precision } = raw.map_or(&empty, |m| &m.value);
    let written = |at: &Option<At<Span>>| at.as_ref().map(|s| s.value);
    // An end that is not written gives way to the one that is.
    let least = written(min).unwrap_or_else(|| MEASURE_MIN.min(written(max).unwrap_or(MEASURE_MIN)));
    let most = written(max).unwrap_or_else(|| MEASURE_MAX.max(least));
    if let Some(at) = min.as_ref().or(max.as_ref()).filter(|_| least.is_zero()) {
        c.refuse(at, "nothing would be measured", "write a time above 0, as \"60s\"");
    }
    if let Some(at) = max.as_ref().filter(|_| most < least) {
        c.refuse(at, &format!("`{most}` is shorter than the least time, {least}"), "let max be at least min");
    }
    if let Some(at) = precision.as_ref().filter(|p| !(p.value > 0.0 && p.value < 1.0)) {
        c.refuse(at, &format!("`{}` is no relative error", at.value), "write a fraction between 0 and 1, as 0.01 for 1%");
    }
    MeasureRule { min: compressed(c, least), max: compressed(c, most), precision: precision.as_ref().map_or(PRECISION, |p| p.value) }
}

/// The tick is judged as it will be, after `compress`.
fn check_tick(c: &mut Context<'_>, tick: Span, measure: Span) {
    let raw = &c.raw.experiment;
    let Some(at) = raw.tick.as_ref().map(|t| t.with(())).or_else(|| raw.compress.as_ref().map(|f| f.with(()))) else {
        return;
    };
    if tick < SHORTEST_TICK {
        c.refuse(&at, &format!("a tick of {tick}{}", divided(c)), format!("let a tick last at least {SHORTEST_TICK}"));
    } else if tick > measure && !measure.is_zero() {
        c.refuse(
            &at,
            &format!("a tick of {tick} is longer than the shortest measurement, {measure}"),
            "write a shorter tick, or a longer measure.min",
        );
    }
}

fn divided(c: &Context<'_>) -> String {
    c.raw.experiment.compress.as_ref().map_or_else(String::new, |f| format!(", once divided by {}", f.value))
}
