//! Figures by named phase of the load: one row a step and phase. A request belongs to the phase of its intended start, whenever it ended.

use std::ops::Range;

use serde_json::{Value, json};

use super::format::{count, rate_or, share_or, span_or};
use super::table::Table;
use super::words;
use crate::model::plan::LoadPhase;
use crate::model::session::{Merged, Session, StepState};
use crate::model::text::clean;
use crate::model::units::{Elapsed, Span};

/// One phase of one step.
struct Row {
    /// The phase; none for what was meant to begin behind the last one.
    name: Option<String>,
    /// How much of it was measured.
    length: Option<Span>,
    dropped: u64,
    figures: Merged,
}

fn phases(session: &Session) -> &[LoadPhase] {
    session.plan().and_then(|p| p.load.time_line()).map(|line| line.phases.as_slice()).unwrap_or_default()
}

/// The phases of a step in their order, and behind them what lies in none.
fn rows(session: &Session, step: &StepState) -> Vec<Row> {
    let Some(measured) = step.measured() else { return Vec::new() };
    let (from, to) = (measured.from, measured.to.unwrap_or(session.now()));
    let mut figures = step.by_load_phase();
    let mut begin = from;
    let mut out = Vec::new();
    for phase in phases(session) {
        let end = begin.plus(phase.length);
        let length = end.min(to).since(begin.min(to));
        // The intervals at the edges of the measure phase reach beyond it; they belong to the phases there.
        let (first, last) = (begin == from, end >= to);
        let ticks = if first { Elapsed::ZERO } else { begin }..if last { Elapsed(u64::MAX) } else { end };
        let dropped = if first || begin < to { dropped(session, step, &ticks) } else { 0 };
        out.push(Row {
            name: Some(phase.name.clone()),
            length: Some(length),
            dropped,
            figures: figures.remove(&Some(phase.name.as_str())).unwrap_or_default(),
        });
        begin = end;
    }
    let known = out.iter().fold(0_u64, |all, row| all.saturating_add(row.dropped));
    let rest = Row { name: None, length: None, dropped: step.dropped().saturating_sub(known), figures: figures.remove(&None).unwrap_or_default() };
    if rest.dropped > 0 || rest.figures.finished() > 0 {
        out.push(rest);
    }
    out
}

/// Dropped arrivals of the intervals of a step whose middle lies among these times.
fn dropped(session: &Session, step: &StepState, times: &Range<Elapsed>) -> u64 {
    let middle = |t: &crate::model::session::TickPoint| t.from.plus(t.to.since(t.from).times(0.5));
    let ticks = session.ticks().iter().filter(|t| step.takes_interval(t.from, t.to) && times.contains(&middle(t)));
    ticks.fold(0, |all, t| all.saturating_add(t.dropped))
}

/// A table of all steps by phase; none where the load has no phases or nothing was measured.
pub(super) fn table(session: &Session) -> Option<Table> {
    if phases(session).is_empty() {
        return None;
    }
    let several = session.steps().len() > 1;
    let heads = ["phase", "requests", "rate", "failed", "not sent", "p50", "p95", "p99", "max", "p99 from the send"];
    let mut table = Table::new(several.then_some("step").into_iter().chain(heads));
    for step in session.steps() {
        let values = words::values(session.plan(), &step.planned().values);
        let of = if values.is_empty() { step.planned().step.to_string() } else { format!("{}, {values}", step.planned().step) };
        for row in rows(session, step) {
            table.push(several.then(|| of.clone()).into_iter().chain(cells(&row)).collect());
        }
    }
    (!table.is_empty()).then_some(table)
}

fn cells(row: &Row) -> Vec<String> {
    let f = &row.figures;
    let seconds = row.length.map(Span::as_secs_f64).filter(|s| *s > 0.0);
    let at = |q| span_or(f.latency.quantile(q));
    vec![
        row.name.as_deref().map_or_else(|| "behind the last".to_owned(), clean),
        count(f.finished()),
        rate_or(seconds.map(|s| f.finished() as f64 / s)),
        share_or(f.failed_share()),
        count(row.dropped),
        at(0.5),
        at(0.95),
        at(0.99),
        span_or(f.latency.max()),
        span_or(f.service_time.quantile(0.99)),
    ]
}

/// The phases of a step for machines; none where the load has none.
pub(super) fn objects(session: &Session, step: &StepState) -> Option<Vec<Value>> {
    let ms = |span: Option<Span>| span.map(|s| s.as_secs_f64() * 1e3);
    let object = |row: &Row| {
        let at = |q| ms(row.figures.latency.quantile(q));
        json!({
            "name": row.name,
            "measured_s": row.length.map(Span::as_secs_f64),
            "requests": row.figures.finished(),
            "failed": row.figures.failures(),
            "dropped": row.dropped,
            "p50_ms": at(0.5),
            "p95_ms": at(0.95),
            "p99_ms": at(0.99),
            "max_ms": ms(row.figures.latency.max()),
            "service_p99_ms": ms(row.figures.service_time.quantile(0.99)),
        })
    };
    (!phases(session).is_empty()).then(|| rows(session, step).iter().map(object).collect())
}
