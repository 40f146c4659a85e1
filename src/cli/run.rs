//! `plimsoll run` and `demo` without a screen, and what both kinds of run share: reading the profile, the exit code of an end.

use std::path::Path;

use tokio::sync::mpsc::unbounded_channel;

use super::args::{RunArgs, Show};
use super::exit::{CliError, Exit};
use super::paths::new_recording;
use super::print::{err, keep_secret, out};
use super::stop::stop_signal;
use super::wire::{Form, Launch, Running, end_of, start};
use crate::control::Command;
use crate::model::event::Outcome;
use crate::model::session::Session;
use crate::model::verdict::PoolVerdict;
use crate::ports::Clock as _;
use crate::profile::{self, Profile, Source};
use crate::runner::{Cause, RunEnd, SystemClock};
use crate::{analysis, prometheus, report};

/// Makes the experiment of a profile ready.
pub(super) fn launch(args: &RunArgs) -> Result<Launch, CliError> {
    let name = args.profile.display().to_string();
    let mut text = std::fs::read_to_string(&args.profile).map_err(|e| CliError::usage(format!("reading the profile {name}: {e}")))?;
    for change in overrides(args) {
        text = profile::apply_override(&text, &change).map_err(|e| CliError::usage(format!("--set {change}: {e}")))?;
    }
    let profile = read_profile_text(&text, &name, folder_of(&args.profile))?;
    let recording = new_recording(args.show.output.as_deref(), &profile.plan.name, &SystemClock::start().wall())?;
    let files = folder_of(&args.profile).to_path_buf();
    Ok(Launch { profile, files, recording: Some(recording), lab: None, form: Form::Answer })
}

/// Makes the experiment of a profile ready, as it stands.
pub(super) fn launch_profile(path: &Path) -> Result<Launch, CliError> {
    let show = Show { headless: false, json: false, output: None };
    launch(&RunArgs { profile: path.to_path_buf(), set: Vec::new(), repeats: None, seed: None, show })
}

fn overrides(args: &RunArgs) -> Vec<String> {
    let mut all = args.set.clone();
    all.extend(args.repeats.map(|n| format!("experiment.repeats={n}")));
    all.extend(args.seed.map(|n| format!("experiment.seed={n}")));
    all
}

/// Where the files are that a profile names.
pub(super) fn folder_of(profile: &Path) -> &Path {
    profile.parent().unwrap_or_else(|| Path::new(""))
}

/// Reads a profile's text with this process's environment, and the files it names in a folder.
pub(super) fn read_profile_text(text: &str, name: &str, folder: &Path) -> Result<Profile, CliError> {
    let dialects = prometheus::known();
    let files = |file: &str| std::fs::read(folder.join(file)).map_err(|e| e.to_string());
    let source = Source { name, env: &secret, files: &files, dialects: &dialects };
    profile::read(text, &source).map_err(|errors| CliError::usage(errors.to_string()))
}

/// A value of the environment: from now on nothing shows it, whoever says it.
pub(super) fn secret(variable: &str) -> Option<String> {
    let value = std::env::var(variable).ok()?;
    keep_secret(&value);
    Some(value)
}

/// Runs without a screen: progress on stderr, the result on stdout.
pub(super) async fn headless(launch: Launch, show: &Show) -> Result<Exit, CliError> {
    let (watcher, mut events) = unbounded_channel();
    err(&report::plan_text(&launch.profile.recorded));
    let running = start(launch, vec![watcher]).await?;
    let printer = tokio::spawn(async move {
        let mut session = Session::new();
        while let Some(event) = events.recv().await {
            session.apply(&event);
            if let Some(line) = report::progress_line(&event, &session) {
                err(&line);
            }
        }
    });
    let commands = running.commands.clone();
    let stopper = tokio::spawn(async move {
        stop_signal().await;
        err("stopping: settings are being put back");
        let _gone = commands.send(Command::Stop);
    });
    let recording = running.recording.clone();
    let end = end_of(running).await?;
    stopper.abort();
    let _ = printer.await;
    print_end(&end, recording.as_deref(), show.json);
    Ok(exit_of(&end))
}

/// Prints what a run found.
pub(super) fn print_end(end: &RunEnd, recording: Option<&Path>, json: bool) {
    if end.outcome != Outcome::Completed {
        err(&format!("plimsoll: {}: {}", end.outcome.name(), end.reason));
    }
    if json {
        out(&report::run_summary(&end.session, recording.map(|path| path.display().to_string()).as_deref()).to_string());
    } else {
        out(&report::session_text(&end.session));
        told_recording(recording);
    }
}

