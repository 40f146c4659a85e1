//! What a user does, step by step, against a service that answers as a test says: requests, rows, what is taken, what is checked.

use super::*;
use crate::load::dial::Missed;
use crate::load::files::Files;
use crate::model::plan::{
    Act, Check, Condition, Extract, FeedStrategy, Feeder, FeederFile, RequestBody, RequestPlan, Scenario, ScenarioStep, Values,
};
use crate::model::template::Template;

/// Answers each request by its text; how many had come before is told too.
type Answers = fn(&str, u64) -> String;

/// A service whose answers take 10 ms, and who remembers what it was asked.
#[derive(Clone)]
struct Shop {
    answers: Answers,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Shop {
    fn new(answers: Answers) -> Self {
        Self { answers, seen: Arc::default() }
    }

    async fn serve(self, mut stream: DuplexStream) {
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(n @ 1..) = stream.read(&mut buffer).await {
            let request = String::from_utf8_lossy(&buffer[..n]).into_owned();
            let before = {
                let mut seen = self.seen.lock().unwrap();
                seen.push(request.clone());
                seen.len() as u64 - 1
            };
            sleep(Duration::from_millis(10)).await;
            if stream.write_all((self.answers)(&request, before).as_bytes()).await.is_err() {
                return;
            }
        }
    }

    /// The paths that were asked for, in order.
    fn paths(&self) -> Vec<String> {
        self.seen.lock().unwrap().iter().filter_map(|r| r.split(' ').nth(1)).map(str::to_owned).collect()
    }
}

impl Dial for Shop {
    type Stream = DuplexStream;

    async fn dial(&self, _origin: &Origin) -> Result<DuplexStream, Missed> {
        let (ours, theirs) = duplex(64 * 1024);
        tokio::spawn(self.clone().serve(theirs));
        Ok(ours)
    }
}

fn answer(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len())
}

fn ok(_: &str, _: u64) -> String {
    answer("200 OK", "", "ok")
}

fn plan_of(steps: Vec<ScenarioStep>) -> Plan {
    let mut plan = testkit::plan("http://127.0.0.1:1");
    plan.scenarios = vec![Scenario::new("s".to_owned(), steps)];
    plan
}

fn step(request: RequestPlan) -> ScenarioStep {
    ScenarioStep::of(request)
}

fn get(path: &str) -> ScenarioStep {
    step(testkit::get(path))
}

fn pause(ms: u64) -> ScenarioStep {
    ScenarioStep::new(Act::Pause(Think::Fixed(Span::from_millis(ms))))
}

fn taking(path: &str, var: &str, what: Extract) -> ScenarioStep {
    let mut request = testkit::get(path);
    request.extract.insert(var.to_owned(), what);
    step(request)
}

fn feed(plan: &mut Plan, strategy: FeedStrategy) {
    plan.scenarios[0].feeder = Some(Feeder { file: FeederFile::Csv("rows.csv".to_owned()), strategy });
}

/// What a run came to.
struct Run {
    parts: Vec<Part>,
    warnings: Vec<String>,
}

impl Run {
    fn sum(&self, of: impl Fn(&Row) -> u64) -> u64 {
        self.parts.iter().flat_map(|p| &p.rows).map(of).sum()
    }

    fn failed(&self, kind: ErrorKind) -> u64 {
        self.sum(|r| r.failed_count(kind))
    }

    fn sent(&self) -> u64 {
        self.parts.iter().map(|p| p.sent).sum()
    }

    fn dropped(&self) -> u64 {
        self.parts.iter().map(|p| p.dropped).sum()
    }

    fn passes(&self) -> Histogram {
        let mut all = Histogram::default();
        self.parts.iter().for_each(|p| all.merge(&p.iterations));
        all
    }
}

/// A rig whose feeder has these rows.
fn rig(plan: &Plan, shop: &Shop, rows: &str) -> Rig<Shop> {
    Rig::with(Job::with_files(plan, vec![testkit::origin()], &Files::default().with("rows.csv", rows.as_bytes())).unwrap(), shop)
}

/// Runs a load for a time and lets what is under way come to its end.
async fn run(plan: &Plan, shop: &Shop, rows: &str, load: LoadModel, ms: u64) -> Run {
    let rig = rig(plan, shop, rows);
    rig.drive(load);
    sleep(Duration::from_millis(ms)).await;
    finish(rig).await
}

