//! Placeholders and secrets in every place of a request: what they may stand for there, and what is kept of them.

use super::{LEAST, attempt, refusals};
use crate::model::plan::{Condition, Extract, Plan, RequestBody};
use crate::model::template::Template;

/// Every key of a request that takes placeholders, with `MARK` where one goes.
const PLACES: [(&str, &str); 9] = [
    ("scenario.step.get", "get = \"/aMARK\""),
    ("scenario.step.query.q", "get = \"/\"\nquery = { q = \"MARK\" }"),
    ("scenario.step.headers.X", "get = \"/\"\nheaders = { X = \"MARK\" }"),
    ("scenario.step.body", "post = \"/\"\nbody = \"MARK\""),
    ("scenario.step.json", "post = \"/\"\njson = { a = [{ b = \"MARK\" }] }"),
    ("scenario.step.form.f", "post = \"/\"\nform = { f = \"MARK\" }"),
    ("scenario.step.multipart.text", "post = \"/\"\nmultipart = [{ name = \"a\", text = \"MARK\" }]"),
    ("scenario.step.post", "post = \"/x?y=MARK\""),
    ("scenario.step.delete", "delete = \"/x/MARK/y\""),
];

const SETTING: &str = "[settings.pool]\nvalues = [1]\napply = { command = [\"set\", \"{pool}\"] }\n";

/// The least profile with a feeder and this step; `pool` is a setting, `token` is extracted once.
fn profile(step: &str) -> String {
    let once = "feeder = { csv = \"accounts.csv\" }\n[[scenario.once]]\npost = \"/login\"\nextract = { token = \"json:$.t\" }\n[[scenario.step]]\n";
    format!("{}\n{SETTING}", LEAST.replace("[[scenario.step]]\nget = \"/\"", &format!("{once}{step}")))
}

fn at(place: &str, mark: &str) -> String {
    profile(&place.replace("MARK", mark))
}

#[test]
fn settings_columns_and_variables_may_stand_everywhere() {
    for (path, place) in PLACES {
        for mark in ["{pool}", "{feed.username}", "{token}", "{feed.username}-{token}", "{{text}}", "{1+1}"] {
            assert!(attempt(&at(place, mark)).is_ok(), "{path} with {mark}: {}", attempt(&at(place, mark)).unwrap_err());
        }
    }
}

#[test]
fn what_has_no_meaning_is_refused_everywhere() {
    for (path, place) in PLACES {
        for (mark, what) in [
            ("{tokn}", "neither a setting nor extracted by this scenario"),
            ("{feed.usrname}", "no column of `accounts.csv`"),
            ("{feed}", "a whole row of `accounts.csv`"),
        ] {
            assert_eq!(refusals(&at(place, mark)), [format!("`{path}`: `{mark}` is {what}")], "{place}");
        }
    }
}

#[test]
fn the_place_of_a_placeholder_is_shown() {
    for (path, place) in PLACES {
        let text = at(place, "{tokn}");
        let error = &attempt(&text).unwrap_err().errors()[0].clone();
        let line = text.lines().nth(error.line - 1).unwrap();
        assert_eq!(line.chars().skip(error.column - 1).take(6).collect::<String>(), "{tokn}", "{path}: {line}");
        assert!(error.hint.as_ref().unwrap().contains("did you mean `{token}`?"), "{path}: {error:?}");
    }
}

#[test]
fn the_key_of_a_placeholder_inside_a_group_is_its_own() {
    let nested = |keys: &str| profile(&format!("{keys}\nget = \"/{{tokn}}\""));
    for (keys, path) in [
        ("repeat = 2\n[[scenario.step.step]]", "scenario.step.step.get"),
        ("[[scenario.step.choose]]", "scenario.step.choose.get"),
        ("during = \"1s\"\n[[scenario.step.step]]\n[[scenario.step.step.choose]]", "scenario.step.step.choose.get"),
    ] {
        assert_eq!(refusals(&nested(keys)), [format!("`{path}`: `{{tokn}}` is neither a setting nor extracted by this scenario")]);
    }
}

#[test]
fn a_secret_is_sent_and_never_kept() {
    for (path, place) in PLACES {
        let read = attempt(&at(place, "${TOKEN}")).unwrap_or_else(|e| panic!("{path}: {e}"));
        assert!(holds(&read.plan, "s3cr3t"), "{path}: it is sent");
        assert!(!holds(&read.recorded, "s3cr3t"), "{path}: and not kept");
    }
}

/// Whether a text stands anywhere in a plan as it is stored.
fn holds(plan: &Plan, text: &str) -> bool {
    serde_json::to_string(plan).unwrap().contains(text)
}

#[test]
fn secrets_elsewhere_are_not_kept_either() {
    let step = "get = \"/\"\ncheck = [{ of = \"header:X\", is = \"${TOKEN}\" }, { contains = \"${TOKEN}\" }, { lacks = \"${TOKEN}\" }]";
    let read = attempt(&profile(step)).unwrap();
    let checks = |plan: &Plan| plan.scenarios[0].steps[0].request().unwrap().checks.clone();
    assert_eq!(checks(&read.plan)[0].holds, Condition::Is("s3cr3t".to_owned()));
    assert_eq!(checks(&read.recorded)[0].holds, Condition::Is("${TOKEN}".to_owned()));
    assert_eq!(checks(&read.recorded)[0].of, Some(Extract::Header("X".to_owned())));
    assert!(!holds(&read.recorded, "s3cr3t"));
}

#[test]
fn a_secrets_braces_are_no_placeholder() {
    let read = attempt(&at("post = \"/\"\nbody = \"MARK\"", "${BRACED}")).unwrap();
    let Some(RequestBody::Text(body)) = &read.plan.scenarios[0].steps[0].request().unwrap().body else { panic!("no text") };
    assert!(body.is_plain());
    assert_eq!(body.fill(|_| None), "a{pool}b");
}

#[test]
fn a_missing_variable_is_told_with_its_place() {
    for (path, place) in PLACES {
        let errors = attempt(&at(place, "${NOWHERE}")).unwrap_err();
        let told = &errors.errors()[0].message;
        assert!(told.starts_with(&format!("`{path}")) && told.ends_with("the environment has no variable `NOWHERE`"), "{told}");
    }
    let feeder = LEAST.replace("name = \"s\"", "name = \"s\"\nfeeder = { csv = \"${NOWHERE}\" }");
    assert_eq!(refusals(&feeder), ["`scenario.feeder.csv`: the environment has no variable `NOWHERE`"]);
}

#[test]
fn a_name_means_one_thing() {
    let taken = profile("get = \"/\"\nextract = { pool = \"json:$.p\" }");
    assert_eq!(refusals(&taken), ["`scenario.step.extract.pool`: `{pool}` would mean two things: a setting and an extracted variable"]);
    let rows = profile("get = \"/\"\nextract = { feed = \"json:$.p\" }");
    assert_eq!(refusals(&rows), ["`scenario.step.extract.feed`: `{feed}` would mean two things: the rows of a feeder and an extracted variable"]);
}

#[test]
fn a_request_is_known_by_its_template() {
    let read = attempt(&at("get = \"/items/MARK\"", "{feed.review_id}")).unwrap().plan;
    let request = read.scenarios[0].steps[0].request().unwrap().clone();
    assert_eq!(request.name, "GET /items/{feed.review_id}", "one name for all rows");
    assert_eq!(request.path, Template::parse("/items/{feed.review_id}"));
}
