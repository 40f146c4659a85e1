//! How single figures are stored: floats, histograms and the few names that are columns. May not touch a file or a connection.

use crate::model::event::{Event, Phase, StepId};
use crate::model::histogram::{Histogram, HistogramError};
use crate::model::signal::Value;

/// A float as SQLite keeps it exactly: a small whole number as an integer (shorter), anything else as it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Number {
    /// A whole number.
    Whole(i64),
    /// Anything else.
    Real(f64),
}

/// The stored form of a float.
#[expect(clippy::cast_possible_truncation, reason = "only whole numbers of less than 2^53 are cast")]
pub(super) fn number(value: f64) -> Number {
    let small = value.abs() < 9_007_199_254_740_992.0;
    let minus_zero = value == 0.0 && value.is_sign_negative();
    if small && value.fract() == 0.0 && !minus_zero { Number::Whole(value as i64) } else { Number::Real(value) }
}

/// The kind of a value, its figure, and a timer's count.
pub(super) const fn value_parts(value: Value) -> (&'static str, f64, Option<f64>) {
    match value {
        Value::Gauge(v) => ("gauge", v, None),
        Value::Counter(v) => ("counter", v, None),
        Value::Timer { sum, count } => ("timer", sum, Some(count)),
    }
}

/// The value of such parts; none if the kind is of a later version.
pub(super) fn value_of(kind: &str, value: f64, count: Option<f64>) -> Option<Value> {
    match kind {
        "gauge" => Some(Value::Gauge(value)),
        "counter" => Some(Value::Counter(value)),
        "timer" => Some(Value::Timer { sum: value, count: count.unwrap_or(f64::NAN) }),
        _ => None,
    }
}

/// A histogram's three columns; an empty one is three times nothing.
pub(super) struct StoredHistogram {
    pub(super) blob: Option<Vec<u8>>,
    pub(super) sum_us: Option<i64>,
    pub(super) max_us: Option<i64>,
}

impl From<&Histogram> for StoredHistogram {
    fn from(h: &Histogram) -> Self {
        match h.max() {
            Some(max) => Self { blob: Some(h.to_v2()), sum_us: Some(h.sum().as_micros().cast_signed()), max_us: Some(max.as_micros().cast_signed()) },
            None => Self { blob: None, sum_us: None, max_us: None },
        }
    }
}

/// The histogram of such columns.
pub(super) fn histogram(blob: Option<&[u8]>, sum_us: Option<i64>, max_us: Option<i64>) -> Result<Histogram, HistogramError> {
    blob.map_or_else(|| Ok(Histogram::default()), |b| Histogram::from_v2(b, sum_us.map(i64::cast_unsigned), max_us.map(i64::cast_unsigned)))
}

/// As the column holds it.
pub(super) const fn phase_name(phase: Phase) -> &'static str {
    match phase {
        Phase::Settle => "settle",
        Phase::WarmUp => "warm_up",
        Phase::Measure => "measure",
        Phase::Drain => "drain",
    }
}

/// The phase of that name; none if it is of a later version.
pub(super) fn phase_of(name: &str) -> Option<Phase> {
    [Phase::Settle, Phase::WarmUp, Phase::Measure, Phase::Drain].into_iter().find(|p| phase_name(*p) == name)
}

/// The kind of an event, as its column and its body's tag hold it.
pub(super) const fn kind_of(event: &Event) -> &'static str {
    match event {
        Event::SessionStarted(_) => "session_started",
        Event::SessionResumed { .. } => "session_resumed",
        Event::PlanChanged { .. } => "plan_changed",
        Event::StepPlanned(_) => "step_planned",
        Event::StepEnded { .. } => "step_ended",
        Event::SettingApplied(_) => "setting_applied",
        Event::SettingProved(_) => "setting_proved",
        Event::PhaseChanged { .. } => "phase_changed",
        Event::Tick(_) => "tick",
        Event::Sample(_) => "sample",
        Event::Gap(_) => "gap",
        Event::StepExcluded { .. } => "step_excluded",
        Event::StepIncluded { .. } => "step_included",
        Event::GeneratorBound { .. } => "generator_bound",
        Event::Note(_) => "note",
        Event::Totals { .. } => "totals",
        Event::Judged(_) => "judged",
        Event::SessionEnded { .. } => "session_ended",
        Event::Unknown => "unknown",
    }
}

/// The step an event speaks of, for the column that queries join by.
pub(super) fn step_of(event: &Event) -> Option<StepId> {
    match event {
        Event::StepPlanned(p) => Some(p.step),
        Event::StepEnded { step, .. }
        | Event::PhaseChanged { step, .. }
        | Event::StepExcluded { step, .. }
        | Event::StepIncluded { step, .. }
        | Event::Totals { step, .. } => Some(*step),
        Event::SettingApplied(a) => a.step,
        Event::SettingProved(p) => p.step,
        Event::GeneratorBound { step, .. } => *step,
        Event::Note(n) => n.step,
        Event::Judged(j) => j.after,
        Event::SessionStarted(_)
        | Event::SessionResumed { .. }
        | Event::PlanChanged { .. }
        | Event::Tick(_)
        | Event::Sample(_)
        | Event::Gap(_)
        | Event::SessionEnded { .. }
        | Event::Unknown => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::session::tests::events::{event, histogram as any_histogram};

    #[test]
    fn whole_numbers_are_stored_short_and_minus_zero_is_kept() {
        assert_eq!(number(200.0), Number::Whole(200));
        assert_eq!(number(-3.0), Number::Whole(-3));
        assert_eq!(number(0.5), Number::Real(0.5));
        assert!(matches!(number(-0.0), Number::Real(v) if v.is_sign_negative()));
        assert!(matches!(number(9_007_199_254_740_992.0), Number::Real(_)));
        assert!(matches!(number(f64::NAN), Number::Real(_)));
    }

    #[test]
    fn phases_come_back() {
        for phase in [Phase::Settle, Phase::WarmUp, Phase::Measure, Phase::Drain] {
            assert_eq!(phase_of(phase_name(phase)), Some(phase));
        }
        assert_eq!(phase_of("launch"), None);
        assert_eq!(value_of("spiral", 1.0, None), None);
    }

    proptest! {
        #[test]
        fn the_kind_is_the_body_s_own_tag(event in event()) {
            let body = serde_json::to_value(&event).unwrap();
            prop_assert_eq!(body["kind"].as_str(), Some(kind_of(&event)));
        }

        #[test]
        fn histograms_come_back_equal(h in any_histogram()) {
            let stored = StoredHistogram::from(&h);
            prop_assert_eq!(histogram(stored.blob.as_deref(), stored.sum_us, stored.max_us).unwrap(), h);
        }
    }
}
