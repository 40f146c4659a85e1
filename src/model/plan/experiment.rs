//! How a sweep is run and what is wanted of it: design, lengths, objective, guards.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::model::units::Span;

/// How the sweep is run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Experiment {
    /// Which combinations are tried.
    pub design: Design,
    /// In which order.
    pub order: Order,
    /// Runs of each combination; each is a block.
    pub repeats: u32,
    /// Further steps the judge may choose after the grid.
    pub refine: u32,
    /// Full load before measuring.
    pub warmup: Span,
    /// How long to measure.
    pub measure: MeasureRule,
    /// The longest to wait, after the load, for what is in flight.
    pub drain: Span,
    /// The longest a changed setting may take to act, under a share of the load.
    pub settle_max: Span,
    /// Length of one interval of aggregates and, at most, between scrapes.
    pub tick: Span,
    /// Seed of everything random.
    pub seed: u64,
}

/// Which combinations of values are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Design {
    /// All combinations.
    Grid,
    /// Each setting in turn, the others at their first value.
    OneAtATime,
}

/// In which order steps run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Randomised complete blocks.
    Blocked,
    /// As the profile lists them.
    Listed,
}

/// How long a step is measured.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MeasureRule {
    /// At least.
    pub min: Span,
    /// At most.
    pub max: Span,
    /// Relative standard error of the loss at which measuring ends.
    pub precision: f64,
}

/// What is wanted.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Objective {
    /// Service level objectives a value must meet.
    pub slo: Vec<Slo>,
    /// What a failed request costs; default: the client's time-out.
    pub failure_cost: Option<Span>,
}

/// One service level objective: `p95 < 800ms`, `failed < 1%`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Slo {
    /// What is bounded.
    pub quantity: Quantity,
    /// Which side is good.
    pub comparison: Comparison,
    /// The bound, in seconds for times and as a fraction for shares.
    pub bound: f64,
    /// As it was written.
    pub text: String,
}

/// A figure of a step that an objective bounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// A latency percentile, as a fraction (0.95), in seconds.
    Percentile(f64),
    /// Mean latency in seconds.
    Mean,
    /// Share of requests that failed.
    Failed,
    /// Completed requests a second.
    Rate,
}

/// Which side of a bound is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Comparison {
    /// `<`
    Below,
    /// `<=`
    AtMost,
    /// `>`
    Above,
    /// `>=`
    AtLeast,
}

impl Comparison {
    /// Whether `value` is on the good side of `bound`.
    #[must_use]
    pub fn holds(self, value: f64, bound: f64) -> bool {
        match self {
            Self::Below => value < bound,
            Self::AtMost => value <= bound,
            Self::Above => value > bound,
            Self::AtLeast => value >= bound,
        }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Below => "<",
            Self::AtMost => "<=",
            Self::Above => ">",
            Self::AtLeast => ">=",
        })
    }
}

/// What stops a step, then the run: `"> 50% for 10s"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Guard {
    /// What is watched: `failed`, or a signal with its part (`db.sessions{active}`).
    pub watch: String,
    /// Which side is harm.
    pub comparison: Comparison,
    /// The bound.
    pub bound: f64,
    /// How long it must hold.
    pub holds: Span,
    /// As it was written.
    pub text: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_are_strict_where_they_say_so() {
        assert!(!Comparison::Below.holds(1.0, 1.0));
        assert!(Comparison::AtMost.holds(1.0, 1.0));
        assert!(!Comparison::Above.holds(1.0, 1.0));
        assert!(Comparison::AtLeast.holds(1.0, 1.0));
        assert!(!Comparison::Below.holds(f64::NAN, 1.0), "an unknown figure meets nothing");
    }
}
