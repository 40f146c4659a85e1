//! The aggregates of one interval of one load source. Figures are kept by what was asked and by the cohort it belongs to, never by request.
//! It may import the parts of `model/` before `event`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Phase, StepId};
use crate::model::histogram::Histogram;
use crate::model::units::{Elapsed, Span};

/// One interval of one load source. A repeated number of the same source is ignored.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Tick {
    /// Which load source (`local`, or a worker's name).
    pub source: String,
    /// Counts from 0 for each source.
    pub number: u64,
    /// Begin of the interval.
    pub from: Elapsed,
    /// End of the interval.
    pub to: Elapsed,
    /// Arrivals planned in it; unknown under closed load.
    pub planned: Option<f64>,
    /// Requests sent in it.
    pub sent: u64,
    /// Arrivals that could not begin.
    pub dropped: u64,
    /// Requests in flight at its end.
    pub in_flight: u64,
    /// Virtual users at work at its end.
    pub users: u64,
    /// Passes of a scenario that ended in it, with their time.
    pub iterations: Histogram,
    /// What ended in it, by request and cohort.
    pub rows: Vec<TickRow>,
}

/// What a request's figures are known by.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct RequestKey {
    /// Scenario.
    pub scenario: String,
    /// Request name.
    pub name: String,
    /// The user's own tags.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tags: BTreeMap<String, String>,
    /// Named phase of the load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_phase: Option<String>,
}

/// Where a request belongs: by its intended start, whenever it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Cohort {
    /// The step.
    pub step: StepId,
    /// The phase.
    pub phase: Phase,
    /// Which interval of the plan's tick the intended start lay in, counted from the session's beginning.
    pub slot: u64,
}

/// Requests of one key and cohort that ended in one tick.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TickRow {
    /// Which request.
    pub key: RequestKey,
    /// Where they belong.
    pub cohort: Cohort,
    /// Failed ones by kind; the successes are `latency.count()`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub failed: BTreeMap<ErrorKind, u64>,
    /// Sent once more because the server had already closed the kept connection; whatever became of them, that is no failure.
    #[serde(default)]
    pub stale: u64,
    /// Checks that held.
    pub checks_passed: u64,
    /// Checks that did not.
    pub checks_failed: u64,
    /// Bytes received.
    pub bytes: u64,
    /// Successes, from the intended start.
    pub latency: Histogram,
    /// Failures, from the intended start; a time-out is at least its time-out long.
    pub failed_latency: Histogram,
    /// Successes and failures, from the send.
    pub service_time: Histogram,
    /// From the intended start to the send.
    pub send_lag: Histogram,
    /// Waiting for an own connection.
    pub connect_wait: Histogram,
}

impl TickRow {
    /// Nothing ended yet.
    #[must_use]
    pub fn new(key: RequestKey, cohort: Cohort) -> Self {
        Self {
            key,
            cohort,
            failed: BTreeMap::new(),
            stale: 0,
            checks_passed: 0,
            checks_failed: 0,
            bytes: 0,
            latency: Histogram::default(),
            failed_latency: Histogram::default(),
            service_time: Histogram::default(),
            send_lag: Histogram::default(),
            connect_wait: Histogram::default(),
        }
    }

    /// How many ended without success.
    #[must_use]
    pub fn failures(&self) -> u64 {
        self.failed.values().fold(0, |all, n| all.saturating_add(*n))
    }

    /// How many ended.
    #[must_use]
    pub fn finished(&self) -> u64 {
        self.latency.count().saturating_add(self.failures())
    }
}

/// Why a request failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// Nobody listened.
    Refused,
    /// The connection was not made in time.
    ConnectTimeout,
    /// The name was not found.
    Dns,
    /// TLS failed.
    Tls,
    /// No whole answer in time.
    Timeout,
    /// The connection broke before the whole answer.
    Reset,
    /// The server had already closed the kept connection.
    StaleConnection,
    /// This machine has no port or file left: the generator's fault.
    LocalPorts,
    /// Another status than expected.
    Status,
    /// A check did not hold.
    Check,
    /// The answer was not HTTP, or not what a step needs.
    BadAnswer,
    /// Not ended when the drain ended: censored.
    Unfinished,
}

impl ErrorKind {
    /// As written on screens and in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::ConnectTimeout => "connect time-out",
            Self::Dns => "DNS",
            Self::Tls => "TLS",
            Self::Timeout => "time-out",
            Self::Reset => "reset",
            Self::StaleConnection => "stale connection",
            Self::LocalPorts => "own ports exhausted",
            Self::Status => "unexpected status",
            Self::Check => "failed check",
            Self::BadAnswer => "bad answer",
            Self::Unfinished => "unfinished",
        }
    }
}

/// Adds failures by kind to others.
pub(in crate::model) fn add_failures(to: &mut BTreeMap<ErrorKind, u64>, more: &BTreeMap<ErrorKind, u64>) {
    for (kind, n) in more {
        let known = to.entry(*kind).or_default();
        *known = known.saturating_add(*n);
    }
}

/// When a slot of the plan's tick began.
#[must_use]
pub fn slot_begin(slot: u64, tick: Span) -> Elapsed {
    Elapsed(slot.saturating_mul(tick.as_micros()))
}
