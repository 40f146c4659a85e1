//! Thresholds in every form: text, Markdown, JSON, build servers' XML.

use super::{session, story};
use crate::model::event::{Event, Stamped};
use crate::model::plan::Threshold;
use crate::model::session::Session;
use crate::report::{junit, markdown, run_summary, session_text, threshold_lines};

/// The story with these thresholds in its plan.
fn with(thresholds: &[(&str, &str)]) -> Session {
    let mut events: Vec<Stamped> = story();
    if let Some(Event::SessionStarted(head)) = events.first_mut().map(|e| &mut e.event) {
        head.plan.thresholds = thresholds.iter().map(|(metric, pass)| Threshold::new(metric, pass)).collect();
    }
    Session::of(&events)
}

fn three() -> Session {
    with(&[("http_req_duration", "p(95) < 1s"), ("http_req_failed{name:GET /}", "rate < 0.1%"), ("http_reqs{name:<none>}", "count > 1")])
}

#[test]
fn each_says_what_it_is_and_whether_it_holds() {
    let lines = threshold_lines(&three());
    let read: Vec<(bool, &str)> = lines.iter().map(|l| (l.ok, l.result.as_str())).collect();
    assert_eq!(read, [(true, "holds"), (false, "crossed"), (false, "no data: no request matched")]);
    assert!(lines[0].value.ends_with(" ms") && lines[1].value.ends_with('%') && lines[2].value == "?", "{lines:?}");
}

#[test]
fn people_read_a_table_and_a_plan_without_thresholds_has_none() {
    let text = session_text(&three());
    assert!(text.contains("✓ holds") && text.contains("✗ crossed") && text.contains("✗ no data"), "{text}");
    let page = markdown(&three(), "n");
    assert!(page.contains("## Thresholds\n\n| threshold | must be | is | result |") && page.contains("http\\_reqs{name:\\<none\\>}"), "{page}");
    assert!(!markdown(&session(), "n").contains("Thresholds") && !session_text(&session()).contains("must be"));
}

#[test]
fn machines_read_numbers_and_null() {
    let v = run_summary(&three(), None);
    let first = v["thresholds"][0].as_object().unwrap();
    assert_eq!(first.keys().collect::<Vec<_>>(), ["metric", "pass", "value", "ok"]);
    assert!(first["ok"] == true && first["value"].as_f64().is_some_and(|s| (0.3..1.0).contains(&s)), "{first:?}");
    assert!(v["thresholds"][2]["value"].is_null() && v["thresholds"][2]["ok"] == false);
}

#[test]
fn build_servers_read_each_as_a_test() {
    let xml = junit(&three(), "checkout-1");
    assert!(xml.contains(r#"<testsuite name="thresholds" tests="3""#) && xml.contains(r#"failures="2""#), "{xml}");
    assert!(xml.contains("http_reqs{name:&lt;none&gt;}"), "{xml}");
    assert_eq!(xml.matches("<failure").count(), 2, "the verdict is an answer\n{xml}");
    let bare = junit(&Session::new(), "bare");
    assert!(bare.contains("<skipped") && !bare.contains("thresholds"), "{bare}");
}
