//! Conditions for the exit code, in k6's vocabulary: which figure, of which requests, on which side of which bound. The text as written
//! is what is stored; what it means is read from it. It may import the rest of `model/plan` and what comes before it.

mod parse;

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

pub use parse::ThresholdError;

use crate::model::units::Span;

/// A condition for the exit code: `http_req_duration{name:login}` must meet `p(95) < 800ms`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Threshold {
    /// The metric with its selectors, as written.
    pub metric: String,
    /// The condition, as written.
    pub pass: String,
    /// Whether crossing it ends the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abort: Option<Abort>,
}

impl Threshold {
    /// A threshold that ends nothing.
    #[must_use]
    pub fn new(metric: &str, pass: &str) -> Self {
        Self { metric: metric.to_owned(), pass: pass.to_owned(), abort: None }
    }

    /// What it means. Text that a profile's check let through can be read; that of another version may not.
    pub fn rule(&self) -> Result<Rule, ThresholdError> {
        parse::rule(&self.metric, &self.pass)
    }
}

/// A crossed threshold ends the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Abort {
    /// Not before this much was measured.
    pub after: Span,
}

/// What a threshold means.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// Which figure.
    pub metric: Metric,
    /// Of which requests.
    pub selectors: Selectors,
    /// Which statistic of it.
    pub statistic: Statistic,
    /// Which side of the bound is good.
    pub relation: Relation,
    /// In seconds for times, as a fraction for shares, a second for rates.
    pub bound: f64,
}

impl Rule {
    /// What its value counts in.
    #[must_use]
    pub const fn unit(&self) -> Measure {
        match (self.statistic, self.metric.kind()) {
            (Statistic::Count, _) => Measure::Number,
            (Statistic::Rate, Kind::Share) => Measure::Share,
            (Statistic::Rate, _) => Measure::PerSecond,
            _ => Measure::Seconds,
        }
    }

    /// Whether a value is on the good side.
    #[must_use]
    pub fn holds(&self, value: f64) -> bool {
        self.relation.holds(value, self.bound)
    }
}

/// What a value counts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// A time in seconds.
    Seconds,
    /// A fraction of one.
    Share,
    /// Something a second.
    PerSecond,
    /// A plain number.
    Number,
}

impl Measure {
    /// A value with its unit.
    #[must_use]
    pub fn show(self, value: f64) -> String {
        match self {
            Self::Seconds => Span::from_secs_f64(value).to_string(),
            Self::Share => format!("{:.2}%", value * 100.0),
            Self::PerSecond => format!("{value:.1}/s"),
            Self::Number => format!("{value:.0}"),
        }
    }
}

/// Metrics by k6's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// Time of all requests, failed ones too, from the intended start.
    HttpReqDuration,
    /// Share of the requests that failed.
    HttpReqFailed,
    /// Requests that ended.
    HttpReqs,
    /// Time of whole passes of a scenario.
    IterationDuration,
    /// Whole passes of a scenario.
    Iterations,
    /// Arrivals that could not begin.
    DroppedIterations,
    /// Share of the checks that held.
    Checks,
}

/// What kind of figure a metric is: which statistics it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Times.
    Times,
    /// A share.
    Share,
    /// A count.
    Count,
}

impl Metric {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::HttpReqDuration,
        Self::HttpReqFailed,
        Self::HttpReqs,
        Self::IterationDuration,
        Self::Iterations,
        Self::DroppedIterations,
        Self::Checks,
    ];

    /// k6's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::HttpReqDuration => "http_req_duration",
            Self::HttpReqFailed => "http_req_failed",
            Self::HttpReqs => "http_reqs",
            Self::IterationDuration => "iteration_duration",
            Self::Iterations => "iterations",
            Self::DroppedIterations => "dropped_iterations",
            Self::Checks => "checks",
        }
    }

    /// Its kind.
    #[must_use]
    pub const fn kind(self) -> Kind {
        match self {
            Self::HttpReqDuration | Self::IterationDuration => Kind::Times,
            Self::HttpReqFailed | Self::Checks => Kind::Share,
            Self::HttpReqs | Self::Iterations | Self::DroppedIterations => Kind::Count,
        }
    }

    /// Whether it is kept by request, so that selectors can choose among them.
    #[must_use]
    pub const fn is_by_request(self) -> bool {
        matches!(self, Self::HttpReqDuration | Self::HttpReqFailed | Self::HttpReqs | Self::Checks)
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Which requests count: all that every selector takes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selectors {
    /// The named phase of the load, or the user's own tag `phase`.
    pub phase: Option<String>,
    /// The request's name.
    pub name: Option<String>,
    /// The scenario.
    pub scenario: Option<String>,
    /// The user's own tags.
    pub tags: BTreeMap<String, String>,
}

impl Selectors {
    /// Whether they take a request with this scenario, name, tags and phase of the load.
    #[must_use]
    pub fn take(&self, scenario: &str, name: &str, tags: &BTreeMap<String, String>, load_phase: Option<&str>) -> bool {
        let is = |wanted: &Option<String>, found: &str| wanted.as_deref().is_none_or(|w| w == found);
        let in_phase = self.phase.as_deref().is_none_or(|w| load_phase == Some(w) || tags.get("phase").is_some_and(|t| t == w));
        is(&self.scenario, scenario) && is(&self.name, name) && in_phase && self.tags.iter().all(|(key, wanted)| tags.get(key) == Some(wanted))
    }

    /// Whether they take everything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A statistic of a metric.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Statistic {
    /// `avg`
    Average,
    /// `min`
    Least,
    /// `med`
    Median,
    /// `max`
    Most,
    /// `p(95)`, as a fraction.
    Percentile(f64),
    /// `rate`: the share, or how many a second.
    Rate,
    /// `count`
    Count,
}

/// Which side of a bound is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// `<`
    Below,
    /// `<=`
    AtMost,
    /// `>`
    Above,
    /// `>=`
    AtLeast,
    /// `==`
    Equal,
    /// `!=`
    Unequal,
}

