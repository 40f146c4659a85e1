//! A request's way through the service: thread, delay, cores, connection, database, and out.
//!
//! The rules of each place; when they act is the parent's affair. Imports the lab's own files only; no clock, no I/O.

use super::{By, Ended, Engine, Happening, Outcome, nanos};
use crate::lab::meters::RequestKey;

impl<T> Engine<T> {
    pub(super) fn happen(&mut self, what: Happening) {
        match what {
            Happening::Opened => self.opened(),
            Happening::GaveUp => self.gave_up(),
            Happening::App => {
                if let Some(id) = self.app.leave() {
                    if self.jobs[id].as_ref().is_some_and(|job| job.lent.is_some()) {
                        self.work_inside(id);
                    } else {
                        self.work_outside(id);
                    }
                }
            }
            Happening::Cores => {
                if let Some(id) = self.cores.leave() {
                    if self.jobs[id].as_ref().is_some_and(|job| job.lent.is_some()) {
                        self.give_back(id);
                    } else {
                        self.ask(id);
                    }
                }
            }
            Happening::Database => {
                if let Some(id) = self.database.leave() {
                    self.wait_inside(id);
                }
            }
        }
    }

    pub(super) fn start_accepted(&mut self) {
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
                self.app.enter(id, delay);
            } else {
                self.work_outside(id);
            }
        }
    }

    fn work_outside(&mut self, id: usize) {
        match self.jobs[id].as_ref().map_or(0.0, |job| job.demand.outside) {
            work if work > 0.0 => self.cores.enter(id, work),
            _ => self.ask(id),
        }
    }

    pub(super) fn ask(&mut self, id: usize) {
        let deadline = self.now.saturating_add(nanos(self.settings.pool_connection_timeout_ms));
        let Some(job) = &mut self.jobs[id] else {
            return;
        };
        (job.asked, job.deadline) = (self.now, deadline);
        if self.pool.take() {
            self.lent(id);
        } else {
            self.pool.wait(id, deadline);
        }
        self.pool.open_if_short(self.now, nanos(self.settings.pool_connect_ms));
    }

    fn lent(&mut self, id: usize) {
        let Some(job) = &mut self.jobs[id] else {
            return;
        };
        job.lent = Some(self.now);
        self.meters.acquire.record(self.now, self.now - job.asked);
        self.database.enter(id, job.demand.database);
    }

    /// A call to another service while the connection is held: neither the database nor a core is busy with it.
    fn wait_inside(&mut self, id: usize) {
        match self.jobs[id].as_ref().map_or(0.0, |job| job.demand.held) {
            wait if wait > 0.0 => self.app.enter(id, wait),
            _ => self.work_inside(id),
        }
    }

    fn work_inside(&mut self, id: usize) {
        match self.jobs[id].as_ref().map_or(0.0, |job| job.demand.inside) {
            work if work > 0.0 => self.cores.enter(id, work),
            _ => self.give_back(id),
        }
    }

    fn give_back(&mut self, id: usize) {
        let lent = self.jobs[id].as_ref().and_then(|job| job.lent).unwrap_or(self.now);
        self.meters.usage.record_whole_ms(self.now, self.now - lent);
        self.pool.give_back();
        self.lend();
        self.end(id, Outcome::Served);
    }

    /// Idle connections go to those who wait; missing ones are opened.
    pub(super) fn lend(&mut self) {
        while let Some(id) = self.pool.serve_waiter(|id| self.jobs[id].as_ref().map_or(0, |job| job.deadline)) {
            self.lent(id);
        }
        self.pool.open_if_short(self.now, nanos(self.settings.pool_connect_ms));
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
        let status = if outcome == Outcome::Served { job.route.status } else { 503 };
        self.ended.push(Ended { token: job.token, outcome });
        if job.by == By::Itself {
            return;
        }
        let key = RequestKey { uri: job.route.uri, method: job.route.method, status };
        self.meters.request(key, self.now, self.now - job.begun);
        self.threads_busy -= 1;
        self.start_accepted();
    }
}
