//! The verdict put together.

use std::collections::BTreeMap;

use super::choice::Choice;
use super::derived::derived;
use super::evidence::{Evidence, LEAST_VALUES, Lacking};
use super::figures::figures;
use super::flags::flags;
use super::group::Group;
use super::local::claimed;
use super::next::next;
use super::off_curve::off_curve;
use super::reasons::reasons;
use super::rules::rule;
use super::slo::Objectives;
use super::usl::model;
use crate::analysis::curve::Posterior;
use crate::analysis::numeric::quantile;
use crate::analysis::sweep::Sweep;
use crate::model::verdict::{CurvePoint, Derived, Kind, PoolVerdict, Remark, SCHEMA};

/// Points of the drawn curve at most.
const CURVE_POINTS: usize = 60;

/// The verdict on a sweep.
pub(in crate::analysis) fn verdict(sweep: &Sweep) -> PoolVerdict {
    let evidence = match Evidence::of(sweep) {
        Ok(evidence) => evidence,
        Err(Lacking::Values { groups, void }) => return invalid(sweep, &groups, &void),
    };
    let grid = &evidence.posterior.grid;
    let slo = sweep.objective.as_ref().map(|o| o.slo.clone()).unwrap_or_default();
    let allowed = Objectives::read(&slo).allowed(&evidence.groups, &evidence.posterior);
    let choice = Choice::of(&evidence, &allowed.candidates);
    let ruling = rule(&evidence, &choice);
    let zone = choice.zone(grid);
    let strangers = off_curve(&evidence);
    let regret = choice.regret.get(evidence.posterior.index(ruling.value)).map(|r| claimed(&evidence, ruling.value, zone, &strangers, *r));
    PoolVerdict {
        verdict: ruling.kind,
        value: Some(ruling.value),
        zone: Some((zone.0.min(ruling.value), zone.1.max(ruling.value))),
        best_interval_90: Some(choice.interval),
        expected_regret: regret.map(|r| digits(r, 4)),
        unconstrained: choice.unconstrained.filter(|_| ruling.kind == Kind::Recommend && !allowed.unmet),
        next: next(&evidence, &choice, &ruling),
        reasons: reasons(&evidence, &choice, &ruling, regret.unwrap_or(1.0)),
        flags: flags(&evidence, &choice, &ruling, &allowed, &strangers),
        steps: figures(&evidence.groups, evidence.target, sweep.process_cores),
        curve: curve(&evidence.posterior),
        model: model(&evidence),
        derived: derived(&evidence, ruling.value),
        ..blank(sweep, Kind::Invalid)
    }
}

fn blank(sweep: &Sweep, kind: Kind) -> PoolVerdict {
    PoolVerdict {
        schema: SCHEMA.to_owned(),
        case: sweep.case.clone(),
        verdict: kind,
        setting: Some(sweep.setting.clone()),
        value: None,
        zone: None,
        best_interval_90: None,
        expected_regret: None,
        unconstrained: None,
        values: BTreeMap::new(),
        zones: BTreeMap::new(),
        indifferent: Vec::new(),
        next: None,
        reasons: Vec::new(),
        flags: Vec::new(),
        steps: Vec::new(),
        curve: Vec::new(),
        model: None,
        derived: Derived::default(),
    }
}

fn invalid(sweep: &Sweep, groups: &[Group], void: &[String]) -> PoolVerdict {
    let mut text = format!("{} of at least {LEAST_VALUES} values of {} can be judged", groups.len(), sweep.setting);
    for why in void {
        text.push_str("; ");
        text.push_str(why);
    }
    let target = sweep.load.rate.map(|r| r * sweep.load.requests_per_arrival);
    PoolVerdict {
        reasons: vec![Remark::new("too_few_values", text)],
        steps: figures(groups, target, sweep.process_cores),
        ..blank(sweep, Kind::Invalid)
    }
}

/// The mean curve with its 90% band, thinned for drawing.
fn curve(p: &Posterior) -> Vec<CurvePoint> {
    let n = p.grid.len();
    let mut at: Vec<usize> = if n <= CURVE_POINTS {
        (0..n).collect()
    } else {
        let (low, high) = (p.grid.first().copied().unwrap_or(1.0), p.grid.last().copied().unwrap_or(1.0));
        (0..CURVE_POINTS).map(|i| p.index(low * (high / low).powf(i as f64 / (CURVE_POINTS - 1) as f64))).collect()
    };
    at.dedup();
    let point = |i: usize| {
        let values: Vec<f64> = p.draws.iter().filter_map(|d| d.get(i).copied()).collect();
        Some(CurvePoint {
            value: *p.grid.get(i)?,
            loss_s: digits(p.loss(i), 6),
            low_s: digits(quantile(&values, 0.05)?, 6),
            high_s: digits(quantile(&values, 0.95)?, 6),
        })
    };
    at.into_iter().filter_map(point).collect()
}

/// Rounded to so many digits behind the point.
fn digits(x: f64, n: i32) -> f64 {
    let scale = 10_f64.powi(n);
    (x * scale).round() / scale
}
