//! Reads `[objective]`, `[[threshold]]` and `[guard]`. It may import the rest of `profile/`; it must not read conditions.

use toml::de::DeValue;

use super::leaf;
use super::reader::{At, Entry, Node, Reader, Table};
use crate::model::units::Span;
use crate::profile::secret::Text;

/// `[objective]`.
#[derive(Debug, Default)]
pub(in crate::profile) struct RawObjective {
    pub(in crate::profile) slo: Vec<At<Text>>,
    pub(in crate::profile) failure_cost: Option<At<Span>>,
}

/// `[[threshold]]`.
#[derive(Debug)]
pub(in crate::profile) struct RawThreshold {
    pub(in crate::profile) metric: At<Text>,
    pub(in crate::profile) pass: At<Text>,
    pub(in crate::profile) abort: Option<At<RawAbort>>,
}

/// `abort` of a threshold.
#[derive(Debug, Default)]
pub(in crate::profile) struct RawAbort {
    pub(in crate::profile) on_fail: bool,
    pub(in crate::profile) after: Option<Span>,
}

/// One line of `[guard]`.
#[derive(Debug)]
pub(in crate::profile) struct RawGuard {
    pub(in crate::profile) watch: At<String>,
    pub(in crate::profile) condition: At<Text>,
}

pub(super) fn objective(r: &mut Reader<'_>, node: &Node<'_>) -> Option<RawObjective> {
    let mut t = Table::of(r, node, "[objective] with slo = [\"p95 < 800ms\"]")?;
    let _ = t.take(r, "minimise", leaf::one_of(&[("loss", ())]));
    let slo = t.take(r, "slo", leaf::list(leaf::text));
    let failure_cost = t.take(r, "failure_cost", leaf::span);
    t.done(r);
    Some(RawObjective { slo: slo.map(|s| s.value).unwrap_or_default(), failure_cost })
}

pub(super) fn threshold(r: &mut Reader<'_>, node: &Node<'_>) -> Option<RawThreshold> {
    let mut t = Table::of(r, node, "[[threshold]] with metric and pass")?;
    let metric = t.need(r, "metric", "metric = \"http_req_duration\"", leaf::text);
    let pass = t.need(r, "pass", "pass = \"p(95) < 800ms\"", leaf::text);
    let abort = t.take(r, "abort", abort);
    t.done(r);
    Some(RawThreshold { metric: metric?, pass: pass?, abort })
}

fn abort(r: &mut Reader<'_>, node: &Node<'_>) -> Option<RawAbort> {
    let mut t = Table::of(r, node, "abort = { on_fail = true, after = \"10s\" }")?;
    let on_fail = t.need(r, "on_fail", "on_fail = true", leaf::yes);
    let after = t.take(r, "after", leaf::span);
    t.done(r);
    Some(RawAbort { on_fail: on_fail?.value, after: after.map(|a| a.value) })
}

pub(super) fn guards(r: &mut Reader<'_>, node: &Node<'_>) -> Option<Vec<RawGuard>> {
    let mut guards = Vec::new();
    let entries = Table::of(r, node, "[guard] with failed = \"> 50% for 10s\"")?.free();
    let read: Vec<Option<()>> = entries.into_iter().map(|e| guard(r, &e, "", &mut guards)).collect();
    read.into_iter().collect::<Option<()>>()?;
    guards.sort_by_key(|g| g.watch.span.start);
    Some(guards)
}

/// A guard, or a table of them: `pool.pending = "…"` without quotes is a table in TOML and means the signal all the same.
fn guard(r: &mut Reader<'_>, entry: &Entry<'_>, above: &str, guards: &mut Vec<RawGuard>) -> Option<()> {
    let name = if above.is_empty() { entry.key.value.clone() } else { format!("{above}.{}", entry.key.value) };
    if matches!(entry.node.value(), DeValue::Table(_)) {
        let inner = Table::of(r, &entry.node, "")?.free();
        let read: Vec<Option<()>> = inner.into_iter().map(|e| guard(r, &e, &name, guards)).collect();
        return read.into_iter().collect();
    }
    let condition = leaf::text(r, &entry.node)?;
    guards.push(RawGuard { watch: entry.key.with(name), condition: entry.node.at(condition) });
    Some(())
}
