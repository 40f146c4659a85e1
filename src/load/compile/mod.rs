//! The plan's scenarios made ready to be sent: every request is bytes with gaps, every name a number.
//!
//! Whatever can be wrong with a scenario is found here, before a request is sent.

mod ask;
mod body;
mod encode;
mod json;
mod names;
mod request;
#[cfg(test)]
mod tests;
mod text;
mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::checks::Test;
use super::draw::Shares;
use super::extract::Taker;
use super::feed::Feed;
use super::files::Files;
use super::fill::{self, Slot, Value};
use super::host::Origin;
use super::http::Keep;
use super::line::Line;
use super::travel::Travel;
use crate::model::event::RequestKey;
use crate::model::plan::{Arrivals, FeederFile, Plan, RequestBody, RequestPlan, Scenario, Setting, Think, Values};
use crate::model::rows::{Rows, RowsKind};
use crate::model::units::Span;
use crate::ports::EngineError;

pub(crate) use ask::{Ask, Need, Once, Take};
pub(crate) use request::{Scratch, Wire};
pub(crate) use tree::{Deed, Node, Steps};

use body::Around;
use names::Names;

/// Everything the workers need to know of a plan.
#[derive(Debug)]
pub(crate) struct Job {
    /// Instances of the service.
    pub(crate) origins: Vec<Origin>,
    /// What figures are known by.
    pub(crate) keys: Vec<RequestKey>,
    /// The scenarios.
    pub(crate) flows: Vec<Flow>,
    /// Their shares.
    pub(crate) shares: Shares,
    /// How many variables a user has.
    pub(crate) vars: usize,
    /// The longest a request may take.
    pub(crate) timeout: Span,
    /// Interval of aggregates.
    pub(crate) tick: Span,
    /// How arrivals follow each other.
    pub(crate) arrivals: Arrivals,
    /// Users that are there before the first arrival.
    pub(crate) prestart: u32,
    /// The passes that may begin, if they are numbered.
    passes: Option<Budget>,
    /// The time line.
    pub(crate) line: Option<Line>,
    /// The settings, by number.
    settings: BTreeMap<String, usize>,
    /// How requests travel.
    pub(crate) travel: Travel,
}

/// A number of things that may be taken, one by one, by all workers.
#[derive(Debug)]
struct Budget {
    most: u64,
    taken: AtomicU64,
}

impl Budget {
    const fn of(most: u64) -> Self {
        Self { most, taken: AtomicU64::new(0) }
    }

    fn take(&self) -> bool {
        self.taken.load(Ordering::Relaxed) < self.most && self.taken.fetch_add(1, Ordering::Relaxed) < self.most
    }
}

/// One scenario.
#[derive(Debug)]
pub(crate) struct Flow {
    /// Its name.
    pub(crate) name: String,
    /// Time between passes.
    pub(crate) think: Option<Think>,
    /// Rows for its passes.
    pub(crate) feed: Option<Feed>,
    /// Once a user.
    pub(crate) once: Vec<Ask>,
    /// The loop.
    pub(crate) steps: Steps,
    /// Think times of a pass, on the mean.
    pub(crate) mean_think: Span,
}

impl Job {
    /// Whether one more pass may begin; it is then taken.
    pub(crate) fn take_pass(&self) -> bool {
        self.passes.as_ref().is_none_or(Budget::take)
    }

    /// Makes a plan without files ready for these instances.
    #[cfg(test)]
    pub(crate) fn compile(plan: &Plan, origins: Vec<Origin>) -> Result<Self, EngineError> {
        Self::with_files(plan, origins, &Files::default())
    }

    /// Makes a plan ready for these instances.
    pub(crate) fn with_files(plan: &Plan, origins: Vec<Origin>, files: &Files) -> Result<Self, EngineError> {
        let own = numbered(plan.scenarios.iter().flat_map(Scenario::requests).flat_map(|r| r.extract.keys()));
        let settings = numbered(plan.settings.iter().map(|s: &Setting| &s.name));
        let boundary = boundary(plan, files);
        let names = Names { own: Some(&own), settings: Some(&settings), feeder: None };
        let mut compiler = Compiler { origins: &origins, names, files, boundary: &boundary, seed: plan.experiment.seed, keys: Vec::new() };
        let flows = plan.scenarios.iter().map(|s| compiler.flow(s)).collect::<Result<Vec<_>, _>>()?;
        let mut keys = compiler.keys;
        let line = Line::compile(plan, &mut keys).map_err(unsupported)?;
        if flows.is_empty() {
            return Err(unsupported("a load without a scenario".to_owned()));
        }
        let shares =
            Shares::new(plan.scenarios.iter().map(|s| s.weight)).ok_or_else(|| unsupported("scenarios whose weights are all zero".to_owned()))?;
        if plan.experiment.tick.is_zero() || plan.load.timeout.is_zero() {
            return Err(unsupported("a tick or time-out of no length".to_owned()));
        }
        let (load, tick) = (&plan.load, plan.experiment.tick);
        let (arrivals, prestart) = (load.arrivals, load.prestart);
        Ok(Self {
            origins,
            keys,
            flows,
            shares,
            vars: own.len(),
            timeout: load.timeout,
            tick,
            arrivals,
            prestart,
            passes: load.passes.map(Budget::of),
            line,
            settings,
            travel: Travel::of(plan),
        })
    }

    /// What the settings of a step fill requests with.
    pub(crate) fn fillings(&self, values: &Values) -> Arc<[Option<Value>]> {
        self.settings.keys().map(|name| values.get(name).map(fill::of_setting)).collect()
    }
}

fn unsupported(what: String) -> EngineError {
    EngineError::Unsupported { what }
}

fn unready(scenario: &Scenario, why: &str) -> EngineError {
    EngineError::Unready { what: format!("scenario `{}`: {why}", scenario.name) }
}

