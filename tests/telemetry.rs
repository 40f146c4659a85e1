//! Scraper and target against the lab: the page it writes is read whole, and a setting that is changed reads back.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use plimsoll::lab::{LabConfig, presets};
use plimsoll::model::event::Sample;
use plimsoll::model::plan::{Apply, Body, Ready, Setting, SourceKind, SourcePlan, TargetPlan};
use plimsoll::model::signal::{Signal, Value};
use plimsoll::model::template::Template;
use plimsoll::model::units::{Elapsed, Span};
use plimsoll::ports::{Clock, Scraped, Scraper, Target};
use plimsoll::scrape::{HostScraper, PrometheusScraper};
use plimsoll::target::{Patience, ServiceTarget};
use tokio::net::TcpListener;
use tokio::sync::Notify;

struct WallClock(Instant);

#[async_trait]
impl Clock for WallClock {
    fn now(&self) -> Elapsed {
        Elapsed::from_secs_f64(self.0.elapsed().as_secs_f64())
    }
    fn epoch(&self) -> Instant {
        self.0
    }
    fn wall(&self) -> String {
        String::new()
    }
    async fn sleep_until(&self, at: Elapsed) {
        tokio::time::sleep(at.since(self.now()).duration()).await;
    }
}

/// A lab of this process; it ends with the test.
async fn lab() -> (String, Arc<Notify>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let end = Arc::new(Notify::new());
    let until = end.clone();
    let config = LabConfig { settings: presets::find("ticketing").unwrap().service, seed: 1 };
    tokio::spawn(plimsoll::lab::serve(config, listener, async move { until.notified().await }));
    (url, end)
}

fn pool() -> Setting {
    let apply = Apply::Http {
        method: "POST".into(),
        path: Template::parse("/admin/settings"),
        headers: BTreeMap::new(),
        body: Some(Body::Json(serde_json::json!({ "pool_max": "{pool}" }))),
    };
    let values = vec![30.0, 77.0];
    Setting { name: "pool".into(), values, range: (30.0, 77.0), apply, verify: None, restore: None }
}

fn target(url: &str) -> ServiceTarget {
    let ready = Ready { path: "/actuator/health".into(), status: 200, within: Span::from_secs(10) };
    let plan = TargetPlan { url: url.into(), instances: vec![], allow: vec![], ready: Some(ready), process: None };
    ServiceTarget::new(&plan, &[pool()], Patience::default(), None).unwrap()
}

fn scraper(url: &str) -> PrometheusScraper {
    let kind = SourceKind::Prometheus { url: format!("{url}/actuator/prometheus"), dialects: Vec::new(), select: BTreeMap::new() };
    PrometheusScraper::new(&SourcePlan { name: "app".into(), kind, every: Span::from_secs(1) }).unwrap()
}

async fn sample(scraper: &mut impl Scraper) -> Sample {
    match scraper.scrape(&WallClock(Instant::now())).await {
        Scraped::Sample(sample) => *sample,
        Scraped::Gap(gap) => panic!("{}", gap.reason),
    }
}

fn level(sample: &Sample, signal: Signal) -> Option<f64> {
    sample.readings.iter().find(|reading| reading.signal == signal).map(|reading| reading.value.level())
}

#[tokio::test]
async fn the_labs_page_is_read_whole() {
    let (url, end) = lab().await;
    target(&url).ready().await.unwrap();
    let mut scraper = scraper(&url);
    let examined = scraper.examine(Elapsed::ZERO).await.unwrap();
    assert_eq!(examined.skipped.lines, 0, "{:?}", examined.skipped.first);
    assert_eq!((examined.translation.undecided, examined.translation.duplicates), (vec![], 0));
    let dialects = ["hikaricp-micrometer", "tomcat-micrometer", "spring-http-micrometer", "jvm-micrometer", "postgres-exporter"];
    assert_eq!(examined.translation.dialects, dialects);
    let sample = sample(&mut scraper).await;
    for signal in [
        Signal::PoolActive,
        Signal::PoolIdle,
        Signal::PoolPending,
        Signal::PoolMax,
        Signal::PoolTotal,
        Signal::PoolAcquire,
        Signal::PoolUsage,
        Signal::PoolCreation,
        Signal::PoolTimeouts,
        Signal::ThreadsBusy,
        Signal::ThreadsCurrent,
        Signal::ThreadsMax,
        Signal::ProcessCpu,
        Signal::ProcessCpuLimit,
        Signal::ProcessStarted,
        Signal::HeapUsed,
        Signal::HeapMax,
        Signal::DbSessions,
    ] {
        assert!(level(&sample, signal).is_some(), "{signal} is missing");
    }
    end.notify_one();
}

#[tokio::test]
async fn the_services_own_count_leaves_our_requests_out() {
    let (url, end) = lab().await;
    let (mut target, mut scraper) = (target(&url), scraper(&url));
    target.ready().await.unwrap();
    target.apply(&[(&pool(), 77.0)]).await.unwrap();
    sample(&mut scraper).await;
    let before = sample(&mut scraper).await;
    assert_eq!(level(&before, Signal::ServerRequests), None);
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    for _ in 0..3 {
        client.get(format!("{url}/api/orders")).send().await.unwrap();
    }
    let served = sample(&mut scraper).await.readings.into_iter().filter(|reading| reading.signal == Signal::ServerRequests);
    let counts: Vec<f64> = served.map(|reading| reading.value.level()).collect();
    assert_eq!(counts, [3.0]);
    end.notify_one();
}

#[tokio::test]
async fn a_changed_setting_reads_back() {
    let (url, end) = lab().await;
    let (mut target, mut scraper) = (target(&url), scraper(&url));
    target.ready().await.unwrap();
    for value in [77.0, 30.0] {
        assert_eq!(target.apply(&[(&pool(), value)]).await, Ok(vec!["POST /admin/settings".to_owned()]));
        assert_eq!(level(&sample(&mut scraper).await, Signal::PoolMax), Some(value));
    }
    let refusal = target.apply(&[(&pool(), 0.0)]).await.unwrap_err().to_string();
    assert!(refusal.starts_with(&format!("setting pool to 0: POST {url}/admin/settings: refused (4")), "{refusal}");
    end.notify_one();
}

#[tokio::test]
async fn this_machine_tells_its_figures() {
    let mut host = HostScraper::new(Span::from_secs(1));
    sample(&mut host).await;
    let second = sample(&mut host).await;
    assert_eq!(second.source, "host");
    assert!(second.readings.iter().all(|reading| matches!(reading.value, Value::Gauge(value) if value >= 0.0)));
    assert!(level(&second, Signal::HostMemory).is_some_and(|bytes| bytes > 1e6));
    assert!(level(&second, Signal::GeneratorCpu).is_some());
}
