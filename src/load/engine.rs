//! The engine of this process: workers on threads of their own, a collector, and the orders between them.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use async_trait::async_trait;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::book::Book;
use super::collect::{Collector, Note};
use super::compile::Job;
use super::dial::Net;
use super::files::Files;
use super::host;
use super::orders::Desk;
use super::pace::Pacer;
use super::tls;
use super::worker::{Place, Worker, deal};
use crate::model::plan::{LoadModel, Plan, Values};
use crate::ports::{Belongs, Clock, Engine, EngineError, EngineReport};

/// Most workers unless told otherwise: beyond that one machine's network is the limit, not its cores.
const MOST_WORKERS: usize = 4;

/// Generates load from this process.
pub struct LocalEngine {
    kit: Kit,
    running: Option<Running>,
}

/// What every start needs.
#[derive(Clone)]
struct Kit {
    clock: Arc<dyn Clock>,
    reports: UnboundedSender<EngineReport>,
    seed: u64,
    workers: usize,
    number: Arc<AtomicU64>,
    folder: PathBuf,
}

/// What runs between `prepare` and `close`.
struct Running {
    desk: Arc<Desk>,
    /// Populations of the plan's time line.
    crowds: Option<usize>,
    workers: Vec<Arc<Worker<Net>>>,
    threads: Vec<JoinHandle<()>>,
    notes: Sender<Note>,
}

impl LocalEngine {
    /// An engine that reports to `reports`. Without a word about workers: half of the cores, at least one, at most four.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>, reports: UnboundedSender<EngineReport>, seed: u64, workers: Option<usize>) -> Self {
        let workers = workers.unwrap_or_else(Self::usual_workers).max(1);
        Self { kit: Kit { clock, reports, seed, workers, number: Arc::new(AtomicU64::new(0)), folder: PathBuf::from(".") }, running: None }
    }

    /// Where the files of feeders and bodies are; without a word the current folder.
    #[must_use]
    pub fn files(mut self, folder: PathBuf) -> Self {
        self.kit.folder = folder;
        self
    }

    /// How many workers there are without a word about them.
    #[must_use]
    pub fn usual_workers() -> usize {
        let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
        (cores / 2).clamp(1, MOST_WORKERS)
    }

    fn running(&self) -> Result<&Running, EngineError> {
        self.running.as_ref().ok_or_else(|| failed("it was not prepared, or is closed".to_owned()))
    }
}

impl Kit {
    /// Starts collector and workers. Not to be called where blocking is forbidden: should a thread not start, its runtime is dropped here.
    fn start(&self, job: Job, net: &Net) -> io::Result<Running> {
        let (notes, inbox) = channel();
        let (job, desk) = (Arc::new(job), Arc::new(Desk::new()));
        let crowds = job.line.as_ref().map(|line| line.crowds.len());
        let mut running = Running { desk, crowds, workers: Vec::new(), threads: Vec::new(), notes };
        let collector = Collector::new(job.keys.clone(), job.tick, self.workers, Arc::clone(&self.number), self.reports.clone());
        running.threads.push(thread::Builder::new().name("load-ticks".to_owned()).spawn(move || collector.run(&inbox))?);
        let slot = self.clock.now().slot(job.tick);
        for index in 0..self.workers {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            let entered = runtime.enter();
            let place = Place { index: index as u64, of: self.workers as u64 };
            let worker = Arc::new(Worker {
                job: Arc::clone(&job),
                desk: Arc::clone(&running.desk),
                dial: net.clone(),
                pools: deal(&job.travel.http, place, job.origins.len()),
                epoch: Instant::from_std(self.clock.epoch()),
                pacer: Pacer::start(format!("load-pace-{index}"))?,
                book: Mutex::new(Book::new(job.tick, job.timeout, slot, running.notes.clone())),
                place,
                seed: self.seed,
                out: running.notes.clone(),
            });
            drop(entered);
            let own = Arc::clone(&worker);
            let sentinel = Sentinel(self.reports.clone());
            let work = move || {
                let _sentinel = sentinel;
                runtime.block_on(own.run());
            };
            let thread = thread::Builder::new().name(format!("load-{index}")).spawn(work)?;
            running.threads.push(thread);
            running.workers.push(worker);
        }
        Ok(running)
    }
}

