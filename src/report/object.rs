//! Machine output: one JSON object each, keys stable, units in the names, unknown = null. Functions of the fold alone.

use serde_json::{Map, Value, json};

use super::figures::RunFigures;
use super::thresholds;
use crate::analysis;
use crate::model::event::Phase;
use crate::model::session::{Session, StepState};
use crate::model::units::Span;
use crate::model::verdict::PoolVerdict;

/// `run-summary/1`: what `run` and `demo` print at their end.
#[must_use]
pub fn run_summary(session: &Session, recording: Option<&str>) -> Value {
    let ended = session.ended();
    json!({
        "schema": "run-summary/1",
        "recording": recording,
        "outcome": ended.map(|e| e.outcome.name()),
        "restored": ended.and_then(|e| e.restored),
        "steps": session.steps().iter().filter(|s| s.begun().is_some()).count(),
        "verdict": verdict(session),
        "thresholds": thresholds::objects(session),
    })
}

/// `recording/1`: what `show` and `replay` print, with the verdict that was given then.
#[must_use]
pub fn recording_object(session: &Session, name: &str) -> Value {
    let ended = session.ended();
    json!({
        "schema": "recording/1",
        "name": name,
        "outcome": ended.map(|e| e.outcome.name()),
        "started_at": session.head().map(|h| &h.started_at),
        "last_event_s": session.now().as_secs_f64(),
        "restored": ended.and_then(|e| e.restored),
        "steps": session.steps().iter().map(|s| step(session, s)).collect::<Vec<_>>(),
        "verdict": verdict(session),
    })
}

/// `pool-sweep/1` with the verdict beside it; without a swept setting the [`recording_object`].
#[must_use]
pub fn json(session: &Session) -> Value {
    let sweep = analysis::sweep_of(session).and_then(|sweep| serde_json::to_value(sweep).ok());
    match sweep {
        Some(Value::Object(mut sweep)) => {
            sweep.insert("verdict".to_owned(), serde_json::to_value(verdict(session)).unwrap_or_default());
            Value::Object(sweep)
        }
        _ => recording_object(session, session.plan().map_or("", |p| p.name.as_str())),
    }
}

/// The verdict as it was given last.
fn verdict(session: &Session) -> Option<&PoolVerdict> {
    session.judged().last().map(|j| &j.verdict)
}

fn step(session: &Session, step: &StepState) -> Value {
    let figures = RunFigures::of(session, step);
    let known = figures.measured.is_some() || figures.requests > 0;
    let mut out = json!({
        "values": step.planned().values.0.iter().map(|(name, value)| (name.clone(), whole(*value))).collect::<Map<_, _>>(),
        "phase_s": phases(session, step),
        "measured_s": figures.measured.map(Span::as_secs_f64),
        "requests": known.then_some(figures.requests),
        "failed": known.then_some(figures.failed),
        "dropped": figures.dropped,
        "by_name": super::requests::object(step),
    });
    if let (Some(load_phases), Value::Object(object)) = (super::phases::objects(session, step), &mut out) {
        object.insert("load_phases".to_owned(), Value::Array(load_phases));
    }
    out
}

/// Seconds spent in each phase; one entered twice counts twice, one that runs counts up to now.
fn phases(session: &Session, step: &StepState) -> Map<String, Value> {
    let mut out = Map::new();
    for phase in [Phase::Settle, Phase::WarmUp, Phase::Measure, Phase::Drain] {
        let spans = step.phases().iter().filter(|p| p.phase == phase).map(|p| p.to.unwrap_or(session.now()).since(p.from));
        if let Some(all) = spans.reduce(Span::plus) {
            let name = phase.name().replace('-', "_");
            out.insert(name, json!(all.as_secs_f64()));
        }
    }
    out
}

/// Whole numbers without a fraction, as the verdict writes them.
#[expect(clippy::cast_possible_truncation, reason = "only whole numbers well inside the range are cast")]
fn whole(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9e15 { json!(value as i64) } else { json!(value) }
}
