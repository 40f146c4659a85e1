//! Reads a threshold's metric with its selectors and its condition. What can not be read is told by the part that is wrong and what to
//! write instead. It may import the rest of `model/plan/threshold` and the units.

use std::collections::BTreeMap;

use super::{Kind, Metric, Relation, Rule, Selectors, Statistic};
use crate::model::units::{Rate, Share, Span};

/// Why a threshold means nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ThresholdError {
    /// The metric is not known.
    #[error("`{part}` is no metric known here")]
    Metric {
        /// The name.
        part: String,
    },
    /// A selector can not be read.
    #[error("`{part}` selects nothing")]
    Selector {
        /// The selector.
        part: String,
    },
    /// A metric that is not kept by request was given selectors.
    #[error("{metric} is counted for the whole load: `{part}` can not choose a part of it")]
    NotByRequest {
        /// The metric.
        metric: Metric,
        /// The selectors.
        part: String,
    },
    /// There is no comparison.
    #[error("`{part}` compares nothing")]
    Comparison {
        /// The condition.
        part: String,
    },
    /// The metric has no such statistic.
    #[error("{metric} has no `{part}`")]
    Statistic {
        /// The metric.
        metric: Metric,
        /// The statistic.
        part: String,
    },
    /// The bound is no quantity of the right kind.
    #[error("`{part}` is not {wanted}")]
    Bound {
        /// The bound.
        part: String,
        /// What it should be.
        wanted: &'static str,
    },
}

impl ThresholdError {
    /// The part of the text that is wrong.
    #[must_use]
    pub fn part(&self) -> &str {
        match self {
            Self::Metric { part }
            | Self::Selector { part }
            | Self::NotByRequest { part, .. }
            | Self::Comparison { part }
            | Self::Statistic { part, .. }
            | Self::Bound { part, .. } => part,
        }
    }

    /// Whether it is the metric that is wrong, not the condition.
    #[must_use]
    pub const fn is_of_metric(&self) -> bool {
        matches!(self, Self::Metric { .. } | Self::Selector { .. } | Self::NotByRequest { .. })
    }

    /// What to write instead.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Metric { .. } => format!("metrics are {}", Metric::ALL.map(Metric::name).join(", ")),
            Self::Selector { .. } => "write selectors as \"http_req_duration{phase:spike,name:login}\", each once".to_owned(),
            Self::NotByRequest { metric, .. } => {
                format!("write {metric} alone; http_req_duration, http_req_failed, http_reqs and checks take selectors")
            }
            Self::Comparison { .. } => "write it as \"p(95) < 800ms\", \"rate < 1%\" or \"count < 100\"".to_owned(),
            Self::Statistic { metric, .. } => match metric.kind() {
                Kind::Times => "write avg, min, med, max or p(95)".to_owned(),
                Kind::Share => "write rate, as \"rate < 1%\"".to_owned(),
                Kind::Count => "write count or rate, as \"count < 100\" or \"rate > 50/s\"".to_owned(),
            },
            Self::Bound { wanted, .. } => match *wanted {
                TIME => "write a time with its unit, as 800ms or 1.5s (k6's bare numbers are milliseconds)".to_owned(),
                SHARE => "write a share, as 1% or 0.01".to_owned(),
                RATE => "write how many a second, as 100 or 100/s".to_owned(),
                _ => "write a plain number, as 100".to_owned(),
            },
        }
    }
}

const TIME: &str = "a time";
const SHARE: &str = "a share";
const RATE: &str = "a number a second";
const COUNT: &str = "a number";

/// Reads both texts of a threshold.
pub(super) fn rule(metric: &str, pass: &str) -> Result<Rule, ThresholdError> {
    let (metric, selectors) = selected(metric)?;
    let (left, relation, right) = split(pass).ok_or_else(|| ThresholdError::Comparison { part: pass.trim().to_owned() })?;
    let statistic = statistic(metric, left).ok_or_else(|| ThresholdError::Statistic { metric, part: left.to_owned() })?;
    let bound = bound(metric, statistic, right)?;
    Ok(Rule { metric, selectors, statistic, relation, bound })
}

