//! The events of a session: the one narrow waist. The recorder, the live screens, the headless printer and the replay consume the
//! same stream of [`Stamped`] events; nothing about a run is known any other way.
//!
//! Aggregated before an event exists: there are a few events a second, never one a request.

mod bound;
mod sample;
mod step;
mod tick;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use bound::{Bound, Limit};
pub use sample::{Gap, Reading, Sample, TotalFigure};
pub use step::{Phase, Proof, SettingApplied, SettingProved, StepEnd, StepPlanned};
pub(in crate::model) use tick::add_failures;
pub use tick::{Cohort, ErrorKind, RequestKey, Tick, TickRow, slot_begin};

use super::plan::{LoadModel, Plan, Values};
use super::units::Elapsed;
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
    /// The load generator was the limit, not the service.
    GeneratorBound {
        /// Which step ran.
        step: Option<StepId>,
        /// When, by what, how much.
        bound: Bound,
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
            Self::Load { load: LoadModel::Line } => write!(f, "load along its time line"),
            Self::Stop => f.write_str("stop"),
            Self::Other => f.write_str("a change of a later version"),
        }
    }
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::model::histogram::Histogram;
    use crate::model::units::Span;

    #[test]
    fn an_event_of_a_later_version_is_skipped() {
        let e: Stamped = serde_json::from_str(r#"{"seq":3,"at":5,"event":{"kind":"teleported","to":"mars"}}"#).unwrap();
        assert_eq!(e.event, Event::Unknown);
    }

    #[test]
    fn events_come_back_equal() {
        let row = TickRow {
            failed: BTreeMap::from([(ErrorKind::Timeout, 2)]),
            checks_passed: 1,
            bytes: 512,
            latency: {
                let mut h = Histogram::default();
                h.record(Span::from_millis(12));
                h
            },
            ..TickRow::new(
                RequestKey { scenario: "browse".into(), name: "GET /".into(), ..RequestKey::default() },
                Cohort { step: StepId(2), phase: Phase::Measure, slot: 17 },
            )
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
