//! Users that come: at a rate that ignores the answers, or along a time line. An arrival that makes one pass is the work of a user that is
//! free, or of a new one; who stays for longer is always new.

use std::sync::Arc;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::Worker;
use super::pass::{Pass, pass};
use super::user::{Seat, User};
use super::visit::{Stay, stay};
use crate::load::course::{Comings, Courses};
use crate::load::dial::Dial;
use crate::load::orders::{Orders, Places, Taken, Who};
use crate::model::plan::LoadModel;
use crate::model::units::{Elapsed, Span};

/// Arrivals handled in a row before others get their turn.
const BURST: u32 = 32;

/// What comes to this worker under one load, in order.
struct Timetable {
    of: Option<LoadModel>,
    since: Elapsed,
    lanes: Vec<Lane>,
    places: Arc<Places>,
}

/// The arrivals of one course of one population.
struct Lane {
    crowd: usize,
    most: u64,
    comings: Comings,
}

impl Timetable {
    fn new<D: Dial>(worker: &Worker<D>, load: Option<LoadModel>, since: Elapsed, rng: &mut ChaCha8Rng) -> Self {
        let mut lanes = Vec::new();
        match load {
            Some(LoadModel::Open { rate, max_users }) => {
                let courses = Courses::constant(rate, worker.job.arrivals);
                add_lanes(&mut lanes, worker, 0, u64::from(max_users), courses, rng);
            }
            Some(LoadModel::Line) => {
                for (crowd, known) in worker.job.line.iter().flat_map(|line| &line.crowds).enumerate() {
                    add_lanes(&mut lanes, worker, crowd, known.most, known.courses.clone(), rng);
                }
            }
            _ => {}
        }
        Self { of: load, since, lanes, places: worker.desk.places() }
    }

    fn is_of(&self, load: LoadModel, orders: &Orders) -> bool {
        self.of == Some(load) && self.since == orders.since
    }

    /// Which lane has the next arrival, and when that is due.
    fn next(&self) -> Option<(usize, Elapsed)> {
        let due = |(lane, l): (usize, &Lane)| l.comings.next().map(|at| (lane, self.since.plus(at)));
        self.lanes.iter().enumerate().filter_map(due).min_by_key(|(_, due)| *due)
    }
}

fn add_lanes<D: Dial>(lanes: &mut Vec<Lane>, worker: &Worker<D>, crowd: usize, most: u64, courses: Courses, rng: &mut ChaCha8Rng) {
    let place = worker.place;
    // Each population begins with another worker: lone users of several populations do not all meet at the first one.
    let first = (place.index + crowd as u64) % place.of;
    lanes.push(Lane { crowd, most, comings: Comings::even(courses.even, first, place.of) });
    lanes.push(Lane { crowd, most, comings: Comings::random(courses.random, place.of, ChaCha8Rng::from_rng(rng)) });
    lanes.retain(|lane| lane.comings.next().is_some());
}

/// Lets users come as long as the orders want any.
pub(super) async fn run<D: Dial>(worker: Arc<Worker<D>>) {
    let mut hall = Hall::new(&worker);
    let mut table = Timetable::new(&worker, None, Elapsed::ZERO, &mut hall.rng);
    let mut burst = 0;
    loop {
        let mut changed = std::pin::pin!(worker.desk.changed());
        changed.as_mut().enable();
        let orders = worker.desk.read();
        let Some(load) = orders.arrivals() else {
            changed.await;
            continue;
        };
        if !table.is_of(load, &orders) {
            table = Timetable::new(&worker, Some(load), orders.since, &mut hall.rng);
            hall.make_ready(&worker);
        }
        let Some((lane, due)) = table.next() else {
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
        if let Some(lane) = table.lanes.get_mut(lane) {
            hall.arrive(&worker, &table.places, lane, load, table.since, due);
            lane.comings.advance();
        }
        burst += 1;
        if burst >= BURST {
            burst = 0;
            tokio::task::yield_now().await;
        }
    }
}

/// Users that are free, by scenario.
struct Hall<S> {
    free: Arc<Free<S>>,
    hired: u64,
    rng: ChaCha8Rng,
}

impl<S: Send + 'static> Hall<S> {
    fn new<D: Dial<Stream = S>>(worker: &Worker<D>) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(worker.seed ^ 0xA441);
        rng.set_stream(worker.place.index);
        Self { free: Arc::new(worker.job.flows.iter().map(|_| std::sync::Mutex::default()).collect()), hired: 0, rng }
    }

    /// Makes the users that the plan wants before the first arrival, once.
    fn make_ready<D: Dial<Stream = S>>(&mut self, worker: &Worker<D>) {
        let wanted = worker.place.share(u64::from(worker.job.prestart));
        while self.hired < wanted {
            let flow = worker.job.shares.draw(&mut self.rng);
            let user = self.hire(worker, flow);
            if let Some(mut free) = lock(&self.free, flow) {
                free.push(user);
            }
        }
    }

    fn hire<D: Dial<Stream = S>>(&mut self, worker: &Worker<D>, flow: usize) -> User<S> {
        self.hired += 1;
        User::new(worker, worker.place.number(self.hired), flow)
    }

    fn arrive<D: Dial<Stream = S>>(
        &mut self,
        worker: &Arc<Worker<D>>,
        places: &Arc<Places>,
        lane: &Lane,
        load: LoadModel,
        since: Elapsed,
        due: Elapsed,
    ) {
        let now = worker.now();
        if !worker.job.take_pass() {
            return;
        }
        worker.book().planned(now, 1);
        let Some(place) = places.take(lane.crowd, lane.most) else {
            worker.book().dropped(now);
            return;
        };
        let crowd = worker.job.line.as_ref().filter(|_| load == LoadModel::Line).and_then(|line| line.crowds.get(lane.crowd));
        let flow = crowd.map_or(&worker.job.shares, |c| &c.shares).draw(&mut self.rng);
        let who = if crowd.is_some() { Who::Comer { since } } else { Who::Arrival };
        let line_end = since.plus(worker.job.line.as_ref().map_or(Span::ZERO, |line| line.length));
        let long = crowd.and_then(|c| Stay::of(c.passes, due, line_end));
        let known = if long.is_none() { lock(&self.free, flow).and_then(|mut free| free.pop()) } else { None };
        let user = known.unwrap_or_else(|| self.hire(worker, flow));
        let seat = worker.book().sit();
        let at = Seat::new(Arc::clone(worker), seat);
        let task = match long {
            None => tokio::spawn(visit(at, user, who, due, Arc::clone(&self.free), place)),
            Some(long) => tokio::spawn(stay(at, user, who, due, long, place)),
        };
        worker.book().bind(seat, task.abort_handle());
    }
}

type Free<S> = Vec<std::sync::Mutex<Vec<User<S>>>>;

fn lock<S>(free: &Free<S>, flow: usize) -> Option<std::sync::MutexGuard<'_, Vec<User<S>>>> {
    free.get(flow).map(|f| f.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
}

/// One pass; the user is free again behind it.
async fn visit<D: Dial>(seat: Seat<D>, mut user: User<D::Stream>, who: Who, due: Elapsed, free: Arc<Free<D::Stream>>, place: Taken) {
    if matches!(pass(&seat, &mut user, who, due).await, Pass::Dry | Pass::Stuck { .. }) {
        seat.drop_arrival();
    }
    if let Some(mut free) = lock(&free, user.flow) {
        free.push(user);
    }
    drop(place);
}
