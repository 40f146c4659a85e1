//! The experiment as a whole: begin, steps, judgements, end. The end comes whatever happens: a panic inside is caught and ends the
//! session like any other failure, with the settings put back.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt as _;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::emit::Emitter;
use super::hear::Heard;
use super::proofs::Proofs;
use super::{Cause, Fault, Head, Judge, Parts, RunEnd};
use crate::control::{self, Command, Guards, Refinement, Schedule};
use crate::model::event::{Event, Judged, Note, NoteLevel, Outcome, SessionStarted, StepPlanned};
use crate::model::plan::{LoadModel, Plan, Values};
use crate::model::session::Session;
use crate::model::units::{Elapsed, Span};
use crate::ports::{Clock, Engine, EngineReport, Scraped, Scraper, StoreError, Target};

/// Why the experiment stops before its planned end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Halt {
    /// A person or a signal.
    Interrupted(String),
    /// A guard.
    Guard(String),
    /// The target or a source.
    Unreachable(String),
    /// The recording, the engine, the program.
    Internal(String),
}

/// Everything a running experiment holds.
#[expect(clippy::struct_excessive_bools, reason = "each is a wish or a state of its own, none excludes another")]
pub(super) struct Driver {
    pub(super) plan: Plan,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) engine: Box<dyn Engine>,
    pub(super) reports: UnboundedReceiver<EngineReport>,
    pub(super) reports_open: bool,
    pub(super) target: Box<dyn Target>,
    scrapers: Vec<Box<dyn Scraper>>,
    scraping: Vec<JoinHandle<()>>,
    pub(super) scraped: UnboundedReceiver<Scraped>,
    pub(super) commands: UnboundedReceiver<Command>,
    pub(super) commands_open: bool,
    /// Said while nobody could listen.
    pub(super) kept: VecDeque<Command>,
    pub(super) recorder_failed: Option<oneshot::Receiver<StoreError>>,
    pub(super) judge: Judge,
    pub(super) head: Head,
    pub(super) fault: Option<Fault>,
    emitter: Emitter,
    pub(super) schedule: Schedule,
    pub(super) guards: Guards,
    pub(super) proofs: Proofs,
    pub(super) load: LoadModel,
    pub(super) paused: bool,
    pub(super) skip: bool,
    pub(super) ending: bool,
    pub(super) refused: bool,
    halted: Option<Halt>,
    /// What each setting read before it was first changed.
    pub(super) originals: BTreeMap<String, f64>,
    /// Settings that were changed.
    pub(super) touched: BTreeSet<String>,
}

impl Driver {
    pub(super) fn new(plan: Plan, parts: Parts) -> Self {
        Self {
            schedule: Schedule::new(&plan),
            guards: Guards::new(&plan),
            proofs: Proofs::default(),
            load: plan.load.model,
            plan,
            clock: parts.clock,
            engine: parts.engine,
            reports: parts.reports,
            reports_open: true,
            target: parts.target,
            scrapers: parts.scrapers,
            scraping: Vec::new(),
            scraped: unbounded_channel().1,
            commands: parts.commands,
            commands_open: true,
            kept: VecDeque::new(),
            recorder_failed: parts.recorder_failed,
            judge: parts.judge,
            head: parts.head,
            fault: parts.fault,
            emitter: Emitter::new(parts.consumers, parts.secrets),
            paused: false,
            skip: false,
            ending: false,
            refused: false,
            halted: None,
            originals: BTreeMap::new(),
            touched: BTreeSet::new(),
        }
    }

    pub(super) async fn run(mut self) -> RunEnd {
        if let Err(panic) = AssertUnwindSafe(self.experiment()).catch_unwind().await {
            self.halt(Halt::Internal(format!("internal error: {}", panic_text(&*panic))));
        }
        self.ending = true;
        let restored = match AssertUnwindSafe(self.put_back()).catch_unwind().await {
            Ok(restored) => restored,
            Err(_) => Some(false),
        };
        self.finish(restored).await
    }