/// `http_req_duration{phase:spike}`
fn selected(text: &str) -> Result<(Metric, Selectors), ThresholdError> {
    let text = text.trim();
    let (name, rest) = text.find('{').map_or((text, None), |at| (text[..at].trim_end(), Some(&text[at..])));
    let metric = Metric::ALL.into_iter().find(|m| m.name() == name).ok_or_else(|| ThresholdError::Metric { part: name.to_owned() })?;
    let Some(braces) = rest else { return Ok((metric, Selectors::default())) };
    // A request's name may hold braces of its own, so only the last one ends the list.
    let inner = braces[1..].strip_suffix('}').filter(|i| !i.trim().is_empty());
    let inner = inner.ok_or_else(|| ThresholdError::Selector { part: braces.to_owned() })?;
    if !metric.is_by_request() {
        return Err(ThresholdError::NotByRequest { metric, part: braces.to_owned() });
    }
    Ok((metric, selectors(inner)?))
}

fn selectors(inner: &str) -> Result<Selectors, ThresholdError> {
    let mut all: BTreeMap<String, String> = BTreeMap::new();
    for part in inner.split(',').map(str::trim) {
        let wrong = || ThresholdError::Selector { part: part.to_owned() };
        let (key, value) = part.split_once(':').ok_or_else(wrong)?;
        let (key, value) = (key.trim(), value.trim().trim_matches('"'));
        if key.is_empty() || value.is_empty() || all.insert(key.to_owned(), value.to_owned()).is_some() {
            return Err(wrong());
        }
    }
    Ok(Selectors { phase: all.remove("phase"), name: all.remove("name"), scenario: all.remove("scenario"), tags: all })
}

/// Splits `p(95) < 800ms` at its comparison.
fn split(text: &str) -> Option<(&str, Relation, &str)> {
    let at = text.find(['<', '>', '=', '!'])?;
    let (left, rest) = text.split_at(at);
    let forms = [
        ("<=", Relation::AtMost),
        (">=", Relation::AtLeast),
        ("==", Relation::Equal),
        ("!=", Relation::Unequal),
        ("<", Relation::Below),
        (">", Relation::Above),
    ];
    let (word, relation) = forms.into_iter().find(|(word, _)| rest.starts_with(word))?;
    Some((left.trim(), relation, rest.get(word.len()..)?.trim()))
}

fn statistic(metric: Metric, word: &str) -> Option<Statistic> {
    let times = metric.kind() == Kind::Times;
    match word {
        "avg" => times.then_some(Statistic::Average),
        "min" => times.then_some(Statistic::Least),
        "med" => times.then_some(Statistic::Median),
        "max" => times.then_some(Statistic::Most),
        "rate" => (!times).then_some(Statistic::Rate),
        "count" => (metric.kind() == Kind::Count).then_some(Statistic::Count),
        _ => {
            let percent: f64 = word.strip_prefix("p(")?.strip_suffix(')')?.trim().parse().ok()?;
            (times && percent > 0.0 && percent <= 100.0).then_some(Statistic::Percentile(percent / 100.0))
        }
    }
}

fn bound(metric: Metric, statistic: Statistic, text: &str) -> Result<f64, ThresholdError> {
    let (wanted, read) = match (statistic, metric.kind()) {
        (Statistic::Count, _) => (COUNT, number(text)),
        (Statistic::Rate, Kind::Share) => (SHARE, text.parse::<Share>().ok().map(Share::fraction)),
        (Statistic::Rate, _) => (RATE, text.parse::<Rate>().ok().map(Rate::as_per_second).or_else(|| number(text))),
        _ => (TIME, text.parse::<Span>().ok().map(Span::as_secs_f64)),
    };
    read.ok_or_else(|| ThresholdError::Bound { part: text.to_owned(), wanted })
}

