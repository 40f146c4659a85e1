//! Checks `[[scenario]]`: weights, requests, what they extract. It may import the rest of `profile/`.

use std::collections::BTreeMap;

use super::names::{Scope, check_new_variable};
use super::{Context, experiment, http};
use crate::model::plan::{Extract, RequestPlan, Scenario, ScenarioStep, Think};
use crate::model::template::Template;
use crate::profile::raw::reader::At;
use crate::profile::raw::scenario::{RawRequest, RawScenario, RawStep};
use crate::profile::secret::Text;

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
    let mut scope = Scope::scenario(c, raw);
    let once = raw.once.iter().map(|r| next(c, &r.value, &mut scope)).collect();
    // Of weighted steps nobody knows which has run before: none can rely on another.
    let is_weighted = raw.steps.value.iter().any(|s| s.value.weight.is_some());
    let steps = raw.steps.value.iter().map(|s| step(c, &s.value, &mut scope, is_weighted)).collect();
    weights(c, raw);
    Scenario {
        weight: raw.weight.as_ref().map_or(1.0, |w| w.value),
        think: raw.think.as_ref().map(|t| think(c, t.value)),
        once,
        ..Scenario::new(c.text(&raw.name.value), steps)
    }
}

fn weights(c: &mut Context<'_>, raw: &RawScenario) {
    let steps = &raw.steps.value;
    for weight in raw.weight.iter().chain(steps.iter().filter_map(|s| s.value.weight.as_ref())) {
        if weight.value <= 0.0 {
            c.refuse(weight, &format!("`{}` is no weight", weight.value), "write a number above 0, or leave out what shall not run");
        }
    }
    if steps.is_empty() {
        c.refuse(&raw.steps, "a scenario without steps", "add [[scenario.step]] with get = \"/\"");
    }
    let weighted = steps.iter().filter(|s| s.value.weight.is_some()).count();
    if let Some(bare) = steps.iter().find(|s| s.value.weight.is_none()).filter(|_| weighted > 0) {
        c.refuse(
            bare,
            "a step without a weight among steps with one",
            "give every step a weight (one is chosen each pass), or none (all run in order)",
        );
    }
}

/// A request, and what it extracts for those that follow.
fn next(c: &mut Context<'_>, raw: &RawRequest, scope: &mut Scope) -> RequestPlan {
    let plan = request(c, raw, scope);
    scope.extracted(raw);
    plan
}

fn step(c: &mut Context<'_>, raw: &RawStep, scope: &mut Scope, is_weighted: bool) -> ScenarioStep {
    let request = if is_weighted { request(c, &raw.request, scope) } else { next(c, &raw.request, scope) };
    ScenarioStep { weight: raw.weight.as_ref().map(|w| w.value), think: raw.think.as_ref().map(|t| think(c, t.value)), ..ScenarioStep::of(request) }
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

fn request(c: &mut Context<'_>, raw: &RawRequest, scope: &Scope) -> RequestPlan {
    http::path(c, &raw.path, scope);
    for status in &raw.expect_status {
        http::status(c, status);
    }
    let headers = http::headers(c, &raw.headers, scope);
    let body = http::body(c, &raw.content, scope);
    let extract: BTreeMap<String, Extract> =
        raw.extract.iter().filter_map(|(name, from)| Some((name.value.clone(), extract(c, name, from)?))).collect();
    RequestPlan {
        name: name(c, raw),
        method: raw.method.to_owned(),
        path: c.pattern(&raw.path.value),
        headers,
        body: body.map(Into::into),
        query: BTreeMap::new(),
        checks: Vec::new(),
        tags: BTreeMap::new(),
        expect_status: raw.expect_status.iter().filter_map(|s| u16::try_from(s.value).ok()).collect(),
        extract,
    }
}

/// The name as written, or method and path template. Figures are known by it, so it never holds a secret.
fn name(c: &mut Context<'_>, raw: &RawRequest) -> String {
    match &raw.name {
        Some(name) if name.value.value.trim().is_empty() => {
            c.refuse(name, "an empty name", "write a name, or leave it out: method and path will do");
            String::new()
        }
        Some(name) => name.value.shown.clone(),
        None => {
            let path: &Template = &raw.path.value.shown;
            format!("{} {path}", raw.method)
        }
    }
}

/// `json:$.path.to.it` or `header:Name`.
fn extract(c: &mut Context<'_>, name: &At<String>, from: &At<Text>) -> Option<Extract> {
    check_new_variable(c, name);
    let written = from.value.value.as_str();
    let found = if let Some(path) = written.strip_prefix("json:") {
        json_path(path).map(Extract::Json)
    } else {
        written.strip_prefix("header:").map(str::trim).filter(|h| !h.is_empty()).map(|h| Extract::Header(h.to_owned()))
    };
    if found.is_none() {
        c.refuse(
            from,
            &format!("`{}` names no part of an answer", from.value.shown),
            "write \"json:$.accessToken\", \"json:$.items[0].id\" or \"header:Location\"",
        );
    }
    found
}

/// A path into a JSON document as dots: `$.items[0].id` becomes `items.0.id`.
fn json_path(path: &str) -> Option<String> {
    let dotted = path.strip_prefix('$')?.replace('[', ".").replace(']', "");
    let dotted = dotted.strip_prefix('.')?;
    let plain = |part: &str| !part.is_empty() && part.chars().all(|ch| ch.is_alphanumeric() || ch == '_' || ch == '-');
    dotted.split('.').all(plain).then(|| dotted.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_paths_become_dots() {
        assert_eq!(json_path("$.a").as_deref(), Some("a"));
        assert_eq!(json_path("$.items[0].id").as_deref(), Some("items.0.id"));
        assert_eq!(json_path("$[2].id").as_deref(), Some("2.id"));
        for wrong in ["", "a", "$", "$.", "$..a", "$.a b", "$.a[*]"] {
            assert_eq!(json_path(wrong), None, "{wrong}");
        }
    }
}
