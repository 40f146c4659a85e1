//! The engine at its own limit says so.

use plimsoll::model::plan::{Check, Condition};

use super::rig::{Rig, get, pause, plan, scenario, step};
use super::server::Server;

/// Looking for words in a long answer costs the worker milliseconds, and the server nearly nothing: whatever the machine, it is the worker
/// that has no time left.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_without_time_left_is_named() {
    let server = Server::start().await;
    let mut request = get("/wordy/20000");
    request.checks = vec![Check { of: None, holds: Condition::Matches(r"\b\w{3,}\d\b".to_owned()) }];
    let mut rig = Rig::new(&plan(&server.url(), vec![scenario(vec![step(request)])]), 1).await;
    rig.closed(8).await;
    pause(3000).await;
    let said = rig.close().await;
    assert!(said.warnings.iter().any(|w| w.contains("a worker was busy")), "{:?}, {} requests", said.warnings, said.sent());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_mostly_waits_is_not() {
    let server = Server::start().await;
    let mut rig = Rig::new(&plan(&server.url(), vec![scenario(vec![step(get("/slow/50"))])]), 1).await;
    rig.closed(4).await;
    pause(1500).await;
    let said = rig.close().await;
    assert!(!said.warnings.iter().any(|w| w.contains("a worker was busy")), "{:?}", said.warnings);
}
