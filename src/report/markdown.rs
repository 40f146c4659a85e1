//! The tuning summary as Markdown: question, answer, figures, curve, conditions, doubts, how to repeat.

use super::figures::RunFigures;
use super::format::{duration, rate_or, share_or, time_or};
use super::table::{self, Table, Width};
use super::{conditions, course, curve, doubt, phases, requests, text, thresholds, words};
use crate::model::plan::LoadModel;
use crate::model::session::{LogLevel, Session, StepState, StepStatus};
use crate::model::text::clean;
use crate::model::units::Span;
use crate::model::verdict::PoolVerdict;

/// Further steps have blocks of their own from this one on.
const FURTHER_FROM: u32 = 99;

/// The summary of a session; `name` is the recording's.
#[must_use]
pub fn markdown(session: &Session, name: &str) -> String {
    let title = session.plan().map_or_else(|| clean(name), |p| clean(&p.name));
    let mut out = vec![format!("# {}", escape(&title)), question(session)];
    out.push(section("Answer", &answer(session)));
    if let Some(verdict) = verdict(session) {
        out.push(section("Figures", &figures(verdict)));
        out.extend(curve::of(verdict).map(|c| section("Curve", &fenced(&c, "text"))));
    }
    out.extend(thresholds::table(session).map(|t| section("Thresholds", &t.markdown(escape))));
    out.push(section("Runs", &runs(session)));
    out.extend(requests::table(session).map(|t| section("By request", &t.markdown(escape))));
    out.extend(phases::table(session).map(|t| section("By phase of the load", &t.markdown(escape))));
    out.push(section("Conditions", &listed(&conditions::of(session))));
    out.push(section("Doubts", &doubts(session)));
    out.extend(happened(session).map(|h| section("What happened", &h)));
    out.push(section("How to repeat", &repeat(session, name)));
    out.join("\n\n") + "\n"
}

fn verdict(session: &Session) -> Option<&PoolVerdict> {
    session.judged().last().map(|j| &j.verdict)
}

fn section(head: &str, body: &str) -> String {
    format!("## {head}\n\n{body}")
}

/// Takes the meaning from characters that Markdown gives one to.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '~' | '&' | '$') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Text in a fence that nothing inside it can close.
fn fenced(text: &str, language: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}", text.trim_end())
}

fn question(session: &Session) -> String {
    let Some(plan) = session.plan() else { return "What this session asked is not in its recording.".to_owned() };
    let swept: Vec<String> = plan.swept().map(|s| escape(&clean(&s.name))).collect();
    let load = escape(&course::words(&plan.load));
    let target = escape(&clean(&plan.target.url));
    if swept.is_empty() {
        return format!("How does {target} do under {load}?");
    }
    format!("Which value of **{}** suits {target} under {load}?", swept.join("** and **"))
}

fn answer(session: &Session) -> String {
    let Some(verdict) = verdict(session) else { return format!("None: nothing was judged. The session: {}.", escape(&text::ending(session))) };
    let mut lines = vec![format!("**{}** ({})", escape(&words::answer(verdict)), words::headline(verdict.verdict)), String::new()];
    let named = |head: &'static str, texts: Vec<String>| texts.into_iter().map(move |t| format!("- {head}: {}", escape(&t)));
    lines.extend(named("sure", words::certainty(verdict)));
    lines.extend(named("because", verdict.reasons.iter().map(|r| clean(&r.text)).collect()));
    lines.extend(named("costs", words::costs(verdict).into_iter().collect()));
    lines.extend(named("also set", words::also_set(verdict).into_iter().collect()));
    lines.extend(named("next", words::next(verdict).into_iter().collect()));
    lines.extend(named("session", vec![text::ending(session)]));
    lines.join("\n")
}

fn figures(verdict: &PoolVerdict) -> String {
    let table = table::figures(verdict, Width::Full);
    if table.is_empty() {
        return "No value has figures.".to_owned();
    }
    let shorts: Vec<String> = table::shorts(verdict).iter().map(|s| escape(s)).collect();
    let notes = "Loss: mean over all requests, a failed one costs K; ± is one standard error. Times are of successes, from the intended start.";
    let mut out = format!("{}\n\n{notes}", table.markdown(escape));
    for short in shorts {
        out.push_str("  \n");
        out.push_str(&short);
    }
    out
}

