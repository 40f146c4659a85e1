//! Checks what a load does over time and makes its time line: of stages, of populations, or of a steady load cut by phases. It may
//! import the rest of `profile/`.

use super::{Context, experiment, load, names};
use crate::model::plan::{LoadModel, LoadPhase, Passes, Population, Segment, TimeLine};
use crate::model::text::nearest;
use crate::model::units::{Rate, Span};
use crate::profile::raw::line::{Level, RawPhase, RawPopulation, RawSegment, RawStage};
use crate::profile::raw::load::{Model, RawLoad};
use crate::profile::raw::reader::At;
use crate::profile::raw::setting::{LOAD_RATE, LOAD_USERS};
use crate::profile::secret::Text;

/// What the one population of a line is called that has no populations of its own.
const ALL: &str = "all";

/// The time line of a load that has one.
pub(super) fn line(c: &mut Context<'_>, raw: &At<RawLoad>) -> TimeLine {
    for name in [LOAD_RATE, LOAD_USERS] {
        if let Some(setting) = load::swept(c, name) {
            let what = format!("`{name}` is swept, and the load follows a time line");
            c.refuse(&setting.name.clone(), &what, "sweep a steady load, without stages, populations and phases, or sweep something else");
        }
    }
    let phases = raw.value.phases.as_ref().map_or_else(Vec::new, |phases| self::phases(c, phases));
    let populations = match (&raw.value.stages, &raw.value.populations) {
        (Some(_), Some(populations)) => {
            c.refuse(populations, "both stages and populations", "a load follows one of them: write the stages as a population's inject");
            Vec::new()
        }
        (Some(stages), None) => vec![staged(c, &raw.value, stages)],
        (None, Some(populations)) => self::populations(c, &raw.value, populations),
        (None, None) => {
            let length = phases.iter().fold(Span::ZERO, |sum, p| sum.plus(p.length));
            vec![steady(load::plain(c, raw), length)]
        }
    };
    TimeLine { phases, populations }
}

fn phases(c: &mut Context<'_>, raw: &At<Vec<At<RawPhase>>>) -> Vec<LoadPhase> {
    if raw.value.is_empty() {
        c.refuse(raw, "no phases", "add [[load.phase]] with name = \"baseline\" and for = \"10m\"");
    }
    let mut seen = Vec::new();
    for phase in &raw.value {
        own_name(c, &phase.value.name, "phase", &mut seen);
        names::check_label(c, &phase.value.name);
        takes_time(c, &phase.value.length);
    }
    let phase = |p: &At<RawPhase>| LoadPhase { name: p.value.name.value.shown.clone(), length: experiment::compressed(c, p.value.length.value) };
    raw.value.iter().map(phase).collect()
}

fn own_name<'a>(c: &mut Context<'_>, name: &'a At<Text>, what: &str, seen: &mut Vec<&'a str>) {
    let text = name.value.value.as_str();
    if text.trim().is_empty() {
        c.refuse(name, "an empty name", format!("write a name for the {what}"));
    } else if text.chars().any(char::is_control) {
        c.refuse(name, &format!("a {what} whose name holds control characters"), "write it in plain letters");
    } else if seen.contains(&text) {
        c.refuse(name, &format!("a second {what} named `{}`", name.value.shown), "give each its own name");
    }
    seen.push(text);
}

fn takes_time(c: &mut Context<'_>, length: &At<Span>) {
    if length.value.is_zero() {
        c.refuse(length, "a stretch of no time", "write a time above 0, as \"1m\"");
    }
}

/// A steady load as a line, so that phases can cut it.
fn steady(model: LoadModel, over: Span) -> Population {
    let (segment, passes, max_users) = match model {
        LoadModel::Open { rate, max_users } => (Segment::Rate { from: rate, to: rate, over }, Passes::Times(1), max_users),
        LoadModel::Closed { users } => (Segment::Users { from: users, to: users, over }, Passes::Forever, users),
        LoadModel::Line => (Segment::Nothing { over }, Passes::Forever, 1),
    };
    Population { name: ALL.to_owned(), scenarios: Vec::new(), passes, max_users, segments: vec![segment] }
}

