//! Two sessions against each other: what changed for each setting and over all of them, how sure that is, and what differs in the
//! plans. It imports the judge's own figures and `model/`; it knows nothing of how the answer is printed.
//!
//! The verdict is that of one figure, the loss over all settings both sessions measured: asking many figures and taking the one that
//! moved would find a change in equal runs.

mod noise;
mod plans;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

pub use noise::Estimate;

use super::run::{Run, measure, percentile_at};
use super::sweep::{SweepStep, every_step};
use crate::model::session::Session;
use noise::{Noise, Sample, Sides, overall};

/// The difference that a person wants to be able to see.
const WORTH_SEEING: f64 = 0.05;
/// A change is believed below this.
const SIGNIFICANT: f64 = 0.05;

/// What a comparison comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// The new one loses more.
    Regression,
    /// The new one loses less.
    Improvement,
    /// No difference that this data can show.
    Same,
    /// Nothing that both measured.
    Unknown,
}

impl Change {
    /// As written in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Regression => "regression",
            Self::Improvement => "improvement",
            Self::Same => "same",
            Self::Unknown => "unknown",
        }
    }
}

/// Two sessions compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// In one word.
    pub verdict: Change,
    /// Over all settings first, then by setting in ascending order.
    pub metrics: Vec<MetricChange>,
    /// What the plans do not share, in words.
    pub plan_differences: Vec<String>,
    /// Runs of each setting on each side that would show 5%; none if there are as many.
    pub runs_needed: Option<u32>,
    /// What a reader must know.
    pub notes: Vec<String>,
}

/// One figure of both.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricChange {
    /// The values of the settings; none: over all of them.
    pub setting: Option<String>,
    /// Which figure.
    pub metric: Metric,
    /// Of the base.
    pub base: Option<f64>,
    /// Of the new one.
    pub new: Option<f64>,
    /// The change with its error; of shares in points, of all else relative.
    pub change: Option<Estimate>,
    /// Runs of both.
    pub runs: (usize, usize),
}

/// A figure that is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// Mean loss.
    Loss,
    /// Median latency.
    P50,
    /// 95th percentile.
    P95,
    /// 99th percentile.
    P99,
    /// Requests that ended, a second.
    Rate,
    /// Share that failed.
    Failed,
}

impl Metric {
    const ALL: [Self; 6] = [Self::Loss, Self::P50, Self::P95, Self::P99, Self::Rate, Self::Failed];

    /// As written in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Loss => "loss",
            Self::P50 => "p50",
            Self::P95 => "p95",
            Self::P99 => "p99",
            Self::Rate => "rate",
            Self::Failed => "failed",
        }
    }

    /// Its unit.
    #[must_use]
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Rate => "1/s",
            Self::Failed => "share",
            Self::Loss | Self::P50 | Self::P95 | Self::P99 => "s",
        }
    }

    /// The figure of a run with its own error: relative, or of shares absolute.
    fn sample(self, run: &Measured) -> Option<Sample> {
        let of = |value: f64, error: Option<f64>| Some(Sample { value, error });
        match self {
            Self::Loss => of(run.run.loss, Some(run.run.loss_se / run.run.loss)),
            Self::Rate => of(run.run.rate, Some(1.0 / run.run.requests.max(1.0).sqrt())),
            Self::Failed => of(run.run.failed, Some((run.run.failed * (1.0 - run.run.failed) / run.run.requests.max(1.0)).sqrt())),
            Self::P50 => run.percentile(0.5),
            Self::P95 => run.percentile(0.95),
            Self::P99 => run.percentile(0.99),
        }
    }
}

/// A run with its distributions.
struct Measured {
    run: Run,
    step: SweepStep,
}

impl Measured {
    fn percentile(&self, q: f64) -> Option<Sample> {
        let (value, interval) = percentile_at(&self.step.slices, q).filter(|p| p.0 > 0.0)?;
        Some(Sample { value, error: interval.map(|(low, high)| (high - low) / (2.0 * 1.96) / value) })
    }
}

type Arms = BTreeMap<String, Vec<Measured>>;

