//! Whole flows against a small shop: log in with an account of a file, carry token and cookie, read, write, upload.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, Method, StatusCode, Uri};
use plimsoll::model::event::{ErrorKind, TickRow};
use plimsoll::model::plan::{
    Act, Apply, Check, Condition, Extract, FeedStrategy, Feeder, FeederFile, PartContent, Plan, RequestBody, RequestPart, RequestPlan, Scenario,
    ScenarioStep, Setting, Values,
};
use plimsoll::model::plan::{LoadModel, Think};
use plimsoll::model::template::Template;
use plimsoll::model::units::Span;
use plimsoll::ports::Engine;

use super::rig::{MEASURE, Rig, pause, plan, step};

/// A request as the shop saw it.
#[derive(Debug, Clone)]
struct Asked {
    line: String,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Asked {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |v| v.to_str().unwrap())
    }
}

type Log = Arc<Mutex<Vec<Asked>>>;

/// Knows users by the token and the cookie it gave them; whoever comes without gets 401.
async fn shop(State(log): State<Log>, method: Method, uri: Uri, headers: HeaderMap, body: Bytes) -> (StatusCode, [(HeaderName, String); 1], String) {
    let asked = Asked { line: format!("{method} {uri}"), headers, body: body.to_vec() };
    let (authorization, cookie) = (asked.header("authorization").to_owned(), asked.header("cookie").to_owned());
    log.lock().unwrap().push(asked);
    let nothing = (HeaderName::from_static("x-nothing"), String::new());
    if uri.path() == "/login" {
        let user = serde_json::from_slice::<serde_json::Value>(&body).unwrap()["user"].as_str().unwrap().to_owned();
        let cookie = (HeaderName::from_static("set-cookie"), format!("sid=c-{user}; Path=/; HttpOnly"));
        return (StatusCode::OK, [cookie], format!("{{\"auth\":{{\"token\":\"t-{user}\"}}}}"));
    }
    if uri.path().starts_with("/open") {
        return (StatusCode::OK, [nothing], "{\"n\":7}".to_owned());
    }
    let known = authorization.strip_prefix("Bearer t-").is_some_and(|user| cookie == format!("sid=c-{user}"));
    let status = match (known, uri.path()) {
        (false, _) => StatusCode::UNAUTHORIZED,
        (true, "/taken") => StatusCode::CONFLICT,
        (true, _) => StatusCode::OK,
    };
    (status, [nothing], "fine".to_owned())
}

async fn open_shop() -> (String, Log) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (url, log) = (format!("http://{}", listener.local_addr().unwrap()), Log::default());
    let service = Router::new().fallback(shop).with_state(Arc::clone(&log));
    tokio::spawn(async move { axum::serve(listener, service).await.unwrap() });
    (url, log)
}

fn lines(log: &Log) -> Vec<String> {
    log.lock().unwrap().iter().map(|a| a.line.clone()).collect()
}

fn accounts(folder: &Path, n: usize) {
    let rows: Vec<String> = (1..=n).map(|i| format!("user{i};{}", 100 + i)).collect();
    std::fs::write(folder.join("accounts.csv"), format!("user;review\n{}", rows.join("\n"))).unwrap();
}

fn request(method: &str, path: &str) -> RequestPlan {
    let mut request = RequestPlan::new(method, path);
    request.headers.insert("Authorization".to_owned(), Template::parse("Bearer {token}"));
    request
}

fn login() -> RequestPlan {
    let mut login = RequestPlan::new("POST", "/login");
    login.body = Some(RequestBody::Json(serde_json::json!({"user": "{feed.user}"})));
    login.extract.insert("token".to_owned(), Extract::Json("auth.token".to_owned()));
    login
}

