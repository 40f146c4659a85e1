//! Open load: arrivals at a rate that ignores the answers, each one pass of a scenario by a user that is free, or a new one.

use std::sync::Arc;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::pass::pass;
use super::user::{Seat, User};
use super::{Place, Worker};
use crate::load::dial::Dial;
use crate::load::orders::{Desk, Who};
use crate::model::units::{Elapsed, Rate, Span};

/// Arrivals handled in a row before others get their turn.
const BURST: u32 = 32;

/// Evenly spaced arrivals from a point in time, dealt out to the workers in turn.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Schedule {
    since: Elapsed,
    rate: Rate,
    next: u64,
}

impl Schedule {
    const fn new(since: Elapsed, rate: Rate, place: Place) -> Self {
        Self { since, rate, next: place.index }
    }

    /// When the next arrival is due; none without a rate.
    fn due(&self) -> Option<Elapsed> {
        let rate = self.rate.as_per_second();
        (rate > 0.0).then(|| self.since.plus(Span::from_secs_f64((self.next as f64 + 0.5) / rate)))
    }

    const fn advance(&mut self, place: Place) {
        self.next += place.of;
    }
}

/// Lets arrivals begin as long as the orders want any.
pub(super) async fn run<D: Dial>(worker: Arc<Worker<D>>) {
    let mut schedule = Schedule::new(Elapsed::ZERO, Rate::per_second(0.0), worker.place);
    let mut hall = Hall::new(&worker);
    let mut burst = 0;
    loop {
        let mut changed = std::pin::pin!(worker.desk.changed());
        changed.as_mut().enable();
        let orders = worker.desk.read();
        let Some((rate, most)) = orders.arrivals() else {
            changed.await;
            continue;
        };
        if schedule.since != orders.since || schedule.rate != rate {
            schedule = Schedule::new(orders.since, rate, worker.place);
        }
        let Some(due) = schedule.due() else {
            changed.await;
            continue;
        };
        if worker.now() < due {
            burst = 0;
            tokio::select! {
                biased;
                () = changed => continue,
                () = worker.pacer.until(worker.instant(due)) => {}
            }
            if worker.desk.read() != orders {
                continue;
            }
        }
        hall.arrive(&worker, due, most);
        schedule.advance(worker.place);
        burst += 1;
        if burst >= BURST {
            burst = 0;
            tokio::task::yield_now().await;
        }
    }
}

/// Users of an open load that are free, by scenario.
struct Hall<S> {
    free: Arc<Vec<std::sync::Mutex<Vec<User<S>>>>>,
    hired: u64,
    rng: ChaCha8Rng,
}

impl<S: Send + 'static> Hall<S> {
    fn new<D: Dial<Stream = S>>(worker: &Worker<D>) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(worker.seed ^ 0xA441);
        rng.set_stream(worker.place.index);
        Self { free: Arc::new(worker.job.flows.iter().map(|_| std::sync::Mutex::default()).collect()), hired: 0, rng }
    }

    fn arrive<D: Dial<Stream = S>>(&mut self, worker: &Arc<Worker<D>>, due: Elapsed, most: u64) {
        let now = worker.now();
        worker.book().planned(now, 1);
        if !worker.desk.take_place(most) {
            worker.book().dropped(now);
            return;
        }
        let place = Taken(Arc::clone(&worker.desk));
        let flow = worker.job.shares.draw(&mut self.rng);
        let user = lock(&self.free, flow).and_then(|mut free| free.pop()).unwrap_or_else(|| {
            self.hired += 1;
            User::new(worker, worker.place.number(self.hired), flow)
        });
        let seat = worker.book().sit();
        let task = tokio::spawn(visit(Seat::new(Arc::clone(worker), seat), user, due, Arc::clone(&self.free), place));
        worker.book().bind(seat, task.abort_handle());
    }
}

type Free<S> = Vec<std::sync::Mutex<Vec<User<S>>>>;

fn lock<S>(free: &Free<S>, flow: usize) -> Option<std::sync::MutexGuard<'_, Vec<User<S>>>> {
    free.get(flow).map(|f| f.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
}

async fn visit<D: Dial>(seat: Seat<D>, mut user: User<D::Stream>, due: Elapsed, free: Arc<Free<D::Stream>>, place: Taken) {
    pass(&seat, &mut user, Who::Arrival, due).await;
    if let Some(mut free) = lock(&free, user.flow) {
        free.push(user);
    }
    drop(place);
}

/// A place under `max_users`, given back however the visit ends.
struct Taken(Arc<Desk>);

impl Drop for Taken {
    fn drop(&mut self) {
        self.0.give_back();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrivals_are_evenly_spaced_and_shared() {
        let places = [Place { index: 0, of: 2 }, Place { index: 1, of: 2 }];
        let mut due: Vec<u64> = Vec::new();
        for place in places {
            let mut schedule = Schedule::new(Elapsed(1000), Rate::per_second(1000.0), place);
            for _ in 0..3 {
                due.extend(schedule.due().map(Elapsed::as_micros));
                schedule.advance(place);
            }
        }
        due.sort_unstable();
        assert_eq!(due, [1500, 2500, 3500, 4500, 5500, 6500]);
    }

    #[test]
    fn no_rate_no_arrival() {
        assert_eq!(Schedule::new(Elapsed(5), Rate::per_second(0.0), Place { index: 0, of: 1 }).due(), None);
    }
}
