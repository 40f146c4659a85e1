//! The events of a session: the one narrow waist. The recorder, the live screens, the headless printer and the replay consume the
//! same stream of [`Stamped`] events; nothing about a run is known any other way.
//!
//! Aggregated before an event exists: there are a few events a second, never one a request.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::histogram::Histogram;
use super::plan::{LoadModel, Plan, Values};
use super::signal::{Signal, Value};
use super::units::{Elapsed, Span};
use super::verdict::PoolVerdict;

/// An event with its number and time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stamped {
    /// Counts from 0 without gaps.
    pub seq: u64,
    /// Since the session began.
    pub at: Elapsed,
    /// What happened.
    pub event: Event,
}

/// Which step of the session, counted from 0 in the order they were planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StepId(pub u32);

impl fmt::Display for StepId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", u64::from(self.0) + 1)
    }
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Event {
    /// The session began.
    SessionStarted(Box<SessionStarted>),
    /// An interrupted session goes on.
    SessionResumed {
        /// Version of the tool that goes on.
        version: String,
        /// Wall clock with zone, RFC 9557.
        at: String,
    },
    /// The plan was changed while running.
    PlanChanged {
        /// What.
        what: PlanChange,
        /// By whom.
        by: Author,
        /// Why.
        why: String,
    },
    /// A step will be run.
    StepPlanned(StepPlanned),
    /// A step is over.
    StepEnded {
        /// Which.
        step: StepId,
        /// How.
        end: StepEnd,
        /// In words.
        reason: String,
    },
    /// A setting was put into effect, or put back.
    SettingApplied(SettingApplied),
    /// What the proof of a setting found.
    SettingProved(SettingProved),
    /// A step enters a phase.
    PhaseChanged {
        /// Which step.
        step: StepId,
        /// The phase that begins.
        phase: Phase,
    },
    /// One interval of one load source.
    Tick(Box<Tick>),
    /// The signals of one scrape.
    Sample(Box<Sample>),
    /// Why there is no scrape.
    Gap(Gap),
    /// A person takes a step out of the judgement.
    StepExcluded {
        /// Which.
        step: StepId,
        /// Why.
        why: String,
    },
    /// A person takes it back in.
    StepIncluded {
        /// Which.
        step: StepId,
        /// Why.
        why: String,
    },
    /// A mark, a warning, a word from the guard.
    Note(Note),
    /// Figures of a step known only by totals.
    Totals {
        /// Which step.
        step: StepId,
        /// The figures.
        figures: Vec<TotalFigure>,
    },
    /// A judgement.
    Judged(Box<Judged>),
    /// The session is over.
    SessionEnded {
        /// How.
        outcome: Outcome,
        /// Whether every setting reads back what was put back; none: nothing can be said.
        restored: Option<bool>,
        /// In words.
        reason: String,
    },
    /// An event of a later version, skipped.
    #[serde(other)]
    Unknown,
}

/// The head of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionStarted {
    /// The whole plan.
    pub plan: Plan,
    /// Version of the tool.
    pub version: String,
    /// Version of the judge.
    pub judge: String,
    /// The machine the load comes from.
    pub host: Host,
    /// Wall clock with zone, RFC 9557 (`2026-11-30T14:03:12+09:00[Asia/Seoul]`).
    pub started_at: String,
}

/// The machine the load comes from.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Host {
    /// Operating system and version.
    pub os: Option<String>,
    /// Cores.
    pub cores: Option<u32>,
    /// Memory in bytes.
    pub memory_bytes: Option<u64>,
}

/// Who changed something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// A person at the screen.
    Person,
    /// The judge's wish for a further step.
    Refinement,
    /// A guard.
    Guard,
    /// The runner, for a reason of the run itself.
    Runner,
}

/// What was changed in a running plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum PlanChange {
    /// The run holds before the next step.
    Pause,
    /// It goes on.
    GoOn,
    /// A step is not run, or not to its end.
    Skip {
        /// Which.
        step: StepId,
    },
    /// A step is run once more.
    Repeat {
        /// Which.
        step: StepId,
    },
    /// A further step.
    Add {
        /// All settings' values.
        values: Values,
    },
    /// Another load.
    Load {
        /// The new load.
        load: LoadModel,
    },
    /// No further step.
    Stop,
    /// A change of a later version.
    #[serde(other)]
    Other,
}

impl fmt::Display for PlanChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pause => f.write_str("pause before the next step"),
            Self::GoOn => f.write_str("go on"),
            Self::Skip { step } => write!(f, "skip step {step}"),
            Self::Repeat { step } => write!(f, "repeat step {step}"),
            Self::Add { values } => write!(f, "one more step, {values}"),
            Self::Load { load: LoadModel::Closed { users } } => write!(f, "load of {users} users"),
            Self::Load { load: LoadModel::Open { rate, .. } } => write!(f, "load of {rate}"),
            Self::Stop => f.write_str("stop"),
            Self::Other => f.write_str("a change of a later version"),
        }
    }
}