    async fn experiment(&mut self) {
        self.begin();
        if let Err(error) = self.engine.prepare(&self.plan).await {
            return self.halt(Halt::Unreachable(error.to_string()));
        }
        if !self.wait_ready().await {
            return;
        }
        self.start_scrapers();
        self.read_originals().await;
        while self.halted.is_none() {
            self.hold_while_paused().await;
            let Some(step) = self.next_step() else { break };
            self.run_step(step).await;
            self.pronounce();
        }
    }

    fn begin(&mut self) {
        let started = SessionStarted {
            plan: self.head.plan.clone().unwrap_or_else(|| self.plan.clone()),
            version: self.head.version.clone(),
            judge: self.head.judge.clone(),
            host: self.head.host.clone(),
            started_at: self.clock.wall(),
        };
        self.emit(Event::SessionStarted(Box::new(started)));
        let planned: Vec<StepPlanned> = self.schedule.waiting().cloned().collect();
        for step in planned {
            self.emit(Event::StepPlanned(step));
        }
    }

    /// Waits until the target is ready, or a person stops. Returns whether to go on.
    pub(super) async fn wait_ready(&mut self) -> bool {
        let Self { target, commands, kept, .. } = self;
        let ready = tokio::select! {
            ready = target.ready() => Some(ready),
            () = stop_asked(commands, kept) => None,
        };
        match ready {
            Some(Ok(())) => true,
            Some(Err(error)) => {
                self.halt(Halt::Unreachable(error.to_string()));
                false
            }
            None => {
                self.halt(Halt::Interrupted("stopped while waiting for the target".to_owned()));
                false
            }
        }
    }

    fn start_scrapers(&mut self) {
        let (tx, rx) = unbounded_channel();
        self.scraped = rx;
        for mut scraper in std::mem::take(&mut self.scrapers) {
            let (clock, tx) = (self.clock.clone(), tx.clone());
            self.scraping.push(tokio::spawn(async move {
                let every = scraper.every().max(Span::from_millis(10));
                let mut turn = clock.now().slot(every) + 1;
                while tx.send(scraper.scrape(&*clock).await).is_ok() {
                    turn = turn.max(clock.now().slot(every)) + 1;
                    clock.sleep_until(Elapsed((turn - 1) * every.as_micros())).await;
                }
            }));
        }
    }

    async fn hold_while_paused(&mut self) {
        while !self.kept.is_empty() {
            let now = self.clock.now();
            self.hear(now).await;
        }
        while self.paused && self.halted.is_none() {
            let soon = self.clock.now().plus(Span::from_secs(1));
            self.hear(soon).await;
        }
    }

    fn next_step(&mut self) -> Option<StepPlanned> {
        if self.halted.is_some() {
            return None;
        }
        if let Some(step) = self.schedule.take() {
            return Some(step);
        }
        let held = Values(self.plan.settings.iter().filter_map(|s| s.values.first().map(|v| (s.name.clone(), *v))).collect());
        let verdict = self.session().judged().last().map(|j| j.verdict.clone());
        match self.schedule.refine(verdict.as_ref(), &held) {
            Refinement::Step { step, why } => {
                self.say(NoteLevel::Info, format!("one more step, {}: {why}", step.values));
                self.emit(Event::StepPlanned(step));
                self.schedule.take()
            }
            Refinement::Converged { why } => {
                self.say(NoteLevel::Info, format!("no further step: {why}"));
                None
            }
        }
    }

    /// Asks the judge and records what it says.
    fn pronounce(&mut self) {
        if self.session().steps().iter().filter(|s| s.counts()).count() == 0 {
            return;
        }
        if let Some(verdict) = (self.judge.verdict)(self.session()) {
            let after = self.session().steps().iter().filter(|s| s.ended().is_some()).map(|s| s.planned().step).max();
            let judge = self.head.judge.clone();
            self.emit(Event::Judged(Box::new(Judged { after, judge, verdict })));
        }
    }