/// The measured runs of a session by the values of their settings; steps that do not count are left out.
fn arms(session: &Session) -> Arms {
    let mut arms = Arms::new();
    let Some(sweep) = every_step(session) else { return arms };
    for step in sweep.steps.iter().filter(|s| s.void.is_none()) {
        if let Some(run) = measure(&sweep, step) {
            arms.entry(key(step)).or_default().push(Measured { run, step: step.clone() });
        }
    }
    arms
}

/// `pool 50  threads 200`; empty where nothing was set.
fn key(step: &SweepStep) -> String {
    let named = step.values.iter().filter(|(name, _)| !name.is_empty());
    named.map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join("  ")
}

/// Compares what both sessions measured.
#[must_use]
pub fn compare(base: &Session, new: &Session) -> Comparison {
    let plan_differences = plans::differences(base.plan(), new.plan());
    let same_load = plans::same_load(base.plan(), new.plan());
    let (before, after) = (arms(base), arms(new));
    let shared: Vec<(&String, &Vec<Measured>, &Vec<Measured>)> = before.iter().filter_map(|(k, b)| Some((k, b, after.get(k)?))).collect();
    let mut notes = Vec::new();
    if plan_differences.len() > 1 {
        notes.push("more than one thing differs between the two: what changed can not be shared out among them".to_owned());
    }
    if shared.is_empty() {
        notes.push("no combination of settings was measured in both".to_owned());
        return Comparison { verdict: Change::Unknown, metrics: Vec::new(), plan_differences, runs_needed: None, notes };
    }
    let (mut whole, mut parts, mut runs_needed) = (Vec::new(), Vec::new(), None);
    for metric in Metric::ALL {
        let sides: Vec<Sides> = shared.iter().map(|(_, b, n)| (samples(metric, b), samples(metric, n))).collect();
        let noise = Noise::of(&sides, metric == Metric::Failed);
        for ((setting, b, n), side) in shared.iter().zip(&sides).filter(|_| shared.len() > 1) {
            parts.push(line(Some((*setting).clone()), metric, std::slice::from_ref(side), &noise, (b.len(), n.len())));
        }
        let runs = shared.iter().fold((0, 0), |sum, s| (sum.0 + s.1.len(), sum.1 + s.2.len()));
        whole.push(line(None, metric, &sides, &noise, runs));
        if metric == Metric::Loss {
            let least = shared.iter().map(|s| s.1.len().min(s.2.len())).min().unwrap_or(0);
            runs_needed = noise.runs_to_see(WORTH_SEEING).filter(|n| *n as usize > least);
            if noise.is_assumed() {
                notes.push(Noise::said());
            }
        }
    }
    parts.sort_by(|a, b| by_value(a.setting.as_deref(), b.setting.as_deref()));
    if !same_load {
        notes.push("the loads differ: a difference says nothing of the service".to_owned());
    }
    let verdict = if same_load { verdict(whole.first()) } else { Change::Unknown };
    whole.extend(parts);
    Comparison { verdict, metrics: whole, plan_differences, runs_needed, notes }
}

/// Settings in the order of their first number, not of its digits.
fn by_value(a: Option<&str>, b: Option<&str>) -> std::cmp::Ordering {
    let number = |s: Option<&str>| s.and_then(|s| s.split(' ').nth(1)).and_then(|n| n.parse::<f64>().ok()).unwrap_or(0.0);
    number(a).total_cmp(&number(b))
}

fn samples(metric: Metric, runs: &[Measured]) -> Vec<Sample> {
    runs.iter().filter_map(|r| metric.sample(r)).collect()
}

fn line(setting: Option<String>, metric: Metric, sides: &[Sides], noise: &Noise, runs: (usize, usize)) -> MetricChange {
    let base = noise.mean(sides.iter().flat_map(|s| &s.0));
    let new = noise.mean(sides.iter().flat_map(|s| &s.1));
    MetricChange { setting, metric, base, new, change: overall(sides, noise), runs }
}

fn verdict(loss: Option<&MetricChange>) -> Change {
    match loss.and_then(|l| l.change) {
        None => Change::Unknown,
        Some(change) if change.p < SIGNIFICANT && change.change > 0.0 => Change::Regression,
        Some(change) if change.p < SIGNIFICANT => Change::Improvement,
        Some(_) => Change::Same,
    }
}
