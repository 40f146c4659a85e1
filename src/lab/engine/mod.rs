//! The model of the service in virtual time: worker threads, work on the service's cores, the connection pool, the database.
//!
//! A pure state machine: it is told what arrives and when, is asked to run up to a moment, and hands back what ended. Every change happens
//! at its exact moment on the virtual time line, however late the caller comes, so a slow timer delays an answer but never bends the
//! queueing. Imports the lab's own files only; no clock, no I/O, randomness from a seed.

mod course;

use std::collections::VecDeque;
use std::sync::Arc;

use crate::lab::demand::{Demand, Sampler, Work};
use crate::lab::host::ModelledCpu;
use crate::lab::meters::Meters;
use crate::lab::pool::Pool;
use crate::lab::settings::Settings;
use crate::lab::station::{Nanos, Station};

/// Threads that Tomcat keeps ready from the start.
const SPARE_THREADS: u32 = 10;

/// How a request ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::lab) enum Outcome {
    /// The work was done.
    Served,
    /// No connection came in time: HikariCP's message.
    NoConnection(String),
}

/// A request that ended, with the token it came with.
#[derive(Debug)]
pub(in crate::lab) struct Ended<T> {
    pub(in crate::lab) token: T,
    pub(in crate::lab) outcome: Outcome,
}

/// What a request says of itself.
#[derive(Debug, Clone)]
pub(in crate::lab) struct Route {
    pub(in crate::lab) uri: Arc<str>,
    pub(in crate::lab) method: &'static str,
    /// How it is answered once its work is done.
    pub(in crate::lab) status: u16,
    pub(in crate::lab) work: Work,
}

impl Route {
    /// A request for the usual work.
    pub(in crate::lab) fn usual(uri: Arc<str>, method: &'static str) -> Self {
        Self { uri, method, status: 200, work: Work::USUAL }
    }
}

/// Who does a job: a worker thread for a caller, or the service for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Thread,
    Itself,
}

#[derive(Debug)]
struct Job<T> {
    token: T,
    route: Route,
    demand: Demand,
    begun: Nanos,
    asked: Nanos,
    deadline: Nanos,
    lent: Option<Nanos>,
    by: By,
}

/// The kinds of things that happen by themselves.
#[derive(Debug, Clone, Copy)]
enum Happening {
    Opened,
    Database,
    Cores,
    App,
    GaveUp,
}

/// The service at one moment.
#[derive(Debug)]
pub(in crate::lab) struct Engine<T> {
    pub(in crate::lab) settings: Settings,
    pub(in crate::lab) pool: Pool,
    pub(in crate::lab) meters: Meters,
    now: Nanos,
    sampler: Sampler,
    jobs: Vec<Option<Job<T>>>,
    vacant: Vec<usize>,
    threads_busy: u32,
    threads_created: u32,
    accepted: VecDeque<usize>,
    app: Station,
    cores: Station,
    database: Station,
    ended: Vec<Ended<T>>,
}

impl<T> Engine<T> {
    /// A service with its pool already filled.
    pub(in crate::lab) fn new(settings: Settings, seed: u64) -> Self {
        let mut pool = Pool::new(settings.pool_max, settings.behaviour);
        let mut meters = Meters::default();
        while pool.total() < settings.pool_max {
            pool.open_if_short(0, 0);
            pool.opened(0);
            meters.creation.record_whole_ms(0, nanos(settings.pool_connect_ms));
        }
        Self {
            sampler: Sampler::new(seed, &settings),
            threads_created: SPARE_THREADS.min(settings.threads_max),
            settings,
            pool,
            meters,
            now: 0,
            jobs: Vec::new(),
            vacant: Vec::new(),
            threads_busy: 0,
            accepted: VecDeque::new(),
            app: Station::default(),
            cores: Station::default(),
            database: Station::default(),
            ended: Vec::new(),
        }
    }

    /// Where the model stands on its time line.
    pub(in crate::lab) fn now(&self) -> Nanos {
        self.now
    }

    /// Worker threads at work, and those created so far.
    pub(in crate::lab) fn threads(&self) -> (u32, u32) {
        (self.threads_busy, self.threads_created)
    }

    /// Sessions that the database works for.
    pub(in crate::lab) fn database_sessions(&self) -> u32 {
        self.database.len()
    }

