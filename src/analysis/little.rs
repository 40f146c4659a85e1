//! Consistency of what was measured: Little's law at the pool and at the client, conservation of threads. Residuals as data.

use super::run::{Run, measure};
use super::sweep::{LoadKind, Sweep};

/// How a check came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Within the bounds.
    Ok,
    /// Outside, but usable.
    Warn,
    /// The figures contradict each other.
    Fail,
}

/// One check of one step.
#[derive(Debug, Clone, PartialEq)]
pub struct Consistency {
    /// Order of the step.
    pub order: u32,
    /// The swept setting's value.
    pub value: f64,
    /// Which law.
    pub law: Law,
    /// Measured over expected; 1 is agreement.
    pub ratio: f64,
    /// How it came out.
    pub level: Level,
    /// In words.
    pub text: String,
}

/// The laws that are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Law {
    /// Connections in use = connections obtained a second x hold.
    Active,
    /// Requests waiting = connections obtained a second x wait.
    Pending,
    /// Users = requests a second x (response time + think time).
    Users,
    /// Threads at work >= connections in use + requests waiting.
    Threads,
}

/// The checks of every step that can be made from its figures.
#[must_use]
pub fn littles_law(sweep: &Sweep) -> Vec<Consistency> {
    let steps = sweep.steps.iter().filter(|s| s.void.is_none());
    steps.filter_map(|s| measure(sweep, s).map(|run| (s.order, run))).flat_map(|(order, run)| checks(sweep, order, &run)).collect()
}

fn checks(sweep: &Sweep, order: u32, run: &Run) -> Vec<Consistency> {
    let make = |law: Law, ratio: f64, ok: (f64, f64), text: &str| {
        let off = !(0.75..=1.25).contains(&ratio);
        let level = if ratio >= ok.0 && ratio <= ok.1 {
            Level::Ok
        } else if off {
            Level::Fail
        } else {
            Level::Warn
        };
        Consistency { order, value: run.value, law, ratio, level, text: format!("{text}: {:.0}% of what the law says", 100.0 * ratio) }
    };
    let mut out = Vec::new();
    if let (Some(little), Some(timer)) = (run.hold_little, run.hold_timer.filter(|h| *h > 0.0)) {
        out.push(make(Law::Active, little / timer, (0.9, 1.1), "connections in use against rate x hold"));
    }
    if let (Some(little), Some(wait), true) = (run.wait_little, run.wait.filter(|w| *w > 0.0), run.pending.is_some_and(|q| q > 1.0)) {
        out.push(make(Law::Pending, little / wait, (0.8, 1.25), "requests waiting against rate x wait"));
    }
    if let (LoadKind::Closed, Some(users)) = (sweep.model, sweep.load.users) {
        let cycle = run.rate * (run.loss + sweep.load.think_s.unwrap_or(0.0));
        out.push(make(Law::Users, cycle / users, (0.95, 1.05), "rate x (response + think time) against users"));
    }
    if let (Some(busy), Some(active), Some(pending)) = (run.busy, run.active, run.pending)
        && active + pending > 1.0
    {
        let ratio = busy / (active + pending);
        let level = if ratio >= 0.9 { Level::Ok } else { Level::Warn };
        let text = format!("threads at work are {:.0}% of connections in use and requests waiting", 100.0 * ratio);
        out.push(Consistency { order, value: run.value, law: Law::Threads, ratio, level, text });
    }
    out
}
