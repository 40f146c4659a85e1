//! `plimsoll demo`: the built-in lab as a process of its own, swept by a profile written from its preset.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use super::exit::{CliError, Exit};
use super::lab::LabProcess;
use super::paths::new_recording;
use super::run::read_profile_text;
use super::wire::{Form, Launch};
use crate::lab::{Preset, PresetLoad, presets};
use crate::model::units::Span;
use crate::ports::Clock as _;
use crate::runner::SystemClock;

/// Starts the lab of a preset and makes its experiment ready.
pub(super) async fn launch(preset: &str, seed: u64, output: Option<&Path>) -> Result<Launch, CliError> {
    let preset = presets::find(preset).map_err(|e| CliError::usage(e.to_string()))?;
    let recording = new_recording(output, &format!("demo {}", preset.name), &SystemClock::start().wall())?;
    let program = std::env::current_exe().map_err(|e| CliError::new(Exit::Internal, format!("finding this program to start the lab: {e}")))?;
    let lab = LabProcess::start(&program, preset.name, seed).await?;
    let text = profile(&preset, &lab.url, seed);
    let profile = read_profile_text(&text, &format!("demo {}", preset.name), Path::new(""))?;
    Ok(Launch { profile, files: std::path::PathBuf::new(), recording: Some(recording), lab: Some(lab), form: Form::Answer })
}

/// The preset's experiment as a profile, as a person would write it.
pub(super) fn profile(preset: &Preset, url: &str, seed: u64) -> String {
    let mut text = format!("# {}\nname = \"demo: {}\"\n\n", preset.description, preset.name);
    let setting = preset.setting;
    let parts = [
        format!("[target]\nurl   = \"{url}\"\nready = {{ path = \"/actuator/health\", status = 200, within = \"10s\" }}\n"),
        format!(
            "[settings.{setting}]\nvalues = {:?}\napply  = {{ http = {{ method = \"POST\", path = \"/admin/settings\", json = {{ {setting}_max = \"{{{setting}}}\" }} }} }}\nverify = {{ signal = \"{setting}.max\" }}\n",
            preset.values
        ),
        experiment(preset, seed),
        load(preset),
        format!("[metrics.app]\nprometheus = \"{url}/actuator/prometheus\"\nevery      = \"{}\"\n", span(preset.lengths.tick)),
        format!("[objective]\nminimise = \"loss\"\nslo      = {:?}\n", preset.slo),
    ];
    for part in parts {
        let _infallible = writeln!(text, "{part}");
    }
    text
}

fn experiment(preset: &Preset, seed: u64) -> String {
    let l = &preset.lengths;
    format!(
        "[experiment]\nrepeats = {}\nrefine  = {}\nwarmup  = \"{}\"\nmeasure = {{ min = \"{}\", max = \"{}\", precision = 0.01 }}\ndrain   = \"{}\"\nsettle  = {{ max = \"{}\" }}\ntick    = \"{}\"\nseed    = {seed}\n",
        preset.repeats,
        preset.refine,
        span(l.warmup),
        span(l.measure_min),
        span(l.measure_max),
        span(l.drain),
        span(l.settle_max),
        span(l.tick),
    )
}

fn load(preset: &Preset) -> String {
    let (model, think) = match preset.load {
        PresetLoad::Closed { users, think: (least, most) } => {
            let think = if most.is_zero() { String::new() } else { format!("think  = {{ between = [\"{}\", \"{}\"] }}\n", span(least), span(most)) };
            (format!("model   = \"closed\"\nusers   = {users}\n"), think)
        }
        PresetLoad::Open { rate_per_s } => (format!("model   = \"open\"\nrate    = \"{rate_per_s}/s\"\nmax_users = 1000\n"), String::new()),
    };
    format!(
        "[load]\n{model}timeout = \"{}\"\n\n[[scenario]]\nname   = \"{}\"\n{think}[[scenario.step]]\nget    = \"{}\"\n",
        span(preset.timeout),
        preset.name,
        preset.path
    )
}

fn span(length: Duration) -> Span {
    Span::from(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_makes_a_profile_that_means_what_the_preset_says() {
        for preset in presets::all() {
            let text = profile(&preset, "http://127.0.0.1:4000", 11);
            let read = read_profile_text(&text, preset.name, Path::new("")).unwrap_or_else(|e| panic!("{}: {e}\n{text}", preset.name));
            let plan = read.plan;
            assert_eq!(plan.settings[0].values, preset.values.map(f64::from));
            assert_eq!(plan.experiment.seed, 11);
            assert_eq!(plan.experiment.measure.min, Span::from(preset.lengths.measure_min));
            assert_eq!(plan.load.timeout, Span::from(preset.timeout));
        }
    }
}
