//! First stage: which keys a profile may have and of what kind their values are. Every problem of the stage is reported, unknown
//! keys and wrong units included; what keys mean to each other is the second stage's.

pub(super) mod experiment;
pub(super) mod leaf;
pub(super) mod line;
pub(super) mod load;
pub(super) mod reader;
pub(super) mod request;
pub(super) mod scenario;
pub(super) mod setting;
pub(super) mod source;
mod syntax;
pub(super) mod target;
mod think;
pub(super) mod wanted;
pub(super) mod wire;

use toml::de::DeTable;

use self::experiment::RawExperiment;
use self::load::RawLoad;
use self::reader::{At, Reader, Table};
use self::scenario::RawScenario;
use self::setting::RawSetting;
use self::source::RawSource;
use self::target::RawTarget;
use self::wanted::{RawGuard, RawObjective, RawThreshold};
use super::error::Problem;
use super::secret::Text;

/// A profile whose keys and kinds are right.
#[derive(Debug)]
pub(super) struct RawProfile {
    pub(super) name: Option<At<Text>>,
    pub(super) target: At<RawTarget>,
    pub(super) settings: Vec<RawSetting>,
    pub(super) experiment: RawExperiment,
    pub(super) load: At<RawLoad>,
    pub(super) scenarios: Vec<At<RawScenario>>,
    pub(super) sources: Vec<RawSource>,
    pub(super) objective: RawObjective,
    pub(super) thresholds: Vec<At<RawThreshold>>,
    pub(super) guards: Vec<RawGuard>,
}

/// Reads a text as far as one can without knowing what the keys mean to each other.
pub(super) fn read(text: &str, env: &dyn Fn(&str) -> Option<String>) -> Result<RawProfile, Vec<Problem>> {
    let (document, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        return Err(syntax::problems(text, &errors));
    }
    let mut reader = Reader::new(text, env);
    let raw = profile(&mut reader, document.get_ref());
    let problems = reader.into_problems();
    match raw {
        Some(raw) if problems.is_empty() => Ok(raw),
        _ => Err(problems),
    }
}

fn profile<'d>(r: &mut Reader<'_>, document: &'d DeTable<'d>) -> Option<RawProfile> {
    let mut t = Table::new(document, 0..0, "");
    let name = t.take(r, "name", leaf::text);
    let target = t.need(r, "target", "[target] with url = \"http://127.0.0.1:8080\"", target::target);
    let settings = t.take(r, "settings", setting::settings);
    let experiment = t.take(r, "experiment", experiment::experiment);
    let load = t.need(r, "load", "[load] with users = 200, or with rate = \"80/s\"", load::load);
    let scenarios = t.need(r, "scenario", "[[scenario]] with a name and at least one [[scenario.step]]", leaf::list(scenario::scenario));
    let sources = t.take(r, "metrics", source::sources);
    let objective = t.take(r, "objective", wanted::objective);
    let thresholds = t.take(r, "threshold", leaf::list(wanted::threshold));
    let guards = t.take(r, "guard", wanted::guards);
    t.done(r);
    Some(RawProfile {
        name,
        target: target?,
        settings: settings.map(|s| s.value).unwrap_or_default(),
        experiment: experiment.map(|e| e.value).unwrap_or_default(),
        load: load?,
        scenarios: scenarios?.value,
        sources: sources.map(|s| s.value).unwrap_or_default(),
        objective: objective.map(|o| o.value).unwrap_or_default(),
        thresholds: thresholds.map(|t| t.value).unwrap_or_default(),
        guards: guards.map(|g| g.value).unwrap_or_default(),
    })
}
