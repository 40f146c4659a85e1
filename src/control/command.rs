//! What a person may tell a running experiment. The screen sends these; the runner carries them out between its own decisions.

use crate::model::event::StepId;
use crate::model::plan::{LoadModel, Values};

/// One wish of a person.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Hold before the next step.
    Pause,
    /// Go on.
    GoOn,
    /// End the running step without judging it.
    SkipStep,
    /// Run a step once more, after the planned ones.
    RepeatStep(StepId),
    /// Run one more step with these values.
    AddStep(Values),
    /// Another load from the next step on.
    ChangeLoad(LoadModel),
    /// A mark in the log.
    Mark(String),
    /// Take a step out of the judgement, with a reason.
    Exclude(StepId, String),
    /// Take it back in, with a reason.
    Include(StepId, String),
    /// End the session: settings are put back, the recording is completed.
    Stop,
}
