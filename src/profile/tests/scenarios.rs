//! Scenarios: requests, variables, think times, targets.

use super::{LEAST, plan, refusals, with};
use crate::model::plan::{Extract, RequestBody, Think};
use crate::model::units::Span;

fn steps(steps: &str) -> String {
    LEAST.replace("[[scenario.step]]\nget = \"/\"", steps)
}

#[test]
fn a_login_feeds_the_loop() {
    let text = steps(
        r#"
weight = 80
think = { between = ["3s", "8s"] }
[[scenario.once]]
name = "login"
post = "/login"
json = { user = "u", deep = { list = [1, true, 2.5] } }
extract = { token = "json:$.data[0].token", place = "header:Location" }
[[scenario.step]]
name = "detail"
weight = 30
get = "/items?x={token}"
headers = { Authorization = "Bearer {token}" }
expect = { status = [200, 404] }
think = { fixed = "1s" }
[[scenario.step]]
weight = 70
put = "/items/{place}"
body = "{{\"a\": \"{token}\"}}"
expect = { status = 201 }
"#,
    );
    let scenario = plan(&text).scenarios.remove(0);
    assert!(scenario.is_weighted() && (scenario.weight - 80.0).abs() < 1e-9);
    assert_eq!(scenario.think, Some(Think::Between(Span::from_secs(3), Span::from_secs(8))));
    let login = &scenario.once[0];
    assert_eq!((login.name.as_str(), login.method.as_str()), ("login", "POST"));
    assert_eq!(login.extract["token"], Extract::Json("data.0.token".to_owned()));
    assert_eq!(login.extract["place"], Extract::Header("Location".to_owned()));
    assert_eq!(login.body, Some(RequestBody::Json(serde_json::json!({ "user": "u", "deep": { "list": [1, true, 2.5] } }))));
    assert_eq!(scenario.steps[0].request().unwrap().expect_status, [200, 404]);
    assert_eq!(scenario.steps[0].think, Some(Think::Fixed(Span::from_secs(1))));
    assert_eq!(scenario.steps[1].request().unwrap().expect_status, [201]);
    let Some(RequestBody::Text(body)) = &scenario.steps[1].request().unwrap().body else { panic!("no text") };
    assert_eq!(body.fill(|_| Some("t".to_owned())), "{\"a\": \"t\"}");
}

#[test]
fn a_variable_belongs_to_its_scenario() {
    let other = "[[scenario]]\nname = \"other\"\n[[scenario.step]]\nget = \"/{token}\"\n";
    let text = format!("{}{other}", steps("[[scenario.step]]\nget = \"/\"\nextract = { token = \"json:$.t\" }"));
    assert_eq!(refusals(&text), ["`scenario.step.get`: `{token}` is neither a setting nor extracted by this scenario"]);
}

#[test]
fn a_variable_is_known_once_its_request_is_sure_to_have_run() {
    let order =
        "[[scenario.step]]\nget = \"/{a}\"\n[[scenario.step]]\nget = \"/\"\nextract = { a = \"json:$.a\" }\n[[scenario.step]]\nget = \"/{a}\"";
    assert_eq!(refusals(&steps(order)), ["`scenario.step.get`: `{a}` stands before it is extracted"]);
    let weighted = "[[scenario.step]]\nget = \"/\"\nweight = 1\nextract = { a = \"json:$.a\" }\n[[scenario.step]]\nget = \"/{a}\"\nweight = 1";
    assert_eq!(refusals(&steps(weighted)), ["`scenario.step.get`: `{a}` stands before it is extracted"]);
    let once = "[[scenario.once]]\nget = \"/\"\nextract = { a = \"json:$.a\" }\n[[scenario.once]]\nget = \"/{a}\"\n";
    assert_eq!(plan(&steps(&format!("{once}{}", weighted.replace("extract = { a = \"json:$.a\" }\n", "")))).scenarios[0].once.len(), 2);
}

#[test]
fn scenarios_have_names_steps_and_weights() {
    let twice = "[[scenario]]\nname = \"s\"\nweight = 0\nstep = []\n[[scenario]]\nname = \" \"\n[[scenario.step]]\nget = \"/\"\nname = \"\"\n";
    assert_eq!(
        refusals(&format!("{LEAST}{twice}")),
        [
            "`scenario.name`: a second scenario named `s`",
            "`scenario.weight`: `0` is no weight",
            "`scenario.step`: a scenario without steps",
            "`scenario.name`: an empty name",
            "`scenario.step.name`: an empty name",
        ]
    );
    assert_eq!(
        refusals(&LEAST.replace("[[scenario]]\nname = \"s\"\n[[scenario.step]]\nget = \"/\"", "").replace("[target]", "scenario = []\n[target]")),
        ["`scenario`: nothing to do for the load"]
    );
}

