//! Secrets reach the plan to run by and nothing else.

use super::{LEAST, attempt, plan, refusals};
use crate::model::plan::{RequestBody, SourceKind};

const SECRETS: &str = r#"
headers = { Authorization = "Bearer ${TOKEN}", "X-Braced" = "${BRACED}" }
json = { password = "${TOKEN}", list = ["${BRACED}", 5] }
[metrics.app]
prometheus = "http://me:${TOKEN}@127.0.0.1:8080/m"
[metrics.db]
prometheus = "http://me:literal@127.0.0.1:8080/m"
[target.process]
command = ["run", "--key=${TOKEN}"]
env = { KEY = "${TOKEN}" }
"#;

fn profile() -> String {
    format!("{}{SECRETS}", LEAST.replace("get = \"/\"", "post = \"/in?key=${TOKEN}\""))
}

#[test]
fn the_plan_to_run_by_has_the_values() {
    let plan = plan(&profile());
    let request = plan.scenarios[0].steps[0].request().unwrap();
    assert_eq!(request.headers["Authorization"].to_string(), "Bearer s3cr3t");
    assert_eq!(request.path.to_string(), "/in?key=s3cr3t");
    assert_eq!(request.body, Some(RequestBody::Json(serde_json::json!({ "password": "s3cr3t", "list": ["a{{pool}}b", 5] }))));
    let SourceKind::Prometheus { url, .. } = &plan.sources[0].kind;
    assert_eq!(url, "http://me:s3cr3t@127.0.0.1:8080/m");
    assert_eq!(plan.target.process.unwrap().env["KEY"].to_string(), "s3cr3t");
}

#[test]
fn braces_in_a_secret_are_no_placeholders() {
    let plan = plan(&profile());
    let braced = &plan.scenarios[0].steps[0].request().unwrap().headers["X-Braced"];
    assert!(braced.is_plain());
    assert_eq!(braced.fill(|_| None), "a{pool}b");
}

#[test]
fn the_plan_to_keep_has_none_of_them_anywhere() {
    let kept = serde_json::to_string(&attempt(&profile()).unwrap().recorded).unwrap();
    for secret in ["s3cr3t", "literal", "a{pool}b", "a{{pool}}b"] {
        assert!(!kept.contains(secret), "{secret} in {kept}");
    }
    assert!(kept.contains("Bearer ${TOKEN}") && kept.contains("http://***@127.0.0.1:8080/m"), "{kept}");
}

#[test]
fn a_request_is_never_named_by_a_secret() {
    assert_eq!(plan(&profile()).scenarios[0].steps[0].request().unwrap().name, "POST /in?key=${TOKEN}");
}

#[test]
fn an_address_may_be_a_variable() {
    let text = LEAST.replace("http://127.0.0.1:8080", "${BASE}");
    let both = attempt(&text).unwrap();
    assert_eq!(both.plan.target.url, "http://me:pw@127.0.0.1:9000");
    assert_eq!(both.recorded.target.url, "${BASE}");
}

#[test]
fn errors_tell_what_was_written_not_what_it_stands_for() {
    let text = format!("{LEAST}[experiment]\nwarmup = \"${{WAIT}}\"\ntick = \"${{TOKEN}}\"\n");
    assert_eq!(refusals(&text), ["`experiment.warmup`: `${WAIT}` has no unit", "`experiment.tick`: `${TOKEN}` is not a time"]);
    let text = LEAST.replace("http://127.0.0.1:8080", "http://${TOKEN}:80");
    let errors = attempt(&text).unwrap_err().to_string();
    assert!(errors.contains("the host is not allowed") && !errors.contains("s3cr3t"), "{errors}");
}

#[test]
fn every_missing_variable_is_told_at_its_place() {
    let text = LEAST.replace("get = \"/\"", "get = \"/${NO}/${TOKEN}/${NEITHER}\"");
    let errors = attempt(&text).unwrap_err();
    let places: Vec<(usize, usize)> = errors.errors().iter().map(|e| (e.line, e.column)).collect();
    assert_eq!(places, [(9, 9), (9, 24)]);
}
