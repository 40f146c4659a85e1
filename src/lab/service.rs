//! The model made live: one lock around the engine, one timekeeper thread that sleeps until the next thing is due, and answers handed to
//! the requests that wait for them.
//!
//! A thread of its own because an asynchronous timer counts in whole milliseconds, which would bend every hold of some ten milliseconds.
//! Knows the clock and threads; knows nothing of HTTP.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::demand::Work;
use super::engine::{Ended, Engine, Outcome, Route};
use super::error::LabError;
use super::settings::{Settings, SettingsChange};
use super::station::Nanos;

/// Where the answer to a request goes; a caller who left has dropped its end, and the work goes on all the same.
type Reply = oneshot::Sender<Outcome>;

#[derive(Debug)]
struct Model {
    engine: Engine<Reply>,
    /// Until when the timekeeper sleeps; an earlier event has to wake it.
    asleep_until: Option<Nanos>,
    ending: bool,
}

/// The running service, without its sockets.
#[derive(Debug)]
pub(super) struct Service {
    model: Mutex<Model>,
    earlier: Condvar,
    start: Instant,
}

impl Service {
    /// A service and the thread that keeps its time.
    pub(super) fn start(settings: Settings, seed: u64) -> Result<(Arc<Self>, Timekeeper), LabError> {
        let model = Model { engine: Engine::new(settings, seed), asleep_until: None, ending: false };
        let service = Arc::new(Self { model: Mutex::new(model), earlier: Condvar::new(), start: Instant::now() });
        let kept = Arc::clone(&service);
        let thread = std::thread::Builder::new()
            .name("lab-timekeeper".into())
            .spawn(move || kept.keep_time())
            .map_err(|source| LabError::Timekeeper { source })?;
        Ok((Arc::clone(&service), Timekeeper { service, thread: Some(thread) }))
    }

    /// A request for work arrives: where its answer will come, or `None` when nobody may take it.
    pub(super) fn submit(&self, route: Route) -> Option<oneshot::Receiver<Outcome>> {
        let (reply, answer) = oneshot::channel();
        let (taken, ended) = self.at_now(|engine| engine.arrive(route, reply).is_ok());
        deliver(ended);
        taken.then_some(answer)
    }

    /// The service works for itself: where the end of that will be told.
    pub(super) fn background(&self, work: Work) -> oneshot::Receiver<Outcome> {
        let (reply, end) = oneshot::channel();
        let ((), ended) = self.at_now(|engine| engine.background(work, reply));
        deliver(ended);
        end
    }

    /// Changes settings, whole or not at all; the settings as they are then.
    pub(super) fn change(&self, change: &SettingsChange) -> Result<Settings, LabError> {
        let (changed, ended) = self.at_now(|engine| {
            let settings = change.applied_to(&engine.settings)?;
            engine.change(settings.clone());
            Ok(settings)
        });
        deliver(ended);
        changed
    }

    /// Looks at (or writes into) the model as it is now.
    pub(super) fn look<R>(&self, at: impl FnOnce(&mut Engine<Reply>) -> R) -> R {
        let (seen, ended) = self.at_now(at);
        deliver(ended);
        seen
    }

    fn at_now<R>(&self, act: impl FnOnce(&mut Engine<Reply>) -> R) -> (R, Vec<Ended<Reply>>) {
        let mut model = self.lock();
        let now = self.now();
        model.engine.run_to(now);
        let result = act(&mut model.engine);
        let due = model.engine.due();
        let wake = match (due, model.asleep_until) {
            (Some(due), Some(until)) => due < until,
            (Some(_), None) => true,
            (None, _) => false,
        };
        if wake {
            // Said once: until it has woken, further early events need not wake it again.
            model.asleep_until = due;
        }
        let ended = model.engine.take_ended();
        drop(model);
        if wake {
            self.earlier.notify_one();
        }
        (result, ended)
    }

    fn keep_time(&self) {
        let mut model = self.lock();
        while !model.ending {
            let now = self.now();
            model.engine.run_to(now);
            let ended = model.engine.take_ended();
            if !ended.is_empty() {
                drop(model);
                deliver(ended);
                model = self.lock();
                continue;
            }
            let due = model.engine.due();
            model.asleep_until = due;
            let sleep = due.map_or(Duration::from_secs(1), |due| Duration::from_nanos(due.saturating_sub(now)));
            model = self.earlier.wait_timeout(model, sleep).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn now(&self) -> Nanos {
        Nanos::try_from(self.start.elapsed().as_nanos()).unwrap_or(Nanos::MAX)
    }

    fn lock(&self) -> MutexGuard<'_, Model> {
        self.model.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn deliver(ended: Vec<Ended<Reply>>) {
    for Ended { token, outcome } in ended {
        // A caller who left does not read its answer; that is no fault of the service.
        let _left = token.send(outcome);
    }
}

/// Ends the timekeeper thread when dropped.
#[derive(Debug)]
pub(super) struct Timekeeper {
    service: Arc<Service>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Timekeeper {
    fn drop(&mut self) {
        self.service.lock().ending = true;
        self.service.earlier.notify_one();
        if let Some(thread) = self.thread.take() {
            let _panicked = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::presets;

    fn route() -> Route {
        Route::usual("/api/tickets".into(), "GET")
    }

    fn settings() -> Settings {
        Settings { db_demand_ms: 0.1, demand_cv: 0.0, ..presets::find("ticketing").unwrap().service }
    }

    #[tokio::test]
    async fn a_request_is_answered() {
        let (service, _timekeeper) = Service::start(settings(), 1).unwrap();
        assert_eq!(service.submit(route()).unwrap().await.unwrap(), Outcome::Served);
        assert_eq!(service.look(|engine| engine.meters.usage.count), 1);
    }

    #[tokio::test]
    async fn work_goes_on_for_a_caller_who_left() {
        let (service, _timekeeper) = Service::start(settings(), 1).unwrap();
        drop(service.submit(route()));
        assert_eq!(service.submit(route()).unwrap().await.unwrap(), Outcome::Served);
        while service.look(|engine| engine.meters.usage.count) < 2 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn beyond_threads_and_queue_nobody_is_taken() {
        let narrow = Settings { threads_max: 1, accept_count: 1, db_demand_ms: 10_000.0, ..settings() };
        let (service, _timekeeper) = Service::start(narrow, 1).unwrap();
        let _first = service.submit(route()).unwrap();
        let _second = service.submit(route()).unwrap();
        assert!(service.submit(route()).is_none());
    }

    #[tokio::test]
    async fn a_bad_change_changes_nothing() {
        let (service, _timekeeper) = Service::start(settings(), 1).unwrap();
        let bad = SettingsChange::parse(br#"{"pool_max": 5, "threads_max": 0}"#).unwrap();
        assert!(service.change(&bad).is_err());
        assert_eq!(service.look(|engine| engine.settings.clone()), settings());
        let good = SettingsChange::parse(br#"{"pool_max": 5}"#).unwrap();
        assert_eq!(service.change(&good).unwrap().pool_max, 5);
    }
}