fn staged(c: &mut Context<'_>, load: &RawLoad, stages: &At<Vec<At<RawStage>>>) -> Population {
    let first = stages.value.first().map(|s| s.value.to.value);
    let model = load.model.as_ref().map_or_else(|| if matches!(first, Some(Level::Rate(_))) { Model::Open } else { Model::Closed }, |m| m.value);
    load::only_of(c, load, model);
    let segments = segments_of(c, load, model, &stages.value);
    if are_of(c, model, &stages.value) && (segments.is_empty() || segments.iter().all(|s| peak(*s) <= 0.0)) {
        c.refuse(stages, "nobody ever comes", "write at least one stage with to above 0 and for above \"0s\"");
    }
    let most = segments.iter().fold(1.0, |most, s| f64::max(most, peak(*s)));
    match model {
        Model::Closed => Population { segments, ..steady(LoadModel::Closed { users: load::whole(most) }, Span::ZERO) },
        Model::Open => {
            let max_users = load.max_users.as_ref().map_or(load::MAX_USERS, |m| m.value);
            Population { segments, ..steady(LoadModel::Open { rate: Rate::per_second(1.0), max_users }, Span::ZERO) }
        }
    }
}

/// Whether all stages go to rates, or to users, as the model says.
fn are_of(c: &mut Context<'_>, model: Model, stages: &[At<RawStage>]) -> bool {
    let before = c.problems.len();
    for to in stages.iter().map(|s| &s.value.to) {
        match (model, to.value) {
            (Model::Open, Level::Users(n)) => c.refuse(to, &format!("`{n}` users, and the load is open"), "write a rate, as \"30/s\""),
            (Model::Closed, Level::Rate(rate)) => {
                c.refuse(to, &format!("`{rate}` is a rate, and the load is closed"), "write a number of users, as 200, or model = \"open\"");
            }
            _ => {}
        }
    }
    c.problems.len() == before
}

/// Each stage goes on from the one before; one of no time only says where the next begins.
fn segments_of(c: &Context<'_>, load: &RawLoad, model: Model, stages: &[At<RawStage>]) -> Vec<Segment> {
    let mut rate = load.rate.as_ref().map_or(Rate::per_second(0.0), |r| r.value);
    let mut users = load.users.as_ref().map_or(0, |u| u.value);
    let mut segments = Vec::new();
    for stage in stages {
        let over = experiment::compressed(c, stage.value.length.value);
        let (from, from_users) = (rate, users);
        match stage.value.to.value {
            Level::Rate(to) => rate = to,
            Level::Users(to) => users = to,
        }
        if !over.is_zero() {
            segments.push(match model {
                Model::Open => Segment::Rate { from, to: rate, over },
                Model::Closed => Segment::Users { from: from_users, to: users, over },
            });
        }
    }
    segments
}

/// The most that comes in a stretch, to tell nobody from somebody.
fn peak(segment: Segment) -> f64 {
    match segment {
        Segment::Ramp { users, .. } | Segment::AtOnce { users } => f64::from(users),
        Segment::Rate { from, to, .. } => from.as_per_second().max(to.as_per_second()),
        Segment::Users { from, to, .. } => f64::from(from.max(to)),
        Segment::Nothing { .. } => 0.0,
    }
}

fn populations(c: &mut Context<'_>, load: &RawLoad, raw: &At<Vec<At<RawPopulation>>>) -> Vec<Population> {
    let unit = |at: &Option<At<u32>>| at.as_ref().map(|a| a.with(()));
    let plain = [load.model.as_ref().map(|m| m.with(())), unit(&load.users), load.rate.as_ref().map(|r| r.with(()))];
    for at in plain.into_iter().chain([unit(&load.max_users), unit(&load.prestart)]).flatten() {
        c.refuse(&at, "does not go with populations: each says for itself who comes", "leave it out, or leave the populations out");
    }
    if raw.value.is_empty() {
        c.refuse(raw, "no populations", "add [[load.population]] with a name and inject = [ … ]");
    }
    let mut seen = Vec::new();
    raw.value.iter().for_each(|p| own_name(c, &p.value.name, "population", &mut seen));
    every_scenario_is_done(c, &raw.value);
    raw.value.iter().map(|p| population(c, &p.value)).collect()
}

/// A scenario that no population does is a name forgotten or misspelt.
fn every_scenario_is_done(c: &mut Context<'_>, raw: &[At<RawPopulation>]) {
    if raw.is_empty() || raw.iter().any(|p| p.value.scenarios.is_none()) {
        return;
    }
    let named: Vec<&str> = raw.iter().filter_map(|p| p.value.scenarios.as_ref()).flat_map(|s| &s.value).map(|s| s.value.shown.as_str()).collect();
    for scenario in &c.raw.scenarios {
        let name = &scenario.value.name;
        if !named.contains(&name.value.shown.as_str()) {
            c.refuse(name, &format!("no population does `{}`", name.value.shown), "name it in the scenarios of a population, or leave it out");
        }
    }
}

