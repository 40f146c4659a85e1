//! Thresholds as scripts meet them: exit code, JSON, text and the XML of build servers, of a run with one step and nothing to set.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

mod support;

use std::path::Path;

use support::plain::{Lab, run};

/// A load of the lab's health page for `measure`, with these thresholds.
fn profile(folder: &Path, url: &str, measure: &str, thresholds: &str) -> String {
    let path = folder.join("load.toml");
    let text = format!(
        r#"
name = "health"
[target]
url = "{url}"
[experiment]
warmup  = "200ms"
measure = {{ min = "{measure}", max = "{measure}" }}
drain   = "2s"
tick    = "100ms"
[load]
model   = "closed"
users   = 3
timeout = "2s"
[[scenario]]
name  = "watch"
think = {{ fixed = "10ms" }}
[[scenario.step]]
name = "health"
get  = "/actuator/health"
# So rare that none of the few users does it.
[[scenario]]
name   = "rare"
weight = 0.000001
[[scenario.step]]
name = "nonesuch"
get  = "/actuator/health"
{thresholds}
"#
    );
    std::fs::write(&path, text).unwrap();
    path.to_string_lossy().into_owned()
}

fn threshold(metric: &str, pass: &str, more: &str) -> String {
    format!("[[threshold]]\nmetric = \"{metric}\"\npass = \"{pass}\"\n{more}\n")
}

struct Done {
    code: Option<i32>,
    object: serde_json::Value,
    folder: tempfile::TempDir,
}

fn done(measure: &str, thresholds: &str) -> Done {
    let folder = tempfile::tempdir().unwrap();
    let lab = Lab::start("ticketing", folder.path());
    let profile = profile(folder.path(), &lab.url, measure, thresholds);
    let output = run(&["run", &profile, "--headless", "--json", "-o", "r.plim"], folder.path());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let object = serde_json::from_str(text.trim()).unwrap_or_else(|e| {
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        unreachable!("{e}: `{text}`\n{err}")
    });
    Done { code: output.status.code(), object, folder }
}

#[test]
fn thresholds_that_hold_leave_0_and_no_verdict_is_needed() {
    let holds = [threshold("http_req_failed", "rate < 1%", ""), threshold("http_reqs{name:health,scenario:watch}", "count > 10", "")].concat();
    let end = done("1s", &holds);
    assert_eq!(end.code, Some(0), "{}", end.object);
    assert!(end.object["verdict"].is_null() && end.object["outcome"] == "completed", "{}", end.object);
    assert!(end.object["thresholds"].as_array().unwrap().iter().all(|t| t["ok"] == true && t["value"].is_f64()), "{}", end.object);
}

#[test]
fn one_that_does_not_hold_is_1_and_said_in_every_form() {
    let mixed = [
        threshold("iteration_duration", "med < 2s", ""),
        threshold("http_req_duration", "max < 1us", ""),
        threshold("http_req_duration{name:nonesuch}", "p(95) < 1s", ""),
    ];
    let end = done("1s", &mixed.concat());
    assert_eq!((end.code, end.object["outcome"].as_str()), (Some(1), Some("completed")), "{}", end.object);
    let ok: Vec<bool> = end.object["thresholds"].as_array().unwrap().iter().map(|t| t["ok"].as_bool().unwrap()).collect();
    assert_eq!(ok, [true, false, false], "{}", end.object);
    assert!(end.object["thresholds"][2]["value"].is_null());
    let export = |format| String::from_utf8_lossy(&run(&["export", "r.plim", "--format", format], end.folder.path()).stdout).into_owned();
    let xml = export("junit");
    assert!(xml.contains(r#"tests="3""#) && xml.matches("<failure").count() == 2, "{xml}");
    let page = export("md");
    assert!(page.contains("## Thresholds") && page.contains("✗ crossed") && page.contains("no data: no request matched"), "{page}");
    let shown = run(&["replay", "r.plim", "--headless"], end.folder.path());
    assert!(String::from_utf8_lossy(&shown.stdout).contains("✓ holds") && shown.status.code() == Some(0), "a replay is 0 whatever it says");
}

#[test]
fn one_that_may_end_the_run_does_so_early() {
    let abort = threshold("http_req_duration", "max < 1us", "abort = { on_fail = true, after = \"500ms\" }");
    let end = done("60s", &abort);
    assert_eq!((end.code, end.object["outcome"].as_str()), (Some(1), Some("guard")), "{}", end.object);
    assert_eq!((end.object["restored"].as_bool(), end.object["thresholds"][0]["ok"].as_bool()), (Some(true), Some(false)), "{}", end.object);
}
