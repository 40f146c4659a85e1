//! Servers that fail on purpose: every failure is counted as itself, exactly as often as it was made.

use std::collections::BTreeMap;

use plimsoll::model::event::ErrorKind;
use plimsoll::model::plan::{Check, Condition, Extract, HttpPlan, Plan, RequestPlan, Resolving, Think};
use plimsoll::model::units::Span;
use plimsoll::ports::{Engine, EngineError};

use super::faulty::{Fault, Faulty, Full, closed};
use super::rig::{Rig, Said, get, pause, plan, scenario, step};
use super::server::Server;

/// Some load by four users, until everything has ended.
async fn run(plan: &Plan, ms: u64) -> Said {
    let mut rig = Rig::new(plan, 1).await;
    rig.closed(4).await;
    pause(ms).await;
    rig.drain().await;
    rig.close().await
}

/// One GET that looks at its answer in every way there is.
fn curious(url: &str) -> Plan {
    let mut request = get("/");
    request.extract = BTreeMap::from([("id".to_owned(), Extract::Json("id".to_owned()))]);
    request.checks = vec![Check { of: None, holds: Condition::Contains("good".to_owned()) }];
    plan(url, vec![scenario(vec![step(request)])])
}

/// A service that fails each third request; all others succeed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_failure_of_a_service_is_counted_as_itself() {
    for (fault, kind) in [
        (Fault::Status, ErrorKind::Status),
        (Fault::Silent, ErrorKind::Timeout),
        (Fault::ResetAmid, ErrorKind::Reset),
        (Fault::EndAmid, ErrorKind::Reset),
        (Fault::NotHttp, ErrorKind::BadAnswer),
        (Fault::BadChunk, ErrorKind::BadAnswer),
        (Fault::BadJson, ErrorKind::BadAnswer),
        (Fault::BadGzip, ErrorKind::BadAnswer),
        (Fault::Wrong, ErrorKind::Check),
    ] {
        let service = Faulty::start(fault, 3).await;
        let mut plan = curious(&service.url());
        plan.load.http.gzip = fault == Fault::BadGzip;
        let said = run(&plan, 250).await;
        assert!(service.made() > 2, "{fault:?}");
        assert_eq!(said.failed(), BTreeMap::from([(kind, service.made())]), "{fault:?}");
        assert_eq!((said.sent(), said.finished(), said.stale()), (service.requests(), service.requests(), 0), "{fault:?}");
    }
}

/// Over connections of one request each, so that the reset can be no matter of a kept one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reset_before_the_answer_is_a_reset() {
    let service = Faulty::start(Fault::ResetBefore, 3).await;
    let mut plan = curious(&service.url());
    plan.load.http.keep_alive = false;
    let said = run(&plan, 250).await;
    assert!(service.made() > 2);
    assert_eq!(said.failed(), BTreeMap::from([(ErrorKind::Reset, service.made())]));
    assert_eq!((said.finished(), service.connections()), (service.requests(), service.requests()), "each over a connection of its own");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_lost_to_a_kept_connection_goes_out_again_and_is_counted_unless_that_could_do_harm() {
    let service = Faulty::start(Fault::Stale, 3).await;
    let said = run(&curious(&service.url()), 300).await;
    assert!(service.made() > 5);
    assert_eq!((said.failed(), said.stale()), (BTreeMap::new(), service.made()));
    assert_eq!(said.finished(), service.requests() - service.made());

    let service = Faulty::start(Fault::Stale, 3).await;
    let mut plan = plan(&service.url(), vec![scenario(vec![step(RequestPlan::new("POST", "/"))])]);
    plan.scenarios[0].think = Some(Think::Fixed(Span::from_millis(1)));
    let said = run(&plan, 300).await;
    assert!(service.made() > 5);
    assert_eq!((said.failed(), said.stale()), (BTreeMap::from([(ErrorKind::StaleConnection, service.made())]), 0));
    assert_eq!(said.sent(), service.requests());
}

/// Users that think long enough see that their connection has ended before they use it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_seen_to_have_ended_loses_no_request() {
    let service = Faulty::start(Fault::Ends, 1).await;
    let mut plan = plan(&service.url(), vec![scenario(vec![step(RequestPlan::new("POST", "/"))])]);
    plan.scenarios[0].think = Some(Think::Fixed(Span::from_millis(30)));
    let said = run(&plan, 300).await;
    assert!(said.finished() > 10);
    assert_eq!((said.failed(), said.stale()), (BTreeMap::new(), 0));
    assert_eq!((said.finished(), service.connections()), (service.requests(), service.requests()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_that_are_never_made_are_told_apart() {
    let full = Full::start().await;
    for (url, kind) in [
        (format!("http://{}", closed().await), ErrorKind::Refused),
        (format!("http://{}", full.address), ErrorKind::ConnectTimeout),
        // Too long for a name, so that nobody needs to be asked.
        (format!("http://{}.invalid", "x".repeat(70)), ErrorKind::Dns),
    ] {
        let mut plan = curious(&url);
        plan.target.allow = vec![format!("{}.invalid", "x".repeat(70))];
        plan.load.http = HttpPlan { resolve: Resolving::EachConnection, ..HttpPlan::default() };
        plan.load.connect_timeout = Some(Span::from_millis(60));
        let said = run(&plan, 250).await;
        assert!(said.sent() >= 4, "{url}");
        assert_eq!(said.failed(), BTreeMap::from([(kind, said.sent())]), "{url}");
        let (shortest, waits) = (said.merged(|r| &r.failed_latency).quantile(0.0), said.merged(|r| &r.connect_wait));
        assert_eq!(shortest >= Some(Span::from_millis(60)), kind == ErrorKind::ConnectTimeout, "{url}: {shortest:?}");
        assert!(kind != ErrorKind::ConnectTimeout || waits.quantile(0.0) >= Some(Span::from_millis(60)));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_given_up_is_unfinished() {
    let service = Faulty::start(Fault::Silent, 1).await;
    let mut plan = curious(&service.url());
    plan.load.timeout = Span::from_secs(60);
    let mut rig = Rig::new(&plan, 1).await;
    rig.closed(4).await;
    while service.made() < 4 {
        pause(5).await;
    }
    rig.engine.abandon().await.unwrap();
    assert_eq!(rig.close().await.failed(), BTreeMap::from([(ErrorKind::Unfinished, 4)]));
}

async fn said_of(server: &Server, request: RequestPlan, ms: u64) -> Said {
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
