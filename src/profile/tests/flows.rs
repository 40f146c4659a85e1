//! What users do: groups of steps, feeders, bodies, checks, tags.

use super::{LEAST, attempt, plan, refusals};
use crate::model::plan::{
    Act, Check, Condition, Extract, FeedStrategy, Feeder, FeederFile, PartContent, RequestBody, RequestPlan, Scenario, ScenarioStep, Think,
};
use crate::model::units::Span;

fn with_steps(steps: &str) -> String {
    LEAST.replace("[[scenario.step]]\nget = \"/\"", steps)
}

fn scenario(steps: &str) -> Scenario {
    plan(&with_steps(steps)).scenarios.remove(0)
}

#[track_caller]
fn request(keys: &str) -> RequestPlan {
    scenario(&format!("[[scenario.step]]\n{keys}")).steps[0].request().unwrap().clone()
}

fn paths(steps: &[ScenarioStep]) -> Vec<String> {
    steps.iter().filter_map(ScenarioStep::request).map(|r| r.path.to_string()).collect()
}

#[test]
fn steps_hold_steps() {
    let s = scenario(
        r#"
[[scenario.step]]
repeat = 3
think = { fixed = "1s" }
[[scenario.step.step]]
get = "/a"
[[scenario.step.step]]
pause = "5s"
[[scenario.step]]
during = "30s"
[[scenario.step.step]]
weight = 1
get = "/b"
[[scenario.step.step]]
weight = 2
[[scenario.step.step.step]]
get = "/c"
[[scenario.step.step.step]]
get = "/d"
[[scenario.step]]
pause = { between = ["1s", "2s"] }
"#,
    );
    let Act::Repeat { times: 3, steps } = &s.steps[0].act else { panic!("{:?}", s.steps[0]) };
    assert_eq!((paths(steps), &steps[1].act), (vec!["/a".to_owned()], &Act::Pause(Think::Fixed(Span::from_secs(5)))));
    assert_eq!(s.steps[0].think, Some(Think::Fixed(Span::from_secs(1))));
    let Act::During { length, steps } = &s.steps[1].act else { panic!("{:?}", s.steps[1]) };
    assert_eq!((*length, steps[1].weight), (Span::from_secs(30), Some(2.0)));
    let Act::Repeat { times: 1, steps } = &steps[1].act else { panic!("a group without a number is done once") };
    assert_eq!(paths(steps), ["/c", "/d"]);
    assert_eq!(s.steps[2].act, Act::Pause(Think::Between(Span::from_secs(1), Span::from_secs(2))));
    assert_eq!(s.requests().count(), 4);
}

#[test]
fn one_of_several_by_weight_or_evenly() {
    let weights = |text: &str| {
        let s = scenario(text);
        let Act::Choose { steps } = &s.steps[0].act else { panic!("{s:?}") };
        steps.iter().map(|s| s.weight).collect::<Vec<_>>()
    };
    assert_eq!(weights("[[scenario.step]]\nchoose = [{ weight = 3, get = \"/a\" }, { weight = 1, get = \"/b\" }]"), [Some(3.0), Some(1.0)]);
    assert_eq!(weights("[[scenario.step]]\n[[scenario.step.choose]]\nget = \"/a\"\n[[scenario.step.choose]]\npause = \"1s\""), [Some(1.0); 2]);
}

#[test]
fn compression_shortens_pauses_and_stretches() {
    let steps = "[[scenario.step]]\npause = { normal = [\"60s\", \"30s\"] }\n[[scenario.step]]\nduring = \"2m\"\nstep = [{ get = \"/\" }]";
    let s = plan(&format!("{}\n[experiment]\ncompress = 60\n", with_steps(steps))).scenarios.remove(0);
    assert_eq!(s.steps[0].act, Act::Pause(Think::Normal(Span::from_secs(1), Span::from_millis(500))));
    assert!(matches!(s.steps[1].act, Act::During { length, .. } if length == Span::from_secs(2)));
}

#[test]
fn a_group_that_runs_for_sure_makes_its_variables_known() {
    let take = "get = \"/\"\nextract = { a = \"json:$.a\" }";
    let group = |keys: &str| format!("[[scenario.step]]\n{keys}[[scenario.step.step]]\n{take}\n[[scenario.step]]\nget = \"/{{a}}\"");
    for sure in ["", "repeat = 2\n", "during = \"1s\"\n"] {
        assert_eq!(scenario(&group(sure)).steps.len(), 2, "{sure}");
    }
    let maybe = format!("[[scenario.step]]\n[[scenario.step.choose]]\n{take}\n[[scenario.step]]\nget = \"/{{a}}\"");
    assert_eq!(refusals(&with_steps(&maybe)), ["`scenario.step.get`: `{a}` stands before it is extracted"]);
    let inside = format!(
        "[[scenario.step]]\n[[scenario.step.choose]]\n[[scenario.step.choose.step]]\n{take}\n[[scenario.step.choose.step]]\nget = \"/{{a}}\""
    );
    assert_eq!(scenario(&inside).requests().count(), 2, "within one choice the order is known");
}

