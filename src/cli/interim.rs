//! Stands in for the reports until they are there.

use serde_json::json;

use crate::model::event::{Event, Stamped};
use crate::model::plan::Plan;
use crate::model::session::Session;
use crate::model::verdict::PoolVerdict;

pub(super) fn plan_text(plan: &Plan) -> String {
    plan.profile_text.clone()
}

pub(super) fn progress_line(event: &Stamped, session: &Session) -> Option<String> {
    if matches!(event.event, Event::Tick(_) | Event::Sample(_)) {
        return None;
    }
    session.log().last().filter(|l| l.at == event.at).map(|l| format!("{} {}", l.at, l.text))
}

pub(super) fn run_summary(session: &Session, recording: Option<&str>) -> serde_json::Value {
    let ended = session.ended();
    json!({"schema": "run-summary/1", "recording": recording, "outcome": ended.map(|e| e.outcome.name()), "restored": ended.and_then(|e| e.restored),
        "steps": session.steps().len(), "verdict": session.judged().last().map(|j| &j.verdict), "thresholds": []})
}

pub(super) fn recording_object(session: &Session, name: &str) -> serde_json::Value {
    let steps: Vec<_> = session.steps().iter().map(|s| { let (ok, failed) = s.measured_counts(); json!({"values": s.planned().values, "requests": ok + failed, "failed": failed}) }).collect();
    json!({"schema": "recording/1", "name": name, "outcome": session.ended().map(|e| e.outcome.name()), "restored": session.ended().and_then(|e| e.restored),
        "last_event_s": session.now().as_secs_f64(), "steps": steps, "verdict": session.judged().last().map(|j| &j.verdict)})
}

pub(super) fn session_text(session: &Session) -> String {
    session.judged().last().map_or_else(|| "no verdict".to_owned(), |j| text_verdict(&j.verdict))
}

pub(super) fn text_verdict(verdict: &PoolVerdict) -> String {
    serde_json::to_string_pretty(verdict).unwrap_or_default()
}

pub(super) fn markdown(session: &Session, _name: &str) -> String {
    session_text(session)
}

pub(super) fn json(session: &Session) -> serde_json::Value {
    serde_json::to_value(crate::analysis::sweep_of(session)).unwrap_or_default()
}

pub(super) fn csv_steps(_: &Session) -> String {
    String::new()
}

pub(super) fn csv_seconds(_: &Session) -> String {
    String::new()
}
