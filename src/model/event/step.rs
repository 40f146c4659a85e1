//! What happens to a step: planned, its settings put into effect and proved, its phases, its end. It may import the parts of `model/` before
//! `event`.

use serde::{Deserialize, Serialize};

use super::StepId;
use crate::model::plan::Values;

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
