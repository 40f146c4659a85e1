//! Checks `[[scenario]]`: weights, groups of steps, feeders. It may import the rest of `profile/`.

use super::names::{Feed, Scope};
use super::{Context, experiment, request};
use crate::model::plan::{Act, FeedStrategy, Feeder, FeederFile, Scenario, ScenarioStep, Think};
use crate::model::rows::{Rows, RowsKind};
use crate::profile::raw::reader::At;
use crate::profile::raw::scenario::{RawAct, RawFeeder, RawScenario, RawStep};

pub(super) fn scenarios(c: &mut Context<'_>) -> Vec<Scenario> {
    let raw = &c.raw.scenarios;
    let mut seen: Vec<&str> = Vec::new();
    for scenario in raw {
        let name = &scenario.value.name;
        if name.value.value.trim().is_empty() {
            c.refuse(name, "an empty name", "write a name, as \"browse\"");
        } else if seen.contains(&name.value.value.as_str()) {
            c.refuse(name, &format!("a second scenario named `{}`", name.value.shown), "give each its own name");
        }
        seen.push(&name.value.value);
    }
    if raw.is_empty() {
        let at = c.raw.target.with(());
        c.refuse(
            &At { path: "scenario".to_owned(), ..at },
            "nothing to do for the load",
            "add [[scenario]] with a name and [[scenario.step]] with get = \"/\"",
        );
    }
    raw.iter().map(|s| scenario(c, &s.value)).collect()
}

fn scenario(c: &mut Context<'_>, raw: &RawScenario) -> Scenario {
    let (feeder, feed) = match &raw.feeder {
        Some(at) => feeder(c, at),
        None => (None, Feed::None),
    };
    let mut scope = Scope::scenario(c, raw, feed);
    let once = raw.once.iter().map(|r| request::next(c, &r.value, &mut scope)).collect();
    if raw.steps.value.is_empty() {
        c.refuse(&raw.steps, "a scenario without steps", "add [[scenario.step]] with get = \"/\"");
    }
    if let Some(weight) = &raw.weight {
        check_weight(c, weight);
    }
    let steps = in_order_or_by_weight(c, &raw.steps, &mut scope);
    if !steps.is_empty() && Scenario::new(String::new(), steps.clone()).requests().next().is_none() {
        c.refuse(&raw.steps, "a scenario that never sends a request", "add a step with get = \"/path\" beside the pauses");
    }
    Scenario {
        weight: raw.weight.as_ref().map_or(1.0, |w| w.value),
        think: raw.think.as_ref().map(|t| think(c, t.value)),
        feeder,
        tags: request::tags(c, &raw.tags),
        once,
        ..Scenario::new(raw.name.value.shown.clone(), steps)
    }
}

fn check_weight(c: &mut Context<'_>, weight: &At<f64>) {
    if weight.value <= 0.0 {
        c.refuse(weight, &format!("`{}` is no weight", weight.value), "write a number above 0, or leave out what shall not run");
    }
}

/// Steps of which all have a weight, or none.
fn in_order_or_by_weight(c: &mut Context<'_>, raw: &At<Vec<At<RawStep>>>, scope: &mut Scope) -> Vec<ScenarioStep> {
    let weighted = raw.value.iter().filter(|s| s.value.weight.is_some()).count();
    if let Some(bare) = raw.value.iter().find(|s| s.value.weight.is_none()).filter(|_| weighted > 0) {
        c.refuse(
            bare,
            "a step without a weight among steps with one",
            "give every step a weight (one is chosen each pass), or none (all run in order)",
        );
    }
    if weighted > 0 { one_of(c, raw, scope) } else { raw.value.iter().map(|s| step(c, &s.value, scope)).collect() }
}

/// Steps of which one is done: nobody knows which has run before, so none can rely on another.
fn one_of(c: &mut Context<'_>, raw: &At<Vec<At<RawStep>>>, scope: &Scope) -> Vec<ScenarioStep> {
    raw.value.iter().map(|s| step(c, &s.value, &mut scope.clone())).collect()
}

fn step(c: &mut Context<'_>, raw: &RawStep, scope: &mut Scope) -> ScenarioStep {
    if let Some(weight) = &raw.weight {
        check_weight(c, weight);
    }
    let act = act(c, &raw.act, scope);
    ScenarioStep { weight: raw.weight.as_ref().map(|w| w.value), think: raw.think.as_ref().map(|t| think(c, t.value)), act }
}

