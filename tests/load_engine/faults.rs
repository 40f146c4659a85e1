//! Servers that fail on purpose: every failure is counted as itself.

use std::collections::BTreeMap;

use plimsoll::model::event::ErrorKind;
use plimsoll::model::plan::Extract;
use plimsoll::model::units::Span;
use plimsoll::ports::{Engine, EngineError};

use super::rig::{Rig, Said, get, pause, plan, scenario, step};
use super::server::Server;

async fn said_of(server: &Server, request: plimsoll::model::plan::RequestPlan, ms: u64) -> Said {
    let mut rig = Rig::new(&plan(&server.url(), vec![scenario(vec![step(request)])]), 1).await;
    rig.closed(2).await;
    pause(ms).await;
    rig.drain().await;
    rig.close().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_kind_is_counted_as_itself_as_often_as_it_was_made() {
    let server = Server::start().await;
    for (path, kind) in
        [("/status/503", ErrorKind::Status), ("/half", ErrorKind::Reset), ("/garbage", ErrorKind::BadAnswer), ("/shut", ErrorKind::Reset)]
    {
        let said = said_of(&server, get(path), 150).await;
        let n = server.count(path);
        assert!(n > 1, "{path}");
        assert_eq!(said.failed(), BTreeMap::from([(kind, n)]), "{path}");
        assert_eq!(said.sent(), n, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silence_is_a_time_out_of_its_length_and_costs_the_connection() {
    let server = Server::start().await;
    let said = said_of(&server, get("/hang"), 700).await;
    let n = server.count("/hang");
    assert_eq!(said.failed(), BTreeMap::from([(ErrorKind::Timeout, n)]));
    let least = said.merged(|r| &r.failed_latency).quantile(0.0).unwrap();
    assert!(least >= Span::from_millis(300), "{least}");
    assert_eq!(server.seen.lock().unwrap().connections, n);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_expected_status_is_success_and_an_answer_without_what_is_needed_is_not() {
    let server = Server::start().await;
    let mut request = get("/status/409");
    request.expect_status = vec![200, 409];
    assert_eq!(said_of(&server, request, 50).await.failed(), BTreeMap::new());
    let mut request = get("/token");
    request.extract = BTreeMap::from([("t".to_owned(), Extract::Json("nowhere".to_owned()))]);
    let said = said_of(&server, request, 50).await;
    assert_eq!(said.failed().keys().collect::<Vec<_>>(), [&ErrorKind::BadAnswer]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dead_target_refuses_and_users_are_patient() {
    let address = Server::start().await.address;
    pause(10).await;
    let mut rig = Rig::new(&plan(&format!("http://{address}"), vec![scenario(vec![step(get("/"))])]), 1).await;
    rig.closed(10).await;
    pause(500).await;
    rig.drain().await;
    let said = rig.close().await;
    let refused = said.failed()[&ErrorKind::Refused];
    assert_eq!((said.finished(), said.failed().len()), (refused, 1));
    assert!((10..=100).contains(&refused), "{refused}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kept_connection_the_server_closed_is_no_failure() {
    let server = Server::start().await;
    let said = said_of(&server, get("/once"), 200).await;
    assert_eq!(said.failed(), BTreeMap::new());
    assert!(said.finished() > 10);
}

/// The server closes every connection when its third request comes, before it answers: as a keep-alive time that ran out does.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_lost_to_a_stale_connection_goes_out_again_if_that_is_safe() {
    let server = Server::start().await;
    let said = said_of(&server, get("/third"), 1500).await;
    assert_eq!(said.failed(), BTreeMap::new());
    let (saw, finished) = (server.count("/third"), said.finished());
    // Three are seen for each two that are answered.
    assert!(saw.abs_diff(finished * 3 / 2) <= 4, "{saw} seen, {finished} finished");
    assert!(said.warnings.iter().any(|w| w.contains("sent again")), "{:?}", said.warnings);

    let mut order = get("/third/order");
    order.method = "POST".to_owned();
    let said = said_of(&server, order, 300).await;
    let stale = said.failed()[&ErrorKind::StaleConnection];
    assert_eq!((said.failed().len(), said.sent()), (1, server.count("/third/order")));
    assert!(stale.abs_diff(said.sent() / 3) <= 1, "{stale} of {}", said.sent());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_nobody_allowed_is_not_loaded() {
    let server = Server::start().await;
    let mut rig = Rig::new(&plan(&server.url(), vec![scenario(vec![step(get("/"))])]), 1).await;
    let foreign = plan("http://192.0.2.1/", vec![scenario(vec![step(get("/"))])]);
    assert_eq!(rig.engine.prepare(&foreign).await, Err(EngineError::HostNotAllowed { host: "192.0.2.1".to_owned() }));
    assert_eq!(server.total(), 0);
}
