//! Open load: arrivals that ignore the answers.

use std::collections::BTreeMap;

use plimsoll::model::event::ErrorKind;
use plimsoll::model::units::Span;
use plimsoll::ports::Engine;

use super::rig::{Rig, get, pause, plan, scenario, step};
use super::server::Server;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn arrivals_come_at_their_rate_and_all_are_accounted_for() {
    let server = Server::start().await;
    let mut rig = Rig::new(&plan(&server.url(), vec![scenario(vec![step(get("/slow/5"))])]), 2).await;
    rig.open(400.0, 100).await;
    pause(1000).await;
    rig.drain().await;
    let said = rig.close().await;
    let planned: f64 = said.ticks.iter().filter_map(|t| t.planned).sum();
    let dropped: u64 = said.ticks.iter().map(|t| t.dropped).sum();
    assert!((360.0..=480.0).contains(&planned), "{planned}");
    assert!((planned - (said.sent() + dropped) as f64).abs() < 0.5);
    assert_eq!((said.sent(), said.finished()), (server.total(), server.total()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_can_not_begin_is_dropped_and_counted() {
    let server = Server::start().await;
    let mut a_plan = plan(&server.url(), vec![scenario(vec![step(get("/hang"))])]);
    a_plan.load.timeout = Span::from_secs(60);
    let mut rig = Rig::new(&a_plan, 2).await;
    rig.open(200.0, 7).await;
    pause(500).await;
    assert_eq!(rig.engine.in_flight(), 7);
    let said = rig.close().await;
    let planned: f64 = said.ticks.iter().filter_map(|t| t.planned).sum();
    let dropped: u64 = said.ticks.iter().map(|t| t.dropped).sum();
    assert_eq!(said.sent(), 7);
    assert!((planned - (7 + dropped) as f64).abs() < 0.5);
    assert!(dropped > 50, "{dropped}");
    assert_eq!(said.failed(), BTreeMap::from([(ErrorKind::Unfinished, 7)]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_free_user_and_its_connection_serve_the_next_arrival() {
    let server = Server::start().await;
    let mut rig = Rig::new(&plan(&server.url(), vec![scenario(vec![step(get("/"))])]), 1).await;
    rig.open(100.0, 50).await;
    pause(500).await;
    rig.drain().await;
    rig.close().await;
    assert!(server.total() >= 40);
    assert!(server.seen.lock().unwrap().connections <= 10, "{}", server.seen.lock().unwrap().connections);
}
