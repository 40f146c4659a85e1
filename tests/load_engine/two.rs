//! HTTP/2 without TLS: the same figures as HTTP/1.1 gives, also of what fails.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use plimsoll::model::event::ErrorKind;
use plimsoll::model::plan::{Connections, Extract, HttpVersion, Plan, RequestBody, RequestPlan};
use plimsoll::model::template::Template;
use plimsoll::model::units::Span;

use super::faulty::deaf;
use super::rig::{Rig, Said, get, pause, plan, scenario, step};
use super::secure::Secure;

fn of(url: &str, request: RequestPlan) -> Plan {
    let mut plan = plan(url, vec![scenario(vec![step(request)])]);
    plan.load.http.version = HttpVersion::Http2;
    plan
}

async fn run(plan: &Plan, users: u32, workers: usize) -> Said {
    let mut rig = Rig::new(plan, workers).await;
    rig.closed(users).await;
    pause(300).await;
    rig.drain().await;
    rig.close().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_user_has_a_connection_and_answers_are_read_as_ever() {
    let service = Secure::plain(100).await;
    let mut first = get("/a");
    first.extract = BTreeMap::from([("id".to_owned(), Extract::Json("id".to_owned())), ("way".to_owned(), Extract::Header("X-Way".to_owned()))]);
    let mut second = RequestPlan::new("POST", "/b");
    second.body = Some(RequestBody::Text(Template::parse("{id} by {way}")));
    let mut plan = of(&service.url("http", "127.0.0.1"), first);
    plan.scenarios[0].steps.push(step(second));
    let said = run(&plan, 5, 2).await;
    assert!(said.finished() > 20);
    assert_eq!((said.failed(), said.finished(), said.stale()), (BTreeMap::new(), service.requests("h2"), 0));
    let seen = service.seen.lock().unwrap();
    assert_eq!(seen.connections, 5);
    assert!(!seen.bodies.is_empty() && seen.bodies.iter().all(|b| b == "good by two"), "{:?}", seen.bodies.first());
    let bytes: u64 = said.rows().map(|r| r.bytes).sum();
    assert!(bytes > said.finished() * 22, "head, frame and body of each answer: {bytes} of {}", said.finished());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_share_few_connections_within_what_the_service_takes() {
    for (most, workers) in [(4, 1), (4, 2), (1000, 1)] {
        let service = Secure::plain(most).await;
        let mut plan = of(&service.url("http", "127.0.0.1"), get("/slow/20"));
        plan.load.http.connections = Connections::Shared(2);
        plan.load.timeout = Span::from_secs(5);
        let said = run(&plan, 40, workers).await;
        assert_eq!((said.failed(), said.finished()), (BTreeMap::new(), service.requests("h2")));
        let seen = service.seen.lock().unwrap();
        assert_eq!(seen.connections, 2, "{most} {workers}");
        assert!(seen.most_open <= u64::from(most) * 2);
        let waited = said.merged(|r| &r.connect_wait).quantile(0.9).unwrap();
        assert_eq!(waited > Span::from_millis(20), most == 4, "{most}: {waited}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_failure_is_counted_as_itself() {
    for (path, kind) in [("/reset", ErrorKind::Reset), ("/half", ErrorKind::Reset), ("/hang", ErrorKind::Timeout), ("/status", ErrorKind::Status)] {
        for connections in [Connections::PerUser, Connections::Shared(2)] {
            let service = Secure::plain(100).await;
            let mut plan = of(&service.url("http", "127.0.0.1"), get(path));
            plan.load.http.connections = connections;
            let said = run(&plan, 6, 1).await;
            let seen = service.seen.lock().unwrap();
            assert!(seen.made > 1, "{path}");
            assert_eq!(said.failed(), BTreeMap::from([(kind, seen.made)]), "{path}");
            assert_eq!(said.sent(), seen.requests["h2"], "{path}");
            let expected = if connections == Connections::PerUser { 6 } else { 2 };
            assert_eq!(seen.connections, expected, "{path}: a failed request costs no connection");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_the_service_has_not_touched_goes_out_again_whatever_it_is() {
    for (method, path, connections) in [
        ("GET", "/refuse", Connections::PerUser),
        ("POST", "/refuse", Connections::PerUser),
        ("POST", "/away", Connections::PerUser),
        ("GET", "/away", Connections::Shared(1)),
    ] {
        let service = Secure::plain(100).await;
        let mut plan = of(&service.url("http", "127.0.0.1"), RequestPlan::new(method, path));
        plan.load.http.connections = connections;
        // One at a time, so that no request is turned away twice.
        let said = run(&plan, 1, 1).await;
        let seen = service.seen.lock().unwrap();
        assert!(seen.made > 2, "{method} {path}");
        assert_eq!((said.failed(), said.stale()), (BTreeMap::new(), seen.made), "{method} {path}");
        assert_eq!(said.finished() + seen.made, seen.requests["h2"], "{method} {path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_that_does_not_know_it_gives_a_bad_answer() {
    let (service, taken) = deaf("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n").await;
    let said = run(&of(&format!("http://{service}"), get("/")), 2, 1).await;
    assert!(said.sent() > 1);
    assert_eq!(said.failed(), BTreeMap::from([(ErrorKind::BadAnswer, taken.load(Ordering::Relaxed))]));
}
