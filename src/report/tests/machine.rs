//! What machines read: keys, types, and that it is a function of the fold.

use super::{session, story, verdict};
use crate::analysis;
use crate::model::event::{Event, Stamped};
use crate::model::session::Session;
use crate::model::verdict::Kind;
use crate::report::{csv_seconds, csv_steps, json, recording_object, run_summary};

#[test]
fn the_run_summary_has_the_keys_of_the_contract() {
    let v = run_summary(&session(), Some("a.plim"));
    let keys: Vec<&String> = v.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["schema", "recording", "outcome", "restored", "steps", "verdict", "thresholds"]);
    assert_eq!(
        (v["schema"].as_str(), v["outcome"].as_str(), v["restored"].as_bool(), v["steps"].as_u64()),
        (Some("run-summary/1"), Some("completed"), Some(true), Some(3))
    );
    assert_eq!(v["verdict"]["verdict"], "recommend");
    assert_eq!(v["thresholds"].to_string(), "[]");
}

#[test]
fn what_is_not_known_is_null() {
    let v = run_summary(&Session::new(), None);
    assert!(v["recording"].is_null() && v["outcome"].is_null() && v["restored"].is_null() && v["verdict"].is_null());
    let cut = recording_object(&Session::of(&story()[..4]), "cut");
    assert!(cut["outcome"].is_null() && cut["steps"][0]["measured_s"].is_null() && cut["steps"][0]["requests"].is_null());
}

#[test]
fn a_recording_is_its_steps_and_the_verdict_as_given() {
    let v = recording_object(&session(), "checkout-1");
    let keys: Vec<&String> = v.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["schema", "name", "outcome", "started_at", "last_event_s", "restored", "steps", "verdict"]);
    let step = r#"{"values":{"pool":50},"phase_s":{"settle":2.0,"warm_up":3.0,"measure":30.0,"drain":1.0},"measured_s":30.0,"requests":1809,"failed":9,"dropped":0,"by_name":"#;
    assert!(v["steps"][0].to_string().starts_with(step), "{}", v["steps"][0]);
    let get = &v["steps"][0]["by_name"]["GET /"];
    assert_eq!((get["requests"].as_u64(), get["errors"]["time-out"].as_u64()), (Some(1809), Some(6)), "{get}");
    assert!(get["p99_ms"].is_f64() && get["service_p99_ms"].is_null(), "what is not known is null: {get}");
    assert_eq!(v["steps"][2]["requests"].to_string(), "null");
    assert_eq!(v["verdict"], serde_json::to_value(verdict(Kind::Recommend)).unwrap());
}

#[test]
fn a_replay_prints_what_the_run_printed() {
    let live = session();
    let text = serde_json::to_string(&story()).unwrap();
    let back: Vec<Stamped> = serde_json::from_str(&text).unwrap();
    let replayed = Session::of(&back);
    assert_eq!(recording_object(&replayed, "n").to_string(), recording_object(&live, "n").to_string());
    assert_eq!(run_summary(&live, None)["verdict"].to_string(), recording_object(&replayed, "n")["verdict"].to_string());
}

#[test]
fn the_sweep_can_be_judged_again_and_carries_its_verdict() {
    let v = json(&session());
    assert_eq!((v["schema"].as_str(), v["verdict"]["verdict"].as_str()), (Some("pool-sweep/1"), Some("recommend")));
    let sweep = analysis::Sweep::from_json(&v.to_string()).unwrap();
    assert_eq!(Some(analysis::judge(&sweep)), analysis::judge_session(&session()));
    assert_eq!(json(&Session::new())["schema"], "recording/1");
}

fn cells(line: &str) -> Vec<&str> {
    line.split(',').collect()
}

#[test]
fn one_row_a_step() {
    insta::assert_snapshot!(csv_steps(&session()));
}

#[test]
fn one_row_a_second() {
    let text = csv_seconds(&session());
    let lines: Vec<&str> = text.lines().collect();
    let ticks = story().iter().filter(|e| matches!(e.event, Event::Tick(_))).count();
    assert_eq!(lines.len(), ticks + 1);
    assert!(lines.iter().all(|l| cells(l).len() == cells(lines[0]).len()));
    let sixth: Vec<(&str, &str)> = cells(lines[0]).into_iter().zip(cells(lines[6])).collect();
    insta::assert_snapshot!(sixth.iter().map(|(h, v)| format!("{h} = {v}")).collect::<Vec<_>>().join("\n"));
}
