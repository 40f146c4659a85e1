//! An engine with its reports gathered, and plans for it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use plimsoll::load::LocalEngine;
use plimsoll::model::event::{ErrorKind, Phase, StepId, Tick, TickRow};
use plimsoll::model::histogram::Histogram;
use plimsoll::model::plan::{
    Design, Experiment, LoadModel, LoadPlan, MeasureRule, Objective, Order, Plan, RequestPlan, Scenario, ScenarioStep, TargetPlan, Values,
};
use plimsoll::model::units::{Elapsed, Rate, Span};
use plimsoll::ports::{Belongs, Clock, Engine, EngineReport};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

pub(crate) const MEASURE: Belongs = Belongs { step: StepId(0), phase: Phase::Measure };

struct RealClock(Instant);

#[async_trait::async_trait]
impl Clock for RealClock {
    fn now(&self) -> Elapsed {
        Elapsed(u64::try_from(self.0.elapsed().as_micros()).unwrap())
    }

    fn epoch(&self) -> Instant {
        self.0
    }

    fn wall(&self) -> String {
        String::new()
    }

    async fn sleep_until(&self, at: Elapsed) {
        tokio::time::sleep_until((self.0 + Duration::from_micros(at.as_micros())).into()).await;
    }
}

pub(crate) struct Rig {
    pub(crate) engine: LocalEngine,
    reports: UnboundedReceiver<EngineReport>,
}

impl Rig {
    pub(crate) async fn new(plan: &Plan, workers: usize) -> Self {
        Self::with_files(plan, workers, Path::new("")).await
    }

    /// An engine whose feeders and bodies are in this folder.
    pub(crate) async fn with_files(plan: &Plan, workers: usize, folder: &Path) -> Self {
        let mut rig = Self::unprepared(workers, folder);
        rig.engine.prepare(plan).await.unwrap();
        rig
    }

    /// Why a plan is refused.
    pub(crate) async fn refused(plan: &Plan, folder: &Path) -> String {
        Self::unprepared(1, folder).engine.prepare(plan).await.unwrap_err().to_string()
    }

    fn unprepared(workers: usize, folder: &Path) -> Self {
        let clock: Arc<dyn Clock> = Arc::new(RealClock(Instant::now()));
        let (tell, reports) = unbounded_channel();
        Self { engine: LocalEngine::new(clock, tell, 7, Some(workers)).files(folder.to_path_buf()), reports }
    }

    pub(crate) async fn closed(&mut self, users: u32) {
        self.engine.drive(LoadModel::Closed { users }, MEASURE, &Values::default()).await.unwrap();
    }

    pub(crate) async fn open(&mut self, rate: f64, max_users: u32) {
        self.engine.drive(LoadModel::Open { rate: Rate::per_second(rate), max_users }, MEASURE, &Values::default()).await.unwrap();
    }

    /// Holds, and waits until nothing is under way.
    pub(crate) async fn drain(&mut self) {
        self.engine.hold().await.unwrap();
        while self.engine.in_flight() > 0 {
            pause(2).await;
        }
    }

    /// Closes the engine and returns everything it said.
    pub(crate) async fn close(mut self) -> Said {
        self.engine.close().await.unwrap();
        let mut said = Said::default();
        while let Ok(report) = self.reports.try_recv() {
            match report {
                EngineReport::Tick(tick) => said.ticks.push(*tick),
                EngineReport::Warning(text) => said.warnings.push(text),
                EngineReport::Bound(bound) => said.warnings.push(bound.to_string()),
                EngineReport::Broken(error) => panic!("{error}"),
            }
        }
        said
    }
}

#[derive(Default)]
pub(crate) struct Said {
    pub(crate) ticks: Vec<Tick>,
    pub(crate) warnings: Vec<String>,
}

impl Said {
    pub(crate) fn sent(&self) -> u64 {
        self.ticks.iter().map(|t| t.sent).sum()
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = &TickRow> {
        self.ticks.iter().flat_map(|t| &t.rows)
    }

    pub(crate) fn finished(&self) -> u64 {
        self.rows().map(TickRow::finished).sum()
    }

    pub(crate) fn finished_by_name(&self) -> BTreeMap<String, u64> {
        let mut names = BTreeMap::new();
        for row in self.rows() {
            *names.entry(row.key.name.clone()).or_default() += row.finished();
        }
        names
    }

    pub(crate) fn failed(&self) -> BTreeMap<ErrorKind, u64> {
        let mut kinds = BTreeMap::new();
        for (kind, n) in self.rows().flat_map(|r| &r.failed) {
            *kinds.entry(*kind).or_default() += n;
        }
        kinds
    }

    /// Requests that went out once more over another connection.
    pub(crate) fn stale(&self) -> u64 {
        self.rows().map(|r| r.stale).sum()
    }

    pub(crate) fn merged(&self, which: impl Fn(&TickRow) -> &Histogram) -> Histogram {
        let mut all = Histogram::default();
        self.rows().for_each(|r| all.merge(which(r)));
        all
    }
}

pub(crate) async fn pause(ms: u64) {
    tokio::time::sleep(Duration::from_millis(ms)).await;
}

pub(crate) fn get(path: &str) -> RequestPlan {
    RequestPlan { name: path.to_owned(), ..RequestPlan::new("GET", path) }
}

pub(crate) fn step(request: RequestPlan) -> ScenarioStep {
    ScenarioStep::of(request)
}

pub(crate) fn scenario(steps: Vec<ScenarioStep>) -> Scenario {
    Scenario::new("s".to_owned(), steps)
}

pub(crate) fn plan(url: &str, scenarios: Vec<Scenario>) -> Plan {
    Plan {
        name: "test".to_owned(),
        target: TargetPlan { url: url.to_owned(), instances: Vec::new(), allow: Vec::new(), ready: None, process: None },
        settings: Vec::new(),
        experiment: Experiment {
            design: Design::Grid,
            order: Order::Listed,
            repeats: 1,
            refine: 0,
            warmup: Span::ZERO,
            measure: MeasureRule { min: Span::from_secs(1), max: Span::from_secs(1), precision: 0.01 },
            drain: Span::from_secs(1),
            settle_max: Span::from_secs(1),
            tick: Span::from_millis(100),
            seed: 1,
        },
        load: LoadPlan::new(LoadModel::Closed { users: 1 }, Span::from_millis(300)),
        scenarios,
        sources: Vec::new(),
        objective: Objective::default(),
        thresholds: Vec::new(),
        guards: Vec::new(),
        profile_text: String::new(),
    }
}