/// Names in order, each with its number.
fn numbered<'a>(names: impl Iterator<Item = &'a String>) -> BTreeMap<String, usize> {
    let names: BTreeSet<&String> = names.collect();
    names.into_iter().enumerate().map(|(at, name)| (name.clone(), at)).collect()
}

/// What stands between the parts of multipart bodies: the same in every run of a seed, and in none of the parts.
fn boundary(plan: &Plan, files: &Files) -> String {
    let requests = plan.scenarios.iter().flat_map(Scenario::requests);
    let parts: Vec<_> = requests.filter_map(|r| if let Some(RequestBody::Multipart(parts)) = &r.body { Some(parts) } else { None }).collect();
    let mut number = plan.experiment.seed;
    loop {
        // Spread over all digits, so that neighbouring seeds do not look alike.
        let boundary = format!("{}{:016x}", text::BOUNDARY, number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        if !parts.iter().any(|parts| body::parts_hold(parts, &boundary, files)) {
            return boundary;
        }
        number = number.wrapping_add(1);
    }
}

struct Compiler<'a> {
    origins: &'a [Origin],
    names: Names<'a>,
    files: &'a Files,
    boundary: &'a str,
    seed: u64,
    keys: Vec<RequestKey>,
}

impl Compiler<'_> {
    fn flow(&mut self, scenario: &Scenario) -> Result<Flow, EngineError> {
        let rows = self.rows(scenario)?;
        let of = |why: String| unready(scenario, &why);
        let file = scenario.feeder.as_ref().map_or("", |f| f.file.name());
        let names = Names { feeder: rows.as_ref().map(|rows| (rows, file)), ..self.names };
        let mut inner = Compiler { names, keys: std::mem::take(&mut self.keys), ..*self };
        let once = scenario.once.iter().map(|r| inner.ask(scenario, r)).collect::<Result<_, _>>().map_err(of)?;
        let steps = Steps::of(&mut inner, scenario).map_err(of)?;
        self.keys = inner.keys;
        let strategy = scenario.feeder.as_ref().map(|f| f.strategy).unwrap_or_default();
        let feed = rows.map(|rows| Feed::new(rows, strategy, self.seed));
        Ok(Flow { name: scenario.name.clone(), think: scenario.think, feed, once, steps, mean_think: scenario.mean_think() })
    }

    fn rows(&self, scenario: &Scenario) -> Result<Option<Rows>, EngineError> {
        let Some(feeder) = &scenario.feeder else { return Ok(None) };
        let kind = match feeder.file {
            FeederFile::Csv(_) => RowsKind::Csv,
            FeederFile::Json(_) => RowsKind::Json,
        };
        let rows = Rows::parse(kind, self.files.get(feeder.file.name()));
        rows.map(Some).map_err(|why| unready(scenario, &format!("feeder {}: {why}", feeder.file.name())))
    }

    fn ask(&mut self, scenario: &Scenario, request: &RequestPlan) -> Result<Ask, String> {
        let of = |why: String| format!("request `{}`: {why}", request.name);
        let placeholders = names::placeholders(request);
        if let Some(fault) = placeholders.iter().find_map(|name| self.names.fault(name)) {
            return Err(of(fault));
        }
        let around = Around { names: &self.names, files: self.files, boundary: self.boundary };
        let wire = Wire::compile(request, self.origins, around).map_err(of)?;
        let checks: Vec<Test> = request.checks.iter().map(Test::new).collect::<Result<_, _>>().map_err(of)?;
        let takes = request.extract.iter().filter_map(|(name, what)| Some((self.own(name)?, name.clone(), what)));
        let take = |(var, name, what)| Ok(Take { var, name, taker: Taker::new(what)?, said: Once::default() });
        let takes: Vec<Take> = takes.map(take).collect::<Result<_, _>>().map_err(of)?;
        let method = request.method.to_ascii_uppercase();
        Ok(Ask {
            name: request.name.clone(),
            wire,
            to_head: method == "HEAD",
            safe: matches!(method.as_str(), "GET" | "HEAD" | "OPTIONS" | "TRACE"),
            keep: kept(&checks, &takes),
            expect: request.expect_status.clone(),
            checks,
            takes,
            needs: self.needs(&placeholders),
            uses_settings: placeholders.iter().any(|name| matches!(self.names.find(name), Some(Slot::Setting(_)))),
            key: self.key(scenario, request),
        })
    }

    fn own(&self, name: &str) -> Option<usize> {
        if let Some(Slot::Own(var)) = self.names.find(name) { Some(var) } else { None }
    }

    fn needs(&self, placeholders: &[String]) -> Vec<Need> {
        let names: BTreeSet<&String> = placeholders.iter().collect();
        names.into_iter().filter_map(|name| Some(Need { var: self.own(name)?, name: name.clone(), said: Once::default() })).collect()
    }

    /// Requests of one scenario, name and tags are counted together.
    fn key(&mut self, scenario: &Scenario, request: &RequestPlan) -> usize {
        let mut tags = scenario.tags.clone();
        tags.extend(request.tags.clone());
        let key = RequestKey { scenario: scenario.name.clone(), name: request.name.clone(), tags, ..RequestKey::default() };
        self.keys.iter().position(|k| *k == key).unwrap_or_else(|| {
            self.keys.push(key);
            self.keys.len() - 1
        })
    }
}

/// What of an answer checks and extractions need.
fn kept(checks: &[Test], takes: &[Take]) -> Keep {
    let all = checks.iter().map(Test::keep).chain(takes.iter().map(|t| t.taker.keep()));
    all.fold(Keep::default(), |sum, keep| Keep { head: sum.head || keep.head, body: sum.body || keep.body })
}
