//! Second stage: what the keys mean to each other, and the plan made of them. It runs on what the first stage accepted, reports all
//! it finds, and builds the plan twice: with the secrets to run by, and as written to keep. It may import the rest of `profile/`.

mod address;
mod answer;
mod experiment;
mod http;
mod line;
mod load;
mod names;
mod reach;
mod request;
mod scenario;
mod setting;
mod source;
mod target;
mod wanted;
mod wire;

use serde_json::Value;

use super::error::Problem;
use super::raw::RawProfile;
use super::raw::leaf::{Json, Pattern};
use super::raw::reader::At;
use super::secret::{self, Text};
use super::{Profile, Source};
use crate::model::plan::Plan;
use crate::model::template::Template;

/// Checks a raw profile and makes both its plans.
pub(super) fn check(raw: &RawProfile, text: &str, from: &Source<'_>) -> Result<Profile, Vec<Problem>> {
    let mut real = Context { raw, text, from, side: Side::Real, problems: Vec::new() };
    let plan = plan(&mut real);
    reach::check(&mut real, &plan);
    if !real.problems.is_empty() {
        return Err(real.problems);
    }
    let recorded = self::plan(&mut Context { side: Side::Recorded, ..real });
    Ok(Profile { plan, recorded })
}

/// Which of the two plans is being made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    /// With the secrets.
    Real,
    /// As written.
    Recorded,
}

/// What every check has at hand. A check that finds a problem notes it and goes on with anything: the plan is then thrown away.
struct Context<'a> {
    raw: &'a RawProfile,
    text: &'a str,
    from: &'a Source<'a>,
    side: Side,
    problems: Vec<Problem>,
}

impl Context<'_> {
    /// Notes a problem at a value's place.
    fn refuse<T>(&mut self, at: &At<T>, what: &str, hint: impl Into<String>) {
        self.problems.push(at.problem(what, hint));
    }

    /// Notes a problem at `part` inside a value, where it is found there.
    fn refuse_part<T>(&mut self, at: &At<T>, part: &str, what: &str, hint: impl Into<String>) {
        let mut problem = at.problem(what, hint);
        if let Some(found) = self.text.get(at.span.clone()).and_then(|written| written.find(part)) {
            problem.span = at.span.start + found..at.span.start + found + part.len();
        }
        self.problems.push(problem);
    }

    /// What a file named by the profile holds; that it can not be read is noted. The recorded plan needs no files.
    fn file(&mut self, name: &At<Text>) -> Option<Vec<u8>> {
        if self.side == Side::Recorded {
            return None;
        }
        match (self.from.files)(&name.value.value) {
            Ok(bytes) => Some(bytes),
            Err(why) => {
                let what = format!("reading `{}`: {why}", name.value.shown);
                self.refuse(name, &what, "name the file as it is seen from the profile's folder");
                None
            }
        }
    }

    fn text(&self, text: &Text) -> String {
        if self.side == Side::Real { text.value.clone() } else { text.shown.clone() }
    }

    fn pattern(&self, pattern: &Pattern) -> Template {
        if self.side == Side::Real { pattern.value.clone() } else { pattern.shown.clone() }
    }

    fn json(&self, json: &Json) -> Value {
        if self.side == Side::Real { json.value.clone() } else { json.shown.clone() }
    }
}

fn plan(c: &mut Context<'_>) -> Plan {
    let raw = c.raw;
    let name = raw.name.as_ref().map_or_else(|| stem(c.from.name).to_owned(), |name| c.text(&name.value));
    let load = load::load(c);
    let experiment = experiment::experiment(c, &load);
    Plan {
        name,
        target: target::target(c),
        settings: raw.settings.iter().map(|s| setting::setting(c, s)).collect(),
        scenarios: scenario::scenarios(c),
        sources: raw.sources.iter().map(|s| source::source(c, s, experiment.tick)).collect(),
        objective: wanted::objective(c),
        thresholds: raw.thresholds.iter().map(|t| wanted::threshold(c, t)).collect(),
        guards: raw.guards.iter().filter_map(|g| wanted::guard(c, g)).collect(),
        profile_text: secret::mask(c.text),
        experiment,
        load,
    }
}

/// A file's name without folder and ending.
fn stem(file: &str) -> &str {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.strip_suffix(".toml").unwrap_or(name)
}
