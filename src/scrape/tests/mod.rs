//! Scrapes against servers of this process on loopback: what a healthy page gives, and what every failure is called.

use std::time::Instant;

use async_trait::async_trait;
use axum::Router;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{Html, IntoResponse, Redirect};
use axum::routing::get;

use super::*;
use crate::model::event::Sample;
use crate::model::plan::{SourceKind, SourcePlan};
use crate::model::signal::{Signal, Value};
use crate::model::units::{Elapsed, Span};
use crate::ports::{Clock, Scraped, Scraper};

const SPRING: &str = include_str!("../../../tests/exposition/spring-boot.txt");
const TWO_POOLS: &str = include_str!("../../../tests/exposition/two-pools.txt");

struct TestClock(Instant);

#[async_trait]
impl Clock for TestClock {
    fn now(&self) -> Elapsed {
        Elapsed::from_secs_f64(self.0.elapsed().as_secs_f64())
    }
    fn epoch(&self) -> Instant {
        self.0
    }
    fn wall(&self) -> String {
        String::new()
    }
    async fn sleep_until(&self, _at: Elapsed) {}
}

/// Serves until the test ends; gives the address.
async fn serve(router: Router) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    format!("http://{address}")
}

fn plan(url: &str, dialects: &[&str], select: &[(&str, &str)]) -> SourcePlan {
    SourcePlan {
        name: "app".into(),
        every: Span::from_secs(1),
        kind: SourceKind::Prometheus {
            url: url.into(),
            dialects: dialects.iter().map(|dialect| (*dialect).to_owned()).collect(),
            select: select.iter().map(|(word, value)| ((*word).to_owned(), (*value).to_owned())).collect(),
        },
    }
}

async fn scrape(plan: &SourcePlan) -> Scraped {
    PrometheusScraper::new(plan).unwrap().scrape(&TestClock(Instant::now())).await
}

#[track_caller]
fn sample(scraped: Scraped) -> Sample {
    match scraped {
        Scraped::Sample(sample) => *sample,
        Scraped::Gap(gap) => panic!("{}", gap.reason),
    }
}

#[track_caller]
fn reason(scraped: Scraped) -> String {
    match scraped {
        Scraped::Gap(gap) => gap.reason,
        Scraped::Sample(sample) => panic!("{sample:?}"),
    }
}

/// The gap's reason for a page that answers so.
async fn reason_for<T: IntoResponse + Clone + Send + Sync + 'static>(answer: T) -> String {
    let url = serve(Router::new().route("/metrics", get(move || async move { answer }))).await;
    reason(scrape(&plan(&format!("{url}/metrics?token=geheim"), &[], &[])).await)
}

#[tokio::test]
async fn a_page_becomes_a_stamped_sample() {
    let url = serve(Router::new().route("/actuator/prometheus", get(|| async { SPRING }))).await;
    let plan = plan(&format!("{url}/actuator/prometheus"), &[], &[]);
    let mut scraper = PrometheusScraper::for_instance(&plan, "a", &format!("{url}/actuator/prometheus")).unwrap();
    let clock = TestClock(Instant::now());
    let (before, sample, after) = (clock.now(), sample(scraper.scrape(&clock).await), clock.now());
    assert_eq!((sample.source.as_str(), sample.instance.as_deref()), ("app", Some("a")));
    assert!(before <= sample.asked && sample.asked <= sample.answered && sample.answered <= after);
    let active = sample.readings.iter().find(|reading| reading.signal == Signal::PoolActive).unwrap();
    assert_eq!((active.of.as_deref(), active.value), (Some("HikariPool-1"), Value::Gauge(8.0)));
}

#[tokio::test]
async fn the_text_format_is_asked_for_and_credentials_are_sent() {
    let page = |headers: HeaderMap| async move {
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
        let good = header("accept").starts_with("text/plain;version=0.0.4") && header("authorization") == "Basic bWU6Z2VoZWlt";
        if good { (StatusCode::OK, SPRING) } else { (StatusCode::UNAUTHORIZED, "") }
    };
    let url = serve(Router::new().route("/metrics", get(page))).await;
    let with_user = url.replace("http://", "http://me:geheim@");
    sample(scrape(&plan(&format!("{with_user}/metrics"), &[], &[])).await);
    let locked = reason(scrape(&plan(&format!("{url}/metrics"), &[], &[])).await);
    assert!(locked.contains("401, the page wants credentials") && locked.contains("${PASSWORD}"), "{locked}");
}