#[test]
fn groups_end_somewhere() {
    let header = |n: usize| format!("[[scenario{}]]\n", ".step".repeat(n));
    let deep: String = (1..12).map(header).collect();
    assert_eq!(
        refusals(&with_steps(&format!("{deep}get = \"/\""))),
        ["`scenario.step.step.step.step.step.step.step.step.step`: too many groups inside each other"]
    );
}

#[test]
fn feeders_give_their_columns_and_keep_their_rows() {
    let steps = "feeder = { csv = \"accounts.csv\", strategy = \"queue\" }\n[[scenario.step]]\npost = \"/{feed.review_id}\"\n\
                 json = { user = \"{feed.username}\" }\nheaders = { X = \"{feed.password}\" }\nquery = { q = \"{feed.username}\" }";
    let profile = attempt(&with_steps(steps)).unwrap();
    let feeder = Feeder { file: FeederFile::Csv("accounts.csv".to_owned()), strategy: FeedStrategy::Queue };
    assert_eq!(profile.recorded.scenarios[0].feeder, Some(feeder));
    assert!(!format!("{:?}", profile.recorded).contains("s3cr3t"), "rows are never recorded");
    let json = scenario("feeder = { json = \"accounts.json\" }\n[[scenario.step]]\nget = \"/{feed.deep}\"");
    assert_eq!(json.feeder, Some(Feeder { file: FeederFile::Json("accounts.json".to_owned()), strategy: FeedStrategy::Circular }));
}

#[test]
fn a_feeder_that_feeds_nothing_is_told_before_the_run() {
    let fed = |feeder: &str| refusals(&with_steps(&format!("feeder = {feeder}\n[[scenario.step]]\nget = \"/{{feed.usernme}}\"")));
    assert_eq!(fed("{ csv = \"accounts.csv\" }"), ["`scenario.step.get`: `{feed.usernme}` is no column of `accounts.csv`"]);
    assert_eq!(fed("{ csv = \"x.csv\" }"), ["`scenario.feeder.csv`: reading `x.csv`: there is no such file"], "and nothing of its columns");
    assert_eq!(fed("{}"), ["`scenario.feeder`: a feeder without a file"]);
    assert_eq!(fed("{ csv = \"accounts.csv\", strategy = \"any\" }"), ["`scenario.feeder.strategy`: \"any\" is not known here"]);
    assert!(fed("{ json = \"accounts.csv\" }")[0].contains("it is not JSON"));
    let whole = with_steps("feeder = { csv = \"accounts.csv\" }\n[[scenario.step]]\nget = \"/{feed}\"");
    assert_eq!(refusals(&whole), ["`scenario.step.get`: `{feed}` is a whole row of `accounts.csv`"]);
    assert_eq!(refusals(&with_steps("[[scenario.step]]\nget = \"/{feed}\"")), ["`scenario.step.get`: `{feed}` is a whole row"]);
}

#[test]
fn no_cell_of_a_feeder_is_in_an_error() {
    let text = with_steps("feeder = { csv = \"accounts.csv\" }\n[[scenario.step]]\nget = \"/{feed.pasword}\"");
    let told = attempt(&text).unwrap_err().to_string();
    assert!(told.contains("did you mean `password`") && !told.contains("s3cr3t"), "{told}");
}

#[test]
fn bodies_of_every_kind() {
    assert!(matches!(request("post = \"/\"\nbody = \"a\"").body, Some(RequestBody::Text(_))));
    let Some(RequestBody::Form(form)) = request("post = \"/\"\nform = { a = \"1\", b = \"x y\" }").body else { panic!("no form") };
    assert_eq!(form["b"].to_string(), "x y");
    assert_eq!(request("post = \"/\"\nfile = \"photo.jpg\"").body, Some(RequestBody::File("photo.jpg".to_owned())));
    let parts = "post = \"/\"\nmultipart = [{ name = \"photo\", file = \"photo.jpg\", type = \"image/jpeg\" }, { name = \"t\", text = \"x\" }]";
    let Some(RequestBody::Multipart(parts)) = request(parts).body else { panic!("no parts") };
    assert_eq!((parts[0].name.as_str(), &parts[0].content), ("photo", &PartContent::File("photo.jpg".to_owned())));
    assert_eq!((parts[0].media_type.as_deref(), parts[1].media_type.as_deref()), (Some("image/jpeg"), None));
    let query = request("get = \"/x\"\nquery = { page = \"0\" }");
    assert_eq!((query.name.as_str(), query.query["page"].to_string().as_str()), ("GET /x", "0"));
    let none = "[[scenario.step]]\npost = \"/\"\nmultipart = []";
    assert_eq!(refusals(&with_steps(none)), ["`scenario.step.multipart`: a multipart body without parts"]);
    let unnamed =
        "[[scenario.step]]\npost = \"/\"\nform = { \"\" = \"1\" }\n[[scenario.step]]\npost = \"/\"\nmultipart = [{ name = \" \", text = \"\" }]";
    assert_eq!(
        refusals(&with_steps(unnamed)),
        ["`scenario.step.form.\"\"`: a parameter without a name", "`scenario.step.multipart.name`: no name for a part"]
    );
}