#[test]
fn requests_are_sendable() {
    let text = steps(
        r#"
[[scenario.once]]
get = "/a b"
weight = 3
[[scenario.step]]
get = "http://other/x"
headers = { X = "a\nb" }
extract = { "a.b" = "json:$.x", ok = "xpath://a" }
[[scenario.step]]
get = "/a#b"
think = { fixed = "1s", exponential = "2s" }
[[scenario.step]]
get = "/"
think = {}
"#,
    );
    assert_eq!(
        refusals(&text),
        ["`scenario.once`: unknown key `weight`", "`scenario.step.think`: more than one form of think time", "`scenario.step.think`: no think time",]
    );
    let text = text.replace("weight = 3\n", "").replace(", exponential = \"2s\"", "").replace("think = {}", "");
    assert_eq!(
        refusals(&text),
        [
            "`scenario.once.get`: a path has no blanks",
            "`scenario.step.get`: a whole address",
            "`scenario.step.headers.X`: a header has one line",
            "`scenario.step.extract.\"a.b\"`: `a.b` can not be a variable's name",
            "`scenario.step.extract.ok`: `xpath://a` names no part of an answer",
            "`scenario.step.get`: what follows # is never sent",
        ]
    );
}

#[test]
fn a_target_says_where_and_when() {
    let target = |more: &str| LEAST.replace("url = \"http://127.0.0.1:8080\"", more);
    let there = plan(&target(
        "url = \"https://10.0.0.1/\"\nallow = [\"10.0.0.1\", \"[::2]\"]\ninstances = [\"http://[::2]:80\"]\nready = { path = \"/up\" }",
    ));
    assert_eq!((there.target.url.as_str(), there.target.instances.as_slice()), ("https://10.0.0.1", ["http://[::2]:80".to_owned()].as_slice()));
    assert_eq!(there.target.allow, ["10.0.0.1", "::2"]);
    let ready = there.target.ready.unwrap();
    assert_eq!((ready.path.as_str(), ready.status, ready.within), ("/up", 200, Span::from_secs(60)));
    assert_eq!(plan(&target("url = \"http://h:81\"\nallow = [\"h:81\"]")).target.url, "http://h:81");
    assert_eq!(refusals(&target("url = \"http://h:82\"\nallow = [\"h:81\"]")), ["`target.url`: host `h` is not allowed"]);
    assert_eq!(plan(&target("url = \"http://127.0.0.9\"")).target.allow, ["127.0.0.1", "localhost", "::1", "127.0.0.9"]);
    assert_eq!(
        refusals(&target("url = \"127.0.0.1\"\nallow = [\"http://x\", \"h/p\"]\nready = { path = \"up\", status = 42 }\nprocess = { command = [] }")),
        [
            "`target.url`: `127.0.0.1` is no address: an address begins with http:// or https://",
            "`target.allow`: `http://x` is no host",
            "`target.allow`: `h/p` is no host",
            "`target.ready.path`: a path begins with /",
            "`target.ready.status`: `42` is no status",
            "`target.process.command`: no program",
        ]
    );
}

#[test]
fn sources_have_addresses_and_names_of_their_own() {
    let text = "[metrics.host]\nprometheus = \"http://h:0/\"\nevery = \"0s\"\nselect = { pool = \"HikariPool-1\" }\n";
    assert_eq!(
        refusals(&format!("{LEAST}{text}")),
        [
            "`metrics.host`: `host` is a source of Plimsoll's own",
            "`metrics.host.prometheus`: `http://h:0/` is no address: the port is no number from 1 to 65535",
            "`metrics.host.every`: a page can not be read without pause",
        ]
    );
    let plan = with(
        "[metrics.app]\nprometheus = \"http://elsewhere:80/m\"\ndialects = [\"hikaricp-micrometer\"]\nselect = { pool = \"P\" }\nevery = \"2s\"\n",
    );
    assert_eq!((plan.sources[0].name.as_str(), plan.sources[0].every), ("app", Span::from_secs(2)));
}
