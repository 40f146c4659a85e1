//! What a source of metrics said, or why it said nothing; and figures that are known as totals only. It may import the parts of `model/`
//! before `event`.

use serde::{Deserialize, Serialize};

use crate::model::signal::{Signal, Value};
use crate::model::units::Elapsed;

/// The signals of one scrape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Which source of the profile, or `host`.
    pub source: String,
    /// Which instance of a fleet.
    pub instance: Option<String>,
    /// When it was asked for.
    pub asked: Elapsed,
    /// When the answer was there.
    pub answered: Elapsed,
    /// What it said.
    pub readings: Vec<Reading>,
}

/// One signal of a scrape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// Which signal.
    pub signal: Signal,
    /// Which part of it.
    pub of: Option<String>,
    /// The value as scraped.
    pub value: Value,
}

/// A scrape that brought nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// Which source.
    pub source: String,
    /// Which instance of a fleet.
    pub instance: Option<String>,
    /// When it was asked for.
    pub asked: Elapsed,
    /// Why there is nothing.
    pub reason: String,
}

/// One figure known only as a total.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TotalFigure {
    /// What (`latency`, `rate`, `failed`).
    pub metric: String,
    /// Which statistic (`mean`, `p95`, `count`).
    pub statistic: String,
    /// The figure, in seconds, a second, or a plain count or fraction.
    pub value: f64,
    /// Its unit.
    pub unit: String,
    /// For one request only.
    pub name: Option<String>,
    /// Where it was read.
    pub source: String,
}
