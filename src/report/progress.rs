//! What `--headless` prints while a run goes on: one line an event that a person wants to know of, with its time.

use super::figures::RunFigures;
use super::format::{duration, plain, rate_or, share_or, time, time_or};
use super::{course, words};
use crate::model::event::{Event, Phase, Stamped, StepEnd, StepId};
use crate::model::plan::{Design, Order, Plan};
use crate::model::session::{LogLevel, Session, StepState};
use crate::model::text::clean;

/// The line of one event, if it is worth one. `session` has already taken it in.
#[must_use]
pub fn progress_line(stamped: &Stamped, session: &Session) -> Option<String> {
    let text = match &stamped.event {
        Event::Tick(_) | Event::Sample(_) | Event::StepPlanned(_) | Event::Totals { .. } | Event::Unknown => return None,
        Event::SessionStarted(head) => {
            format!("{}: {} at {}", clean(&head.plan.name), course::words(&head.plan.load), clean(&head.plan.target.url))
        }
        Event::PhaseChanged { step, phase } => format!("{}: {}", place(session, *step), phase_text(session, *phase)),
        Event::StepEnded { step, end, reason } => format!("{}: {}", place(session, *step), ended(session, *step, *end, reason)),
        Event::Judged(judged) => format!("so far: {}", words::answer(&judged.verdict)),
        Event::GeneratorBound { .. } => logged(stamped, session).filter(|l| l.starts_with("warning: the load generator is the limit"))?,
        _ => logged(stamped, session)?,
    };
    Some(format!("{}  {text}", stamped.at))
}

/// `step 3 of 10, pool 150`.
fn place(session: &Session, id: StepId) -> String {
    let values = session.step(id).map(|s| words::values(session.plan(), &s.planned().values)).unwrap_or_default();
    let sep = if values.is_empty() { "" } else { ", " };
    format!("step {id} of {}{sep}{values}", session.steps().len())
}

fn phase_text(session: &Session, phase: Phase) -> String {
    let Some(experiment) = session.plan().map(|p| &p.experiment) else { return phase.name().to_owned() };
    match phase {
        Phase::Settle => format!("settling, at most {}", duration(experiment.settle_max)),
        Phase::WarmUp => format!("warming up for {}", duration(experiment.warmup)),
        Phase::Measure if let Some(line) = session.plan().and_then(|p| p.load.time_line()) => {
            format!("measuring the whole time line of {}", duration(line.length()))
        }
        Phase::Measure => format!("measuring for {} to {}", duration(experiment.measure.min), duration(experiment.measure.max)),
        Phase::Drain => format!("draining, at most {}", duration(experiment.drain)),
    }
}

fn ended(session: &Session, id: StepId, end: StepEnd, reason: &str) -> String {
    let figures = session.step(id).filter(|s| s.measured().is_some()).map(|s| figures(session, s));
    match (end, figures) {
        (StepEnd::Completed, Some(figures)) => format!("{figures}; {}", clean(reason)),
        (_, Some(figures)) => format!("{}: {}; {figures}", words::end(end), clean(reason)),
        (_, None) => format!("{}: {}", words::end(end), clean(reason)),
    }
}

fn figures(session: &Session, step: &StepState) -> String {
    let f = RunFigures::of(session, step);
    let loss = f
        .loss_s
        .map_or_else(String::new, |(mean, se)| format!(", loss {}{}", time(mean), se.map_or_else(String::new, |e| format!(" ± {}", time(e)))));
    let kinds = step.failed();
    let failed = if kinds.is_empty() { String::new() } else { format!(" ({})", words::failures(&kinds)) };
    let dropped = f.dropped.filter(|n| *n > 0).map_or_else(String::new, |n| format!(", not sent {}", super::format::count(n)));
    let short = f.short.as_ref().map_or_else(String::new, |s| format!("; too little to count in full: {s}"));
    let bound = step.generator_bound().map_or_else(String::new, |why| format!("; GENERATOR-BOUND: {}", clean(why)));
    format!(
        "{}{loss}, p50 {}, p95 {}, p99 {}, failed {}{failed}{dropped}{short}{bound}",
        rate_or(f.rate),
        time_or(f.quantile_s(0.5)),
        time_or(f.quantile_s(0.95)),
        time_or(f.quantile_s(0.99)),
        share_or(f.failed_share())
    )
}

/// The log's own line for an event, marked if it is a warning.
fn logged(stamped: &Stamped, session: &Session) -> Option<String> {
    let line = session.log().last().filter(|l| l.at == stamped.at)?;
    // A source that stays silent has a line for its first gap only; the last line is then another event's.
    if matches!(&stamped.event, Event::Gap(gap) if !line.text.starts_with(&format!("metrics of {}", clean(&gap.source)))) {
        return None;
    }
    let mark = match line.level {
        LogLevel::Warning => "warning: ",
        LogLevel::Error => "error: ",
        LogLevel::Info | LogLevel::Mark | LogLevel::Verdict => "",
    };
    Some(format!("{mark}{}", line.text))
}

/// The plan before it is run: what will be tried, under which load, for how long.
#[must_use]
pub fn plan_text(plan: &Plan) -> String {
    let e = &plan.experiment;
    let mut out = vec![
        format!("{}: {}", clean(&plan.name), clean(&plan.target.url)),
        format!("load: {}; a request may take {}", course::words(&plan.load), duration(plan.load.timeout)),
    ];
    out.extend(course::populations(&plan.load).into_iter().map(|(name, text)| format!("population {name}: {text}")));
    for setting in &plan.settings {
        let values: Vec<String> = setting.values.iter().map(|v| plain(*v)).collect();
        let back = setting.restore.map_or_else(|| "the value found before".to_owned(), plain);
        out.push(format!("setting: {} {}, put back at the end: {back}", clean(&setting.name), values.join(", ")));
    }
    out.push(format!(
        "steps: {}, {} repeats, {}, up to {} chosen further ones, seed {}",
        match e.design {
            Design::Grid => "all combinations",
            Design::OneAtATime => "one setting at a time",
        },
        e.repeats,
        match e.order {
            Order::Blocked => "each repeat a block in random order",
            Order::Listed => "in the order listed",
        },
        e.refine,
        e.seed
    ));
    out.push(format!("each step: {}; one interval is {}", course::lengths(plan), duration(e.tick)));
    out.join("\n")
}
