//! Drives an experiment through the ports and emits its events. Knows no socket, no file, no screen.
//!
//! One task: it listens to the engine, the scrapers, the person and the recorder, turns what it hears into events, and asks `control/`
//! what to do next. Nothing it does while measuring waits for a disk, a screen or a scrape.

mod clock;
mod driver;
mod emit;
mod hear;
mod proofs;
mod restore;
mod step;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::sync::oneshot;

pub use clock::SystemClock;

use crate::control::Command;
use crate::model::event::{Host, Outcome, Stamped, StepId};
use crate::model::plan::Plan;
use crate::model::session::Session;
use crate::model::verdict::PoolVerdict;
use crate::ports::{Clock, Engine, EngineReport, Scraper, StoreError, Target};

/// What an experiment is run with.
pub struct Parts {
    /// The session's clock.
    pub clock: Arc<dyn Clock>,
    /// The load.
    pub engine: Box<dyn Engine>,
    /// What the engine reports.
    pub reports: UnboundedReceiver<EngineReport>,
    /// The service.
    pub target: Box<dyn Target>,
    /// The sources of metrics.
    pub scrapers: Vec<Box<dyn Scraper>>,
    /// Who gets every event: recorder, screen, printer.
    pub consumers: Vec<UnboundedSender<Stamped>>,
    /// What a person wants.
    pub commands: UnboundedReceiver<Command>,
    /// Resolves when recording has failed for good.
    pub recorder_failed: Option<oneshot::Receiver<StoreError>>,
    /// The judge.
    pub judge: Judge,
    /// Values that no event may tell, whoever said them.
    pub secrets: Vec<String>,
    /// For the session's head.
    pub head: Head,
    /// A failure to inject, for tests of the ending.
    pub fault: Option<Fault>,
}

/// What the head of the session says beside the plan.
#[derive(Debug, Clone, Default)]
pub struct Head {
    /// Version of the tool.
    pub version: String,
    /// Version of the judge.
    pub judge: String,
    /// This machine.
    pub host: Host,
    /// The plan as it may be kept, without secrets; none: the plan that is run by.
    pub plan: Option<Plan>,
}

/// The judge, as the runner needs it. Pure functions of the fold.
#[derive(Clone, Copy)]
pub struct Judge {
    /// The verdict so far.
    pub verdict: fn(&Session) -> Option<PoolVerdict>,
    /// Whether the running step's loss is known to this relative standard error.
    pub precise: fn(&Session, StepId, f64) -> bool,
}

/// A failure injected on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Panic in the middle of the first measure phase.
    PanicInMeasure,
}

/// Why a run ended otherwise than planned, for the exit code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// A person or a signal.
    Interrupted,
    /// A guard.
    Guard,
    /// The target or a source could not be reached, or a setting was not put back.
    Unreachable,
    /// The recording failed, or the program itself.
    Internal,
}

/// How a run ended.
#[derive(Debug)]
pub struct RunEnd {
    /// The fold of all its events.
    pub session: Session,
    /// As recorded.
    pub outcome: Outcome,
    /// Whether every setting reads back what was put back.
    pub restored: Option<bool>,
    /// Why it ended otherwise than planned.
    pub cause: Option<Cause>,
    /// In words.
    pub reason: String,
}

/// Runs an experiment to its end, whatever happens: settings are put back and the session is ended in order.
pub async fn run(plan: Plan, parts: Parts) -> RunEnd {
    driver::Driver::new(plan, parts).run().await
}