/// Says where the recording is.
pub(super) fn told_recording(recording: Option<&Path>) {
    if let Some(path) = recording {
        err(&format!("recorded in {}", path.display()));
    }
}

/// The exit code of a run's end: the first that applies, as documented.
pub(super) fn exit_of(end: &RunEnd) -> Exit {
    match end.cause {
        Some(Cause::Interrupted) => Exit::Interrupted,
        Some(Cause::Internal) => Exit::Internal,
        Some(Cause::Unreachable) => Exit::Unreachable,
        Some(Cause::Guard) => Exit::Failed,
        None if analysis::thresholds(&end.session).iter().any(|t| !t.ok) => Exit::Failed,
        None => exit_of_verdict(end.session.judged().last().map(|j| &j.verdict)),
    }
}

/// The exit code of a verdict; nothing to judge is no failure.
pub(super) fn exit_of_verdict(verdict: Option<&PoolVerdict>) -> Exit {
    match verdict {
        Some(verdict) if verdict.has_flag("slo_unmet") => Exit::Failed,
        Some(verdict) if !verdict.verdict.is_answer() => Exit::NoAnswer,
        _ => Exit::Done,
    }
}

/// Stops a run and waits for its orderly end.
pub(super) async fn stop(running: Running) -> Result<RunEnd, CliError> {
    let _gone = running.commands.send(Command::Stop);
    end_of(running).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::testkit::verdict;
    use crate::model::event::{Event, Judged, Stamped};
    use crate::model::units::Elapsed;
    use crate::model::verdict::{Kind, Remark};

    fn end(cause: Option<Cause>, kind: Option<Kind>, flag: Option<&str>) -> RunEnd {
        let mut session = Session::new();
        if let Some(kind) = kind {
            let mut verdict = verdict(kind, None);
            verdict.flags.extend(flag.map(|f| Remark::new(f, "x")));
            let judged = Judged { after: None, judge: "t".into(), verdict };
            session.apply(&Stamped { seq: 0, at: Elapsed(1), event: Event::Judged(Box::new(judged)) });
        }
        RunEnd { session, outcome: Outcome::Completed, restored: Some(true), cause, reason: String::new() }
    }

    #[test]
    fn the_exit_code_is_the_first_that_applies() {
        assert_eq!(exit_of(&end(None, Some(Kind::Recommend), None)), Exit::Done);
        assert_eq!(exit_of(&end(None, None, None)), Exit::Done, "nothing swept: no verdict, no failure");
        assert_eq!(exit_of(&end(None, Some(Kind::Repeat), None)), Exit::NoAnswer);
        assert_eq!(exit_of(&end(None, Some(Kind::Recommend), Some("slo_unmet"))), Exit::Failed);
        assert_eq!(exit_of(&end(Some(Cause::Unreachable), Some(Kind::Repeat), None)), Exit::Unreachable);
        assert_eq!(exit_of(&end(Some(Cause::Interrupted), Some(Kind::Repeat), None)), Exit::Interrupted);
        assert_eq!(exit_of(&end(Some(Cause::Internal), None, None)), Exit::Internal);
        assert_eq!(exit_of(&end(Some(Cause::Guard), None, None)), Exit::Failed);
    }

    #[test]
    fn a_threshold_that_does_not_hold_comes_before_the_verdict() {
        let with = |cause, kind| {
            let mut plan = crate::control::testkit::plan(&[10.0], 1);
            plan.thresholds = vec![crate::model::plan::Threshold::new("http_reqs", "count > 1")];
            let mut end = end(cause, kind, None);
            let started = crate::control::testkit::started(plan);
            end.session.apply(&Stamped { seq: end.session.next_seq(), at: Elapsed(2), event: started });
            end
        };
        assert_eq!(exit_of(&with(None, None)), Exit::Failed, "nothing was measured that it could be judged by");
        assert_eq!(exit_of(&with(None, Some(Kind::Repeat))), Exit::Failed);
        assert_eq!(exit_of(&with(Some(Cause::Unreachable), None)), Exit::Unreachable);
        assert_eq!(exit_of(&with(Some(Cause::Interrupted), None)), Exit::Interrupted);
    }
}
