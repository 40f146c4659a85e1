//! What a request costs and how punctual it is: `cargo bench --bench engine -- URL [users N | rate R] [seconds S] [workers W] [think MS] [flow]`.
//!
//! Drives the engine through its port as a run does and prints one line. CPU is that of the whole process (workers, timer and
//! collector threads), so it can be held against other tools' user + system time for the same server. Memory is that of the process at
//! the end of each tenth of the time. Without a URL it does nothing.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a measuring program, run by hand")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use plimsoll::load::LocalEngine;
use plimsoll::model::event::{Phase, StepId, Tick};
use plimsoll::model::histogram::Histogram;
use plimsoll::model::plan::{
    Design, Experiment, Extract, LoadModel, LoadPlan, MeasureRule, Objective, Order, Plan, RequestPlan, Scenario, ScenarioStep, TargetPlan, Think,
    Values,
};
use plimsoll::model::template::Template;
use plimsoll::model::units::{Elapsed, Rate, Span};
use plimsoll::ports::{Belongs, Clock, Engine, EngineReport};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

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

struct Wanted {
    url: String,
    model: LoadModel,
    seconds: u64,
    workers: Option<usize>,
    think: Option<Think>,
    flow: bool,
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let Some(wanted) = wanted(&words) else { return };
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap().block_on(measure(wanted));
}

fn wanted(words: &[String]) -> Option<Wanted> {
    let url = words.first().filter(|u| u.starts_with("http"))?.clone();
    let after = |name: &str| words.iter().position(|w| w == name).and_then(|at| words.get(at + 1)).and_then(|n| n.parse::<f64>().ok());
    let model = match after("rate") {
        Some(rate) => LoadModel::Open { rate: Rate::per_second(rate), max_users: 10_000 },
        None => LoadModel::Closed { users: whole(after("users").unwrap_or(64.0)) },
    };
    let seconds = u64::from(whole(after("seconds").unwrap_or(10.0)));
    let think = after("think").map(|ms| Think::Exponential(Span::from_secs_f64(ms / 1e3)));
    Some(Wanted { url, model, seconds, workers: after("workers").map(|w| whole(w) as usize), think, flow: words.iter().any(|w| w == "flow") })
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small counts from the command line")]
fn whole(n: f64) -> u32 {
    n as u32
}

async fn measure(wanted: Wanted) {
    let (tell, mut reports) = unbounded_channel();
    let mut engine = LocalEngine::new(Arc::new(RealClock(Instant::now())), tell, 7, wanted.workers);
    engine.prepare(&plan(&wanted)).await.unwrap();
    let warm = Belongs { step: StepId(0), phase: Phase::WarmUp };
    engine.drive(wanted.model, warm, &Values::default()).await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let (begun, cpu) = (Instant::now(), cpu_seconds());
    engine.drive(wanted.model, Belongs { phase: Phase::Measure, ..warm }, &Values::default()).await.unwrap();
    let mut sums = Sums::default();
    let mut memory = Vec::new();
    for _ in 0..10 {
        tokio::time::sleep(Duration::from_secs_f64(wanted.seconds as f64 / 10.0)).await;
        gather(&mut reports, &mut sums);
        memory.push(resident_mib());
    }
    let (took, cpu) = (begun.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    engine.hold().await.unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    engine.close().await.unwrap();
    gather(&mut reports, &mut sums);
    println!("memory {memory:.0?} MiB");
    print(&sums, took, cpu);
}

/// Ticks are merged as they come, so that the memory shown is the engine's.
fn gather(reports: &mut UnboundedReceiver<EngineReport>, sums: &mut Sums) {
    while let Ok(report) = reports.try_recv() {
        match report {
            EngineReport::Tick(tick) => sums.add(&tick),
            other => println!("{other:?}"),
        }
    }
}

/// What the measured requests come to.
#[derive(Default)]
struct Sums {
    latency: Histogram,
    service: Histogram,
    lag: Histogram,
    failed: BTreeMap<&'static str, u64>,
    dropped: u64,
}

impl Sums {
    fn add(&mut self, tick: &Tick) {
        self.dropped += tick.dropped;
        for row in tick.rows.iter().filter(|r| r.cohort.phase == Phase::Measure) {
            self.latency.merge(&row.latency);
            self.service.merge(&row.service_time);
            self.lag.merge(&row.send_lag);
            for (kind, n) in &row.failed {
                *self.failed.entry(kind.name()).or_insert(0) += n;
            }
        }
    }
}

fn print(sums: &Sums, took: f64, cpu: f64) {
    let Sums { latency, service, lag, failed, dropped } = sums;
    let n = service.count() as f64;
    let us = |h: &Histogram, q: f64| h.quantile(q).map_or(0, Span::as_micros);
    println!(
        "{:.0} requests/s, {:.2} us CPU a request, {:.0} % of a core, latency p50/p90/p99 {}/{}/{} us, service p50/p99 {}/{} us, lag p50/p99/p99.9/max {}/{}/{}/{} us, failed {failed:?}, dropped {dropped}",
        n / took,
        cpu * 1e6 / n,
        cpu / took * 100.0,
        us(latency, 0.5),
        us(latency, 0.9),
        us(latency, 0.99),
        us(service, 0.5),
        us(service, 0.99),
        us(lag, 0.5),
        us(lag, 0.99),
        us(lag, 0.999),
        us(lag, 1.0),
    );
}

/// User and system time of this process.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let after = stat.rsplit(')').next().unwrap_or_default();
    let ticks: f64 = after.split_whitespace().skip(11).take(2).filter_map(|n| n.parse::<f64>().ok()).sum();
    ticks / 100.0
}

/// Memory this process holds.
fn resident_mib() -> f64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split_whitespace().nth(1).and_then(|pages| pages.parse::<f64>().ok()).unwrap_or(0.0) * 4096.0 / 1_048_576.0
}

fn request(path: &str) -> RequestPlan {
    RequestPlan::new("GET", path)
}

/// One GET, or three weighted steps with a template, a header and an extraction.
fn steps(flow: bool) -> Vec<ScenarioStep> {
    let step = |weight, request| ScenarioStep { weight, ..ScenarioStep::of(request) };
    if !flow {
        return vec![step(None, request("/"))];
    }
    let mut token = request("/token.json");
    token.extract.insert("token".to_owned(), Extract::Json("user.token".to_owned()));
    let mut read = request("/index.html?item={token}");
    read.headers.insert("Authorization".to_owned(), Template::parse("Bearer {token}"));
    vec![step(Some(20.0), token), step(Some(50.0), read), step(Some(30.0), request("/"))]
}

fn plan(wanted: &Wanted) -> Plan {
    Plan {
        name: "bench".to_owned(),
        target: TargetPlan { url: wanted.url.clone(), instances: Vec::new(), allow: Vec::new(), ready: None, process: None },
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
            tick: Span::from_secs(1),
            seed: 1,
        },
        load: LoadPlan::new(wanted.model, Span::from_secs(10)),
        scenarios: vec![Scenario { think: wanted.think, ..Scenario::new("bench".to_owned(), steps(wanted.flow)) }],
        sources: Vec::new(),
        objective: Objective::default(),
        thresholds: Vec::new(),
        guards: Vec::new(),
        profile_text: String::new(),
    }
}