fn runs(session: &Session) -> String {
    // Only arrivals can be left unsent.
    let arrivals =
        session.steps().iter().any(|s| s.dropped() > 0) || session.plan().is_some_and(|p| !matches!(p.load.model, LoadModel::Closed { .. }));
    let not_sent = arrivals.then_some("not sent");
    let heads = ["step", "values", "block", "ended", "measured for", "requests", "failed"];
    let mut table = Table::new(heads.into_iter().chain(not_sent).chain(["rate", "p50", "p95", "p99", "max"]));
    for step in session.steps() {
        table.push(run(session, step, arrivals));
    }
    if table.is_empty() { "No step was planned.".to_owned() } else { table.markdown(escape) }
}

fn run(session: &Session, step: &StepState, arrivals: bool) -> Vec<String> {
    let f = RunFigures::of(session, step);
    let status = match step.status() {
        StepStatus::Planned => "not run".to_owned(),
        StepStatus::Running(phase) => format!("cut off in {}", phase.map_or("its settings", crate::model::event::Phase::name)),
        StepStatus::Ended(end) => words::end(end).to_owned(),
    };
    let short = if f.short.is_some() { " (too little to count in full)" } else { "" };
    let bound = if step.generator_bound().is_some() { " (generator-bound)" } else { "" };
    let not_sent = arrivals.then(|| f.dropped.map_or_else(|| "none".to_owned(), super::format::count));
    let begin = [
        step.planned().step.to_string(),
        words::values(session.plan(), &step.planned().values),
        block(step.planned().block),
        format!("{status}{short}{bound}"),
        f.measured.map_or_else(|| "not measured".to_owned(), measured_for),
        if f.measured.is_some() { super::format::count(f.requests) } else { "none".to_owned() },
        share_or(f.failed_share()),
    ];
    let end = [
        rate_or(f.rate),
        time_or(f.quantile_s(0.5)),
        time_or(f.quantile_s(0.95)),
        time_or(f.quantile_s(0.99)),
        super::format::span_or(f.latency.max()),
    ];
    begin.into_iter().chain(not_sent).chain(end).collect()
}

/// Blocks as people count them; a step that the judge asked for stands outside of them.
fn block(block: u32) -> String {
    if block >= FURTHER_FROM { "further".to_owned() } else { (block + 1).to_string() }
}

fn measured_for(span: Span) -> String {
    if span < Span::from_secs(60) { time_or(Some(span.as_secs_f64())) } else { duration(span) }
}

fn listed(all: &[(&'static str, String)]) -> String {
    all.iter().map(|(head, text)| format!("- {head}: {}", escape(text))).collect::<Vec<_>>().join("\n")
}

fn doubts(session: &Session) -> String {
    let all = doubt::of_session(session);
    if all.is_empty() { "None.".to_owned() } else { all.iter().map(|d| format!("- {}", escape(d))).collect::<Vec<_>>().join("\n") }
}

/// Marks, warnings and errors of the log.
fn happened(session: &Session) -> Option<String> {
    let loud = session.log().iter().filter(|l| matches!(l.level, LogLevel::Mark | LogLevel::Warning | LogLevel::Error));
    let lines: Vec<String> = loud.map(|l| format!("- {}: {}", l.at, escape(&l.text))).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn repeat(session: &Session, name: &str) -> String {
    let Some(head) = session.head() else { return "The profile is not in this recording.".to_owned() };
    let seed = head.plan.experiment.seed;
    let recording = format!("The recording `{}` holds every figure behind this page.", clean(name).replace('`', "'"));
    if head.plan.profile_text.trim().is_empty() {
        return format!("{recording} The experiment was made by the program (seed {seed}); it has no profile of its own.");
    }
    // Line breaks and tabs belong to a profile; everything else that `clean` takes out does not.
    let profile: Vec<String> = head.plan.profile_text.lines().map(|line| clean(&line.replace('\t', "    "))).collect();
    let command = fenced(&format!("plimsoll run profile.toml --seed {seed}"), "sh");
    let demo = head.plan.name.strip_prefix("demo: ").filter(|preset| preset.chars().all(|c| c.is_ascii_lowercase() || c == '-'));
    if let Some(preset) = demo {
        let command = fenced(&format!("plimsoll demo --preset {preset} --seed {seed}"), "sh");
        return format!(
            "{recording} The service was the built-in lab. Run\n\n{command}\n\nIts profile was\n\n{}",
            fenced(&profile.join("\n"), "toml")
        );
    }
    format!("{recording} Save the profile below as `profile.toml` and run\n\n{command}\n\n{}", fenced(&profile.join("\n"), "toml"))
}
