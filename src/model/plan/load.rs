//! The load of an experiment: how much, of which scenarios, with which requests.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::template::Template;
use crate::model::units::{Rate, Span};

/// How much load, and how long a request may take.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoadPlan {
    /// Users or arrivals.
    pub model: LoadModel,
    /// The longest a caller waits: K of the loss, unless the objective says otherwise.
    pub timeout: Span,
}

/// Users or arrivals.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoadModel {
    /// So many virtual users, each waiting for its answer before it goes on.
    Closed {
        /// Virtual users.
        users: u32,
    },
    /// Arrivals at a rate that ignores the answers.
    Open {
        /// Arrivals: passes of a scenario.
        rate: Rate,
        /// The most that may be under way at once; what can not begin is dropped.
        max_users: u32,
    },
}

impl LoadModel {
    /// This load scaled by `share`, at least one user.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a u32 fits one")]
    pub fn scaled(self, share: f64) -> Self {
        match self {
            Self::Closed { users } => Self::Closed { users: ((f64::from(users) * share.clamp(0.0, 1.0)).round() as u32).max(1) },
            Self::Open { rate, max_users } => Self::Open { rate: rate.times(share), max_users },
        }
    }
}

/// A time between the passes or steps of a user.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Think {
    /// Always the same.
    Fixed(Span),
    /// Uniform between two times.
    Between(Span, Span),
    /// Exponential with this mean.
    Exponential(Span),
    /// Normal with mean and standard deviation, never below zero.
    Normal(Span, Span),
}

impl Think {
    /// Its mean.
    #[must_use]
    pub fn mean(self) -> Span {
        match self {
            Self::Fixed(t) | Self::Exponential(t) | Self::Normal(t, _) => t,
            Self::Between(a, b) => a.plus(b).times(0.5),
        }
    }
}

/// What a virtual user or an arrival does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scenario {
    /// Its name.
    pub name: String,
    /// Its share among the scenarios.
    pub weight: f64,
    /// Time between passes.
    pub think: Option<Think>,
    /// Once a user, before the loop.
    pub once: Vec<RequestPlan>,
    /// The loop: in order, or one by weight if the steps have weights.
    pub steps: Vec<ScenarioStep>,
}

impl Scenario {
    /// Whether a pass is one step chosen by weight, not all in order.
    #[must_use]
    pub fn is_weighted(&self) -> bool {
        self.steps.iter().any(|s| s.weight.is_some())
    }

    /// Requests of one pass.
    #[must_use]
    pub fn requests_per_pass(&self) -> usize {
        if self.is_weighted() { 1 } else { self.steps.len() }
    }
}

/// One step of a scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScenarioStep {
    /// Its share among the steps; none: all run in order.
    pub weight: Option<f64>,
    /// Time after it.
    pub think: Option<Think>,
    /// The request.
    pub request: RequestPlan,
}

/// One HTTP request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RequestPlan {
    /// What its figures are known by; default: method and path template.
    pub name: String,
    /// Method.
    pub method: String,
    /// Path and query on the target.
    pub path: Template,
    /// Headers.
    pub headers: BTreeMap<String, Template>,
    /// Body.
    pub body: Option<Body>,
    /// Statuses that count as success; empty: 200 to 399.
    pub expect_status: Vec<u16>,
    /// What is taken from the answer, by variable.
    pub extract: BTreeMap<String, Extract>,
}

/// A request's body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    /// Text with placeholders.
    Text(Template),
    /// JSON whose strings may hold placeholders.
    Json(serde_json::Value),
}

/// What is taken from an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Extract {
    /// A dotted path into a JSON body, without the leading `$.`.
    Json(String),
    /// A header.
    Header(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_the_load_keeps_at_least_one_user() {
        assert_eq!(LoadModel::Closed { users: 2 }.scaled(0.1), LoadModel::Closed { users: 1 });
        assert_eq!(LoadModel::Closed { users: 200 }.scaled(0.3), LoadModel::Closed { users: 60 });
        let open = LoadModel::Open { rate: Rate::per_second(100.0), max_users: 500 }.scaled(0.3);
        assert_eq!(open, LoadModel::Open { rate: Rate::per_second(30.0), max_users: 500 });
    }

    #[test]
    fn mean_think_times() {
        assert_eq!(Think::Between(Span::from_secs(3), Span::from_secs(8)).mean(), Span::from_millis(5500));
        assert_eq!(Think::Exponential(Span::from_secs(1)).mean(), Span::from_secs(1));
    }
}
