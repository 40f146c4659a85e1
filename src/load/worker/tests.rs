//! A worker in virtual time against a service in memory: what it counts can be worked out by hand.

mod flows;
mod line;
mod stall;

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use super::{Place, Worker};
use crate::load::book::{Book, Part, Row};
use crate::load::collect::Note;
use crate::load::compile::Job;
use crate::load::dial::{Dial, Missed};
use crate::load::host::Origin;
use crate::load::orders::Desk;
use crate::load::pace::Pacer;
use crate::load::testkit;
use crate::model::event::{ErrorKind, Phase, StepId};
use crate::model::histogram::Histogram;
use crate::model::plan::{LoadModel, Plan, Think};
use crate::model::units::{Rate, Span};
use crate::ports::Belongs;

const MEASURE: Belongs = Belongs { step: StepId(0), phase: Phase::Measure };

#[derive(Clone, Copy)]
enum Dialling {
    Works,
    Fails(io::ErrorKind),
    Hangs,
}

/// Answers every request `takes` after it came, but none while it stands still.
#[derive(Clone)]
struct Service {
    takes: Duration,
    stands_still: Arc<Mutex<(Instant, Instant)>>,
    dialling: Dialling,
    seen: Arc<AtomicU64>,
}

impl Service {
    fn taking(ms: u64) -> Self {
        let now = Instant::now();
        Self { takes: Duration::from_millis(ms), stands_still: Arc::new(Mutex::new((now, now))), dialling: Dialling::Works, seen: Arc::default() }
    }

    async fn serve(self, mut stream: DuplexStream) {
        let mut buffer = [0; 4096];
        while stream.read(&mut buffer).await.is_ok_and(|n| n > 0) {
            self.seen.fetch_add(1, Ordering::Relaxed);
            sleep(self.takes).await;
            let (from, to) = *self.stands_still.lock().unwrap();
            if (from..to).contains(&Instant::now()) {
                tokio::time::sleep_until(to).await;
            }
            if stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await.is_err() {
                return;
            }
        }
    }
}

impl Dial for Service {
    type Stream = DuplexStream;

    async fn dial(&self, _origin: &Origin) -> Result<DuplexStream, Missed> {
        match self.dialling {
            Dialling::Works => {}
            Dialling::Fails(kind) => return Err(io::Error::from(kind).into()),
            Dialling::Hangs => std::future::pending().await,
        }
        let (ours, theirs) = duplex(4096);
        tokio::spawn(self.clone().serve(theirs));
        Ok(ours)
    }
}

struct Rig<D: Dial = Service> {
    worker: Arc<Worker<D>>,
    notes: Receiver<Note>,
    task: JoinHandle<()>,
}

impl Rig {
    fn new(plan: &Plan, service: &Service) -> Self {
        Self::with(Job::compile(plan, vec![testkit::origin()]).unwrap(), service)
    }
}

impl<D: Dial + Clone> Rig<D> {
    fn with(job: Job, service: &D) -> Self {
        let (out, notes) = channel();
        let job = Arc::new(job);
        let worker = Arc::new(Worker {
            book: Mutex::new(Book::new(job.tick, job.timeout, 0, out.clone())),
            job,
            desk: Arc::new(Desk::new()),
            dial: service.clone(),
            pools: Vec::new(),
            epoch: Instant::now(),
            pacer: Pacer::virtual_time(),
            place: Place { index: 0, of: 1 },
            seed: 5,
            out,
        });
        let task = tokio::spawn(Arc::clone(&worker).run());
        Self { worker, notes, task }
    }

    fn drive(&self, load: LoadModel) {
        self.worker.desk.drive(load, MEASURE, self.worker.now());
    }

    async fn end(self) -> Vec<Part> {
        self.worker.desk.end(self.worker.now());
        self.task.await.unwrap();
        self.notes.try_iter().filter_map(|n| if let Note::Part(p) = n { Some(*p) } else { None }).collect()
    }
}

fn merged(parts: &[Part], which: impl Fn(&Row) -> &Histogram) -> Histogram {
    let mut all = Histogram::default();
    parts.iter().flat_map(|p| &p.rows).for_each(|r| all.merge(which(r)));
    all
}

fn open(rate: f64) -> LoadModel {
    LoadModel::Open { rate: Rate::per_second(rate), max_users: 10_000 }
}

fn seconds(s: u64) -> Duration {
    Duration::from_secs(s)
}