impl Relation {
    /// Whether `value` is on the good side; an unknown value is on none.
    #[must_use]
    pub fn holds(self, value: f64, bound: f64) -> bool {
        let same = (value - bound).abs() <= bound.abs() * 1e-12;
        match self {
            _ if value.is_nan() => false,
            Self::Below => value < bound,
            Self::AtMost => value <= bound,
            Self::Above => value > bound,
            Self::AtLeast => value >= bound,
            Self::Equal => same,
            Self::Unequal => !same,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()
    }

    #[test]
    fn a_threshold_recorded_before_it_could_end_a_run_is_read() {
        let old: Threshold = serde_json::from_str(r#"{"metric":"http_req_duration","pass":"p(95) < 800ms"}"#).unwrap();
        assert_eq!(old, Threshold::new("http_req_duration", "p(95) < 800ms"));
        assert_eq!(serde_json::to_string(&old).unwrap(), r#"{"metric":"http_req_duration","pass":"p(95) < 800ms"}"#);
        let odd: Threshold = serde_json::from_str(r#"{"metric":"m","pass":"a < 1"}"#).unwrap();
        assert!(odd.rule().is_err(), "old text without meaning is kept and has no rule");
    }

    #[test]
    fn every_selector_must_take_a_request() {
        let wanted = Threshold::new("http_req_duration{phase:spike,name:login,scenario:browse,tier:gold}", "max < 1s").rule().unwrap().selectors;
        let gold = tags(&[("tier", "gold")]);
        assert!(wanted.take("browse", "login", &gold, Some("spike")));
        assert!(!wanted.take("browse", "login", &gold, Some("baseline")));
        assert!(!wanted.take("browse", "login", &tags(&[]), Some("spike")));
        assert!(!wanted.take("buy", "login", &gold, Some("spike")));
        assert!(!wanted.take("browse", "logout", &gold, Some("spike")));
        assert!(wanted.take("browse", "login", &tags(&[("tier", "gold"), ("phase", "spike")]), None), "an own tag called phase does as well");
        assert!(Selectors::default().take("any", "thing", &gold, None));
    }

    #[test]
    fn bounds_are_strict_where_they_say_so() {
        assert!(!Relation::Below.holds(1.0, 1.0) && Relation::AtMost.holds(1.0, 1.0));
        assert!(!Relation::Above.holds(1.0, 1.0) && Relation::AtLeast.holds(1.0, 1.0));
        assert!(Relation::Equal.holds(0.0, 0.0) && !Relation::Equal.holds(1.0, 0.0) && Relation::Unequal.holds(1.0, 0.0));
        assert!(!Relation::Unequal.holds(f64::NAN, 1.0), "an unknown figure meets nothing");
    }

    #[test]
    fn values_have_the_unit_of_their_statistic() {
        let unit = |metric, pass| Threshold::new(metric, pass).rule().unwrap().unit();
        assert_eq!(unit("http_req_duration", "avg < 1s"), Measure::Seconds);
        assert_eq!(unit("http_req_failed", "rate < 1%"), Measure::Share);
        assert_eq!(unit("http_reqs", "rate > 100/s"), Measure::PerSecond);
        assert_eq!(unit("dropped_iterations", "count < 1"), Measure::Number);
        let shown = [(Measure::Seconds, 0.8), (Measure::Share, 0.015), (Measure::PerSecond, 80.25), (Measure::Number, 12.0)].map(|(m, v)| m.show(v));
        assert_eq!(shown, ["800ms", "1.50%", "80.2/s", "12"]);
    }
}