fn act(c: &mut Context<'_>, raw: &RawAct, scope: &mut Scope) -> Act {
    match raw {
        RawAct::Request(request) => Act::Request(Box::new(request::next(c, request, scope))),
        RawAct::Pause(pause) => Act::Pause(think(c, pause.value)),
        RawAct::Repeat(times, steps) => {
            if let Some(times) = times.as_ref().filter(|n| n.value == 0) {
                c.refuse(times, "`0` times are nothing", "write a number from 1 up, or leave the steps out");
            }
            Act::Repeat { times: times.as_ref().map_or(1, |n| n.value), steps: group(c, steps, scope) }
        }
        RawAct::During(length, steps) => {
            if length.value.is_zero() {
                c.refuse(length, "a stretch of no time", "write a time above 0, as \"30s\"");
            }
            Act::During { length: experiment::compressed(c, length.value), steps: group(c, steps, scope) }
        }
        RawAct::Choose(steps) => Act::Choose { steps: choose(c, steps, scope) },
    }
}

fn not_empty(c: &mut Context<'_>, steps: &At<Vec<At<RawStep>>>) {
    if steps.value.is_empty() {
        c.refuse(steps, "a group without steps", "add a step with get = \"/\" to it");
    }
}

fn group(c: &mut Context<'_>, steps: &At<Vec<At<RawStep>>>, scope: &mut Scope) -> Vec<ScenarioStep> {
    not_empty(c, steps);
    in_order_or_by_weight(c, steps, scope)
}

/// One of several: where none has a weight, all weigh the same.
fn choose(c: &mut Context<'_>, raw: &At<Vec<At<RawStep>>>, scope: &Scope) -> Vec<ScenarioStep> {
    not_empty(c, raw);
    let weighted = raw.value.iter().filter(|s| s.value.weight.is_some()).count();
    if let Some(bare) = raw.value.iter().find(|s| s.value.weight.is_none()).filter(|_| weighted > 0) {
        c.refuse(bare, "no weight among others with one", "give every one a weight, or none: then all are as likely");
    }
    let mut steps = one_of(c, raw, scope);
    for step in &mut steps {
        step.weight = step.weight.or(Some(1.0));
    }
    steps
}

fn think(c: &Context<'_>, think: Think) -> Think {
    let short = |span| experiment::compressed(c, span);
    match think {
        Think::Fixed(t) => Think::Fixed(short(t)),
        Think::Between(a, b) => Think::Between(short(a), short(b)),
        Think::Exponential(t) => Think::Exponential(short(t)),
        Think::Normal(mean, deviation) => Think::Normal(short(mean), short(deviation)),
    }
}

/// The feeder, and what its placeholders can stand for.
fn feeder(c: &mut Context<'_>, at: &At<RawFeeder>) -> (Option<Feeder>, Feed) {
    const HINT: &str = "write feeder = { csv = \"accounts.csv\" } or { json = \"accounts.json\" }";
    let raw = &at.value;
    let (file, kind) = match (&raw.csv, &raw.json) {
        (Some(csv), None) => (csv, RowsKind::Csv),
        (None, Some(json)) => (json, RowsKind::Json),
        (Some(_), Some(json)) => {
            c.refuse(json, "both `csv` and `json`", "a feeder has one file: leave one of them out");
            return (None, Feed::Unknown);
        }
        (None, None) => {
            c.refuse(at, "a feeder without a file", HINT);
            return (None, Feed::Unknown);
        }
    };
    let name = c.text(&file.value);
    let feed = match c.file(file).map(|bytes| Rows::parse(kind, &bytes)) {
        Some(Ok(rows)) => Feed::Rows { file: file.value.shown.clone(), rows: rows.into() },
        Some(Err(error)) => {
            c.refuse(file, &format!("`{}` holds no rows to feed: {error}", file.value.shown), "mend the file, or name another");
            Feed::Unknown
        }
        None => Feed::Unknown,
    };
    let file = if kind == RowsKind::Csv { FeederFile::Csv(name) } else { FeederFile::Json(name) };
    let strategy = raw.strategy.as_ref().map_or(FeedStrategy::Circular, |s| s.value);
    (Some(Feeder { file, strategy }), feed)
}
