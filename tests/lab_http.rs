//! The lab as its callers meet it: routes, settings, refusals, and its end.

#![expect(clippy::unwrap_used, reason = "a test that can not go on has failed")]

#[path = "support/lab.rs"]
mod support;

use std::time::{Duration, Instant};

use plimsoll::lab::{Contention, LabConfig, Settings, presets, serve};
use tokio::net::{TcpListener, TcpStream};

use support::{Answer, Lab, exchange, request};

/// Five milliseconds a request, one after the other.
fn narrow() -> Settings {
    let ticketing = presets::find("ticketing").unwrap().service;
    let db_law = Contention::Usl { sigma: 0.0, kappa: 0.0 };
    Settings { pool_max: 1, demand_cv: 0.0, db_demand_ms: 5.0, db_law, ..ticketing }
}

async fn ask(lab: &Lab, method: &str, path: &str, body: &str) -> Answer {
    let mut stream = TcpStream::connect(lab.address).await.unwrap();
    exchange(&mut stream, &request(method, path, body)).await.unwrap()
}

async fn page(lab: &Lab) -> String {
    ask(lab, "GET", "/actuator/prometheus", "").await.body
}

/// The value of the first sample whose line begins so.
fn sample(page: &str, begins: &str) -> Option<f64> {
    page.lines().find(|line| line.starts_with(begins))?.rsplit(' ').next()?.parse().ok()
}

#[tokio::test]
async fn any_path_below_api_is_work() {
    let lab = Lab::start(narrow());
    for (method, path) in [("GET", "/api/tickets"), ("POST", "/api/tickets/12/seats"), ("DELETE", "/api/orders/9"), ("GET", "/")] {
        let answer = ask(&lab, method, path, "{}").await;
        assert_eq!(answer.status(), "200", "{method} {path}");
        assert!(answer.head.to_lowercase().contains("content-type: application/json"));
    }
    let page = page(&lab).await;
    let line = r#"http_server_requests_seconds_count{error="none",exception="none",method="POST",outcome="SUCCESS",status="200",uri="/api/tickets/{id}/seats"} 1"#;
    assert!(page.contains(line), "{page}");
    assert_eq!(sample(&page, "hikaricp_connections_usage_seconds_count"), Some(4.0));
}

#[tokio::test]
async fn settings_are_read_and_changed() {
    let lab = Lab::start(narrow());
    let before: serde_json::Value = serde_json::from_str(&ask(&lab, "GET", "/admin/settings", "").await.body).unwrap();
    assert_eq!(before["pool_max"], 1);
    let change = r#"{"pool_max": 7, "threads_max": 9, "db_law": {"kind": "locks", "cores": 4, "cpu_share": 0.5, "lock": 0.1}}"#;
    let answer = ask(&lab, "POST", "/admin/settings", change).await;
    assert_eq!(answer.status(), "200");
    let after: serde_json::Value = serde_json::from_str(&ask(&lab, "GET", "/admin/settings", "").await.body).unwrap();
    assert_eq!((&after["pool_max"], &after["threads_max"]), (&7.into(), &9.into()));
    assert_eq!(after["db_law"]["kind"], "locks");
    assert_eq!(after["db_demand_ms"], before["db_demand_ms"], "what was not named stays");
    tokio::time::sleep(Duration::from_millis(100)).await;
    let page = page(&lab).await;
    for (family, value) in [("hikaricp_connections{", 7.0), ("hikaricp_connections_max{", 7.0), ("tomcat_threads_config_max_threads{", 9.0)] {
        assert_eq!(sample(&page, family), Some(value), "{family}");
    }
}

