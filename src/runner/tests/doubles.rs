//! Doubles of the ports around one small world: a pool that obeys (or does not), a load that answers, sources that read it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use tokio::sync::mpsc::UnboundedSender;

use crate::model::event::{Bound, ErrorKind, Gap, Limit, Reading, RequestKey, Sample, Tick, TickRow};
use crate::model::histogram::Histogram;
use crate::model::plan::{LoadModel, Plan, Setting, Values};
use crate::model::signal::{Signal, Value};
use crate::model::units::{Elapsed, Span};
use crate::ports::{Belongs, Clock, Engine, EngineError, EngineReport, Scraped, Scraper, Target, TargetError};

/// How the pool behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// Does what it is told.
    Obeys,
    /// Reads the new maximum back and uses the old one.
    Echoes,
    /// Keeps surplus connections when lowered.
    Keeps,
}

/// What the doubles share.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(super) struct World {
    pub(super) manner: Manner,
    pub(super) max: f64,
    pub(super) real: f64,
    pub(super) pending: f64,
    pub(super) started: f64,
    pub(super) alive: bool,
    /// The service comes back when it is asked whether it is ready.
    pub(super) revives: bool,
    pub(super) refuses: Vec<f64>,
    pub(super) silent: bool,
    pub(super) fails: bool,
    pub(super) load: Option<(LoadModel, Belongs)>,
    pub(super) applied: Vec<f64>,
    pub(super) drives: Vec<(LoadModel, Belongs)>,
    /// The service dies when this value is applied and the full load comes.
    pub(super) dies_at: Option<f64>,
    /// The load generator has no time left.
    pub(super) saturated: bool,
}

/// A world that behaves.
pub(super) fn world() -> Arc<Mutex<World>> {
    Arc::new(Mutex::new(World {
        manner: Manner::Obeys,
        max: 10.0,
        real: 10.0,
        pending: 3.0,
        started: 1000.0,
        alive: true,
        revives: true,
        refuses: vec![],
        silent: false,
        fails: false,
        load: None,
        applied: vec![],
        drives: vec![],
        dies_at: None,
        saturated: false,
    }))
}

pub(super) fn open(world: &Arc<Mutex<World>>) -> MutexGuard<'_, World> {
    world.lock().unwrap()
}

pub(super) struct FakeEngine {
    world: Arc<Mutex<World>>,
    clock: Arc<dyn Clock>,
    reports: UnboundedSender<EngineReport>,
    ticking: Option<tokio::task::JoinHandle<()>>,
}

impl FakeEngine {
    pub(super) fn new(world: Arc<Mutex<World>>, clock: Arc<dyn Clock>, reports: UnboundedSender<EngineReport>) -> Self {
        Self { world, clock, reports, ticking: None }
    }
}

fn row(world: &World, belongs: Belongs, at: Elapsed, tick: Span) -> TickRow {
    let mut latency = Histogram::default();
    let bad = world.fails || !world.alive;
    latency.record_n(20_000, if bad { 0 } else { 500 });
    let kind = if world.alive { ErrorKind::Status } else { ErrorKind::Refused };
    TickRow {
        failed: if bad { BTreeMap::from([(kind, 500)]) } else { BTreeMap::new() },
        latency,
        ..TickRow::new(RequestKey { scenario: "s".into(), name: "GET /".into(), ..RequestKey::default() }, belongs.cohort(at, tick))
    }
}