fn number(text: &str) -> Option<f64> {
    text.replace('_', "").parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(metric: &str, pass: &str) -> Rule {
        rule(metric, pass).unwrap_or_else(|e| panic!("{metric} {pass}: {e}"))
    }

    fn wrong(metric: &str, pass: &str) -> (String, String) {
        let error = rule(metric, pass).unwrap_err();
        assert!(!error.hint().is_empty());
        (error.to_string(), error.part().to_owned())
    }

    #[test]
    fn conditions_have_a_statistic_a_side_and_a_bound() {
        let r = read("http_req_duration", "p(95) < 800ms");
        assert_eq!((r.statistic, r.relation), (Statistic::Percentile(0.95), Relation::Below));
        assert!((r.bound - 0.8).abs() < 1e-12);
        for (pass, statistic) in
            [("avg<1s", Statistic::Average), ("min >= 1ms", Statistic::Least), ("med != 2s", Statistic::Median), ("max==3s", Statistic::Most)]
        {
            assert_eq!(read("iteration_duration", pass).statistic, statistic, "{pass}");
        }
        assert!((read("http_req_failed", "rate < 1%").bound - 0.01).abs() < 1e-12);
        assert!((read("checks", "rate>=0.99").bound - 0.99).abs() < 1e-12);
        assert!((read("http_reqs", "rate > 6000/m").bound - 100.0).abs() < 1e-9);
        assert!((read("iterations", "rate > 1_000").bound - 1000.0).abs() < 1e-9);
        assert_eq!(read("dropped_iterations", "count <= 0").relation, Relation::AtMost);
    }

    #[test]
    fn selectors_choose_by_phase_name_scenario_and_own_tags() {
        let r = read("http_req_duration{ phase:spike, name:GET /a/{feed.id}, scenario:browse, tier:gold }", "p(99.9) < 2s");
        assert_eq!(r.selectors.phase.as_deref(), Some("spike"));
        assert_eq!(r.selectors.name.as_deref(), Some("GET /a/{feed.id}"));
        assert_eq!(r.selectors.scenario.as_deref(), Some("browse"));
        assert_eq!(r.selectors.tags.get("tier").map(String::as_str), Some("gold"));
        assert!(read("http_reqs", "count > 0").selectors.is_empty());
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert_eq!(wrong("http_req_time", "avg < 1s"), ("`http_req_time` is no metric known here".into(), "http_req_time".into()));
        assert_eq!(wrong("http_reqs{name}", "count < 1").1, "name");
        assert_eq!(wrong("http_reqs{name:a,name:b}", "count < 1").1, "name:b");
        assert_eq!(wrong("http_reqs{", "count < 1").1, "{");
        assert_eq!(wrong("http_reqs{}", "count < 1").1, "{}");
        assert!(wrong("iteration_duration{scenario:buy}", "avg < 1s").0.contains("the whole load"));
        assert_eq!(wrong("http_req_duration", "p95").1, "p95");
        assert_eq!(wrong("http_req_duration", "p95 < 1s").1, "p95");
        assert_eq!(wrong("http_req_duration", "p(0) < 1s").1, "p(0)");
        assert_eq!(wrong("http_req_duration", "p(101) < 1s").1, "p(101)");
        assert_eq!(wrong("http_req_duration", "rate < 1s").0, "http_req_duration has no `rate`");
        assert_eq!(wrong("http_req_failed", "count < 1").0, "http_req_failed has no `count`");
        assert_eq!(wrong("http_req_duration", "avg < 500").0, "`500` is not a time");
        assert_eq!(wrong("http_req_failed", "rate < 120%").0, "`120%` is not a share");
        assert_eq!(wrong("http_reqs", "rate > lots").0, "`lots` is not a number a second");
        assert_eq!(wrong("http_reqs", "count > -1").0, "`-1` is not a number");
        assert_eq!(wrong("", "").1, "");
    }
}
