//! Checks that every threshold can ever be told: that some request of the profile is of what it selects. It may import the rest of
//! `profile/`.

use super::Context;
use crate::model::plan::{Plan, RequestPlan, Scenario, Selectors};

pub(super) fn check(c: &mut Context<'_>, plan: &Plan) {
    let raw = &c.raw.thresholds;
    for (at, threshold) in raw.iter().zip(&plan.thresholds) {
        let Ok(rule) = threshold.rule() else { continue };
        if !rule.selectors.is_empty() && !plan.scenarios.iter().any(|s| s.requests().any(|r| takes(&rule.selectors, plan, s, r))) {
            let hint = hint(&rule.selectors, plan);
            c.refuse(&at.value.metric, "no request of this profile is ever of what is selected", hint);
        }
    }
}

fn takes(selectors: &Selectors, plan: &Plan, scenario: &Scenario, request: &RequestPlan) -> bool {
    let mut tags = scenario.tags.clone();
    tags.extend(request.tags.clone());
    let phases = plan.load.line.iter().flat_map(|line| line.phases.iter().map(|p| Some(p.name.as_str())));
    phases.chain([None]).any(|phase| selectors.take(&scenario.name, &request.name, &tags, phase))
}

/// What there is of the first thing that is selected by a name nobody has.
fn hint(selectors: &Selectors, plan: &Plan) -> String {
    let requests = || plan.scenarios.iter().flat_map(|s| s.requests().map(move |r| (s, r)));
    let list = |what: &str, mut names: Vec<String>| {
        names.dedup();
        if names.is_empty() { format!("there are no {what} in this profile") } else { format!("{what} there are: {}", names.join(", ")) }
    };
    let names: Vec<String> = requests().map(|(_, r)| r.name.clone()).collect();
    if selectors.name.as_ref().is_some_and(|n| !names.contains(n)) {
        return list("request names", names);
    }
    let scenarios: Vec<String> = plan.scenarios.iter().map(|s| s.name.clone()).collect();
    if selectors.scenario.as_ref().is_some_and(|n| !scenarios.contains(n)) {
        return list("scenarios", scenarios);
    }
    let phases: Vec<String> = plan.load.line.iter().flat_map(|l| l.phases.iter().map(|p| p.name.clone())).collect();
    if selectors.phase.as_ref().is_some_and(|n| !phases.contains(n)) {
        return list("phases of the load", phases);
    }
    let tags = requests().flat_map(|(s, r)| s.tags.iter().chain(&r.tags)).map(|(name, value)| format!("{name}:{value}")).collect();
    list("tags", tags)
}
