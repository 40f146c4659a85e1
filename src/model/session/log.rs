//! What happened, in words: the log every screen and report shows, made from the events alone.

use super::Session;
use crate::model::event::{Event, NoteLevel, Phase, Proof, SettingApplied, SettingProved, StepEnd, StepId};
use crate::model::text::{clean, clean_short};
use crate::model::units::Elapsed;

/// How loud a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LogLevel {
    /// For the record.
    Info,
    /// A person's mark.
    Mark,
    /// The judge spoke.
    Verdict,
    /// Something a reader must know.
    Warning,
    /// Something failed.
    Error,
}

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// When.
    pub at: Elapsed,
    /// How loud.
    pub level: LogLevel,
    /// About which step.
    pub step: Option<StepId>,
    /// The text, safe to draw.
    pub text: String,
}

impl Session {
    /// Returns whether the event has a line.
    pub(super) fn note_in_log(&mut self, at: Elapsed, event: &Event) -> bool {
        let Some((level, step, text)) = self.describe(event) else { return false };
        self.log.push(LogLine { at, level, step, text: clean(&text) });
        true
    }

    fn describe(&self, event: &Event) -> Option<(LogLevel, Option<StepId>, String)> {
        Some(match event {
            Event::SessionStarted(head) => (LogLevel::Info, None, format!("session began: {}", head.plan.name)),
            Event::SessionResumed { .. } => (LogLevel::Info, None, "session resumed".to_owned()),
            Event::PlanChanged { what, why, .. } => (LogLevel::Mark, None, format!("plan changed: {what} ({why})")),
            Event::StepEnded { step, end, reason } => (end_level(*end), Some(*step), format!("step {step} {}: {reason}", end_word(*end))),
            Event::SettingApplied(applied) => (LogLevel::Info, applied.step, applied_text(applied)),
            Event::SettingProved(proved) => proved_text(proved),
            Event::PhaseChanged { step, phase } => (LogLevel::Info, Some(*step), self.phase_text(*step, *phase)),
            Event::Gap(gap) if !self.silent.contains_key(&(gap.source.clone(), gap.instance.clone())) => {
                (LogLevel::Warning, None, format!("metrics of {} are silent: {}", gap.source, clean_short(&gap.reason, 200)))
            }
            Event::StepExcluded { step, why } => (LogLevel::Mark, Some(*step), format!("step {step} taken out of the judgement: {why}")),
            Event::StepIncluded { step, why } => (LogLevel::Mark, Some(*step), format!("step {step} taken back in: {why}")),
            Event::GeneratorBound { step, bound } if !self.is_known_limit(bound) => {
                (LogLevel::Warning, *step, format!("the load generator is the limit: {bound}"))
            }
            Event::Note(note) => (note_level(note.level), note.step, note.text.clone()),
            Event::Judged(judged) => (LogLevel::Verdict, judged.after, verdict_text(&judged.verdict)),
            Event::SessionEnded { outcome, reason, .. } => (LogLevel::Info, None, format!("session ended, {}: {reason}", outcome.name())),
            Event::StepPlanned(_)
            | Event::Tick(_)
            | Event::Sample(_)
            | Event::Gap(_)
            | Event::GeneratorBound { .. }
            | Event::Totals { .. }
            | Event::Unknown => return None,
        })
    }

    fn phase_text(&self, step: StepId, phase: Phase) -> String {
        let values = self.step(step).map(|s| s.planned().values.to_string()).filter(|v| !v.is_empty());
        let what = match phase {
            Phase::Settle => "settling",
            Phase::WarmUp => "warm-up",
            Phase::Measure => "measuring",
            Phase::Drain => "draining",
        };
        values.map_or_else(|| what.to_owned(), |values| format!("{values}: {what}"))
    }
}

const fn end_level(end: StepEnd) -> LogLevel {
    match end {
        StepEnd::Completed => LogLevel::Info,
        StepEnd::Skipped | StepEnd::Interrupted => LogLevel::Mark,
        StepEnd::Refused | StepEnd::Void | StepEnd::Guard => LogLevel::Warning,
        StepEnd::Failed => LogLevel::Error,
    }
}

const fn end_word(end: StepEnd) -> &'static str {
    match end {
        StepEnd::Completed => "done",
        StepEnd::Skipped => "skipped",
        StepEnd::Refused => "refused",
        StepEnd::Void => "void",
        StepEnd::Guard => "stopped by a guard",
        StepEnd::Interrupted => "interrupted",
        StepEnd::Failed => "failed",
    }
}

fn applied_text(applied: &SettingApplied) -> String {
    let verb = if applied.restore { "put back" } else { "applied" };
    let on = applied.instance.as_ref().map(|i| format!(" on {i}")).unwrap_or_default();
    format!("{} {} {verb}{on} ({})", applied.setting, applied.value, applied.how)
}

fn proved_text(proved: &SettingProved) -> (LogLevel, Option<StepId>, String) {
    let level = if proved.proof == Proof::Refuted { LogLevel::Warning } else { LogLevel::Info };
    (level, proved.step, format!("{}: {}", proved.setting, proved.text))
}

const fn note_level(level: NoteLevel) -> LogLevel {
    match level {
        NoteLevel::Mark => LogLevel::Mark,
        NoteLevel::Info => LogLevel::Info,
        NoteLevel::Warning | NoteLevel::Guard => LogLevel::Warning,
    }
}

fn verdict_text(verdict: &crate::model::verdict::PoolVerdict) -> String {
    let value = verdict.value.map(|v| format!(" {} {v}", verdict.setting.as_deref().unwrap_or("value"))).unwrap_or_default();
    let next = verdict.next.as_ref().map(|n| format!("; next: {}", n.value)).unwrap_or_default();
    format!("so far {}{value}{next}", verdict.verdict)
}
