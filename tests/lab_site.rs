//! The lab's small shop and review site as its callers meet it: accounts, reviews, purchases, jobs.

#![expect(clippy::unwrap_used, reason = "a test that can not go on has failed")]

#[path = "support/lab.rs"]
mod support;

use std::time::{Duration, Instant};

use plimsoll::lab::{Contention, Settings, presets};
use serde_json::Value;
use tokio::net::TcpStream;

use support::{Answer, Lab, exchange, request};

/// One millisecond a request, on a pool of two.
fn quick() -> Settings {
    let ticketing = presets::find("ticketing").unwrap().service;
    let db_law = Contention::Usl { sigma: 0.0, kappa: 0.0 };
    Settings { pool_max: 2, demand_cv: 0.0, db_demand_ms: 1.0, db_law, ..ticketing }
}

async fn ask(lab: &Lab, method: &str, path: &str, body: &str) -> Answer {
    let mut stream = TcpStream::connect(lab.address).await.unwrap();
    exchange(&mut stream, &request(method, path, body)).await.unwrap()
}

/// As [`ask`], with a token.
async fn ask_as(lab: &Lab, token: &str, method: &str, path: &str) -> Answer {
    let mut stream = TcpStream::connect(lab.address).await.unwrap();
    let text = String::from_utf8(request(method, path, "")).unwrap();
    let text = text.replacen("\r\n", &format!("\r\nAuthorization: Bearer {token}\r\n"), 1);
    exchange(&mut stream, text.as_bytes()).await.unwrap()
}

fn json(answer: &Answer) -> Value {
    serde_json::from_str(&answer.body).unwrap()
}

#[tokio::test]
async fn who_logs_in_is_known_until_logging_out() {
    let lab = Lab::start(quick());
    let wrong = ask(&lab, "POST", "/api/auth/login", r#"{"username": "reader01", "password": "x"}"#).await;
    assert_eq!((wrong.status(), json(&wrong)["message"].as_str()), ("401", Some("wrong name or password")));
    let login = ask(&lab, "POST", "/api/auth/login", r#"{"username": "reader01", "password": "pw-reader01"}"#).await;
    assert_eq!(login.status(), "200");
    let token = json(&login)["accessToken"].as_str().unwrap().to_owned();
    assert_eq!(ask(&lab, "GET", "/api/profile", "").await.status(), "401");
    let profile = ask_as(&lab, &token, "GET", "/api/profile").await;
    assert_eq!((profile.status(), json(&profile)["username"].as_str()), ("200", Some("reader01")));
    let fresh = json(&ask_as(&lab, &token, "POST", "/api/auth/refresh").await)["accessToken"].as_str().unwrap().to_owned();
    assert_eq!(ask_as(&lab, &token, "GET", "/api/profile").await.status(), "401", "the old token counts no longer");
    assert_eq!(ask_as(&lab, &fresh, "POST", "/api/auth/logout").await.status(), "204");
    assert_eq!(ask_as(&lab, &fresh, "GET", "/api/profile").await.status(), "401");
}

#[tokio::test]
async fn some_reviews_are_not_there() {
    let lab = Lab::start(quick());
    assert_eq!(json(&ask(&lab, "GET", "/api/reviews/17", "").await)["id"], 17);
    assert_eq!(ask(&lab, "GET", "/api/reviews/20", "").await.status(), "404");
    for kind in ["reviews", "books"] {
        let answer = ask(&lab, "GET", &format!("/api/recommendations/{kind}"), "").await;
        assert_eq!((answer.status(), json(&answer)["items"].as_array().map(Vec::len)), ("200", Some(5)));
    }
    let page = ask(&lab, "GET", "/actuator/prometheus", "").await.body;
    for line in [r#"method="GET",outcome="CLIENT_ERROR",status="404",uri="/api/reviews/{id}"} 1"#, r#"uri="/api/recommendations/books"} 1"#] {
        assert!(page.contains(line), "{page}");
    }
}

#[tokio::test]
async fn a_purchase_goes_from_cart_to_payment() {
    let lab = Lab::start(quick());
    let cart = ask(&lab, "POST", "/api/cart", "").await;
    assert_eq!((cart.status(), json(&cart)["cartId"].as_u64()), ("201", Some(1)));
    let order = ask(&lab, "POST", "/api/orders", r#"{"cartId": 1}"#).await;
    assert_eq!((order.status(), json(&order)["orderId"].as_u64()), ("201", Some(1)));
    assert_eq!(ask(&lab, "POST", "/api/orders", "{}").await.status(), "400");
    let began = Instant::now();
    let paid = ask(&lab, "POST", "/api/payments", r#"{"orderId": 1}"#).await;
    assert_eq!((paid.status(), json(&paid)["status"].as_str()), ("201", Some("paid")));
    assert!(began.elapsed() >= Duration::from_millis(300), "the provider takes its time");
    assert_eq!(ask(&lab, "GET", "/api/orders", "").await.status(), "200", "other methods are work like any other");
}

#[tokio::test]
async fn a_job_runs_once_at_a_time_and_holds_connections() {
    let lab = Lab::start(quick());
    let plan = r#"{"connections": 2, "seconds": 0.1}"#;
    assert_eq!(ask(&lab, "POST", "/api/sync/reviews", plan).await.status(), "202");
    assert_eq!(ask(&lab, "POST", "/api/sync/reviews", plan).await.status(), "409", "answered when one of the two comes back");
    assert_eq!(ask(&lab, "POST", "/api/sync/books", r#"{"seconds": -1}"#).await.status(), "400");
    // Its two pieces hold both connections for about a second; who came behind them had to wait.
    let page = ask(&lab, "GET", "/actuator/prometheus", "").await.body;
    let sum = page.lines().find(|line| line.starts_with("hikaricp_connections_acquire_seconds_sum")).unwrap();
    let waited: f64 = sum.rsplit(' ').next().unwrap().parse().unwrap();
    assert!(waited > 0.7, "{sum}");
    tokio::time::sleep(Duration::from_millis(1_300)).await;
    assert_eq!(ask(&lab, "POST", "/api/sync/reviews", plan).await.status(), "202", "the first is over");
}