/// A step that will be run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepPlanned {
    /// Its number.
    pub step: StepId,
    /// All settings' values.
    pub values: Values,
    /// Which block (repeat) it belongs to; further steps have blocks of their own from 99.
    pub block: u32,
    /// Its place in the order of running.
    pub order: u32,
}

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepEnd {
    /// Measured to the end.
    Completed,
    /// A person skipped it.
    Skipped,
    /// The setting was refused or did not act.
    Refused,
    /// Measured, but its figures do not count.
    Void,
    /// A guard stopped it.
    Guard,
    /// The session was interrupted.
    Interrupted,
    /// The target or the engine failed.
    Failed,
}

/// A setting put into effect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SettingApplied {
    /// For which step; none: the end of the session.
    pub step: Option<StepId>,
    /// Which setting.
    pub setting: String,
    /// Its value.
    pub value: f64,
    /// On which instance of a fleet.
    pub instance: Option<String>,
    /// How, in words (`POST /admin/pool`).
    pub how: String,
    /// Whether it is the putting back at the end.
    pub restore: bool,
}

/// What a proof found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SettingProved {
    /// For which step; none: the putting back.
    pub step: Option<StepId>,
    /// Which setting.
    pub setting: String,
    /// The finding.
    pub proof: Proof,
    /// The value that reads back, if any did.
    pub seen: Option<f64>,
    /// In words, with the mend if it was refuted.
    pub text: String,
}

/// Whether a setting acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// Read back, and seen to act.
    Acted,
    /// Reads back, but nothing waited, so growth could not be seen.
    Unexercised,
    /// Does not read back, or reads back and does not act.
    Refuted,
    /// The profile names nothing to prove it by.
    Unverified,
}

/// Where a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The setting is changed and proved under a share of the load.
    Settle,
    /// Full load, not yet measured.
    WarmUp,
    /// Measured.
    Measure,
    /// No request begins; what is in flight ends.
    Drain,
}

impl Phase {
    /// As written on screens.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Settle => "settle",
            Self::WarmUp => "warm-up",
            Self::Measure => "measure",
            Self::Drain => "drain",
        }
    }
}

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

/// Something said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// What sort.
    pub level: NoteLevel,
    /// About which step.
    pub step: Option<StepId>,
    /// The text.
    pub text: String,
}

/// What sort of note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteLevel {
    /// A person's mark.
    Mark,
    /// For the record.
    Info,
    /// Something a reader must know.
    Warning,
    /// From a guard.
    Guard,
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

/// A judgement as it was given then.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// After which step; none: before any ended.
    pub after: Option<StepId>,
    /// Version of the judge.
    pub judge: String,
    /// The whole verdict.
    pub verdict: PoolVerdict,
}

/// How a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// All that was planned was done.
    Completed,
    /// A person or a signal stopped it.
    Interrupted,
    /// A guard stopped it.
    Guard,
    /// The target, a source or the machine failed.
    Failed,
}

impl Outcome {
    /// As written in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Interrupted => "interrupted",
            Self::Guard => "guard",
            Self::Failed => "failed",
        }
    }
}

/// When a slot of the plan's tick began.
#[must_use]
pub fn slot_begin(slot: u64, tick: Span) -> Elapsed {
    Elapsed(slot.saturating_mul(tick.as_micros()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_of_a_later_version_is_skipped() {
        let e: Stamped = serde_json::from_str(r#"{"seq":3,"at":5,"event":{"kind":"teleported","to":"mars"}}"#).unwrap();
        assert_eq!(e.event, Event::Unknown);
    }

    #[test]
    fn events_come_back_equal() {
        let row = TickRow {
            key: RequestKey { scenario: "browse".into(), name: "GET /".into(), ..RequestKey::default() },
            cohort: Cohort { step: StepId(2), phase: Phase::Measure, slot: 17 },
            failed: BTreeMap::from([(ErrorKind::Timeout, 2)]),
            checks_passed: 1,
            checks_failed: 0,
            bytes: 512,
            latency: { let mut h = Histogram::default(); h.record(Span::from_millis(12)); h },
            failed_latency: Histogram::default(),
            service_time: Histogram::default(),
            send_lag: Histogram::default(),
            connect_wait: Histogram::default(),
        };
        assert_eq!(row.finished(), 3);
        let tick = Tick { source: "local".into(), rows: vec![row], ..Tick::default() };
        let e = Stamped { seq: 1, at: Elapsed(7), event: Event::Tick(Box::new(tick)) };
        let text = serde_json::to_string(&e).unwrap();
        assert_eq!(serde_json::from_str::<Stamped>(&text).unwrap(), e);
    }

    #[test]
    fn steps_are_shown_from_one() {
        assert_eq!(StepId(0).to_string(), "1");
        assert_eq!(slot_begin(4, Span::from_millis(250)), Elapsed(1_000_000));
    }
}
