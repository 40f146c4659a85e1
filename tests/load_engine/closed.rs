//! Closed load: so many users, each waiting for its answer.

use std::collections::BTreeMap;

use plimsoll::model::event::{ErrorKind, Phase, StepId, TickRow};
use plimsoll::model::plan::{Extract, LoadModel, RequestBody, Think, Values};
use plimsoll::model::template::Template;
use plimsoll::model::units::Span;
use plimsoll::ports::{Belongs, Engine};

use super::rig::{MEASURE, Rig, get, pause, plan, scenario, step};
use super::server::Server;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_it_counts_is_what_the_server_saw() {
    let server = Server::start().await;
    let steps = ["/a", "/b", "/slow/3", "/chunked"].map(|p| step(get(p))).to_vec();
    let mut rig = Rig::new(&plan(&server.url(), vec![scenario(steps)]), 2).await;
    rig.closed(12).await;
    pause(600).await;
    rig.drain().await;
    let said = rig.close().await;
    assert!(server.total() > 100, "{}", server.total());
    assert_eq!((said.sent(), said.finished()), (server.total(), server.total()));
    let seen: BTreeMap<String, u64> = server.seen.lock().unwrap().requests.clone();
    assert_eq!(said.finished_by_name(), seen);
    assert_eq!(said.failed(), BTreeMap::new());
    let seen = server.seen.lock().unwrap();
    assert_eq!(seen.connections, 12, "one kept connection for each user");
    assert!(seen.most_open <= 12);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ticks_are_numbered_and_exact_also_when_idle() {
    let server = Server::start().await;
    let mut rig = Rig::new(&plan(&server.url(), vec![scenario(vec![step(get("/"))])]), 2).await;
    pause(250).await;
    rig.closed(2).await;
    pause(250).await;
    rig.drain().await;
    let said = rig.close().await;
    for (number, tick) in said.ticks.iter().enumerate() {
        assert_eq!(tick.number, number as u64);
        assert_eq!(tick.from.as_micros() % 100_000, 0);
        let last = number + 1 == said.ticks.len();
        assert!(last || tick.to.since(tick.from) == Span::from_millis(100));
        assert_eq!((tick.source.as_str(), tick.planned), ("local", None));
    }
    assert!(said.ticks.len() >= 5);
    assert_eq!(said.ticks[0].sent, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_belong_to_the_phase_they_began_in() {
    let server = Server::start().await;
    let mut rig = Rig::new(&plan(&server.url(), vec![scenario(vec![step(get("/slow/50"))])]), 1).await;
    let warm = Belongs { step: StepId(3), phase: Phase::WarmUp };
    rig.engine.drive(LoadModel::Closed { users: 4 }, warm, &Values::default()).await.unwrap();
    pause(220).await;
    rig.engine.drive(LoadModel::Closed { users: 4 }, Belongs { phase: Phase::Measure, ..warm }, &Values::default()).await.unwrap();
    pause(220).await;
    rig.drain().await;
    let said = rig.close().await;
    let of = |phase| said.rows().filter(|r| r.cohort.phase == phase).map(TickRow::finished).sum::<u64>();
    assert!(of(Phase::WarmUp) > 8 && of(Phase::Measure) > 8);
    assert_eq!(of(Phase::WarmUp) + of(Phase::Measure), said.finished());
    assert!(said.rows().all(|r| r.cohort.step == StepId(3)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn users_come_and_go_and_hold_stops_them_all() {
    let server = Server::start().await;
    let mut a_plan = plan(&server.url(), vec![scenario(vec![step(get("/slow/20"))])]);
    a_plan.scenarios[0].think = Some(Think::Fixed(Span::from_millis(20)));
    let mut rig = Rig::new(&a_plan, 1).await;
    rig.closed(30).await;
    pause(350).await;
    rig.closed(5).await;
    pause(350).await;
    rig.drain().await;
    let held_at = server.total();
    pause(200).await;
    assert_eq!(server.total(), held_at, "nothing begins while held");
    rig.closed(10).await;
    pause(350).await;
    rig.drain().await;
    let said = rig.close().await;
    let users: Vec<u64> = said.ticks.iter().map(|t| t.users).collect();
    assert!(users.contains(&30) && users.contains(&5) && users.contains(&10), "{users:?}");
    assert_eq!(said.finished(), server.total());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_abandoned_is_unfinished_and_as_old_as_it_was() {
    let server = Server::start().await;
    let mut a_plan = plan(&server.url(), vec![scenario(vec![step(get("/hang"))])]);
    a_plan.load.timeout = Span::from_secs(60);
    let mut rig = Rig::new(&a_plan, 2).await;
    rig.closed(6).await;
    pause(150).await;
    rig.engine.hold().await.unwrap();
    assert_eq!(rig.engine.in_flight(), 6);
    pause(100).await;
    rig.engine.abandon().await.unwrap();
    assert_eq!(rig.engine.in_flight(), 0);
    rig.closed(3).await;
    pause(50).await;
    let said = rig.close().await;
    assert_eq!(said.failed(), BTreeMap::from([(ErrorKind::Unfinished, 9)]), "six were abandoned, three when it closed");
    assert!(said.merged(|r| &r.failed_latency).max().unwrap() >= Span::from_millis(200));
    assert_eq!((said.sent(), server.count("/hang")), (9, 9));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_user_logs_in_once_and_carries_its_token() {
    let server = Server::start().await;
    let mut login = get("/token");
    login.method = "POST".to_owned();
    login.body = Some(RequestBody::Json(serde_json::json!({"user": "u"})));
    login.extract = BTreeMap::from([
        ("token".to_owned(), Extract::Json("user.token".to_owned())),
        ("session".to_owned(), Extract::Header("x-session".to_owned())),
    ]);
    let mut read = get("/read/{session}?q={token}");
    read.headers.insert("Authorization".to_owned(), Template::parse("Bearer {token}"));
    let mut flow = scenario(vec![step(read)]);
    flow.once = vec![login];
    let mut rig = Rig::new(&plan(&server.url(), vec![flow]), 1).await;
    rig.closed(3).await;
    pause(200).await;
    rig.drain().await;
    let said = rig.close().await;
    assert_eq!(server.count("/token"), 3);
    let reads = server.count("/read/s9?q=abc%20d");
    assert_eq!(reads + 3, server.total());
    let seen = server.seen.lock().unwrap();
    assert!(seen.authorizations.iter().all(|a| a == "Bearer abc d") && seen.authorizations.len() as u64 == reads);
    assert_eq!(seen.bodies, vec!["{\"user\":\"u\"}"; 3]);
    assert_eq!(said.failed(), BTreeMap::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn weighted_steps_and_scenarios_get_their_shares() {
    let server = Server::start().await;
    let mut first = scenario(vec![step(get("/x")), step(get("/y"))]);
    first.steps[0].weight = Some(3.0);
    first.steps[1].weight = Some(1.0);
    first.weight = 2.0;
    let mut second = scenario(vec![step(get("/z"))]);
    second.name = "other".to_owned();
    let mut rig = Rig::new(&plan(&server.url(), vec![first, second]), 1).await;
    rig.closed(9).await;
    pause(500).await;
    rig.drain().await;
    let said = rig.close().await;
    let share = server.count("/x") as f64 / (server.count("/x") + server.count("/y")) as f64;
    assert!((share - 0.75).abs() < 0.08, "{share}");
    assert!(server.count("/z") > 0);
    let passes: u64 = said.ticks.iter().map(|t| t.iterations.count()).sum();
    assert_eq!(passes, server.total());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn driving_before_preparing_is_an_error() {
    let server = Server::start().await;
    let rig = Rig::new(&plan(&server.url(), vec![scenario(vec![step(get("/"))])]), 1).await;
    let mut engine = rig.engine;
    engine.close().await.unwrap();
    assert!(engine.drive(LoadModel::Closed { users: 1 }, MEASURE, &Values::default()).await.is_err());
    assert_eq!(engine.in_flight(), 0);
    engine.close().await.unwrap();
}
