//! Plans and requests for the load's own tests.

use super::host::Origin;
use crate::model::plan::{
    Apply, Design, Experiment, LoadModel, LoadPlan, MeasureRule, Objective, Order, Plan, RequestPlan, Scenario, ScenarioStep, Setting, TargetPlan,
};
use crate::model::units::Span;

/// A GET.
pub(crate) fn get(path: &str) -> RequestPlan {
    RequestPlan::new("GET", path)
}

/// One scenario with one GET at this URL.
pub(crate) fn plan(url: &str) -> Plan {
    Plan {
        name: "test".to_owned(),
        target: TargetPlan { url: url.to_owned(), instances: Vec::new(), allow: Vec::new(), ready: None, process: None },
        settings: Vec::new(),
        experiment: Experiment {
            design: Design::Grid,
            order: Order::Listed,
            repeats: 1,
            refine: 0,
            warmup: Span::ZERO,
            measure: MeasureRule { min: Span::from_secs(1), max: Span::from_secs(1), precision: 0.01 },
            drain: Span::from_secs(1),
            settle_max: Span::from_secs(1),
            tick: Span::from_millis(100),
            seed: 1,
        },
        load: LoadPlan::new(LoadModel::Closed { users: 1 }, Span::from_secs(2)),
        scenarios: vec![Scenario::new("s".to_owned(), vec![ScenarioStep::of(get("/"))])],
        sources: Vec::new(),
        objective: Objective::default(),
        thresholds: Vec::new(),
        guards: Vec::new(),
        profile_text: String::new(),
    }
}

/// A setting that changes nothing at the target.
pub(crate) fn setting(name: &str) -> Setting {
    Setting { name: name.to_owned(), values: vec![1.0], range: (1.0, 1.0), apply: Apply::Load, verify: None, restore: None }
}

/// An instance that is nowhere.
pub(crate) fn origin() -> Origin {
    Origin::new("127.0.0.1:1".to_owned(), String::new(), Vec::new())
}
