//! Figures by request name, and of the whole pass: one row a combination of settings and name, over all runs of it that count.
//! Histograms are merged, percentiles never averaged.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::format::{count, share_or, span_or};
use super::table::Table;
use super::words;
use crate::model::histogram::Histogram;
use crate::model::session::{Merged, Session, StepState};
use crate::model::text::clean;
use crate::model::units::Span;

/// What the requests of all runs of one combination of settings come to.
#[derive(Default)]
struct Group<'a> {
    requests: BTreeMap<(&'a str, &'a str), Merged>,
    passes: Histogram,
    runs: usize,
}

/// The groups in the order in which they were first run.
fn groups(session: &Session) -> Vec<(String, Group<'_>)> {
    let mut out: Vec<(String, Group<'_>)> = Vec::new();
    for step in session.steps().iter().filter(|s| s.counts() || session.steps().len() == 1) {
        let values = words::values(session.plan(), &step.planned().values);
        let at = out.iter().position(|g| g.0 == values).unwrap_or_else(|| {
            out.push((values, Group::default()));
            out.len() - 1
        });
        let Some((_, group)) = out.get_mut(at) else { continue };
        for (key, figures) in step.by_request() {
            group.requests.entry(key).or_default().merge(&figures);
        }
        group.passes.merge(step.iterations());
        group.runs += 1;
    }
    out.retain(|(_, g)| !g.requests.is_empty());
    out
}

/// The table; none where a verdict's own table tells as much, because there is one request and no pass of several.
pub(super) fn table(session: &Session) -> Option<Table> {
    let groups = groups(session);
    let names = groups.iter().map(|(_, g)| g.requests.len()).max().unwrap_or(0);
    if names == 0 || (names == 1 && session.judged().last().is_some()) {
        return None;
    }
    let several = groups.iter().any(|(values, _)| !values.is_empty());
    let heads = ["request", "requests", "failed", "by kind", "p50", "p95", "p99", "max", "p99 from the send"];
    let mut table = Table::new(several.then_some("settings").into_iter().chain(heads));
    for (values, group) in &groups {
        let scenarios = group.requests.keys().map(|k| k.0).collect::<std::collections::BTreeSet<_>>().len();
        for ((scenario, name), figures) in &group.requests {
            let name = if scenarios > 1 { format!("{}: {}", clean(scenario), clean(name)) } else { clean(name) };
            table.push(several.then(|| clean(values)).into_iter().chain(row(name, figures)).collect());
        }
        if !group.passes.is_empty() && names > 1 {
            table.push(several.then(|| clean(values)).into_iter().chain(passes(&group.passes)).collect());
        }
    }
    Some(table)
}

fn row(name: String, f: &Merged) -> Vec<String> {
    let at = |q| span_or(f.latency.quantile(q));
    let kinds = if f.failed.is_empty() { "-".to_owned() } else { words::failures(&f.failed) };
    vec![
        name,
        count(f.finished()),
        share_or(f.failed_share()),
        kinds,
        at(0.5),
        at(0.95),
        at(0.99),
        span_or(f.latency.max()),
        span_or(f.service_time.quantile(0.99)),
    ]
}

fn passes(h: &Histogram) -> Vec<String> {
    let at = |q| span_or(h.quantile(q));
    let dash = || "-".to_owned();
    vec!["whole pass".to_owned(), count(h.count()), dash(), dash(), at(0.5), at(0.95), at(0.99), span_or(h.max()), dash()]
}

/// The requests of one step for machines, by name; of one scenario after the other where two have a request of the same name.
pub(super) fn object(step: &StepState) -> Map<String, Value> {
    let ms = |span: Option<Span>| span.map(|s| s.as_secs_f64() * 1e3);
    let mut out = Map::new();
    for ((scenario, name), f) in step.by_request() {
        let at = |q| ms(f.latency.quantile(q));
        let figures = json!({
            "requests": f.finished(),
            "failed": f.failures(),
            "errors": f.failed.iter().map(|(kind, n)| (kind.name().to_owned(), json!(n))).collect::<Map<_, _>>(),
            "p50_ms": at(0.5),
            "p95_ms": at(0.95),
            "p99_ms": at(0.99),
            "max_ms": ms(f.latency.max()),
            "service_p99_ms": ms(f.service_time.quantile(0.99)),
        });
        let name = clean(name);
        let key = if out.contains_key(&name) { format!("{}: {name}", clean(scenario)) } else { name };
        out.insert(key, figures);
    }
    out
}