async fn finish(rig: Rig<Shop>) -> Run {
    rig.worker.desk.hold();
    sleep(seconds(1)).await;
    rig.worker.desk.end(rig.worker.now());
    rig.task.await.unwrap();
    let (mut parts, mut warnings) = (Vec::new(), Vec::new());
    for note in rig.notes.try_iter() {
        match note {
            Note::Part(part) => parts.push(*part),
            Note::Warn(text) => warnings.push(text),
            _ => {}
        }
    }
    Run { parts, warnings }
}

const ONE: LoadModel = LoadModel::Closed { users: 1 };

#[tokio::test(start_paused = true)]
async fn groups_are_done_as_the_plan_has_them() {
    let shop = Shop::new(ok);
    let twice = ScenarioStep::new(Act::Repeat { times: 2, steps: vec![get("/b"), pause(5)] });
    let while_ = ScenarioStep::new(Act::During { length: Span::from_millis(25), steps: vec![get("/c")] });
    let ran = run(&plan_of(vec![get("/a"), twice, while_, pause(1000)]), &shop, "", ONE, 500).await;
    assert_eq!(shop.paths(), ["/a", "/b", "/b", "/c", "/c", "/c"]);
    assert_eq!(ran.passes().count(), 1);
    // 10 + 2 x 15 + 3 x 10 of requests and the pause at the end, which is a step and so a part of the pass.
    let took = ran.passes().max().unwrap().as_micros() / 1000;
    assert!((1070..=1076).contains(&took), "{took}");
}

#[tokio::test(start_paused = true)]
async fn one_branch_of_a_choice_is_taken_each_time() {
    let shop = Shop::new(ok);
    let weighted = |path, weight| ScenarioStep { weight: Some(weight), ..get(path) };
    let choose = ScenarioStep::new(Act::Choose { steps: vec![weighted("/often", 3.0), weighted("/seldom", 1.0)] });
    run(&plan_of(vec![get("/first"), choose]), &shop, "", LoadModel::Closed { users: 10 }, 4000).await;
    let paths = shop.paths();
    let of = |path: &str| paths.iter().filter(|p| *p == path).count() as f64;
    assert!((of("/first") - of("/often") - of("/seldom")).abs() <= 10.0);
    assert!((of("/often") / of("/first") - 0.75).abs() < 0.05, "{} of {}", of("/often"), of("/first"));
}

#[tokio::test(start_paused = true)]
async fn orders_are_looked_at_between_requests_and_a_cut_pass_begins_anew() {
    let shop = Shop::new(ok);
    let rig = rig(&plan_of(vec![get("/a"), pause(100), get("/b")]), &shop, "");
    rig.drive(ONE);
    sleep(Duration::from_millis(105)).await;
    rig.worker.desk.hold();
    sleep(seconds(1)).await;
    assert_eq!(shop.paths(), ["/a"], "nothing begins while held");
    rig.drive(ONE);
    sleep(Duration::from_millis(105)).await;
    let ran = finish(rig).await;
    assert_eq!(shop.paths(), ["/a", "/a"], "a pass that was cut begins anew");
    assert_eq!(ran.passes().count(), 0, "and is none");
}

