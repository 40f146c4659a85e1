//! `pool-sweep/1`: a sweep as any tool can write it, and as a session becomes one. The judge reads nothing else.
//!
//! A missing optional field is unknown, never zero; `null` in a series is a row without that figure. Imports `model/` only.

mod read;
mod session;
mod spread;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::histogram::Histogram;
pub use read::SweepError;
pub(in crate::analysis) use session::every_step;
pub use session::sweep_of;

/// The name of this form.
pub const SCHEMA: &str = "pool-sweep/1";

/// A measured sweep.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sweep {
    /// [`SCHEMA`].
    pub schema: String,
    /// A name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub case: Option<String>,
    /// Users or arrivals.
    pub model: LoadKind,
    /// How much of them.
    pub load: Load,
    /// The longest a caller waits.
    pub client_timeout_s: Option<f64>,
    /// The pool's own time-out.
    pub connection_timeout_s: Option<f64>,
    /// How many may queue before a worker thread.
    pub accept_count: Option<f64>,
    /// Cores of the database.
    pub db_cores: Option<f64>,
    /// Cores of the service.
    pub process_cores: Option<f64>,
    /// Where a recommendation may lie, by setting.
    pub candidates: Candidates,
    /// The swept settings; the first is the one judged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<String>,
    /// The swept setting's name.
    pub setting: String,
    /// Whether there are timers of the pool at all.
    pub has_timers: bool,
    /// Seconds between scrapes.
    pub scrape_s: Option<f64>,
    /// What a row's time means.
    pub by: By,
    /// What is wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objective: Option<Goal>,
    /// The runs.
    pub steps: Vec<SweepStep>,
}

/// Users or arrivals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoadKind {
    /// Users that wait for their answers.
    Closed,
    /// Arrivals that do not.
    Open,
}

/// How much load.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Load {
    /// Closed: users.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub users: Option<f64>,
    /// Closed: mean think time a request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub think_s: Option<f64>,
    /// Open: planned arrivals a second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// Requests of one arrival.
    pub requests_per_arrival: f64,
}

/// Where a recommendation may lie.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Candidates(pub BTreeMap<String, (f64, f64)>);

impl Candidates {
    /// One setting's range.
    #[must_use]
    pub fn of(&self, setting: &str) -> Option<(f64, f64)> {
        self.0.get(setting).copied()
    }
}

impl Serialize for Candidates {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Range {
            min: f64,
            max: f64,
        }
        let range = |(min, max): (f64, f64)| Range { min, max };
        match self.0.iter().next() {
            Some((_, only)) if self.0.len() == 1 => range(*only).serialize(to),
            _ => to.collect_map(self.0.iter().map(|(name, r)| (name, range(*r)))),
        }
    }
}

/// What a row's time means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// When the requests ended; a step's rows begin with its cold start.
    #[default]
    End,
    /// When they were meant to begin; rows of the measure phase only.
    Start,
}

/// What is wanted.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Goal {
    /// Objectives as text: `p95 < 800ms`.
    pub slo: Vec<String>,
    /// What a failed request costs.
    pub failure_cost_s: Option<f64>,
}

/// One run of one combination of values.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SweepStep {
    /// Its place in the order of running.
    pub order: u32,
    /// Its block; further steps have blocks of their own from 99.
    pub rep: u32,
    /// The values of all settings.
    pub values: BTreeMap<String, f64>,
    /// Worker threads.
    pub threads: Option<f64>,
    /// When it began.
    pub start_s: f64,
    /// How long it was measured.
    pub duration_s: f64,
    /// Why it is not to be judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub void: Option<String>,
    /// What the proof of its settings found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<String>,
    /// Share of the measured time in which the load generator was the limit; none: it was never seen to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generator_bound: Option<f64>,
    /// Columns of equal length.
    pub series: Series,
    /// Distributions over a few neighbouring rows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub slices: Vec<LatencySlice>,
}

/// A distribution of the successes that began between two times.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LatencySlice {
    /// Begin.
    pub from_s: f64,
    /// End.
    pub to_s: f64,
    /// In the file: HdrHistogram V2, compressed, base64, in microseconds.
    #[serde(rename = "latency_hdr", serialize_with = "as_base64")]
    pub latency: Histogram,
}

fn as_base64<S: serde::Serializer>(latency: &Histogram, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&latency.to_base64())
}

/// A figure by row.
pub type Column = Vec<Option<f64>>;

/// Columns of equal length, by name.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(transparent)]
pub struct Series(pub BTreeMap<String, Column>);

impl Series {
    /// A column; none if it is absent or wholly empty.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&[Option<f64>]> {
        self.0.get(name).map(Vec::as_slice).filter(|c| c.iter().any(Option::is_some))
    }

    /// How many rows there are.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.0.get("t").map_or(0, Vec::len)
    }
}

impl SweepStep {
    /// The value of a setting.
    #[must_use]
    pub fn value(&self, setting: &str) -> Option<f64> {
        self.values.get(setting).copied()
    }
}

impl Sweep {
    /// Reads a sweep; the error is one line that names the field.
    pub fn from_json(text: &str) -> Result<Self, SweepError> {
        read::sweep(text)
    }

    /// What a failed request costs, and whether that had to be assumed.
    #[must_use]
    pub fn failure_cost_s(&self) -> (f64, bool) {
        let stated = self.objective.as_ref().and_then(|o| o.failure_cost_s).or(self.client_timeout_s);
        let assumed = || self.connection_timeout_s.unwrap_or(30.0);
        (stated.unwrap_or_else(assumed), stated.is_none())
    }
}

impl<'de> Deserialize<'de> for Sweep {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(from)?;
        read::of_value(&value).map_err(serde::de::Error::custom)
    }
}