fn flow(url: &str, steps: Vec<ScenarioStep>, strategy: FeedStrategy) -> Plan {
    let mut scenario = Scenario::new("shop".to_owned(), steps);
    scenario.feeder = Some(Feeder { file: FeederFile::Csv("accounts.csv".to_owned()), strategy });
    scenario.once = vec![login()];
    scenario.think = Some(Think::Fixed(Span::from_millis(5)));
    plan(url, vec![scenario])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn users_log_in_with_their_accounts_and_are_known_from_then_on() {
    let folder = tempfile::tempdir().unwrap();
    accounts(folder.path(), 19);
    let (url, log) = open_shop().await;
    let mut taken = request("POST", "/taken");
    taken.expect_status = vec![409];
    taken.tags = BTreeMap::from([("kind".to_owned(), "write".to_owned())]);
    let twice = ScenarioStep::new(Act::Repeat { times: 2, steps: vec![step(request("GET", "/reviews/{feed.review}"))] });
    let mut rig = Rig::with_files(&flow(&url, vec![twice, step(taken)], FeedStrategy::Circular), 2, folder.path()).await;
    rig.closed(38).await;
    pause(500).await;
    rig.drain().await;
    let said = rig.close().await;
    let lines = lines(&log);
    assert_eq!(said.failed(), BTreeMap::new(), "every request came with token and cookie");
    assert_eq!(said.finished(), lines.len() as u64);
    let logins = log.lock().unwrap().iter().filter(|a| a.line == "POST /login").map(|a| a.body.clone()).collect::<Vec<_>>();
    assert_eq!(logins.len(), 38);
    let count = |path: String| lines.iter().filter(|l| **l == format!("GET {path}")).count();
    let reviews: Vec<usize> = (101..=119).map(|n| count(format!("/reviews/{n}"))).collect();
    assert!(reviews.iter().all(|n| *n > 0), "{reviews:?}");
    let names = said.finished_by_name();
    assert_eq!(names.keys().collect::<Vec<_>>(), ["GET /reviews/{feed.review}", "POST /login", "POST /taken"], "names are templates, not paths");
    assert_eq!(names["GET /reviews/{feed.review}"], reviews.iter().sum::<usize>() as u64);
    assert!(said.rows().filter(|r| r.key.name == "POST /taken").all(|r| r.key.tags["kind"] == "write"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_queue_gives_each_account_to_one_user_over_all_workers() {
    let folder = tempfile::tempdir().unwrap();
    accounts(folder.path(), 40);
    let (url, log) = open_shop().await;
    let mut a_plan = flow(&url, vec![step(RequestPlan::new("GET", "/open/{feed.user}"))], FeedStrategy::Queue);
    a_plan.scenarios[0].once.clear();
    let mut rig = Rig::with_files(&a_plan, 2, folder.path()).await;
    rig.open(200.0, 100).await;
    pause(500).await;
    rig.drain().await;
    let said = rig.close().await;
    let mut seen = lines(&log);
    seen.sort_unstable();
    seen.dedup();
    assert_eq!((seen.len(), said.sent()), (40, 40));
    let (planned, dropped): (f64, u64) = (said.ticks.iter().filter_map(|t| t.planned).sum(), said.ticks.iter().map(|t| t.dropped).sum());
    assert!((planned - 40.0 - dropped as f64).abs() < 1e-9, "{planned} {dropped}");
    assert_eq!(said.warnings.iter().filter(|w| w.contains("all 40 rows")).count(), 1, "{:?}", said.warnings);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bodies_arrive_as_they_are_meant() {
    let folder = tempfile::tempdir().unwrap();
    accounts(folder.path(), 1);
    std::fs::write(folder.path().join("photo.png"), [0_u8, 13, 10, 255]).unwrap();
    let (url, log) = open_shop().await;
    let mut form = RequestPlan::new("POST", "/open/form");
    form.query = BTreeMap::from([("q".to_owned(), Template::parse("{feed.user} & co"))]);
    form.body = Some(RequestBody::Form(BTreeMap::from([("a b".to_owned(), Template::parse("{feed.user}=ü"))])));
    let mut file = RequestPlan::new("PUT", "/open/file");
    file.body = Some(RequestBody::File("photo.png".to_owned()));
    let mut parts = RequestPlan::new("POST", "/open/parts");
    let part = |name: &str, content| RequestPart { name: name.to_owned(), content, media_type: None };
    parts.body = Some(RequestBody::Multipart(vec![
        part("who", PartContent::Text(Template::parse("{feed.user}"))),
        part("photo", PartContent::File("photo.png".to_owned())),
    ]));
    let mut a_plan = flow(&url, [form, file, parts].map(step).to_vec(), FeedStrategy::Circular);
    a_plan.scenarios[0].once.clear();
    let mut rig = Rig::with_files(&a_plan, 1, folder.path()).await;
    rig.closed(1).await;
    pause(100).await;
    rig.drain().await;
    let said = rig.close().await;
    assert_eq!(said.failed(), BTreeMap::new());
    let asked = log.lock().unwrap();
    assert_eq!((asked[0].line.as_str(), asked[0].body.as_slice()), ("POST /open/form?q=user1%20%26%20co", &b"a+b=user1%3D%C3%BC"[..]));
    assert_eq!(asked[0].header("content-type"), "application/x-www-form-urlencoded");
    assert_eq!((asked[1].header("content-type"), asked[1].body.as_slice()), ("image/png", &[0_u8, 13, 10, 255][..]));
    let boundary = asked[2].header("content-type").strip_prefix("multipart/form-data; boundary=").unwrap().as_bytes();
    let body = &asked[2].body;
    assert_eq!(body.windows(boundary.len()).filter(|w| *w == boundary).count(), 3);
    let holds = |text: &[u8]| body.windows(text.len()).any(|w| w == text);
    assert!(holds(b"name=\"who\"\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nuser1\r\n--"));
    assert!(holds(b"name=\"photo\"; filename=\"photo.png\"\r\nContent-Type: application/octet-stream\r\n\r\n\x00\r\n\xff\r\n--"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn settings_and_checks_go_through_the_port() {
    let (url, log) = open_shop().await;
    let mut request = RequestPlan::new("GET", "/open/{pool}");
    let check = |holds| Check { of: Some(Extract::Json("n".to_owned())), holds };
    request.checks = vec![check(Condition::Is("7".to_owned())), check(Condition::Matches("^8".to_owned()))];
    let mut a_plan = plan(&url, vec![Scenario::new("s".to_owned(), vec![step(request)])]);
    a_plan.settings =
        vec![Setting { name: "pool".to_owned(), values: vec![30.0], range: (30.0, 30.0), apply: Apply::Load, verify: None, restore: None }];
    let mut rig = Rig::new(&a_plan, 2).await;
    for pool in [30.0, 50.0] {
        rig.engine.drive(LoadModel::Closed { users: 2 }, MEASURE, &Values::default().with("pool", pool)).await.unwrap();
        pause(100).await;
        rig.drain().await;
    }
    let said = rig.close().await;
    let mut seen = lines(&log);
    let all = seen.len() as u64;
    seen.dedup();
    assert_eq!(seen, ["GET /open/30", "GET /open/50"]);
    assert_eq!(said.failed(), BTreeMap::from([(ErrorKind::Check, all)]));
    let checks = |of: fn(&TickRow) -> u64| said.rows().map(of).sum::<u64>();
    assert_eq!((checks(|r| r.checks_passed), checks(|r| r.checks_failed)), (all, all));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_wrong_with_a_feeder_is_said_before_anything_is_sent() {
    let folder = tempfile::tempdir().unwrap();
    let (url, log) = open_shop().await;
    let a_plan = flow(&url, vec![step(request("GET", "/reviews/{feed.reviews}"))], FeedStrategy::Circular);
    let said = Rig::refused(&a_plan, folder.path()).await;
    assert!(said.contains("scenario `shop`: feeder") && said.contains("accounts.csv"), "{said}");
    accounts(folder.path(), 3);
    let said = Rig::refused(&a_plan, folder.path()).await;
    assert!(said.contains("request `GET /reviews/{feed.reviews}`: feeder accounts.csv: it has no column `reviews`, only `user`, `review`"), "{said}");
    assert_eq!(lines(&log), Vec::<String>::new());
}
