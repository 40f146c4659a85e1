//! TLS: whom the engine trusts, how it proves itself, what it speaks, and what it says when that fails.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use plimsoll::model::event::ErrorKind;
use plimsoll::model::plan::{Extract, HttpVersion, Plan, RequestPlan, TlsPlan};
use plimsoll::model::units::Span;
use plimsoll::ports::{Engine, EngineError};

use super::faulty::deaf;
use super::rig::{Rig, Said, get, pause, plan, scenario, step};
use super::secure::{Papers, Secure};

/// One GET that needs its answer's body, by someone who trusts the papers' authority.
fn trusting(url: &str) -> Plan {
    let mut request = get("/");
    request.extract = BTreeMap::from([("id".to_owned(), Extract::Json("id".to_owned()))]);
    let mut plan = plan(url, vec![scenario(vec![step(request)])]);
    plan.load.http.tls = TlsPlan { ca: Some("ca.pem".to_owned()), ..TlsPlan::default() };
    plan.load.timeout = Span::from_secs(2);
    plan
}

async fn run(plan: &Plan, papers: &Papers) -> Said {
    let mut rig = Rig::with_files(plan, 1, papers.path()).await;
    rig.closed(3).await;
    pause(300).await;
    rig.drain().await;
    rig.close().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_spoken_is_what_both_sides_know_and_the_plan_wants() {
    let papers = Papers::of("localhost");
    for (version, offers, spoken) in [
        (HttpVersion::Auto, &["h2", "http/1.1"][..], "h2"),
        (HttpVersion::Auto, &["http/1.1"], "http/1.1"),
        (HttpVersion::Auto, &[], "http/1.1"),
        (HttpVersion::Http1, &["h2", "http/1.1"], "http/1.1"),
        (HttpVersion::Http2, &["h2", "http/1.1"], "h2"),
    ] {
        let service = Secure::start(&papers, offers, false).await;
        let mut plan = trusting(&service.url("https", "localhost"));
        plan.load.http.version = version;
        let said = run(&plan, &papers).await;
        assert!(said.finished() > 3, "{version:?} {offers:?}");
        assert_eq!(said.failed(), BTreeMap::new(), "{version:?} {offers:?}");
        assert_eq!(service.requests(spoken), said.finished(), "{version:?} {offers:?}");
        let seen = service.seen.lock().unwrap();
        assert_eq!((seen.connections, seen.names.as_slice()), (3, &["localhost", "localhost", "localhost"].map(str::to_owned)[..]));
        // The handshake is part of the wait for a connection.
        assert_eq!(said.merged(|r| &r.connect_wait).count(), said.finished());
        assert!(said.merged(|r| &r.connect_wait).max().unwrap() > Span::from_micros(300));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_that_can_not_prove_itself_is_not_spoken_to_unless_the_plan_says_so() {
    let papers = Papers::of("elsewhere.example");
    let service = Secure::start(&papers, &["http/1.1"], false).await;
    let url = service.url("https", "localhost");
    let said = run(&trusting(&url), &papers).await;
    assert!(said.sent() > 3);
    assert_eq!(said.failed(), BTreeMap::from([(ErrorKind::Tls, said.sent())]), "its papers are of another name");
    assert!(said.warnings.iter().filter(|w| w.contains("TLS with localhost:")).count() == 1, "{:?}", said.warnings);
    assert_eq!(service.seen.lock().unwrap().connections, said.sent());

    let mut strange = trusting(&url.replace("localhost", "127.0.0.1"));
    strange.load.http.tls = TlsPlan::default();
    let said = run(&strange, &papers).await;
    assert_eq!(said.failed(), BTreeMap::from([(ErrorKind::Tls, said.sent())]), "nobody knows its authority");

    let mut insecure = trusting(&url);
    insecure.load.http.tls = TlsPlan { insecure: true, ..TlsPlan::default() };
    let said = run(&insecure, &papers).await;
    assert_eq!((said.failed(), said.finished()), (BTreeMap::new(), service.requests("http/1.1")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_that_asks_who_comes_is_told() {
    let papers = Papers::of("localhost");
    for protocol in ["http/1.1", "h2"] {
        let service = Secure::start(&papers, &[protocol], true).await;
        let mut plan = trusting(&service.url("https", "localhost"));
        let said = run(&plan, &papers).await;
        assert!(said.sent() > 3, "{protocol}");
        assert_eq!(said.failed(), BTreeMap::from([(ErrorKind::Tls, said.sent())]), "{protocol}: it says so only after the handshake");
        assert_eq!(service.requests(protocol), 0);
        plan.load.http.tls.certificate = Some("me.pem".to_owned());
        plan.load.http.tls.key = Some("key.pem".to_owned());
        let said = run(&plan, &papers).await;
        assert_eq!((said.failed(), said.finished()), (BTreeMap::new(), service.requests(protocol)), "{protocol}");
        assert_eq!(service.seen.lock().unwrap().clients, 3);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_without_tls_or_without_the_version_fails_as_tls() {
    let papers = Papers::of("localhost");
    let (address, taken) = deaf("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n").await;
    let said = run(&trusting(&format!("https://{address}")), &papers).await;
    assert!(said.sent() > 3);
    assert_eq!(said.failed(), BTreeMap::from([(ErrorKind::Tls, taken.load(Ordering::Relaxed))]));

    for offers in [&["http/1.1"][..], &[]] {
        let service = Secure::start(&papers, offers, false).await;
        let mut plan = trusting(&service.url("https", "localhost"));
        plan.load.http.version = HttpVersion::Http2;
        let said = run(&plan, &papers).await;
        assert_eq!(said.failed(), BTreeMap::from([(ErrorKind::Tls, said.sent())]), "{offers:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_that_are_not_there_are_told_before_the_load() {
    let papers = Papers::of("localhost");
    let mut rig = Rig::with_files(&trusting("http://127.0.0.1:1"), 1, papers.path()).await;
    let mut bad = trusting("https://127.0.0.1:1");
    bad.load.http.tls.ca = Some("nowhere.pem".to_owned());
    let Err(EngineError::Failed { what }) = rig.engine.prepare(&bad).await else { panic!("it was taken") };
    assert!(what.contains("nowhere.pem"), "{what}");
}

/// A body of many records, answered by as long a one: nothing stays behind in the buffers between TLS and the connection.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn long_bodies_pass() {
    let papers = Papers::of("localhost");
    let service = Secure::start(&papers, &["h2"], false).await;
    let mut request = RequestPlan::new("POST", "/");
    let body = "x".repeat(300_000);
    request.body = Some(plimsoll::model::plan::RequestBody::Text(plimsoll::model::template::Template::parse(&body)));
    let mut plan = trusting(&service.url("https", "localhost"));
    plan.scenarios[0].steps = vec![step(request)];
    let said = run(&plan, &papers).await;
    assert!(said.finished() > 3);
    assert_eq!(said.failed(), BTreeMap::new());
    assert!(service.seen.lock().unwrap().bodies.iter().all(|b| b.len() == body.len()));
}