#[tokio::test(start_paused = true)]
async fn a_setting_is_filled_with_the_value_of_the_step() {
    let shop = Shop::new(ok);
    let mut request = testkit::get("/{pool}");
    request.method = "POST".to_owned();
    request.query.insert("q".to_owned(), Template::parse("{pool}"));
    request.headers.insert("X-Pool".to_owned(), Template::parse("p{pool}"));
    request.body = Some(RequestBody::Json(serde_json::json!({"max": "{pool}", "text": "is {pool}"})));
    let mut plan = plan_of(vec![step(request)]);
    plan.settings = vec![testkit::setting("pool"), testkit::setting("z")];
    let rig = rig(&plan, &shop, "");
    for pool in [30.0, 0.5] {
        rig.worker.desk.set(rig.worker.job.fillings(&Values::default().with("pool", pool)));
        rig.drive(ONE);
        sleep(Duration::from_millis(100)).await;
    }
    finish(rig).await;
    let seen = shop.seen.lock().unwrap().clone();
    let first = &seen[0];
    assert!(first.starts_with("POST /30?q=30 HTTP/1.1\r\n") && first.contains("\r\nX-Pool: p30\r\n"), "{first}");
    assert!(first.ends_with("\r\n\r\n{\"max\":30,\"text\":\"is 30\"}"), "{first}");
    let last = seen.last().unwrap();
    assert!(last.starts_with("POST /0.5?q=0.5 ") && last.ends_with("{\"max\":0.5,\"text\":\"is 0.5\"}"), "{last}");
    assert_eq!(seen.iter().filter(|r| !r.contains("/30?") && !r.contains("/0.5?")).count(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_pass_keeps_its_row_and_the_next_has_another() {
    let shop = Shop::new(ok);
    let mut plan = plan_of(vec![get("/a/{feed.id}"), get("/b/{feed.id}")]);
    plan.scenarios[0].once = vec![testkit::get("/login/{feed.user}")];
    feed(&mut plan, FeedStrategy::Circular);
    run(&plan, &shop, "user,id\nann,1\nbob,2\n", ONE, 85).await;
    assert_eq!(shop.paths()[..7], ["/login/ann", "/a/1", "/b/1", "/a/2", "/b/2", "/a/1", "/b/1"]);
}

#[tokio::test(start_paused = true)]
async fn circular_rows_are_dealt_out_evenly_among_users() {
    let shop = Shop::new(ok);
    let mut plan = plan_of(vec![get("/{feed.n}")]);
    feed(&mut plan, FeedStrategy::Circular);
    run(&plan, &shop, "n\n0\n1\n2\n3\n4\n", LoadModel::Closed { users: 7 }, 1000).await;
    let mut counts = BTreeMap::<String, u64>::new();
    shop.paths().into_iter().for_each(|p| *counts.entry(p).or_default() += 1);
    let (least, most) = (counts.values().min().unwrap(), counts.values().max().unwrap());
    assert!(counts.len() == 5 && most - least <= 1, "{counts:?}");
}

#[tokio::test(start_paused = true)]
async fn users_end_with_their_queue() {
    let shop = Shop::new(ok);
    let mut plan = plan_of(vec![get("/{feed.n}")]);
    feed(&mut plan, FeedStrategy::Queue);
    let ran = run(&plan, &shop, "n\n0\n1\n2\n3\n4\n5\n6\n", LoadModel::Closed { users: 3 }, 2000).await;
    let mut paths = shop.paths();
    paths.sort_unstable();
    assert_eq!(paths, ["/0", "/1", "/2", "/3", "/4", "/5", "/6"]);
    assert_eq!(ran.parts[15].users, 0, "who finds no row ends");
    assert_eq!(ran.warnings.len(), 1, "{:?}", ran.warnings);
    assert!(ran.warnings[0].contains("scenario `s`") && ran.warnings[0].contains("7 rows"));
}

#[tokio::test(start_paused = true)]
async fn an_arrival_without_a_row_is_dropped() {
    let shop = Shop::new(ok);
    let mut plan = plan_of(vec![get("/{feed.n}")]);
    feed(&mut plan, FeedStrategy::Queue);
    let ran = run(&plan, &shop, "n\n0\n1\n2\n", open(10.0), 1000).await;
    let planned: f64 = ran.parts.iter().filter_map(|p| p.planned).sum();
    assert_eq!((ran.sent(), ran.dropped(), ran.warnings.len()), (3, 7, 1));
    assert!((planned - 10.0).abs() < 1e-9, "{planned}");
}

#[tokio::test(start_paused = true)]
async fn what_is_taken_fills_the_next_request() {
    let shop = Shop::new(|request, before| match request.split(' ').nth(1) {
        Some("/cart") => {
            answer("201 Created", "Location: /orders/7\r\nSet-Cookie: csrf=c-9; Path=/\r\n", &format!("{{\"id\":{before},\"t\":\"<i>x</i>\"}}"))
        }
        _ => ok("", 0),
    });
    let mut cart = testkit::get("/cart");
    for (var, what) in [
        ("id", Extract::Json("id".to_owned())),
        ("to", Extract::Header("location".to_owned())),
        ("csrf", Extract::Cookie("csrf".to_owned())),
        ("word", Extract::Regex("<i>(.)".to_owned())),
    ] {
        cart.extract.insert(var.to_owned(), what);
    }
    let mut order = testkit::get("{to}/{id}?csrf={csrf}");
    order.body = Some(RequestBody::Json(serde_json::json!({"id": "{id}", "word": "{word}"})));
    let ran = run(&plan_of(vec![step(cart), step(order)]), &shop, "", ONE, 60).await;
    assert_eq!(shop.paths()[..4], ["/cart", "/orders/7/0?csrf=c-9", "/cart", "/orders/7/2?csrf=c-9"]);
    assert!(shop.seen.lock().unwrap()[1].ends_with("{\"id\":0,\"word\":\"x\"}"));
    assert_eq!((ran.warnings.len(), ran.sum(|r| r.latency.count())), (0, ran.sent()));
}

#[tokio::test(start_paused = true)]
async fn a_request_without_its_variable_is_not_sent_and_ends_the_pass() {
    // Every second answer holds no token.
    let shop = Shop::new(|_, before| answer("200 OK", "", if before % 3 == 2 { "{}" } else { "{\"token\":\"t\"}" }));
    let steps = vec![taking("/token", "token", Extract::Json("token".to_owned())), get("/use/{token}")];
    let ran = run(&plan_of(steps), &shop, "", ONE, 1000).await;
    let paths = shop.paths();
    assert_eq!(paths[..5], ["/token", "/use/t", "/token", "/token", "/use/t"], "an old token is not used again");
    assert!(!paths.iter().any(|p| p.contains('{') || p.contains("%7B")));
    assert_eq!(ran.failed(ErrorKind::BadAnswer), paths.len() as u64 / 3);
    assert_eq!(ran.warnings.len(), 2, "each is said once: {:?}", ran.warnings);
    assert!(ran.warnings[0].contains("request `GET /token`") && ran.warnings[0].contains("{token}"), "{:?}", ran.warnings);
    assert!(ran.warnings[1].contains("request `GET /use/{token}` needs {token}"), "{:?}", ran.warnings);
}

#[tokio::test(start_paused = true)]
async fn a_failed_request_gives_nothing_to_later_ones() {
    let shop = Shop::new(|request, before| match before {
        2 => answer("500 Oops", "", "{\"id\":\"late\"}"),
        _ if request.starts_with("GET /make") => answer("200 OK", "", &format!("{{\"id\":\"{before}\"}}")),
        _ => ok("", 0),
    });
    let steps = vec![taking("/make", "id", Extract::Json("id".to_owned())), get("/use/{id}"), get("/end")];
    let ran = run(&plan_of(steps), &shop, "", ONE, 75).await;
    // The third request fails: its pass ends, and counts.
    assert_eq!(shop.paths()[..6], ["/make", "/use/0", "/end", "/make", "/use/3", "/end"]);
    assert_eq!(ran.failed(ErrorKind::Status), 1);
}

#[tokio::test(start_paused = true)]
async fn a_pass_that_can_send_nothing_waits_before_it_tries_again() {
    let shop = Shop::new(ok);
    let weighted = |step: ScenarioStep, weight| ScenarioStep { weight: Some(weight), ..step };
    let never = weighted(taking("/token", "token", Extract::Json("token".to_owned())), 0.0);
    let mut plan = plan_of(vec![never, weighted(get("/use/{token}"), 1.0)]);
    let ran = run(&plan, &shop, "", ONE, 5000).await;
    assert_eq!((ran.sent(), ran.passes().count(), ran.warnings.len()), (0, 0, 1));
    let ran = run(&plan, &shop, "", open(10.0), 1000).await;
    assert_eq!((ran.sent(), ran.dropped()), (0, 10), "an arrival that could send nothing is dropped");
    plan.scenarios[0].once = vec![testkit::get("/log-in/{token}")];
    assert_eq!(run(&plan, &shop, "", ONE, 5000).await.sent(), 0);
}

#[tokio::test(start_paused = true)]
async fn checks_are_counted_and_a_failed_one_fails_its_request() {
    let shop = Shop::new(|_, before| answer("200 OK", "X-Kind: a\r\n", if before % 2 == 0 { "{\"n\":1}" } else { "{\"n\":2}" }));
    let mut request = testkit::get("/x");
    let check = |of, holds| Check { of, holds };
    request.checks = vec![
        check(Some(Extract::Json("n".to_owned())), Condition::Is("1".to_owned())),
        check(Some(Extract::Header("x-kind".to_owned())), Condition::Exists),
        check(None, Condition::Lacks("error".to_owned())),
    ];
    request.extract.insert("n".to_owned(), Extract::Json("n".to_owned()));
    let ran = run(&plan_of(vec![step(request), get("/n/{n}")]), &shop, "", ONE, 1000).await;
    let asked = shop.paths().iter().filter(|p| *p == "/x").count() as u64;
    assert!(asked > 20);
    assert_eq!(ran.sum(|r| r.checks.passed + r.checks.failed), 3 * asked);
    // Requests alternate, so that every one of them meets the first answer.
    assert_eq!((ran.failed(ErrorKind::Check), ran.sum(|r| r.checks.failed)), (0, 0));
    let shop = Shop::new(|_, _| answer("200 OK", "", "{\"n\":2}"));
    let mut request = testkit::get("/x");
    request.checks = vec![check(Some(Extract::Json("n".to_owned())), Condition::Is("1".to_owned())), check(None, Condition::Exists)];
    request.extract.insert("n".to_owned(), Extract::Json("n".to_owned()));
    let ran = run(&plan_of(vec![step(request), get("/n/{n}")]), &shop, "", ONE, 1000).await;
    let asked = shop.paths().iter().filter(|p| *p == "/x").count() as u64;
    assert_eq!((ran.failed(ErrorKind::Check), ran.sum(|r| r.checks.failed), ran.sum(|r| r.checks.passed)), (asked, asked, asked));
    assert!(shop.paths().contains(&"/n/2".to_owned()), "what the answer has is taken all the same");
    assert_eq!(ran.passes().count() * 2, ran.sent(), "a pass with a failed request counts");
}

#[tokio::test(start_paused = true)]
async fn a_wrong_status_is_looked_at_no_further() {
    let shop = Shop::new(|_, _| answer("409 Conflict", "", "x"));
    let mut request = testkit::get("/x");
    request.checks = vec![Check { of: None, holds: Condition::Is("y".to_owned()) }];
    let mut expected = request.clone();
    expected.expect_status = vec![409];
    expected.name = "expected".to_owned();
    let ran = run(&plan_of(vec![step(request), step(expected)]), &shop, "", ONE, 500).await;
    let (status, check) = (ran.failed(ErrorKind::Status), ran.failed(ErrorKind::Check));
    assert!(status > 5 && status.abs_diff(check) <= 1, "{status} {check}");
    assert_eq!(ran.sum(|r| r.checks.failed), check);
}

#[tokio::test(start_paused = true)]
async fn a_log_in_that_fails_is_tried_with_the_next_row() {
    let shop = Shop::new(|request, _| if request.contains("/login/bad") { answer("401 No", "", "") } else { ok("", 0) });
    let mut plan = plan_of(vec![get("/read")]);
    plan.scenarios[0].once = vec![testkit::get("/login/{feed.user}")];
    feed(&mut plan, FeedStrategy::Queue);
    run(&plan, &shop, "user\nbad\ngood\nx\n", ONE, 35).await;
    assert_eq!(shop.paths()[..3], ["/login/bad", "/login/good", "/read"]);
}

#[tokio::test(start_paused = true)]
async fn cookies_are_each_users_own_and_follow_their_rules() {
    let shop = Shop::new(|request, before| match request.split(' ').nth(1) {
        Some("/in/login") => answer("200 OK", &format!("Set-Cookie: sid=s{before}; Path=/\r\nSet-Cookie: here=1\r\n"), ""),
        Some("/out") => answer("401 No", "Set-Cookie: sid=; Max-Age=0; Path=/\r\n", ""),
        _ => ok("", 0),
    });
    let mut own = testkit::get("/own");
    own.headers.insert("Cookie".to_owned(), Template::parse("lang=de; sid=mine"));
    let mut plan = plan_of(vec![get("/a"), get("/in/b"), step(own), get("/out"), get("/z"), pause(10_000)]);
    plan.scenarios[0].once = vec![testkit::get("/in/login")];
    run(&plan, &shop, "", LoadModel::Closed { users: 2 }, 12_000).await;
    let seen = shop.seen.lock().unwrap().clone();
    let cookies = |path: &str| -> Vec<String> {
        let of = |r: &String| r.lines().filter_map(|l| l.strip_prefix("Cookie: ")).collect::<Vec<_>>().join(" | ");
        let mut all: Vec<String> = seen.iter().filter(|r| r.starts_with(&format!("GET {path} "))).map(of).collect();
        all.sort_unstable();
        all
    };
    let given = cookies("/a");
    assert!(given.len() == 2 && given[0] != given[1] && given.iter().all(|c| c.starts_with("sid=s")), "each has its own: {given:?}");
    assert_eq!(cookies("/in/login"), ["", ""]);
    assert!(cookies("/in/b").iter().all(|c| c.starts_with("here=1; sid=s")), "{:?}", cookies("/in/b"));
    assert_eq!(cookies("/own"), ["lang=de; sid=mine", "lang=de; sid=mine"]);
    assert_eq!(cookies("/z"), ["", ""], "also a failed answer sets and removes");
}