#[test]
fn checks_of_every_kind() {
    let checks = request(
        r#"get = "/"
check = [
    { of = "json:$.status", is = "ok" }, { of = "json:$.count", is = 3 }, { of = "json:$.ready", is = true },
    { of = "header:Content-Type", contains = "json" }, { of = "body", lacks = "error" }, { matches = 'id=\d+' },
    { of = "cookie:SESSION", exists = true }, { of = "regex:a(b)", exists = false },
]"#,
    )
    .checks;
    let json = |path: &str| Some(Extract::Json(path.to_owned()));
    let is = |text: &str| Condition::Is(text.to_owned());
    assert_eq!(
        checks,
        [
            Check { of: json("status"), holds: is("ok") },
            Check { of: json("count"), holds: is("3") },
            Check { of: json("ready"), holds: is("true") },
            Check { of: Some(Extract::Header("Content-Type".to_owned())), holds: Condition::Contains("json".to_owned()) },
            Check { of: None, holds: Condition::Lacks("error".to_owned()) },
            Check { of: None, holds: Condition::Matches("id=\\d+".to_owned()) },
            Check { of: Some(Extract::Cookie("SESSION".to_owned())), holds: Condition::Exists },
            Check { of: Some(Extract::Regex("a(b)".to_owned())), holds: Condition::Missing },
        ]
    );
}

#[test]
fn what_is_taken_from_an_answer() {
    let taken = request("get = \"/\"\nextract = { a = \"cookie:SID\", b = 'regex:x(\\d)', c = \"header: Location\", d = \"json:$[0]\" }").extract;
    assert_eq!(taken["a"], Extract::Cookie("SID".to_owned()));
    assert_eq!(taken["b"], Extract::Regex("x(\\d)".to_owned()));
    assert_eq!(taken["c"], Extract::Header("Location".to_owned()));
    assert_eq!(taken["d"], Extract::Json("0".to_owned()));
    for (wrong, said) in [
        ("cookie:", "`cookie:` names no part of an answer"),
        ("header:a b", "`header:a b` names no part of an answer"),
        ("regex:", "an empty regular expression finds nothing"),
        ("regex:[a", "`regex:[a` is no regular expression: unclosed character class"),
        ("json:a.b", "`json:a.b` names no part of an answer"),
    ] {
        let text = with_steps(&format!("[[scenario.step]]\nget = \"/\"\nextract = {{ x = \"{wrong}\" }}"));
        assert_eq!(refusals(&text), [format!("`scenario.step.extract.x`: {said}")]);
    }
}

#[test]
fn a_head_is_checked_by_its_headers() {
    let of = |part: &str| with_steps(&format!("[[scenario.step]]\nhead = \"/\"\ncheck = [{{ of = \"{part}\", contains = \"x\" }}]"));
    assert_eq!(plan(&of("header:ETag")).scenarios[0].steps.len(), 1);
    for body in ["body", "json:$.a", "regex:a"] {
        assert_eq!(refusals(&of(body)), ["`scenario.step.check.of`: the answer to HEAD has no body: nothing can be found in it"], "{body}");
    }
}

#[test]
fn tags_are_kept_as_written() {
    let text = with_steps("tags = { kind = \"read\" }\n[[scenario.step]]\nget = \"/\"\ntags = { part = \"a b\" }");
    let scenario = plan(&text).scenarios.remove(0);
    assert_eq!((scenario.tags["kind"].as_str(), scenario.steps[0].request().unwrap().tags["part"].as_str()), ("read", "a b"));
    let secret = with_steps("[[scenario.step]]\nget = \"/\"\ntags = { part = \"${TOKEN}\" }");
    let told = attempt(&secret).unwrap_err().to_string();
    assert!(told.contains("a tag has one value") && !told.contains("s3cr3t"), "{told}");
}

#[test]
fn a_setting_may_stand_in_a_request() {
    let setting = "[settings.pool]\nvalues = [1]\napply = { command = [\"set\", \"{pool}\"] }\n";
    let text = format!("{}\n{setting}", with_steps("[[scenario.step]]\nget = \"/{pool}\"\nquery = { n = \"{pool}\" }"));
    assert_eq!(plan(&text).scenarios[0].steps.len(), 1);
}
