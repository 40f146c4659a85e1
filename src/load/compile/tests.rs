//! Plans made ready: what is refused, what is numbered, and what stands where.

use std::collections::BTreeMap;

use super::*;
use crate::load::testkit;
use crate::model::plan::{Act, Check, Condition, Extract, FeedStrategy, Feeder, PartContent, RequestPart, ScenarioStep};
use crate::model::template::Template;

fn compiled(plan: &Plan, files: &Files) -> Result<Job, EngineError> {
    Job::with_files(plan, vec![testkit::origin()], files)
}

fn asks(job: &Job) -> Vec<&Ask> {
    job.flows[0].steps.nodes.iter().filter_map(|n| if let Deed::Ask(ask) = &n.deed { Some(ask) } else { None }).collect()
}

/// Why a plan with one fault is refused.
#[track_caller]
fn refused(files: &Files, spoil: impl Fn(&mut Plan)) -> String {
    let mut plan = testkit::plan("http://127.0.0.1:1");
    spoil(&mut plan);
    compiled(&plan, files).map(|_| "accepted").unwrap_err().to_string()
}

fn fed(plan: &mut Plan, file: FeederFile) {
    plan.scenarios[0].feeder = Some(Feeder { file, strategy: FeedStrategy::Circular });
    plan.scenarios[0].steps = vec![ScenarioStep::of(testkit::get("/{feed.id}"))];
}

#[test]
fn one_name_is_one_key_also_in_two_places() {
    let mut plan = testkit::plan("http://127.0.0.1:1");
    let again = plan.scenarios[0].steps[0].clone();
    plan.scenarios[0].steps.push(again);
    let job = compiled(&plan, &Files::default()).unwrap();
    assert_eq!(job.keys.len(), 1);
    assert_eq!(job.flows[0].steps.nodes.len(), 2);
}

#[test]
fn tags_of_the_request_stand_above_those_of_the_scenario() {
    let mut plan = testkit::plan("http://127.0.0.1:1");
    let tags = |pairs: &[(&str, &str)]| pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect::<BTreeMap<_, _>>();
    plan.scenarios[0].tags = tags(&[("team", "shop"), ("kind", "any")]);
    let mut tagged = testkit::get("/");
    tagged.tags = tags(&[("kind", "read")]);
    plan.scenarios[0].steps.push(ScenarioStep::of(tagged));
    let job = compiled(&plan, &Files::default()).unwrap();
    assert_eq!(
        job.keys.iter().map(|k| k.tags.clone()).collect::<Vec<_>>(),
        [tags(&[("team", "shop"), ("kind", "any")]), tags(&[("team", "shop"), ("kind", "read")])]
    );
    assert!(job.keys.iter().all(|k| k.name == "GET /"));
}

#[test]
fn plans_that_can_not_be_sent_are_refused_with_a_reason() {
    let none = Files::default();
    let steps = |steps: Vec<ScenarioStep>| move |p: &mut Plan| p.scenarios[0].steps.clone_from(&steps);
    let pause = |ms| ScenarioStep::new(Act::Pause(Think::Fixed(Span::from_millis(ms))));
    let get = || ScenarioStep::of(testkit::get("/"));
    assert!(refused(&none, |p| p.scenarios.clear()).contains("scenario"));
    assert!(refused(&none, steps(vec![])).contains("scenario `s`: a group without a step"));
    assert!(refused(&none, |p| p.scenarios[0].weight = 0.0).contains("zero"));
    assert!(refused(&none, steps(vec![ScenarioStep::of(RequestPlan::new("GET IT", "/"))])).contains("method"));
    assert!(refused(&none, |p| p.experiment.tick = Span::ZERO).contains("tick"));
    assert!(refused(&none, steps(vec![pause(5)])).contains("no step that sends"));
    let idle = ScenarioStep::new(Act::During { length: Span::from_secs(1), steps: vec![pause(0)] });
    assert!(refused(&none, steps(vec![get(), idle])).contains("neither sends nor waits"));
    let never = ScenarioStep { weight: Some(0.0), ..get() };
    let often = ScenarioStep { weight: Some(1.0), ..pause(5) };
    assert!(refused(&none, steps(vec![never, often])).contains("no step that sends"));
    let empty = ScenarioStep::new(Act::Repeat { times: 2, steps: vec![] });
    assert!(refused(&none, steps(vec![get(), empty])).contains("a group without a step"));
    let weightless = ScenarioStep::new(Act::Choose { steps: vec![get()] });
    assert!(refused(&none, steps(vec![weightless])).contains("weights are all zero"));
}

