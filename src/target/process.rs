//! A service that Plimsoll starts, watches, restarts and ends. It is asked to end before it is ended, and whatever it
//! started ends with it.

use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};

use tokio::process::{Child, Command};
use tokio::task::JoinHandle;

use super::known::Known;
use super::signal;
use super::tail::Tail;
use crate::model::plan::ProcessPlan;
use crate::model::units::Span;
use crate::ports::TargetError;

/// The service's process, running or not.
#[derive(Debug)]
pub(super) struct Service {
    plan: ProcessPlan,
    log: Option<PathBuf>,
    running: Option<Running>,
}

/// How long the last words of an ended process are waited for: a child of it may keep the pipe open for ever.
const LAST_WORDS: Span = Span::from_millis(500);

#[derive(Debug)]
struct Running {
    child: Child,
    group: Option<u32>,
    tail: Tail,
    readers: [JoinHandle<()>; 2],
}

impl Service {
    pub(super) fn new(plan: ProcessPlan, log: Option<PathBuf>) -> Self {
        Self { plan, log, running: None }
    }

    /// What is run, for a message: the program alone, as arguments may hold secrets.
    fn program(&self, known: &Known) -> String {
        self.plan.command.first().map(|word| known.fill(word)).unwrap_or_default()
    }

    /// True while the process runs.
    pub(super) fn is_running(&mut self) -> bool {
        self.running.as_mut().is_some_and(|running| !matches!(running.child.try_wait(), Ok(Some(_))))
    }

    /// How the process ended, should it have, with its last words; it is then forgotten.
    pub(super) async fn ended(&mut self) -> Option<String> {
        let status = self.running.as_mut()?.child.try_wait().ok()??;
        let mut running = self.running.take()?;
        let _ = tokio::time::timeout(LAST_WORDS.duration(), futures::future::join_all(&mut running.readers)).await;
        Some(obituary(status, &running.tail))
    }

    /// Starts it with these values in its arguments and environment.
    pub(super) fn start(&mut self, known: &Known) -> Result<(), TargetError> {
        let words: Vec<String> = self.plan.command.iter().map(|word| known.fill(word)).collect();
        let refuse = |answer: String| TargetError::Refused { doing: format!("starting `{}`", self.program(known)), answer };
        let Some((program, arguments)) = words.split_first() else {
            return Err(refuse("target.process.command is empty".to_owned()));
        };
        let mut command = Command::new(program);
        command.args(arguments).envs(self.plan.env.iter().map(|(name, value)| (name, known.fill(value))));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let spawned = signal::own_group(&mut command).spawn();
        let mut child = spawned.map_err(|error| refuse(format!("{error}; check target.process.command")))?;
        let tail = Tail::default();
        let readers = [tail.follow(child.stdout.take(), self.log.as_deref()), tail.follow(child.stderr.take(), self.log.as_deref())];
        self.running = Some(Running { group: child.id(), child, tail, readers });
        Ok(())
    }

    /// Ends it: asked first, ended after `grace`.
    pub(super) async fn stop(&mut self, grace: Span) {
        let Some(mut running) = self.running.take() else { return };
        if signal::ask_to_end(running.group) {
            let _ = tokio::time::timeout(grace.duration(), running.child.wait()).await;
        }
        signal::end(&mut running.child, running.group).await;
    }
}

impl Drop for Service {
    /// Dropped without `stop` (a panic, a cancelled run): nobody waits any more, but nothing may be left behind.
    fn drop(&mut self) {
        if let Some(running) = &self.running {
            signal::ask_to_end(running.group);
        }
    }
}

fn obituary(status: ExitStatus, tail: &Tail) -> String {
    match tail.last_words() {
        words if words.is_empty() => format!("the process ended by itself, {status}"),
        words => format!("the process ended by itself, {status}; its last words: \"{words}\""),
    }
}
