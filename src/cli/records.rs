//! What is done with recordings: `list`, `show`, `export`, `analyze`, and `replay` without a screen.

use std::path::Path;

use super::args::{AnalyzeArgs, ExportArgs, Format, ListArgs, ReplayArgs, ShowArgs};
use super::exit::{CliError, Exit};
use super::off_thread;
use super::paths::{ENDING, data_folder, recording};
use super::print::{err, out};
use super::run::exit_of_verdict;
use crate::model::event::Stamped;
use crate::model::session::Session;
use crate::model::text::clean;
use crate::model::verdict::PoolVerdict;
use crate::{analysis, report, store};

/// All events of a recording, by its path or name, and the name it is shown by.
pub(super) async fn events(asked: &Path) -> Result<(String, Vec<Stamped>), CliError> {
    let path = recording(asked)?;
    let file = path.clone();
    let events = off_thread(move || async move { store::read(&file).await }).await??;
    let name = path.file_stem().map_or_else(|| path.display().to_string(), |s| s.to_string_lossy().into_owned());
    Ok((name, events))
}

pub(super) async fn session(asked: &Path) -> Result<(String, Session), CliError> {
    let (name, events) = events(asked).await?;
    Ok((name, Session::of(&events)))
}

pub(super) async fn list(args: &ListArgs) -> Result<Exit, CliError> {
    let folder = data_folder()?;
    let path = folder.clone();
    let listed = off_thread(move || async move { store::list(&path).await }).await??;
    if args.json {
        out(&serde_json::Value::Array(listed.iter().map(listed_object).collect()).to_string());
    } else if listed.is_empty() {
        err(&format!("no recordings in {} yet; `plimsoll demo` makes one", folder.display()));
    } else {
        for one in &listed {
            out(&listed_line(one));
        }
    }
    Ok(Exit::Done)
}

fn listed_line(listed: &store::Listed) -> String {
    let file = listed.path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    match &listed.summary {
        Ok(s) => {
            let file = clean(&file);
            let verdict = s.verdict.as_ref().map_or_else(
                || "no verdict".to_owned(),
                |(kind, setting, value)| {
                    let value = value.map(|v| format!(" {} {v}", setting.as_deref().unwrap_or("value"))).unwrap_or_default();
                    format!("{kind}{value}")
                },
            );
            let outcome = s.outcome.map_or("cut short", crate::model::event::Outcome::name);
            format!("{file}  {}  {}  {outcome}  {verdict}", clean(&s.name), clean(&s.target))
        }
        Err(error) => format!("{}  unreadable: {}", clean(&file), clean(&error.to_string())),
    }
}

fn listed_object(listed: &store::Listed) -> serde_json::Value {
    let path = listed.path.display().to_string();
    match &listed.summary {
        Ok(s) => serde_json::json!({
            "path": path, "name": s.name, "target": s.target, "started_at": s.started_at,
            "outcome": s.outcome.map(crate::model::event::Outcome::name), "steps": s.steps, "duration_s": s.duration.as_secs_f64(),
            "verdict": s.verdict.as_ref().map(|v| v.0), "setting": s.verdict.as_ref().and_then(|v| v.1.clone()),
            "value": s.verdict.as_ref().and_then(|v| v.2),
        }),
        Err(error) => serde_json::json!({ "path": path, "error": error.to_string() }),
    }
}

pub(super) async fn show(args: &ShowArgs) -> Result<Exit, CliError> {
    let (name, session) = session(&args.recording).await?;
    print_recording(&name, &session, args.json);
    Ok(Exit::Done)
}

pub(super) async fn replay(args: &ReplayArgs) -> Result<Exit, CliError> {
    let (name, session) = session(&args.recording).await?;
    print_recording(&name, &session, args.json);
    Ok(Exit::Done)
}

fn print_recording(name: &str, session: &Session, json: bool) {
    if json {
        out(&report::recording_object(session, name).to_string());
    } else {
        out(&report::session_text(session));
    }
}

pub(super) async fn export(args: &ExportArgs) -> Result<Exit, CliError> {
    let (name, session) = session(&args.recording).await?;
    let text = match args.format {
        Format::Md => report::markdown(&session, &name),
        Format::Json => report::json(&session).to_string(),
        Format::Junit => report::junit(&session, &name),
        Format::Csv => report::csv_steps(&session),
        Format::CsvSeconds => report::csv_seconds(&session),
    };
    write_or_print(args.output.as_deref(), &text)
}

/// To a new file, or to stdout.
pub(super) fn write_or_print(output: Option<&Path>, text: &str) -> Result<Exit, CliError> {
    let Some(path) = output else {
        out(text);
        return Ok(Exit::Done);
    };
    if path.exists() {
        return Err(CliError::usage(format!("{} is there already", path.display())).hint("give another name, or remove it"));
    }
    std::fs::write(path, text).map_err(|e| CliError::new(Exit::Internal, format!("writing {}: {e}", path.display())))?;
    Ok(Exit::Done)
}

pub(super) async fn analyze(args: &AnalyzeArgs) -> Result<Exit, CliError> {
    let is_recording = args.input.extension().is_none_or(|e| e == ENDING);
    let verdict = if is_recording {
        let (_, session) = session(&args.input).await?;
        analysis::judge_session(&session).ok_or_else(|| CliError::usage("nothing was swept in this recording: there is nothing to judge"))?
    } else {
        let name = args.input.display();
        let text = std::fs::read_to_string(&args.input).map_err(|e| CliError::usage(format!("reading {name}: {e}")))?;
        let sweep = analysis::Sweep::from_json(&text).map_err(|e| CliError::usage(format!("{name}: {e}")))?;
        analysis::judge(&sweep)
    };
    print_verdict(&verdict, args.json);
    Ok(exit_of_verdict(Some(&verdict)))
}

fn print_verdict(verdict: &PoolVerdict, json: bool) {
    if json {
        out(&serde_json::to_string(verdict).unwrap_or_default());
    } else {
        out(&report::text_verdict(verdict));
    }
}