#[tokio::test(start_paused = true)]
async fn few_users_make_arrivals_late_not_fast() {
    let service = Service::taking(100);
    let rig = Rig::new(&testkit::plan("http://127.0.0.1:1"), &service);
    rig.drive(LoadModel::Open { rate: Rate::per_second(100.0), max_users: 5 });
    sleep(seconds(10)).await;
    let parts = rig.end().await;
    let (planned, dropped): (f64, u64) = (parts.iter().filter_map(|p| p.planned).sum(), parts.iter().map(|p| p.dropped).sum());
    let sent: u64 = parts.iter().map(|p| p.sent).sum();
    assert!((planned - 1000.0).abs() <= 1.0, "{planned}");
    assert_eq!(sent + dropped, 1000);
    assert!((450..=500).contains(&sent), "five users of 100 ms can take 50/s: {sent}");
}

#[tokio::test(start_paused = true)]
async fn exactly_so_many_passes_are_begun() {
    for load in [LoadModel::Closed { users: 7 }, open(100.0)] {
        let service = Service::taking(30);
        let mut plan = testkit::plan("http://127.0.0.1:1");
        plan.load.passes = Some(23);
        let rig = Rig::new(&plan, &service);
        rig.drive(load);
        sleep(seconds(5)).await;
        let parts = rig.end().await;
        let sum = |of: fn(&Part) -> u64| parts.iter().map(of).sum::<u64>();
        assert_eq!((sum(|p| p.sent), sum(|p| p.dropped), sum(|p| p.iterations.count())), (23, 0, 23), "{load:?}");
        assert_eq!(service.seen.load(Ordering::Relaxed), 23);
    }
}

#[tokio::test(start_paused = true)]
async fn closed_load_obeys_littles_law() {
    let service = Service::taking(50);
    let mut plan = testkit::plan("http://127.0.0.1:1");
    plan.scenarios[0].think = Some(Think::Exponential(Span::from_millis(150)));
    let rig = Rig::new(&plan, &service);
    rig.drive(LoadModel::Closed { users: 40 });
    sleep(seconds(60)).await;
    let parts = rig.end().await;
    let latency = merged(&parts, |r| &r.latency);
    let rate = latency.count() as f64 / 60.0;
    // 40 users, 50 ms answers, 150 ms of thought: 200 a second.
    assert!((rate - 200.0).abs() < 6.0, "{rate}");
    assert!((latency.mean_s().unwrap() - 0.051).abs() < 0.0015, "{:?}", latency.mean_s());
    assert!(parts.iter().skip(1).take(500).all(|p| p.users == 40));
}

#[tokio::test(start_paused = true)]
async fn new_users_do_not_march_in_step() {
    let service = Service::taking(1);
    let mut plan = testkit::plan("http://127.0.0.1:1");
    plan.scenarios[0].think = Some(Think::Fixed(Span::from_secs(1)));
    let rig = Rig::new(&plan, &service);
    rig.drive(LoadModel::Closed { users: 200 });
    sleep(seconds(5)).await;
    rig.worker.desk.hold();
    sleep(seconds(5)).await;
    rig.drive(LoadModel::Closed { users: 200 });
    sleep(seconds(5)).await;
    let parts = rig.end().await;
    let most = parts.iter().map(|p| p.sent).max().unwrap();
    assert!(most < 60, "a tenth of a second should hold about 20 of 200 starts, not {most}");
    let held: u64 = parts[52..98].iter().map(|p| p.sent).sum();
    assert_eq!(held, 0);
}

#[tokio::test(start_paused = true)]
async fn more_and_fewer_users_act_at_once() {
    let service = Service::taking(10);
    let rig = Rig::new(&testkit::plan("http://127.0.0.1:1"), &service);
    rig.drive(LoadModel::Closed { users: 30 });
    sleep(seconds(1)).await;
    rig.drive(LoadModel::Closed { users: 100 });
    sleep(Duration::from_millis(20)).await;
    assert_eq!(rig.worker.book().in_flight(), 100);
    rig.drive(LoadModel::Closed { users: 10 });
    sleep(Duration::from_millis(20)).await;
    assert_eq!(rig.worker.book().in_flight(), 10);
    rig.end().await;
}