const fn failed(what: String) -> EngineError {
    EngineError::Failed { what }
}

#[async_trait]
impl Engine for LocalEngine {
    async fn prepare(&mut self, plan: &Plan) -> Result<(), EngineError> {
        self.close().await?;
        let http = &plan.load.http;
        let origins = host::resolve(&plan.target, http).await?;
        let may_need_tls = http.redirects > 0 || origins.iter().any(|o| o.secure.is_some());
        let tls = may_need_tls.then(|| tls::connector(&http.tls, http.version, &self.kit.folder)).transpose()?;
        let net = Net::new(tls, http.version);
        let kit = self.kit.clone();
        let of_plan = plan.clone();
        let read = move || Files::read(&of_plan, &kit.folder).and_then(|files| Job::with_files(&of_plan, origins, &files));
        let job = tokio::task::spawn_blocking(read).await.map_err(|e| failed(format!("reading the files of the load: {e}")))??;
        let kit = self.kit.clone();
        let started = tokio::task::spawn_blocking(move || kit.start(job, &net)).await.map_err(|e| failed(format!("starting the workers: {e}")))?;
        self.running = Some(started.map_err(|e| failed(format!("starting a worker thread: {e}")))?);
        Ok(())
    }

    async fn drive(&mut self, load: LoadModel, belongs: Belongs, values: &Values) -> Result<(), EngineError> {
        let (running, now) = (self.running()?, self.kit.clock.now());
        if let Some(worker) = running.workers.first() {
            running.desk.set(worker.job.fillings(values));
        }
        if load == LoadModel::Line {
            let crowds =
                running.crowds.ok_or_else(|| EngineError::Unsupported { what: "follow a time line that the plan does not have".to_owned() })?;
            running.desk.follow(crowds, belongs, now);
        } else {
            running.desk.drive(load, belongs, now);
        }
        Ok(())
    }

    async fn hold(&mut self) -> Result<(), EngineError> {
        self.running()?.desk.hold();
        Ok(())
    }

    fn in_flight(&self) -> u64 {
        self.running.as_ref().map_or(0, |r| r.workers.iter().map(|w| w.book().in_flight()).sum())
    }

    async fn abandon(&mut self) -> Result<(), EngineError> {
        let running = self.running()?;
        running.desk.hold();
        let count = running.desk.abandon();
        let (done, all_done) = oneshot::channel();
        let gone = || failed("its collector has ended".to_owned());
        running.notes.send(Note::Await(count, done)).map_err(|_gone| gone())?;
        all_done.await.map_err(|_gone| gone())
    }

    async fn close(&mut self) -> Result<(), EngineError> {
        let Some(mut running) = self.running.take() else { return Ok(()) };
        running.desk.end(self.kit.clock.now());
        let threads = std::mem::take(&mut running.threads);
        let joined = tokio::task::spawn_blocking(move || threads.into_iter().all(|t| t.join().is_ok())).await;
        if joined.unwrap_or(false) { Ok(()) } else { Err(failed("a worker ended in a panic; its last figures are lost".to_owned())) }
    }
}

/// Tells of a worker that ends in a panic: without it the ticks would just stop.
struct Sentinel(UnboundedSender<EngineReport>);

impl Drop for Sentinel {
    fn drop(&mut self) {
        if thread::panicking() {
            // Nobody listening means that the session is over already.
            let _ = self.0.send(EngineReport::Broken(failed("a worker ended in a panic".to_owned())));
        }
    }
}

impl Drop for Running {
    /// Also an engine that nobody closed ends its threads.
    fn drop(&mut self) {
        let now = self.workers.first().map_or(crate::model::units::Elapsed::ZERO, |w| w.now());
        self.desk.end(now);
    }
}