#[test]
fn a_feeder_that_can_not_be_used_is_told_with_scenario_and_file() {
    let csv = || FeederFile::Csv("a.csv".to_owned());
    let said = refused(&Files::default().with("a.csv", b"user,pass\na,b\n"), |p| fed(p, csv()));
    assert!(said.contains("scenario `s`: request `GET /{feed.id}`: feeder a.csv: it has no column `id`, only `user`, `pass`"), "{said}");
    let said = refused(&Files::default().with("a.csv", b"id,x\n1\n"), |p| fed(p, csv()));
    assert!(said.contains("scenario `s`: feeder a.csv: line 2 has 1 cells"), "{said}");
    let said = refused(&Files::default().with("a.csv", b""), |p| fed(p, csv()));
    assert!(said.contains("holds no row"), "{said}");
    let said = refused(&Files::default().with("a.json", b"{}"), |p| fed(p, FeederFile::Json("a.json".to_owned())));
    assert!(said.contains("array of objects"), "{said}");
    let said = refused(&Files::default(), |p| p.scenarios[0].steps = vec![ScenarioStep::of(testkit::get("/{feed.id}"))]);
    assert!(said.contains("`{feed.id}` needs a feeder"), "{said}");
}

#[test]
fn patterns_are_made_ready_once_and_before() {
    let said = refused(&Files::default(), |p| {
        let mut request = testkit::get("/x");
        request.extract.insert("v".to_owned(), Extract::Regex("(".to_owned()));
        p.scenarios[0].steps = vec![ScenarioStep::of(request)];
    });
    assert!(said.contains("request `GET /x`: the regular expression `(`"), "{said}");
}

#[test]
fn statuses_count_as_the_plan_says() {
    let mut plan = testkit::plan("http://127.0.0.1:1");
    let mut narrow = testkit::get("/");
    narrow.expect_status = vec![404, 409];
    plan.scenarios[0].steps.push(ScenarioStep::of(narrow));
    let job = compiled(&plan, &Files::default()).unwrap();
    let asks = asks(&job);
    assert!(asks[0].expects(200) && asks[0].expects(302) && !asks[0].expects(404));
    assert!(asks[1].expects(404) && asks[1].expects(409) && !asks[1].expects(200));
}

#[test]
fn a_request_knows_what_it_needs_and_keeps() {
    let mut plan = testkit::plan("http://127.0.0.1:1");
    let mut login = testkit::get("/login");
    login.extract.insert("token".to_owned(), Extract::Header("x".to_owned()));
    let mut read = testkit::get("/{token}/{token}/{pool}/{nobody}");
    read.checks = vec![Check { of: None, holds: Condition::Exists }];
    plan.scenarios[0].steps = [testkit::get("/"), login, read].map(ScenarioStep::of).to_vec();
    plan.settings = vec![testkit::setting("pool")];
    let job = compiled(&plan, &Files::default()).unwrap();
    let asks = asks(&job);
    assert_eq!(asks.iter().map(|a| (a.keep.head, a.keep.body)).collect::<Vec<_>>(), [(false, false), (true, false), (false, true)]);
    assert_eq!(asks.iter().map(|a| a.needs.len()).collect::<Vec<_>>(), [0, 0, 1]);
    assert_eq!(asks.iter().map(|a| a.uses_settings).collect::<Vec<_>>(), [false, false, true]);
    let fillings = job.fillings(&Values::default().with("pool", 30.0).with("other", 1.0));
    assert_eq!(fillings.iter().flatten().map(|v| v.text.as_str()).collect::<Vec<_>>(), ["30"]);
    assert!(job.fillings(&Values::default())[0].is_none());
}

#[test]
fn the_boundary_is_in_no_part() {
    let mut plan = testkit::plan("http://127.0.0.1:1");
    let first = boundary(&plan, &Files::default());
    assert_eq!(first, boundary(&plan, &Files::default()), "the same in every run");
    let part = RequestPart { name: "p".to_owned(), content: PartContent::Text(Template::parse(&first)), media_type: None };
    let mut upload = testkit::get("/upload");
    upload.body = Some(RequestBody::Multipart(vec![part]));
    plan.scenarios[0].steps.push(ScenarioStep::of(upload));
    let second = boundary(&plan, &Files::default());
    assert!(second != first && second.starts_with(text::BOUNDARY), "{second}");
}
