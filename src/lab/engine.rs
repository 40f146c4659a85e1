//! The model of the service in virtual time: worker threads, work on the service's cores, the connection pool, the database.
//!
//! A pure state machine: it is told what arrives and when, is asked to run up to a moment, and hands back what ended. Every change happens
//! at its exact moment on the virtual time line, however late the caller comes, so a slow timer delays an answer but never bends the
//! queueing. Imports the lab's own files only; no clock, no I/O, randomness from a seed.

use std::collections::VecDeque;
use std::sync::Arc;

use super::demand::{Demand, Sampler};
use super::host::ModelledCpu;
use super::meters::{Meters, RequestKey};
use super::pool::Pool;
use super::settings::Settings;
use super::station::{Nanos, Station};

/// Threads that Tomcat keeps ready from the start.
const SPARE_THREADS: u32 = 10;

/// How a request ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The work was done.
    Served,
    /// No connection came in time: HikariCP's message.
    NoConnection(String),
}

/// A request that ended, with the token it came with.
#[derive(Debug)]
pub(super) struct Ended<T> {
    pub(super) token: T,
    pub(super) outcome: Outcome,
}

/// What a request says of itself.
#[derive(Debug, Clone)]
pub(super) struct Route {
    pub(super) uri: Arc<str>,
    pub(super) method: &'static str,
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
pub(super) struct Engine<T> {
    pub(super) settings: Settings,
    pub(super) pool: Pool,
    pub(super) meters: Meters,
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
    pub(super) fn new(settings: Settings, seed: u64) -> Self {
        let mut pool = Pool::new(settings.pool_max, settings.behaviour);
        let mut meters = Meters::default();
        while pool.total() < settings.pool_max {
            pool.open_if_short(0, 0);
            pool.opened(0);
            meters
                .creation
                .record_whole_ms(0, nanos(settings.pool_connect_ms));
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
    pub(super) fn now(&self) -> Nanos {
        self.now
    }

    /// Worker threads at work, and those created so far.
    pub(super) fn threads(&self) -> (u32, u32) {
        (self.threads_busy, self.threads_created)
    }

    /// Sessions that the database works for.
    pub(super) fn database_sessions(&self) -> u32 {
        self.database.len()
    }

    /// Core time the modelled work has used, if the cores are modelled.
    pub(super) fn modelled_cpu(&self) -> Option<ModelledCpu> {
        let (cores, used_s) = (self.settings.cpu_cores, self.meters.cpu / 1e9);
        self.settings
            .models_cpu()
            .then_some(ModelledCpu { cores, used_s })
    }

    /// Takes what ended since the last call.
    pub(super) fn take_ended(&mut self) -> Vec<Ended<T>> {
        std::mem::take(&mut self.ended)
    }

    /// Takes over changed settings at the moment the model stands at.
    pub(super) fn change(&mut self, settings: Settings) {
        self.pool.change(settings.pool_max, settings.behaviour);
        self.threads_created = self
            .threads_created
            .min(settings.threads_max.max(self.threads_busy))
            .max(SPARE_THREADS.min(settings.threads_max));
        self.settings = settings;
        self.sampler.change(&self.settings);
        self.start_accepted();
        self.lend();
    }

    /// A request arrives; if it must be refused its token comes back. The model must have been run to now.
    pub(super) fn arrive(&mut self, route: Route, token: T) -> Result<(), T> {
        let all_busy = self.threads_busy >= self.settings.threads_max;
        if all_busy && self.accepted.len() >= self.settings.accept_count as usize {
            return Err(token);
        }
        let demand = self.sampler.draw(&self.settings);
        let job = Job {
            token,
            route,
            demand,
            begun: self.now,
            asked: 0,
            deadline: 0,
            lent: None,
        };
        let id = self.vacant.pop().unwrap_or_else(|| {
            self.jobs.push(None);
            self.jobs.len() - 1
        });
        self.jobs[id] = Some(job);
        self.accepted.push_back(id);
        self.start_accepted();
        Ok(())
    }

    /// When the next thing happens if nothing arrives before.
    pub(super) fn due(&self) -> Option<Nanos> {
        self.next().map(|(due, _)| due)
    }

    /// Lets everything happen that is due up to `until`, each at its own moment.
    pub(super) fn run_to(&mut self, until: Nanos) {
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
            self.database
                .due(self.database_slowdown())
                .map(|due| (due, Happening::Database)),
            self.cores
                .due(self.cores_slowdown())
                .map(|due| (due, Happening::Cores)),
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
        self.meters.cpu +=
            (to - self.now) as f64 * f64::from(self.cores.len()).min(self.settings.cpu_cores);
        self.database.run_to(to, self.database_slowdown());
        self.cores.run_to(to, self.cores_slowdown());
        self.app.run_to(to, 1.0);
        self.now = to;
    }

    fn happen(&mut self, what: Happening) {
        match what {
            Happening::Opened => self.opened(),
            Happening::GaveUp => self.gave_up(),
            Happening::App => {
                if let Some(id) = self.app.leave() {
                    self.work_outside(id);
                }
            }
            Happening::Cores => {
                if let Some(id) = self.cores.leave() {
                    if self.jobs[id].as_ref().is_some_and(|job| job.lent.is_some()) {
                        self.give_back(id)
                    } else {
                        self.ask(id)
                    }
                }
            }
            Happening::Database => {
                if let Some(id) = self.database.leave() {
                    self.work_inside(id);
                }
            }
        }
    }

    fn start_accepted(&mut self) {
        while self.threads_busy < self.settings.threads_max {
            let Some(id) = self.accepted.pop_front() else {
                return;
            };
            self.threads_busy += 1;
            self.threads_created = self.threads_created.max(self.threads_busy);
            let now = self.now;
            let Some(job) = &mut self.jobs[id] else {
                continue;
            };
            job.begun = now;
            let delay = job.demand.app;
            if delay > 0.0 {
                self.app.enter(id, delay)
            } else {
                self.work_outside(id)
            }
        }
    }

    fn work_outside(&mut self, id: usize) {
        match self.jobs[id].as_ref().map_or(0.0, |job| job.demand.outside) {
            work if work > 0.0 => self.cores.enter(id, work),
            _ => self.ask(id),
        }
    }

    fn ask(&mut self, id: usize) {
        let deadline = self
            .now
            .saturating_add(nanos(self.settings.pool_connection_timeout_ms));
        let Some(job) = &mut self.jobs[id] else {
            return;
        };
        (job.asked, job.deadline) = (self.now, deadline);
        if self.pool.take() {
            self.lent(id)
        } else {
            self.pool.wait(id, deadline)
        }
        self.pool
            .open_if_short(self.now, nanos(self.settings.pool_connect_ms));
    }

    fn lent(&mut self, id: usize) {
        let Some(job) = &mut self.jobs[id] else {
            return;
        };
        job.lent = Some(self.now);
        self.meters.acquire.record(self.now, self.now - job.asked);
        self.database.enter(id, job.demand.database);
    }

    fn work_inside(&mut self, id: usize) {
        match self.jobs[id].as_ref().map_or(0.0, |job| job.demand.inside) {
            work if work > 0.0 => self.cores.enter(id, work),
            _ => self.give_back(id),
        }
    }

    fn give_back(&mut self, id: usize) {
        let lent = self.jobs[id]
            .as_ref()
            .and_then(|job| job.lent)
            .unwrap_or(self.now);
        self.meters.usage.record_whole_ms(self.now, self.now - lent);
        self.pool.give_back();
        self.lend();
        self.end(id, Outcome::Served);
    }

    /// Idle connections go to those who wait; missing ones are opened.
    fn lend(&mut self) {
        while let Some(id) = self
            .pool
            .serve_waiter(|id| self.jobs[id].as_ref().map_or(0, |job| job.deadline))
        {
            self.lent(id);
        }
        self.pool
            .open_if_short(self.now, nanos(self.settings.pool_connect_ms));
    }

    fn opened(&mut self) {
        if let Some(took) = self.pool.opened(self.now) {
            self.meters.creation.record_whole_ms(self.now, took);
        }
        self.lend();
    }

    fn gave_up(&mut self) {
        let Some(id) = self.pool.give_up() else {
            return;
        };
        let waited = self.jobs[id].as_ref().map_or(0, |job| self.now - job.asked);
        // HikariCP counts a wait in vain among the acquisitions too.
        self.meters.acquire.record(self.now, waited);
        self.meters.timeouts += 1;
        let pool = &self.pool;
        let message = format!(
            "HikariPool-1 - Connection is not available, request timed out after {}ms (total={}, active={}, idle={}, waiting={})",
            waited / 1_000_000,
            pool.total(),
            pool.in_use(),
            pool.idle(),
            pool.pending(),
        );
        self.end(id, Outcome::NoConnection(message));
    }

    fn end(&mut self, id: usize, outcome: Outcome) {
        let Some(job) = self.jobs[id].take() else {
            return;
        };
        self.vacant.push(id);
        let status = if outcome == Outcome::Served { 200 } else { 503 };
        let key = RequestKey {
            uri: job.route.uri,
            method: job.route.method,
            status,
        };
        self.meters.request(key, self.now, self.now - job.begun);
        self.ended.push(Ended {
            token: job.token,
            outcome,
        });
        self.threads_busy -= 1;
        self.start_accepted();
    }
}

/// Milliseconds of a setting as nanoseconds of the time line.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "settings are checked to be finite and not negative"
)]
pub(super) fn nanos(ms: f64) -> Nanos {
    (ms * 1e6).round() as Nanos
}