fn population(c: &mut Context<'_>, raw: &RawPopulation) -> Population {
    for scenario in raw.scenarios.iter().flat_map(|s| &s.value) {
        let known: Vec<&str> = c.raw.scenarios.iter().map(|s| s.value.name.value.shown.as_str()).collect();
        if !known.contains(&scenario.value.shown.as_str()) {
            let near = nearest(&scenario.value.shown, &known);
            let hint = near.map_or_else(|| format!("scenarios there are: {}", known.join(", ")), |n| format!("did you mean \"{n}\"?"));
            c.refuse(scenario, &format!("no scenario is named `{}`", scenario.value.shown), hint);
        }
    }
    if let Some(none) = raw.scenarios.as_ref().filter(|s| s.value.is_empty()) {
        c.refuse(none, "no scenarios", "name at least one, or leave the key out: then any may be done");
    }
    raw.inject.value.iter().for_each(|segment| check_segment(c, &segment.value));
    let segments: Vec<Segment> = raw.inject.value.iter().map(|s| segment(c, &s.value)).collect();
    if segments.iter().all(|s| peak(*s) <= 0.0) {
        c.refuse(&raw.inject, "nobody ever comes", "write at least one entry with a ramp, a rate, users or at_once above 0");
    }
    let is_closed = segments.iter().any(|s| matches!(s, Segment::Users { .. }));
    if is_closed && segments.iter().any(|s| !matches!(s, Segment::Users { .. } | Segment::Nothing { .. })) {
        c.refuse(&raw.inject, "both users at work and users that come", "write two populations: `users` says how many are there, the rest who comes");
    }
    Population {
        name: raw.name.value.shown.clone(),
        scenarios: raw.scenarios.iter().flat_map(|s| &s.value).map(|s| s.value.shown.clone()).collect(),
        passes: passes(c, raw, is_closed),
        max_users: max_users(c, raw, &segments, is_closed),
        segments,
    }
}

fn passes(c: &mut Context<'_>, raw: &RawPopulation, is_closed: bool) -> Passes {
    let Some(at) = &raw.passes else {
        return if is_closed { Passes::Forever } else { Passes::Times(1) };
    };
    match at.value {
        _ if is_closed => c.refuse(at, "users at work go on while they are wanted", "leave it out"),
        Passes::Times(0) => c.refuse(at, "`0` passes are no load", "write a number from 1 up, or \"forever\""),
        Passes::For(length) if length.is_zero() => c.refuse(at, "a stretch of no time", "write a time above 0, as { for = \"25m\" }"),
        _ => {}
    }
    if let Passes::For(length) = at.value { Passes::For(experiment::compressed(c, length)) } else { at.value }
}

fn max_users(c: &mut Context<'_>, raw: &RawPopulation, segments: &[Segment], is_closed: bool) -> u32 {
    let wanted = load::whole(segments.iter().filter(|_| is_closed).fold(0.0, |most, s| f64::max(most, peak(*s))));
    let Some(at) = &raw.max_users else {
        return if is_closed { wanted.max(1) } else { load::MAX_USERS };
    };
    if at.value == 0 {
        c.refuse(at, "`0` users are no load", "write a number from 1 up");
    } else if at.value < wanted {
        c.refuse(at, &format!("`{}` is less than the {wanted} users of inject", at.value), "leave it out, or write fewer users");
    }
    at.value
}

fn check_segment(c: &mut Context<'_>, raw: &RawSegment) {
    match raw {
        RawSegment::Ramp(users, _) | RawSegment::AtOnce(users) if users.value == 0 => {
            c.refuse(users, "`0` users are nobody", "write a number from 1 up, or { nothing = \"5m\" }");
        }
        RawSegment::Ramp(_, over) if over.value.is_zero() => c.refuse(over, "a ramp of no time", "write { at_once = 40 }"),
        RawSegment::Rate(_, length) | RawSegment::Users(_, length) | RawSegment::Nothing(length) => takes_time(c, length),
        RawSegment::Ramp(..) | RawSegment::AtOnce(_) => {}
    }
}

fn segment(c: &Context<'_>, raw: &RawSegment) -> Segment {
    let short = |length: &At<Span>| experiment::compressed(c, length.value);
    match raw {
        RawSegment::Ramp(users, over) => Segment::Ramp { users: users.value, over: short(over) },
        RawSegment::AtOnce(users) => Segment::AtOnce { users: users.value },
        RawSegment::Rate(ends, length) => Segment::Rate { from: ends.value.0.value, to: ends.value.1.value, over: short(length) },
        RawSegment::Users(ends, length) => Segment::Users { from: ends.value.0.value, to: ends.value.1.value, over: short(length) },
        RawSegment::Nothing(length) => Segment::Nothing { over: short(length) },
    }
}