#[async_trait]
impl Engine for FakeEngine {
    async fn prepare(&mut self, plan: &Plan) -> Result<(), EngineError> {
        let (world, clock, reports, tick) = (self.world.clone(), self.clock.clone(), self.reports.clone(), plan.experiment.tick);
        self.ticking = Some(tokio::spawn(async move {
            for number in 0.. {
                let from = Elapsed(number * tick.as_micros());
                clock.sleep_until(from.plus(tick)).await;
                let rows: Vec<TickRow> = {
                    let w = open(&world);
                    w.load.map(|(_, belongs)| row(&w, belongs, from, tick)).into_iter().collect()
                };
                if open(&world).saturated {
                    let bound = Bound { source: "local".into(), from, to: from.plus(tick), limit: Limit::Cpu, figure: 0.97 };
                    let _gone = reports.send(EngineReport::Bound(bound));
                }
                let tick = Tick {
                    source: "local".into(),
                    number,
                    from,
                    to: from.plus(tick),
                    sent: 500,
                    iterations: rows.first().map(|r: &TickRow| r.latency.clone()).unwrap_or_default(),
                    rows,
                    ..Tick::default()
                };
                if reports.send(EngineReport::Tick(Box::new(tick))).is_err() {
                    return;
                }
            }
        }));
        Ok(())
    }

    async fn drive(&mut self, load: LoadModel, belongs: Belongs, _values: &Values) -> Result<(), EngineError> {
        let mut w = open(&self.world);
        w.load = Some((load, belongs));
        w.drives.push((load, belongs));
        if w.dies_at == Some(w.max) && belongs.phase == crate::model::event::Phase::Measure {
            w.alive = false;
            w.dies_at = None;
        }
        Ok(())
    }

    async fn hold(&mut self) -> Result<(), EngineError> {
        open(&self.world).load = None;
        Ok(())
    }

    fn in_flight(&self) -> u64 {
        0
    }

    async fn abandon(&mut self) -> Result<(), EngineError> {
        Ok(())
    }

    async fn close(&mut self) -> Result<(), EngineError> {
        if let Some(task) = self.ticking.take() {
            task.abort();
        }
        Ok(())
    }
}

pub(super) struct FakeTarget(pub(super) Arc<Mutex<World>>);

#[async_trait]
impl Target for FakeTarget {
    async fn ready(&mut self) -> Result<(), TargetError> {
        let mut w = open(&self.0);
        w.alive |= w.revives;
        if w.alive { Ok(()) } else { Err(TargetError::NotReady { doing: "asking".into(), within: Span::from_secs(1), last: "refused".into() }) }
    }

    async fn apply(&mut self, settings: &[(&Setting, f64)]) -> Result<Vec<String>, TargetError> {
        let mut w = open(&self.0);
        for (_, value) in settings {
            if w.refuses.contains(value) {
                return Err(TargetError::Refused { doing: "POST /admin".into(), answer: "400".into() });
            }
            w.max = *value;
            w.real = match w.manner {
                Manner::Obeys => *value,
                Manner::Echoes => w.real,
                Manner::Keeps => w.real.max(*value),
            };
            w.applied.push(*value);
        }
        Ok(settings.iter().map(|_| "POST /admin".to_owned()).collect())
    }

    fn by_hand(&self, _: &Setting, value: f64) -> String {
        format!("curl -d {value}")
    }

    async fn close(&mut self) {}
}

pub(super) struct FakeScraper(pub(super) Arc<Mutex<World>>);

#[async_trait]
impl Scraper for FakeScraper {
    fn source(&self) -> &'static str {
        "app"
    }

    fn every(&self) -> Span {
        Span::from_secs(1)
    }

    async fn scrape(&mut self, clock: &dyn Clock) -> Scraped {
        let (w, asked) = (open(&self.0), clock.now());
        if w.silent || !w.alive {
            return Scraped::Gap(Gap { source: "app".into(), instance: None, asked, reason: "404".into() });
        }
        let full = matches!(w.load, Some((LoadModel::Closed { users: 10 }, _)));
        let reading = |signal, v| Reading { signal, of: None, value: Value::Gauge(v) };
        let readings = vec![
            reading(Signal::PoolMax, w.max),
            reading(Signal::PoolTotal, w.real),
            reading(Signal::PoolPending, if full { w.pending } else { 0.0 }),
            reading(Signal::ProcessStarted, w.started),
        ];
        Scraped::Sample(Box::new(Sample { source: "app".into(), instance: None, asked, answered: asked, readings }))
    }
}
