//! How the thresholds of a plan stand, for people: which, what it must meet, what it is, and the result in words.

use serde_json::{Value, json};

use super::format::{UNKNOWN, count, level, rate, share, time};
use super::table::Table;
use crate::analysis::{self, Standing};
use crate::model::plan::Measure;
use crate::model::session::Session;
use crate::model::text::clean;

/// One threshold as it stands, in words that are safe to draw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThresholdLine {
    /// The metric with its selectors.
    pub metric: String,
    /// What it must meet.
    pub pass: String,
    /// What it is, with its unit; `?` where that is not known.
    pub value: String,
    /// Whether it holds.
    pub ok: bool,
    /// The result: `holds`, `crossed`, or why nobody could check it.
    pub result: String,
}

/// How the thresholds of a session's plan stand, in the order of the plan.
#[must_use]
pub fn threshold_lines(session: &Session) -> Vec<ThresholdLine> {
    analysis::thresholds(session).iter().map(line).collect()
}

fn line(standing: &Standing) -> ThresholdLine {
    let unit = standing.threshold.rule().ok().map(|r| r.unit());
    let value = standing.value.zip(unit).map_or_else(|| UNKNOWN.to_owned(), |(v, unit)| shown(unit, v));
    let result = match (standing.ok, &standing.why) {
        (true, _) => "holds".to_owned(),
        (false, None) => "crossed".to_owned(),
        (false, Some(why)) => format!("no data: {}", clean(why)),
    };
    ThresholdLine { metric: clean(&standing.threshold.metric), pass: clean(&standing.threshold.pass), value, ok: standing.ok, result }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count is a whole number from 0 up")]
fn shown(unit: Measure, value: f64) -> String {
    match unit {
        Measure::Seconds => time(value),
        Measure::Share => share(value),
        Measure::PerSecond => rate(value),
        Measure::Number if value < 1e15 => count(value.round() as u64),
        Measure::Number => level(value),
    }
}

/// All of them as a table; none without a threshold.
pub(super) fn table(session: &Session) -> Option<Table> {
    let lines = threshold_lines(session);
    let mut table = Table::new(["threshold", "must be", "is", "result"]);
    for line in &lines {
        let mark = if line.ok { "✓" } else { "✗" };
        table.push(vec![line.metric.clone(), line.pass.clone(), line.value.clone(), format!("{mark} {}", line.result)]);
    }
    (!lines.is_empty()).then_some(table)
}

/// As `run-summary/1` has them.
pub(super) fn objects(session: &Session) -> Vec<Value> {
    let object = |s: &Standing| json!({"metric": s.threshold.metric, "pass": s.threshold.pass, "value": s.value, "ok": s.ok});
    analysis::thresholds(session).iter().map(object).collect()
}
