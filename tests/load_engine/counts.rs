//! The counts agree: over a minute, with twelve names, with failures, think times, weights and a drain at the end, the server has seen
//! exactly what the engine says it sent, name by name.

use std::collections::BTreeMap;

use plimsoll::model::event::ErrorKind;
use plimsoll::model::plan::{RequestBody, RequestPlan, Scenario, ScenarioStep, Think};
use plimsoll::model::units::Span;

use super::rig::{Rig, get, pause, plan, scenario, step};
use super::server::Server;

fn weighted(path: &str, weight: f64) -> ScenarioStep {
    ScenarioStep { weight: Some(weight), ..step(get(path)) }
}

/// In order, with pauses: a buyer.
fn buyer() -> Scenario {
    let think = |step: ScenarioStep, ms| ScenarioStep { think: Some(Think::Exponential(Span::from_millis(ms))), ..step };
    let order = RequestPlan { method: "POST".to_owned(), body: Some(RequestBody::Json(serde_json::json!({"item": 7}))), ..get("/order") };
    let mut buyer = scenario(vec![think(step(get("/cart")), 20), think(step(order), 30), step(get("/slow/20")), step(get("/chunked"))]);
    (buyer.name, buyer.weight, buyer.once) = ("buyer".to_owned(), 1.0, vec![get("/login")]);
    buyer
}

/// One of several, some of which fail.
fn reader() -> Scenario {
    let steps = vec![
        weighted("/list", 40.0),
        weighted("/item", 30.0),
        weighted("/status/503", 5.0),
        weighted("/status/404", 5.0),
        weighted("/half", 3.0),
        weighted("/third", 10.0),
        weighted("/hang", 2.0),
    ];
    let mut reader = scenario(steps);
    (reader.name, reader.weight) = ("reader".to_owned(), 3.0);
    reader
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_minute_of_twelve_names_is_seen_as_it_was_sent() {
    let server = Server::start().await;
    let mut rig = Rig::new(&plan(&server.url(), vec![buyer(), reader()]), 2).await;
    // 290 passes a second: three quarters of one request, a quarter of four.
    rig.open(290.0, 500).await;
    pause(60_000).await;
    rig.drain().await;
    let said = rig.close().await;

    let seen = server.seen.lock().unwrap().requests.clone();
    assert_eq!(seen.len(), 12, "{seen:?}");
    let stale: BTreeMap<String, u64> = said.rows().fold(BTreeMap::new(), |mut all, row| {
        *all.entry(row.key.name.clone()).or_default() += row.stale;
        all
    });
    // What went out twice over a connection that the server had closed was seen twice.
    let sent: BTreeMap<String, u64> = said.finished_by_name().into_iter().map(|(name, n)| (name.clone(), n + stale[&name])).collect();
    assert_eq!(sent, seen);
    assert_eq!(said.sent(), said.finished(), "everything that was sent has ended");
    assert!((27_000..33_000).contains(&said.sent()), "about 500 a second: {}", said.sent());

    let failed = said.failed();
    assert_eq!(failed[&ErrorKind::Status], seen["/status/503"] + seen["/status/404"]);
    assert_eq!(failed[&ErrorKind::Timeout], seen["/hang"]);
    assert!(failed[&ErrorKind::Reset] >= seen["/half"], "{failed:?}");
    let planned: f64 = said.ticks.iter().filter_map(|t| t.planned).sum();
    assert!((planned - 17_400.0).abs() < 30.0, "{planned}");
    assert_eq!(said.ticks.iter().map(|t| t.dropped).sum::<u64>(), 0);
}