    /// Core time the modelled work has used, if the cores are modelled.
    pub(in crate::lab) fn modelled_cpu(&self) -> Option<ModelledCpu> {
        let (cores, used_s) = (self.settings.cpu_cores, self.meters.cpu / 1e9);
        self.settings.models_cpu().then_some(ModelledCpu { cores, used_s })
    }

    /// Takes what ended since the last call.
    pub(in crate::lab) fn take_ended(&mut self) -> Vec<Ended<T>> {
        std::mem::take(&mut self.ended)
    }

    /// Takes over changed settings at the moment the model stands at.
    pub(in crate::lab) fn change(&mut self, settings: Settings) {
        self.pool.change(settings.pool_max, settings.behaviour);
        self.threads_created = self.threads_created.min(settings.threads_max.max(self.threads_busy)).max(SPARE_THREADS.min(settings.threads_max));
        self.settings = settings;
        self.sampler.change(&self.settings);
        self.start_accepted();
        self.lend();
    }

    /// A request arrives; if it must be refused its token comes back. The model must have been run to now.
    pub(in crate::lab) fn arrive(&mut self, route: Route, token: T) -> Result<(), T> {
        let all_busy = self.threads_busy >= self.settings.threads_max;
        if all_busy && self.accepted.len() >= self.settings.accept_count as usize {
            return Err(token);
        }
        let id = self.begin(route, token, By::Thread);
        self.accepted.push_back(id);
        self.start_accepted();
        Ok(())
    }

    /// Work that the service does for itself: it takes a connection like any other, but no worker thread, and is no request.
    pub(in crate::lab) fn background(&mut self, work: Work, token: T) {
        let route = Route { work, ..Route::usual("".into(), "") };
        let id = self.begin(route, token, By::Itself);
        self.ask(id);
    }

    fn begin(&mut self, route: Route, token: T, by: By) -> usize {
        let demand = self.sampler.draw(&self.settings, route.work);
        let id = self.vacant.pop().unwrap_or_else(|| {
            self.jobs.push(None);
            self.jobs.len() - 1
        });
        self.jobs[id] = Some(Job { token, route, demand, begun: self.now, asked: 0, deadline: 0, lent: None, by });
        id
    }

    /// When the next thing happens if nothing arrives before.
    pub(in crate::lab) fn due(&self) -> Option<Nanos> {
        self.next().map(|(due, _)| due)
    }

    /// Lets everything happen that is due up to `until`, each at its own moment.
    pub(in crate::lab) fn run_to(&mut self, until: Nanos) {
        while let Some((due, what)) = self.next().filter(|&(due, _)| due <= until) {
            self.pass(due);
            self.happen(what);
        }
        self.pass(until);
    }

    fn next(&self) -> Option<(Nanos, Happening)> {
        let [opened, gave_up] = [self.pool.next_opened(), self.pool.next_deadline()];
        [
            opened.map(|due| (due, Happening::Opened)),
            self.database.due(self.database_slowdown()).map(|due| (due, Happening::Database)),
            self.cores.due(self.cores_slowdown()).map(|due| (due, Happening::Cores)),
            self.app.due(1.0).map(|due| (due, Happening::App)),
            gave_up.map(|due| (due, Happening::GaveUp)),
        ]
        .into_iter()
        .flatten()
        .min_by_key(|&(due, _)| due)
    }

    fn database_slowdown(&self) -> f64 {
        self.settings.db_law.slowdown(self.database.len())
    }

    fn cores_slowdown(&self) -> f64 {
        (f64::from(self.cores.len()) / self.settings.cpu_cores).max(1.0)
    }

    /// Time passes without anything happening.
    fn pass(&mut self, to: Nanos) {
        if to <= self.now {
            return;
        }
        self.meters.cpu += (to - self.now) as f64 * f64::from(self.cores.len()).min(self.settings.cpu_cores);
        self.database.run_to(to, self.database_slowdown());
        self.cores.run_to(to, self.cores_slowdown());
        self.app.run_to(to, 1.0);
        self.now = to;
    }
}

/// Milliseconds of a setting as nanoseconds of the time line.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "settings are checked to be finite and not negative")]
pub(in crate::lab) fn nanos(ms: f64) -> Nanos {
    (ms * 1e6).round() as Nanos
}