#[tokio::test]
async fn a_bad_change_is_refused_with_its_reason() {
    let lab = Lab::start(narrow());
    for (change, reason) in [
        (r#"{"pool": 7}"#, "unknown field `pool`"),
        (r#"{"pool_max": "7"}"#, "invalid type: string"),
        (r#"{"pool_max": 0}"#, "`pool_max` must be 1 to 10000, not 0"),
        ("pool_max=7", "not understood"),
    ] {
        let answer = ask(&lab, "POST", "/admin/settings", change).await;
        assert_eq!(answer.status(), "400", "{change}");
        assert!(answer.body.contains(reason), "{change}: {}", answer.body);
    }
    assert_eq!(sample(&page(&lab).await, "hikaricp_connections_max"), Some(1.0));
}

#[tokio::test]
async fn who_waits_too_long_is_told_so_in_hikaris_words() {
    let lab = Lab::start(Settings { db_demand_ms: 400.0, pool_connection_timeout_ms: 50.0, ..narrow() });
    let (served, refused) = tokio::join!(ask(&lab, "GET", "/api/tickets", ""), async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        ask(&lab, "GET", "/api/tickets", "").await
    });
    assert_eq!((served.status(), refused.status()), ("200", "503"));
    let message = "HikariPool-1 - Connection is not available, request timed out after 50ms (total=1, active=1, idle=0, waiting=0)";
    assert!(refused.body.contains(message), "{}", refused.body);
    let page = page(&lab).await;
    assert_eq!(sample(&page, "hikaricp_connections_timeout_total"), Some(1.0));
    assert_eq!(sample(&page, "hikaricp_connections_acquire_seconds_count"), Some(2.0), "a wait in vain is counted too");
    assert!(page.contains(r#"outcome="SERVER_ERROR",status="503",uri="/api/tickets"} 1"#), "{page}");
}

#[tokio::test]
async fn a_request_beyond_the_queue_finds_its_connection_closed() {
    let lab = Lab::start(Settings { threads_max: 1, accept_count: 0, db_demand_ms: 300.0, ..narrow() });
    let get = request("GET", "/api/tickets", "");
    let mut first = TcpStream::connect(lab.address).await.unwrap();
    let mut second = TcpStream::connect(lab.address).await.unwrap();
    let (served, refused) = tokio::join!(exchange(&mut first, &get), async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        exchange(&mut second, &get).await
    });
    assert_eq!(served.unwrap().status(), "200");
    assert!(refused.is_none(), "no answer, not even a refusal");
}

#[tokio::test]
async fn a_caller_who_leaves_does_not_stop_the_work() {
    let lab = Lab::start(Settings { db_demand_ms: 100.0, ..narrow() });
    let mut stream = TcpStream::connect(lab.address).await.unwrap();
    let get = request("GET", "/api/tickets", "");
    let patience = Duration::from_millis(30);
    assert!(tokio::time::timeout(patience, exchange(&mut stream, &get)).await.is_err());
    drop(stream);
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert_eq!(sample(&page(&lab).await, "hikaricp_connections_active"), Some(1.0));
    tokio::time::sleep(Duration::from_millis(120)).await;
    assert_eq!(sample(&page(&lab).await, "hikaricp_connections_usage_seconds_count"), Some(1.0));
}

#[tokio::test]
async fn the_services_own_pages_are_requests_too() {
    let lab = Lab::start(narrow());
    assert_eq!(ask(&lab, "GET", "/actuator/health", "").await.status(), "200");
    assert_eq!(ask(&lab, "GET", "/nowhere", "").await.status(), "404");
    page(&lab).await;
    let page = page(&lab).await;
    for uri in ["/actuator/health", "/actuator/prometheus", "/**"] {
        assert!(page.contains(&format!(r#"uri="{uri}"}} 1"#)), "{uri}: {page}");
    }
}

#[tokio::test]
async fn the_lab_ends_within_a_second_whoever_still_waits() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let config = LabConfig { settings: Settings { db_demand_ms: 30_000.0, ..narrow() }, seed: 1 };
    let lab = tokio::spawn(serve(config, listener, async move {
        let _dropped = ended.await;
    }));
    let caller = tokio::spawn(async move {
        let mut stream = TcpStream::connect(address).await.unwrap();
        exchange(&mut stream, &request("GET", "/api/tickets", "")).await
    });
    tokio::time::sleep(Duration::from_millis(50)).await;
    let asked = Instant::now();
    drop(end);
    lab.await.unwrap().unwrap();
    assert!(asked.elapsed() < Duration::from_secs(1), "{:?}", asked.elapsed());
    caller.abort();
}
