//! Objectives: which candidates meet them, read off the measured values and interpolated between them.

use super::group::Group;
use crate::analysis::curve::Posterior;
use crate::model::plan::{Comparison, Quantity, Slo};

/// Failures allowed where no objective speaks of them.
const FAILED: f64 = 0.01;

/// An objective with how far each value is from meeting it.
#[derive(Debug, Clone)]
pub(super) struct Objectives {
    stated: Vec<Slo>,
}

/// What the objectives allow among the candidates.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Allowed {
    /// By candidate.
    pub(super) candidates: Vec<bool>,
    /// A stated objective rules some candidate out.
    pub(super) stated: bool,
    /// A stated objective is met nowhere; the candidate of least violation is the only one allowed then.
    pub(super) unmet: bool,
    /// Objectives that could not be judged, as they were written.
    pub(super) unknown: Vec<String>,
}

impl Objectives {
    /// Reads objectives as text; what can not be read is left out (the plan was checked long before).
    pub(super) fn read(texts: &[String]) -> Self {
        Self { stated: texts.iter().filter_map(|t| read(t)).collect() }
    }

    /// Which candidates meet all objectives.
    pub(super) fn allowed(&self, groups: &[Group], posterior: &Posterior) -> Allowed {
        let grid = &posterior.grid;
        let mut worst = vec![f64::NEG_INFINITY; grid.len()];
        let mut unknown = Vec::new();
        for slo in &self.stated {
            match Expected::of(slo.quantity, groups) {
                Some(expected) => {
                    for (i, w) in worst.iter_mut().enumerate() {
                        *w = w.max(violation(slo, expected.at(i, posterior)));
                    }
                }
                None => unknown.push(slo.text.clone()),
            }
        }
        let stated_failures = self.stated.iter().any(|s| s.quantity == Quantity::Failed);
        let too_many = |value: f64| !stated_failures && fails_around(groups, value);
        let mut candidates: Vec<bool> = worst.iter().zip(grid).map(|(w, value)| *w <= 0.0 && !too_many(*value)).collect();
        let unmet = worst.iter().all(|w| *w > 0.0) && !grid.is_empty();
        if unmet {
            let least = worst.iter().copied().fold(f64::INFINITY, f64::min);
            candidates = worst.iter().map(|w| *w <= least + 1e-9).collect();
        } else if !candidates.iter().any(|c| *c) {
            // Only the allowance for failures, which nobody stated, is met nowhere: it rules nothing out.
            candidates = worst.iter().map(|w| *w <= 0.0).collect();
        }
        Allowed { candidates, unmet, stated: worst.iter().any(|w| *w > 0.0), unknown }
    }
}

/// A figure at candidates that were not measured.
enum Expected {
    /// A time: it goes with the loss, whose curve is known better than a line between two values.
    OfLoss(Vec<(f64, f64)>),
    /// Anything else: between its neighbours.
    Line(Vec<(f64, f64)>),
}

impl Expected {
    /// None if some value's figure is not known.
    fn of(quantity: Quantity, groups: &[Group]) -> Option<Self> {
        let with = |of: &dyn Fn(f64, &Group) -> f64| groups.iter().map(|g| Some((g.value, of(figure(quantity, g)?, g)))).collect::<Option<Vec<_>>>();
        Some(match quantity {
            Quantity::Percentile(_) | Quantity::Mean => Self::OfLoss(with(&|x, g| x / g.loss())?),
            Quantity::Failed | Quantity::Rate => Self::Line(with(&|x, _| x)?),
        })
    }

    fn at(&self, i: usize, posterior: &Posterior) -> f64 {
        let value = posterior.grid.get(i).copied().unwrap_or(1.0);
        match self {
            Self::OfLoss(shares) => between(shares, value) * posterior.loss(i),
            Self::Line(points) => between(points, value),
        }
    }
}

/// Whether too much failed at this value: measured there, or at the measured values on both its sides. Between a good value and a bad
/// one nobody knows where it begins; what it costs is in the loss.
fn fails_around(groups: &[Group], value: f64) -> bool {
    let bad = |g: &Group| g.failed() > FAILED;
    if let Some(there) = groups.iter().find(|g| (g.value - value).abs() < 1e-9) {
        return bad(there);
    }
    let below = groups.iter().rev().find(|g| g.value < value);
    let above = groups.iter().find(|g| g.value > value);
    below.into_iter().chain(above).all(bad)
}

