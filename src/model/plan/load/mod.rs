//! The load of an experiment: how much of it, over which time line, and how it is sent.

mod flow;
mod line;
mod request;
mod wire;

use serde::{Deserialize, Serialize};

pub use flow::{Act, FeedStrategy, Feeder, FeederFile, Scenario, ScenarioStep, Think};
pub use line::{LoadPhase, Passes, Population, Segment, TimeLine};
pub use request::{Body, Check, Condition, Extract, PartContent, RequestBody, RequestPart, RequestPlan};
pub use wire::{Connections, HttpPlan, HttpVersion, Resolving, TlsPlan};

use crate::model::units::{Rate, Span};

/// How much load, and how long a request may take.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoadPlan {
    /// Users, arrivals, or a time line of both.
    pub model: LoadModel,
    /// The longest a caller waits: K of the loss, unless the objective says otherwise.
    pub timeout: Span,
    /// The longest a connection may take to be made; none: the request's own time-out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connect_timeout: Option<Span>,
    /// How arrivals follow each other.
    #[serde(default)]
    pub arrivals: Arrivals,
    /// Users of an open load that are there before the first arrival.
    #[serde(default)]
    pub prestart: u32,
    /// So many passes in all, over all users: then nobody begins one, and measuring ends. Not for a time line, which has its own end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passes: Option<u64>,
    /// What [`LoadModel::Line`] follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<TimeLine>,
    /// How requests are sent.
    #[serde(default)]
    pub http: HttpPlan,
}

impl LoadPlan {
    /// This load, sent the usual way.
    #[must_use]
    pub fn new(model: LoadModel, timeout: Span) -> Self {
        Self {
            model,
            timeout,
            connect_timeout: None,
            arrivals: Arrivals::default(),
            prestart: 0,
            passes: None,
            line: None,
            http: HttpPlan::default(),
        }
    }

    /// The time line that is followed, if the load is one.
    #[must_use]
    pub fn time_line(&self) -> Option<&TimeLine> {
        self.line.as_ref().filter(|_| self.model == LoadModel::Line)
    }
}

/// Users, arrivals, or a time line.
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
    /// The plan's time line, from the moment it is driven.
    Line,
}

impl LoadModel {
    /// This load scaled by `share`, at least one user. A time line has no share: it stays as it is.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a u32 fits one")]
    pub fn scaled(self, share: f64) -> Self {
        match self {
            Self::Closed { users } => Self::Closed { users: ((f64::from(users) * share.clamp(0.0, 1.0)).round() as u32).max(1) },
            Self::Open { rate, max_users } => Self::Open { rate: rate.times(share), max_users },
            Self::Line => Self::Line,
        }
    }
}

/// How the arrivals of an open load follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arrivals {
    /// Evenly spaced.
    #[default]
    Uniform,
    /// A Poisson process: exponential times between them, as independent callers make.
    Poisson,
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
    fn a_load_recorded_before_there_were_time_lines_is_read() {
        let old = serde_json::json!({"model": {"closed": {"users": 3}}, "timeout": Span::from_secs(2)});
        let read: LoadPlan = serde_json::from_value(old).unwrap();
        assert_eq!(read, LoadPlan::new(LoadModel::Closed { users: 3 }, Span::from_secs(2)));
    }
}