#[tokio::test]
async fn statuses_have_their_own_words() {
    let missing = reason_for((StatusCode::NOT_FOUND, "gone")).await;
    assert!(missing.contains("/metrics: 404") && missing.contains("exposure.include=prometheus"), "{missing}");
    let failed = reason_for((StatusCode::SERVICE_UNAVAILABLE, "warming \u{1b}[31mup")).await;
    assert!(failed.ends_with("/metrics: 503 (\"warming up\")"), "{failed}");
    let moved = reason_for(Redirect::to("/login?back=geheim")).await;
    assert!(moved.contains("303, the page points to `/login`"), "{moved}");
    for text in [missing, failed, moved] {
        assert!(!text.contains("geheim"), "{text}");
    }
}

#[tokio::test]
async fn pages_that_are_none_have_their_own_words() {
    let html = reason_for(Html("<!doctype html><title>Sign in</title>")).await;
    assert!(html.contains("the page is HTML") && html.contains("Sign in"), "{html}");
    let empty = reason_for("").await;
    assert!(empty.contains("the page is empty"), "{empty}");
    let prose = reason_for("all is well\n").await;
    assert!(prose.contains("not one of the page's 1 lines"), "{prose}");
    let strange = reason_for("our_a 1\nour_a{x=\"1\"} 2\nour_b 3\n").await;
    assert!(strange.contains("3 samples, but no dialect knows them (the first: our_a, our_b)"), "{strange}");
}

#[tokio::test]
async fn a_service_that_hangs_costs_the_time_out_and_no_more() {
    let hang = || async { std::future::pending::<&str>().await };
    let url = serve(Router::new().route("/metrics", get(hang))).await;
    let fetcher = Fetcher::new(&format!("{url}/metrics"), Span::from_millis(50)).unwrap();
    let error = fetcher.page().await.unwrap_err();
    assert_eq!(error, ScrapeError::TimedOut { url: format!("{url}/metrics"), within: Span::from_millis(50) });
    assert!(error.to_string().contains("within 50ms"), "{error}");
}

#[tokio::test]
async fn nobody_there_is_a_gap_that_says_so() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let text = reason(scrape(&plan(&format!("http://{address}/metrics"), &[], &[])).await);
    assert!(text.contains("no answer (Connection refused"), "{text}");
    assert!(text.contains("is the service running there?"), "{text}");
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_a_gap() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        let (mut stream, _) = listener.accept().await.unwrap();
        let _ = stream.read(&mut [0; 4096]).await;
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\nprocess_cpu_usage 0.5\n").await;
    });
    let text = reason(scrape(&plan(&format!("http://{address}/metrics"), &[], &[])).await);
    assert!(text.contains("no answer ("), "{text}");
}

#[tokio::test]
async fn of_two_pools_one_must_be_named() {
    let url = serve(Router::new().route("/metrics", get(|| async { TWO_POOLS }))).await;
    let url = format!("{url}/metrics");
    let text = reason(scrape(&plan(&url, &[], &[])).await);
    assert!(text.contains("2 pools (orders, reports); name one"), "{text}");
    let named = sample(scrape(&plan(&url, &["hikaricp-micrometer"], &[("pool", "orders")])).await);
    assert!(named.readings.iter().all(|reading| reading.of.as_deref() == Some("orders")));
    let mut doctor = PrometheusScraper::new(&plan(&url, &[], &[])).unwrap();
    let examined = doctor.examine(Elapsed::ZERO).await.unwrap();
    assert_eq!((examined.samples, examined.translation.undecided.len()), (11, 1));
    let missing = examined.translation.missing.iter().find(|missing| missing.signal == Signal::ThreadsMax).unwrap();
    assert!(missing.hint.contains("mbeanregistry"), "{}", missing.hint);
}

#[tokio::test]
async fn a_compressed_page_is_read() {
    // Made with gzip from "process_cpu_usage 0.5\nsystem_cpu_count 2\n".
    const PACKED: &[u8] = include_bytes!("page.gz");
    let answer = ([("content-encoding", "gzip")], PACKED);
    let url = serve(Router::new().route("/metrics", get(move || async move { answer }))).await;
    let sample = sample(scrape(&plan(&format!("{url}/metrics"), &[], &[])).await);
    assert_eq!((sample.readings[0].signal, sample.readings[0].value), (Signal::ProcessCpu, Value::Gauge(1.0)));
}

#[test]
fn a_dialect_nobody_has_is_refused_at_once() {
    let error = PrometheusScraper::new(&plan("http://127.0.0.1:1/", &["hikari"], &[])).unwrap_err();
    assert!(error.to_string().contains("no dialect is called `hikari`"), "{error}");
}