fn figure(quantity: Quantity, group: &Group) -> Option<f64> {
    let close = |q: f64, to: f64| (q - to).abs() < 1e-9;
    match quantity {
        Quantity::Percentile(q) if close(q, 0.5) => group.mean(|r| r.percentiles.p50),
        Quantity::Percentile(q) if close(q, 0.95) => group.mean(|r| r.percentiles.p95),
        Quantity::Percentile(q) if close(q, 0.99) => group.mean(|r| r.percentiles.p99),
        Quantity::Percentile(_) => None,
        Quantity::Mean => group.mean(|r| r.latency),
        Quantity::Failed => Some(group.failed()),
        Quantity::Rate => Some(group.rate()),
    }
}

/// Above zero: by how much of the bound it is missed.
fn violation(slo: &Slo, value: f64) -> f64 {
    let scale = slo.bound.abs().max(1e-9);
    let missed = match slo.comparison {
        Comparison::Below | Comparison::AtMost => (value - slo.bound) / scale,
        Comparison::Above | Comparison::AtLeast => (slo.bound - value) / scale,
    };
    if slo.comparison.holds(value, slo.bound) { missed.min(0.0) } else { missed.max(1e-12) }
}

/// Linear in the logarithm of the setting between neighbours; level beyond them.
fn between(points: &[(f64, f64)], value: f64) -> f64 {
    let after = points.iter().position(|p| p.0 >= value);
    match after {
        Some(0) => points.first().map_or(0.0, |p| p.1),
        None => points.last().map_or(0.0, |p| p.1),
        Some(i) => {
            let (Some(a), Some(b)) = (points.get(i - 1), points.get(i)) else { return 0.0 };
            let share = (value / a.0).ln() / (b.0 / a.0).ln();
            a.1 + share * (b.1 - a.1)
        }
    }
}

/// `p95 < 800ms`, `mean <= 0.2s`, `failed < 1%`, `rate >= 100/s`.
fn read(text: &str) -> Option<Slo> {
    let at = text.find(['<', '>'])?;
    let (name, rest) = text.split_at(at);
    let (comparison, bound) = match rest.as_bytes() {
        [b'<', b'=', ..] => (Comparison::AtMost, rest.get(2..)?),
        [b'>', b'=', ..] => (Comparison::AtLeast, rest.get(2..)?),
        [b'<', ..] => (Comparison::Below, rest.get(1..)?),
        _ => (Comparison::Above, rest.get(1..)?),
    };
    let bound = bound.trim();
    let (quantity, bound) = match name.trim() {
        "failed" => (Quantity::Failed, bound.parse::<crate::model::units::Share>().ok()?.fraction()),
        "rate" => (Quantity::Rate, bound.parse::<crate::model::units::Rate>().ok()?.as_per_second()),
        "mean" => (Quantity::Mean, span(bound)?),
        p => {
            let digits = p.strip_prefix('p')?;
            let scale = 10_f64.powi(i32::try_from(digits.len()).ok()?);
            (Quantity::Percentile(digits.parse::<f64>().ok()? / scale), span(bound)?)
        }
    };
    Some(Slo { quantity, comparison, bound, text: text.to_owned() })
}

fn span(text: &str) -> Option<f64> {
    text.parse::<crate::model::units::Span>().ok().map(crate::model::units::Span::as_secs_f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objectives_are_read_as_people_write_them() {
        let slo = read("p95 < 800ms").unwrap();
        assert_eq!((slo.quantity, slo.comparison, slo.bound), (Quantity::Percentile(0.95), Comparison::Below, 0.8));
        assert!((read("failed <= 1%").unwrap().bound - 0.01).abs() < 1e-12);
        assert_eq!(read("rate >= 100/s").unwrap().comparison, Comparison::AtLeast);
        assert_eq!(read("p999<1.5s").unwrap().quantity, Quantity::Percentile(0.999));
        assert!(read("p95 800").is_none() && read("banana < 3s").is_none() && read("mean < 3").is_none());
    }

    #[test]
    fn between_values_it_is_interpolated() {
        let points = [(10.0, 1.0), (40.0, -1.0)];
        assert!((between(&points, 20.0)).abs() < 1e-12);
        assert_eq!((between(&points, 5.0), between(&points, 90.0)), (1.0, -1.0));
    }
}