#[tokio::test(start_paused = true)]
async fn users_that_only_think_leave_at_once() {
    let service = Service::taking(1);
    let mut plan = testkit::plan("http://127.0.0.1:1");
    plan.scenarios[0].think = Some(Think::Fixed(Span::from_secs(3600)));
    let rig = Rig::new(&plan, &service);
    rig.drive(LoadModel::Closed { users: 50 });
    sleep(seconds(1)).await;
    rig.drive(LoadModel::Closed { users: 2 });
    sleep(seconds(1)).await;
    let parts = rig.end().await;
    assert_eq!((parts[5].users, parts[15].users), (50, 2));
}

#[tokio::test(start_paused = true)]
async fn a_refused_user_waits_longer_each_time() {
    let mut service = Service::taking(1);
    service.dialling = Dialling::Fails(io::ErrorKind::ConnectionRefused);
    let rig = Rig::new(&testkit::plan("http://127.0.0.1:1"), &service);
    rig.drive(LoadModel::Closed { users: 1 });
    sleep(seconds(60)).await;
    let parts = rig.end().await;
    let failed: BTreeMap<ErrorKind, u64> =
        [ErrorKind::Refused, ErrorKind::Timeout].map(|k| (k, parts.iter().flat_map(|p| &p.rows).map(|r| r.failed_count(k)).sum())).into();
    // Six pauses up to a second, then about one a second.
    assert!((55..=80).contains(&failed[&ErrorKind::Refused]), "{failed:?}");
    assert_eq!(failed[&ErrorKind::Timeout], 0);
    assert!(merged(&parts, |r| &r.failed_latency).max().unwrap() < Span::from_millis(5), "the pause is nobody's latency");
}

#[tokio::test(start_paused = true)]
async fn connections_that_can_not_be_made_are_told_apart() {
    for (dialling, kind) in [
        (Dialling::Hangs, ErrorKind::ConnectTimeout),
        (Dialling::Fails(io::ErrorKind::AddrNotAvailable), ErrorKind::LocalPorts),
        (Dialling::Fails(io::ErrorKind::ConnectionRefused), ErrorKind::Refused),
    ] {
        let mut service = Service::taking(1);
        service.dialling = dialling;
        let rig = Rig::new(&testkit::plan("http://127.0.0.1:1"), &service);
        rig.drive(LoadModel::Closed { users: 3 });
        sleep(seconds(10)).await;
        rig.worker.desk.hold();
        sleep(seconds(3)).await;
        let parts = rig.end().await;
        let (sent, failed): (u64, u64) = (parts.iter().map(|p| p.sent).sum(), parts.iter().flat_map(|p| &p.rows).map(|r| r.failed_count(kind)).sum());
        assert!(sent >= 9 && failed == sent, "{kind:?}: {failed} of {sent}");
        let shortest = merged(&parts, |r| &r.failed_latency).quantile(0.0).unwrap();
        assert_eq!(shortest >= Span::from_secs(2), kind == ErrorKind::ConnectTimeout, "{kind:?}: {shortest}");
    }
}

#[tokio::test(start_paused = true)]
async fn passes_of_several_steps_are_timed_as_a_whole() {
    let service = Service::taking(20);
    let mut plan = testkit::plan("http://127.0.0.1:1");
    let mut first = plan.scenarios[0].steps[0].clone();
    first.think = Some(Think::Fixed(Span::from_millis(100)));
    plan.scenarios[0].steps = vec![first.clone(), first];
    let rig = Rig::new(&plan, &service);
    rig.drive(LoadModel::Closed { users: 1 });
    sleep(seconds(10)).await;
    let parts = rig.end().await;
    let mut passes = Histogram::default();
    for part in &parts {
        passes.merge(&part.iterations);
    }
    // Two answers of 20 ms and one thought between them; the thought after the last step is no part of the pass.
    assert!((140..=143).contains(&(passes.quantile(0.5).unwrap().as_micros() / 1000)), "{:?}", passes.quantile(0.5));
    assert!((39..=42).contains(&passes.count()), "{}", passes.count());
}

#[test]
fn everything_is_dealt_out_once() {
    for n in [0, 1, 2, 7, 100] {
        let shares: u64 = (0..3).map(|index| Place { index, of: 3 }.share(n)).sum();
        assert_eq!(shares, n);
    }
    let mut numbers: Vec<u64> =
        (0..3).flat_map(|index| (0..Place { index, of: 3 }.share(7)).map(move |n| Place { index, of: 3 }.number(n))).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..7).collect::<Vec<_>>());
}