    async fn finish(mut self, restored: Option<bool>) -> RunEnd {
        if self.engine.in_flight() > 0 {
            let _ = self.engine.abandon().await;
        }
        let _ = self.engine.close().await;
        while let Ok(report) = self.reports.try_recv() {
            if let EngineReport::Tick(tick) = report {
                self.emit(Event::Tick(tick));
            }
        }
        for task in &self.scraping {
            task.abort();
        }
        self.target.close().await;
        let (outcome, cause, reason) = self.ending(restored);
        self.emit(Event::SessionEnded { outcome, restored, reason: reason.clone() });
        RunEnd { session: self.emitter.close(), outcome, restored, cause, reason }
    }

    fn ending(&self, restored: Option<bool>) -> (Outcome, Option<Cause>, String) {
        let (outcome, cause, reason) = match &self.halted {
            None => (Outcome::Completed, None, "all steps are done".to_owned()),
            Some(Halt::Interrupted(why)) => (Outcome::Interrupted, Some(Cause::Interrupted), why.clone()),
            Some(Halt::Guard(why)) => (Outcome::Guard, Some(Cause::Guard), why.clone()),
            Some(Halt::Unreachable(why)) => (Outcome::Failed, Some(Cause::Unreachable), why.clone()),
            Some(Halt::Internal(why)) => (Outcome::Failed, Some(Cause::Internal), why.clone()),
        };
        let stuck = restored == Some(false) || self.refused;
        let cause = if cause.is_none() || cause == Some(Cause::Guard) { stuck.then_some(Cause::Unreachable).or(cause) } else { cause };
        (outcome, cause, reason)
    }

    pub(super) fn emit(&mut self, event: Event) {
        let now = self.clock.now();
        self.emitter.emit(now, event);
    }

    /// Emits, and lets the guards and the thresholds that end a run look at it.
    pub(super) fn emit_watched(&mut self, event: &Event) {
        self.emit(event.clone());
        let running = self.session().current().is_some_and(|s| s.phase().is_some());
        let tripped = self.guards.watch(event, self.emitter.session());
        let tripped = tripped.or_else(|| matches!(event, Event::Tick(_)).then(|| control::crossed(self.emitter.session())).flatten());
        if let Some(why) = tripped.filter(|_| running && !self.ending && self.halted.is_none()) {
            self.emit(Event::Note(Note { level: NoteLevel::Guard, step: self.session().current().map(|s| s.planned().step), text: why.clone() }));
            self.halt(Halt::Guard(why));
        }
    }

    pub(super) fn say(&mut self, level: NoteLevel, text: String) {
        let step = self.session().current().map(|s| s.planned().step);
        self.emit(Event::Note(Note { level, step, text }));
    }

    /// Stops before the planned end; the first reason stays.
    pub(super) fn halt(&mut self, halt: Halt) {
        self.halted.get_or_insert(halt);
    }

    pub(super) const fn halted(&self) -> Option<&Halt> {
        self.halted.as_ref()
    }

    pub(super) const fn session(&self) -> &Session {
        self.emitter.session()
    }

    /// Listens until `done` says so, or `end` has come. Returns whether `done` did.
    pub(super) async fn listen_until(&mut self, end: Elapsed, mut done: impl FnMut(&mut Self, &Heard) -> bool) -> bool {
        while self.clock.now() < end && self.recorder_alive() {
            let heard = self.hear(end).await;
            if done(self, &heard) {
                return true;
            }
        }
        false
    }

    const fn recorder_alive(&self) -> bool {
        !matches!(self.halted, Some(Halt::Internal(_))) || self.ending
    }
}

/// Returns when a person stops; whatever else they say is kept for later.
async fn stop_asked(commands: &mut UnboundedReceiver<Command>, kept: &mut VecDeque<Command>) {
    loop {
        match commands.recv().await {
            Some(Command::Stop) => return,
            Some(command) => kept.push_back(command),
            None => std::future::pending::<()>().await,
        }
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic without words".to_owned())
}
