//! How requests travel over HTTP/1.1: whose connections, for how long, where redirects lead, what is compressed.

use std::collections::BTreeMap;

use plimsoll::model::event::ErrorKind;
use plimsoll::model::plan::{Connections, Extract, Plan, RequestBody, RequestPlan, Resolving, Think};
use plimsoll::model::template::Template;
use plimsoll::model::units::Span;

use super::faulty::{Fault, Faulty};
use super::rig::{Rig, Said, get, pause, plan, scenario, step};
use super::server::Server;

fn of(server: &Server, request: RequestPlan) -> Plan {
    let mut plan = plan(&server.url(), vec![scenario(vec![step(request)])]);
    plan.load.timeout = Span::from_secs(5);
    plan
}

async fn run(plan: &Plan, users: u32, workers: usize, ms: u64) -> Said {
    let mut rig = Rig::new(plan, workers).await;
    rig.closed(users).await;
    pause(ms).await;
    rig.drain().await;
    rig.close().await
}

fn good(said: &Said, server: &Server) {
    assert_eq!((said.failed(), said.finished(), said.stale()), (BTreeMap::new(), server.total(), 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn users_who_share_connections_wait_for_a_free_one_and_that_is_known() {
    for (shared, workers, connections) in [(3, 1, 3), (3, 2, 3), (1, 2, 2)] {
        let server = Server::start().await;
        let mut plan = of(&server, get("/slow/20"));
        plan.load.http.connections = Connections::Shared(shared);
        let said = run(&plan, 12, workers, 500).await;
        good(&said, &server);
        {
            let seen = server.seen.lock().unwrap();
            assert_eq!(seen.connections, connections, "{shared} over {workers} workers");
            assert!(seen.most_open <= i64::try_from(connections).unwrap());
        }
        // Twelve users in turn on each connection: all but one of them wait, each for those before it.
        let (waits, service) = (said.merged(|r| &r.connect_wait), said.merged(|r| &r.service_time));
        let fair = 20.0e-3 * (12.0 / connections as f64 - 1.0);
        let median = waits.quantile(0.5).unwrap().as_secs_f64();
        assert!(median > 0.6 * fair && median < 3.0 * fair, "{median} where {fair} is fair");
        assert!(service.quantile(0.5).unwrap().as_secs_f64() >= median + 0.019, "the wait is part of the request's time");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_finds_no_free_connection_in_time_has_a_time_out() {
    let server = Server::start().await;
    let mut plan = of(&server, get("/hang"));
    plan.load.http.connections = Connections::Shared(1);
    plan.load.timeout = Span::from_millis(100);
    let said = run(&plan, 3, 1, 250).await;
    assert_eq!(said.failed(), BTreeMap::from([(ErrorKind::Timeout, said.sent())]));
    assert!(server.total() < said.sent());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shared_connections_that_end_are_made_anew() {
    let service = Faulty::start(Fault::Stale, 3).await;
    let mut plan = plan(&service.url(), vec![scenario(vec![step(get("/"))])]);
    plan.load.http.connections = Connections::Shared(2);
    let said = run(&plan, 8, 1, 300).await;
    assert!(service.made() > 5);
    assert_eq!((said.failed(), said.stale()), (BTreeMap::new(), service.made()));
    assert_eq!(said.finished(), service.requests() - service.made());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_keep_alive_each_request_has_its_connection() {
    let server = Server::start().await;
    let mut plan = of(&server, get("/slow/5"));
    plan.load.http.keep_alive = false;
    plan.load.http.resolve = Resolving::EachConnection;
    for connections in [Connections::PerUser, Connections::Shared(2)] {
        let before = (server.total(), server.seen.lock().unwrap().connections);
        plan.load.http.connections = connections;
        let said = run(&plan, 4, 1, 200).await;
        assert_eq!((said.failed(), said.finished()), (BTreeMap::new(), server.total() - before.0));
        assert_eq!(server.seen.lock().unwrap().connections - before.1, said.sent());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_rested_too_long_is_made_anew_before_use() {
    for (idle, anew) in [(Some(Span::from_millis(20)), true), (Some(Span::from_secs(10)), false), (None, false)] {
        for connections in [Connections::PerUser, Connections::Shared(4)] {
            let server = Server::start().await;
            let mut plan = of(&server, get("/"));
            plan.scenarios[0].think = Some(Think::Fixed(Span::from_millis(60)));
            plan.load.http.idle = idle;
            plan.load.http.connections = connections;
            let said = run(&plan, 1, 1, 300).await;
            good(&said, &server);
            assert!(said.finished() >= 3);
            let expected = if anew { said.finished() } else { 1 };
            assert_eq!(server.seen.lock().unwrap().connections, expected, "{idle:?} {connections:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redirects_are_followed_as_far_as_the_plan_says_and_are_one_request() {
    let path = "/to/302/to/307/slow/20";
    for (most, lines) in [(0, vec!["GET /to/302/to/307/slow/20"]), (1, vec!["GET /to/302/to/307/slow/20", "GET /to/307/slow/20"])] {
        let server = Server::start().await;
        let mut plan = of(&server, get(path));
        plan.load.http.redirects = most;
        plan.scenarios[0].steps[0].think = Some(Think::Fixed(Span::from_millis(5)));
        let said = run(&plan, 2, 1, 150).await;
        let seen = server.seen.lock().unwrap();
        assert_eq!(seen.lines.keys().collect::<Vec<_>>(), lines);
        assert_eq!((said.failed(), said.finished()), (BTreeMap::new(), seen.lines[lines[0]]), "the last answer stands, and 3xx is no failure");
    }
    let server = Server::start().await;
    let mut plan = of(&server, get(path));
    plan.load.http.redirects = 5;
    plan.scenarios[0].steps[0].act = step(RequestPlan { expect_status: vec![200], ..get(path) }).act;
    let said = run(&plan, 2, 1, 300).await;
    assert_eq!((said.failed(), said.finished()), (BTreeMap::new(), server.count("/slow/20")));
    assert!(said.merged(|r| &r.latency).quantile(0.0).unwrap() >= Span::from_millis(20), "its time is the whole");
    assert_eq!(server.seen.lock().unwrap().connections, 2, "all over the user's own connection");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_redirect_turns_a_post_into_a_get_and_leads_only_to_allowed_hosts() {
    let (server, other) = (Server::start().await, Server::start().await);
    let post = |path: String| {
        let mut request = RequestPlan::new("POST", &path);
        request.body = Some(RequestBody::Text(Template::parse("order")));
        request.headers.insert("Authorization".to_owned(), Template::parse("secret"));
        request
    };
    let mut plan = of(&server, post("/to/303/done".to_owned()));
    plan.load.http.redirects = 3;
    plan.scenarios[0].steps.push(step(post("/to/308/again".to_owned())));
    plan.scenarios[0].steps.push(step(post(format!("/to/307/{}/far", other.url()))));
    plan.scenarios[0].steps.push(step(post("/to/307/http://192.0.2.1/never".to_owned())));
    let said = run(&plan, 2, 1, 200).await;
    assert_eq!(said.failed(), BTreeMap::new());
    let (seen, far) = (server.seen.lock().unwrap(), other.seen.lock().unwrap());
    let passes = seen.lines["POST /to/303/done"];
    for line in ["GET /done", "POST /again"] {
        assert!(passes.abs_diff(seen.lines[line]) <= 2, "{line}: {:?}", seen.lines);
    }
    assert_eq!(far.lines.keys().collect::<Vec<_>>(), ["POST /far"]);
    assert!(far.bodies.iter().all(|b| b == "order") && far.authorizations.is_empty(), "a secret does not leave its host");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn compressed_answers_are_asked_for_counted_as_they_came_and_read_as_they_were() {
    let server = Server::start().await;
    for gzip in [true, false] {
        let mut first = get("/gzip");
        let mut plan = of(&server, first.clone());
        plan.load.http.gzip = gzip;
        if gzip {
            first.extract = BTreeMap::from([("id".to_owned(), Extract::Json("id".to_owned()))]);
            plan.scenarios[0].steps = vec![step(first), step(get("/took/{id}"))];
        }
        let said = run(&plan, 2, 1, 150).await;
        assert_eq!(said.failed(), BTreeMap::new());
        let row = said.rows().find(|r| r.key.name == "/gzip").unwrap();
        assert_eq!(row.bytes / row.finished() > 50, gzip, "{} of {}", row.bytes, row.finished());
        assert!(row.bytes / row.finished() < 300, "{} of {}", row.bytes, row.finished());
    }
    assert!(server.count("/took/good") > 2);
}
