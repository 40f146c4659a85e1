//! From a profile to a running experiment: makes the engine, the target, the scrapers and the recorder, and hands them to the runner.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::exit::{CliError, Exit};
use super::lab::LabProcess;
use super::off_thread;
use crate::analysis;
use crate::control::Command;
use crate::load::LocalEngine;
use crate::model::event::{Host, Stamped};
use crate::model::plan::{Plan, SourceKind};
use crate::model::units::Span;
use crate::ports::{Clock, Recorder, Scraper, StoreError};
use crate::profile::Profile;
use crate::runner::{Cause, Fault, Head, Judge, Parts, RunEnd, SystemClock, run};
use crate::scrape::{HostScraper, PrometheusScraper};
use crate::store::SqliteRecorder;
use crate::target::{Patience, ServiceTarget};

/// Reading this machine's figures takes time from the load beside it: short ticks do not need them as often.
const HOST_EVERY: Span = Span::from_millis(500);

/// What is to be run.
pub(super) struct Launch {
    /// The experiment.
    pub(super) profile: Profile,
    /// Where the files are that its scenarios name: the profile's folder.
    pub(super) files: PathBuf,
    /// Where the recording goes; none: nothing is kept.
    pub(super) recording: Option<PathBuf>,
    /// The lab it runs against, if it is ours.
    pub(super) lab: Option<LabProcess>,
    /// What is printed of it.
    pub(super) form: Form,
}

/// What is printed of a run at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// The answer of an experiment.
    Answer,
    /// The figures of one load.
    Load,
}

/// A run that has been started.
pub(super) struct Running {
    /// Where it is recorded, if it is.
    pub(super) recording: Option<PathBuf>,
    /// What is printed of it.
    pub(super) form: Form,
    /// To steer it.
    pub(super) commands: UnboundedSender<Command>,
    /// Its end.
    pub(super) ended: JoinHandle<RunEnd>,
}

/// Starts a run; every event goes to the recording and to `watchers`.
pub(super) async fn start(launch: Launch, watchers: Vec<UnboundedSender<Stamped>>) -> Result<Running, CliError> {
    let Launch { profile: Profile { plan, recorded }, files, recording, lab, form } = launch;
    let scrapers = scrapers(&plan)?;
    let log = recording.as_deref().and_then(|path| process_log(&plan, path));
    let target = ServiceTarget::new(&plan.target, &plan.settings, Patience::default(), log).map_err(|e| CliError::usage(e.to_string()))?;
    let recorder = match recording.clone() {
        Some(path) => Some(off_thread(move || async move { SqliteRecorder::create(&path).await }).await??),
        None => None,
    };
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::start());
    let (reports_tx, reports) = unbounded_channel();
    let (commands, commands_rx) = unbounded_channel();
    let mut consumers = watchers;
    consumers.extend(recorder.as_ref().map(|r| r.queue()));
    let (closing, recorder_failed) = recorder.map(watch).unzip();
    let parts = Parts {
        engine: Box::new(LocalEngine::new(clock.clone(), reports_tx, plan.experiment.seed, None).files(files)),
        clock,
        reports,
        target: Box::new(target),
        scrapers,
        consumers,
        commands: commands_rx,
        recorder_failed,
        judge: Judge { verdict: analysis::judge_session, precise },
        secrets: super::print::secrets(),
        head: head(recorded),
        fault: fault(),
    };
    let ended = tokio::spawn(async move {
        let mut end = run(plan, parts).await;
        if let Some(closing) = closing
            && let Err(error) = closing.close().await
            && end.cause.is_none()
        {
            (end.cause, end.reason) = (Some(Cause::Internal), error.to_string());
        }
        if let Some(lab) = lab {
            lab.end().await;
        }
        end
    });
    Ok(Running { recording, form, commands, ended })
}

/// The recorder, while it is watched for failure.
struct Closing {
    stop: oneshot::Sender<()>,
    closed: JoinHandle<Result<(), StoreError>>,
}

impl Closing {
    async fn close(self) -> Result<(), StoreError> {
        let _gone = self.stop.send(());
        match self.closed.await {
            Ok(result) => result,
            Err(error) => Err(StoreError::Write { path: String::new(), why: error.to_string() }),
        }
    }
}

fn watch(mut recorder: Box<dyn Recorder>) -> (Closing, oneshot::Receiver<StoreError>) {
    let (stop, mut stopped) = oneshot::channel();
    let (tell, failed) = oneshot::channel();
    let closed = tokio::spawn(async move {
        let failure = tokio::select! {
            failure = recorder.failed() => Some(failure),
            _ = &mut stopped => None,
        };
        if let Some(error) = failure {
            let _gone = tell.send(error);
            let _ = stopped.await;
        } else {
            // Kept open to the end: its going away would mean that recording failed.
            drop(tell);
        }
        recorder.close().await
    });
    (Closing { stop, closed }, failed)
}

fn scrapers(plan: &Plan) -> Result<Vec<Box<dyn Scraper>>, CliError> {
    let mut out: Vec<Box<dyn Scraper>> = vec![Box::new(HostScraper::new(plan.experiment.tick.max(HOST_EVERY)))];
    for source in &plan.sources {
        match &source.kind {
            SourceKind::Prometheus { .. } => {
                out.push(Box::new(PrometheusScraper::new(source).map_err(|e| CliError::usage(e.to_string()))?));
            }
        }
    }
    Ok(out)
}

/// What a service of our own writes is kept beside the recording.
fn process_log(plan: &Plan, recording: &Path) -> Option<PathBuf> {
    plan.target.process.as_ref().map(|_| recording.with_extension("service.log"))
}

fn precise(session: &crate::model::session::Session, step: crate::model::event::StepId, precision: f64) -> bool {
    analysis::loss_so_far(session, step).is_some_and(|loss| loss.batches >= 8 && loss.relative <= precision)
}

fn head(recorded: Plan) -> Head {
    Head { version: env!("CARGO_PKG_VERSION").to_owned(), judge: analysis::JUDGE.to_owned(), host: host(), plan: Some(recorded) }
}

fn host() -> Host {
    let memory = sysinfo::System::new().ok().map(|mut system| {
        system.refresh_memory();
        system.total_memory()
    });
    let cores = std::thread::available_parallelism().ok().and_then(|n| u32::try_from(n.get()).ok());
    Host { os: sysinfo::System::long_os_version().ok(), cores, memory_bytes: memory.filter(|m| *m > 0) }
}

/// A failure to inject, for tests of the ending: `PLIMSOLL_FAULT=panic-in-measure`.
fn fault() -> Option<Fault> {
    (std::env::var_os("PLIMSOLL_FAULT")? == "panic-in-measure").then_some(Fault::PanicInMeasure)
}

/// Waits for a run's end. A run that panicked beyond its own catching is our failure.
pub(super) async fn end_of(running: Running) -> Result<RunEnd, CliError> {
    let kept = running.recording.as_ref().map_or_else(String::new, |path| format!("; the recording is {}", path.display()));
    running.ended.await.map_err(|e| CliError::new(Exit::Internal, format!("internal error: {e}{kept}")))
}
