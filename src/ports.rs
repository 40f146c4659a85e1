//! The traits an experiment is driven through: engine, target, scraper, store and clock. No implementation.
//!
//! The runner knows the world only through these; what is behind them may be this process, another one, or another machine.
//! Nothing here may assume one process or one clock beyond [`Clock`] itself: aggregates carry their source.

use std::time::Instant;

use async_trait::async_trait;
use tokio::sync::mpsc::UnboundedSender;

use crate::model::event::{Bound, Cohort, Gap, Phase, Sample, Stamped, StepId, Tick};
use crate::model::plan::{LoadModel, Plan, Setting, Values};
use crate::model::units::{Elapsed, Span};

/// The session's clock: monotonic, beginning when the session begins.
#[async_trait]
pub trait Clock: Send + Sync {
    /// Time since the session began.
    fn now(&self) -> Elapsed;
    /// The instant that is [`Elapsed::ZERO`], for hot paths that measure by themselves.
    fn epoch(&self) -> Instant;
    /// The wall clock with zone, RFC 9557.
    fn wall(&self) -> String;
    /// Returns once `at` has come.
    async fn sleep_until(&self, at: Elapsed);
}

/// What an engine could not do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// A host that the profile does not allow.
    #[error("load goes to allowed hosts only: `{host}` is not in target.allow; name it there if it is yours to load")]
    HostNotAllowed {
        /// The host.
        host: String,
    },
    /// The plan asks for something this engine can not do.
    #[error("the load engine can not do this: {what}")]
    Unsupported {
        /// What.
        what: String,
    },
    /// Something the plan needs is not there or can not be used.
    #[error("the load can not be made ready: {what}")]
    Unready {
        /// What, whose, and what is wrong with it.
        what: String,
    },
    /// The engine itself broke.
    #[error("the load engine failed: {what}")]
    Failed {
        /// How.
        what: String,
    },
}

/// Which step and phase requests that begin now belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Belongs {
    /// The step.
    pub step: StepId,
    /// The phase.
    pub phase: Phase,
}

impl Belongs {
    /// The cohort of a request whose intended start is `at`.
    #[must_use]
    pub const fn cohort(self, at: Elapsed, tick: Span) -> Cohort {
        Cohort { step: self.step, phase: self.phase, slot: at.slot(tick) }
    }
}

/// What an engine reports, in order. Nobody may drop one.
#[derive(Debug, Clone, PartialEq)]
pub enum EngineReport {
    /// One interval of one load source: on the plan's tick, also while nothing is sent.
    Tick(Box<Tick>),
    /// Something a reader must know.
    Warning(String),
    /// The source itself was the limit for a while: told again as long as it is.
    Bound(Bound),
    /// The engine can not go on.
    Broken(EngineError),
}

/// A source of load. Its reports go to the channel it was made with, numbered and on the plan's tick, until it is closed.
#[async_trait]
pub trait Engine: Send {
    /// Makes ready for a plan: resolves hosts, reads bodies. No request is sent.
    async fn prepare(&mut self, plan: &Plan) -> Result<(), EngineError>;
    /// From now on this load, and requests that begin belong to this step and phase. Called again to change either. `values` are
    /// the settings of the step, for the placeholders of requests.
    async fn drive(&mut self, load: LoadModel, belongs: Belongs, values: &Values) -> Result<(), EngineError>;
    /// No request begins from now on; requests under way go on. Returns at once.
    async fn hold(&mut self) -> Result<(), EngineError>;
    /// Requests under way.
    fn in_flight(&self) -> u64;
    /// Gives up what is still under way: it is reported as `Unfinished`, at least its age long. Returns after its tick is sent.
    async fn abandon(&mut self) -> Result<(), EngineError>;
    /// Ends everything; the last tick is sent before it returns.
    async fn close(&mut self) -> Result<(), EngineError>;
}

/// What could not be done to the target.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// A host that the profile does not allow.
    #[error("{doing}: `{host}` is not in target.allow; name it there if it is yours to change")]
    HostNotAllowed {
        /// What was being done.
        doing: String,
        /// The host.
        host: String,
    },
    /// It did not answer.
    #[error("{doing}: no answer ({why}); is the service running there?")]
    Unreachable {
        /// What was being done, to what.
        doing: String,
        /// What went wrong.
        why: String,
    },
    /// It answered, but refused.
    #[error("{doing}: refused ({answer})")]
    Refused {
        /// What was being done, to what.
        doing: String,
        /// What came back.
        answer: String,
    },
    /// It never became ready.
    #[error("{doing}: not ready within {within} (last: {last}); a longer target.ready.within may help")]
    NotReady {
        /// What was being done.
        doing: String,
        /// How long it was waited for.
        within: Span,
        /// The last answer.
        last: String,
    },
}

/// The service under test, as far as it is changed and watched.
#[async_trait]
pub trait Target: Send {
    /// Waits until the service is ready, as the plan says.
    async fn ready(&mut self) -> Result<(), TargetError>;
    /// Puts values into effect, all at once; returns how, in words, one line a setting (`POST /admin/pool`).
    async fn apply(&mut self, settings: &[(&Setting, f64)]) -> Result<Vec<String>, TargetError>;
    /// The command a person would use to do the same by hand, for when putting back fails.
    fn by_hand(&self, setting: &Setting, value: f64) -> String;
    /// Ends what was started.
    async fn close(&mut self);
}

/// One scrape's outcome.
#[derive(Debug, Clone, PartialEq)]
pub enum Scraped {
    /// What the source said.
    Sample(Box<Sample>),
    /// Why there is nothing.
    Gap(Gap),
}

/// One source of metrics, read when asked. The runner asks on the plan's clock and never waits for one when it measures.
#[async_trait]
pub trait Scraper: Send {
    /// The source's name in the profile, or `host`.
    fn source(&self) -> &str;
    /// How often it wants to be asked.
    fn every(&self) -> Span;
    /// Reads it once, within its own time-out. `clock` gives the times of request and answer.
    async fn scrape(&mut self, clock: &dyn Clock) -> Scraped;
}

/// What a recording could not take or give.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Writing failed; what was committed before stays.
    #[error("writing the recording {path}: {why}; what was recorded up to then is kept")]
    Write {
        /// Which file.
        path: String,
        /// What went wrong.
        why: String,
    },
    /// There is something already where a new recording should go.
    #[error("{path} exists already; move it away, or give the recording another name with -o")]
    Exists {
        /// Which file.
        path: String,
    },
    /// Reading failed.
    #[error("reading the recording {path}: {why}")]
    Read {
        /// Which file.
        path: String,
        /// What went wrong.
        why: String,
    },
    /// Not a recording.
    #[error("{path} is not a Plimsoll recording: {why}")]
    Foreign {
        /// Which file.
        path: String,
        /// Why.
        why: String,
    },
}

/// Takes the events of a session in. Taking one never waits for a disk.
#[async_trait]
pub trait Recorder: Send {
    /// The queue to put events into. Written in batches at least once a second.
    fn queue(&self) -> UnboundedSender<Stamped>;
    /// Resolves when writing has failed for good (a full disk).
    async fn failed(&mut self) -> StoreError;
    /// Writes what is queued, checkpoints, closes.
    async fn close(self: Box<Self>) -> Result<(), StoreError>;
}
