//! Small plans and verdicts for the tests of this module.

use std::collections::BTreeMap;

use crate::model::event::{Event, Host, SessionStarted};
use crate::model::plan::{Apply, Design, Experiment, LoadModel, LoadPlan, MeasureRule, Objective, Order, Plan, Setting, TargetPlan, Verify};
use crate::model::signal::Signal;
use crate::model::units::Span;
use crate::model::verdict::{Derived, Kind, Next, PoolVerdict, SCHEMA};

/// A plan that sweeps `pool` over `values`.
pub(crate) fn plan(values: &[f64], repeats: u32) -> Plan {
    let range = (values.iter().copied().fold(f64::MAX, f64::min), values.iter().copied().fold(0.0, f64::max));
    let verify = Some(Verify { signal: Signal::PoolMax, of: None });
    let pool = Setting { name: "pool".into(), values: values.to_vec(), range, apply: Apply::Restart, verify, restore: None };
    Plan {
        name: "test".into(),
        target: TargetPlan { url: "http://127.0.0.1:1".into(), instances: vec![], allow: vec!["127.0.0.1".into()], ready: None, process: None },
        settings: vec![pool],
        experiment: Experiment {
            design: Design::Grid,
            order: Order::Blocked,
            repeats,
            refine: 2,
            warmup: Span::from_secs(1),
            measure: MeasureRule { min: Span::from_secs(4), max: Span::from_secs(8), precision: 0.01 },
            drain: Span::from_secs(2),
            settle_max: Span::from_secs(5),
            tick: Span::from_secs(1),
            seed: 7,
        },
        load: LoadPlan::new(LoadModel::Closed { users: 10 }, Span::from_secs(5)),
        scenarios: vec![],
        sources: vec![],
        objective: Objective::default(),
        thresholds: vec![],
        guards: vec![],
        profile_text: String::new(),
    }
}

/// The event that begins a session of this plan.
pub(crate) fn started(plan: Plan) -> Event {
    let started_at = "2026-01-02T03:04:05+00:00[UTC]".to_owned();
    Event::SessionStarted(Box::new(SessionStarted { plan, version: "test".into(), judge: "test".into(), host: Host::default(), started_at }))
}

/// A verdict that wants `next` measured.
pub(crate) fn verdict(kind: Kind, next: Option<f64>) -> PoolVerdict {
    PoolVerdict {
        schema: SCHEMA.to_owned(),
        case: None,
        verdict: kind,
        setting: Some("pool".into()),
        value: Some(20.0),
        zone: None,
        best_interval_90: None,
        expected_regret: None,
        unconstrained: None,
        values: BTreeMap::new(),
        zones: BTreeMap::new(),
        indifferent: vec![],
        next: next.map(|value| Next { value, runs: 1, why: "to be sure".into(), values: BTreeMap::new() }),
        reasons: vec![],
        flags: vec![],
        steps: vec![],
        curve: vec![],
        model: None,
        derived: Derived::default(),
    }
}
