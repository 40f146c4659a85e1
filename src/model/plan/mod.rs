//! The plan of an experiment: what a profile means once it has been checked. Stored inside every recording.
//!
//! A profile's text is read and checked in `profile/`; from here on nothing is validated again.

mod experiment;
mod load;
mod threshold;

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

pub use experiment::{Comparison, Design, Experiment, Guard, MeasureRule, Objective, Order, Quantity, Slo};
pub use load::{
    Act, Arrivals, Body, Check, Condition, Connections, Extract, FeedStrategy, Feeder, FeederFile, HttpPlan, HttpVersion, LoadModel, LoadPhase,
    LoadPlan, PartContent, Passes, Population, RequestBody, RequestPart, RequestPlan, Resolving, Scenario, ScenarioStep, Segment, Think, TimeLine,
    TlsPlan,
};
pub use threshold::{Abort, Kind as MetricKind, Measure, Metric, Relation, Rule, Selectors, Statistic, Threshold, ThresholdError};

use super::signal::Signal;
use super::template::Template;
use super::units::Span;

/// A whole experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// What people call it.
    pub name: String,
    /// The service under test.
    pub target: TargetPlan,
    /// What is swept or held, in the order of the profile.
    pub settings: Vec<Setting>,
    /// How the sweep is run.
    pub experiment: Experiment,
    /// The load.
    pub load: LoadPlan,
    /// What the load does.
    pub scenarios: Vec<Scenario>,
    /// Where metrics come from.
    pub sources: Vec<SourcePlan>,
    /// What is wanted.
    pub objective: Objective,
    /// Conditions for the exit code.
    pub thresholds: Vec<Threshold>,
    /// What stops a step, then the run, before harm is done.
    pub guards: Vec<Guard>,
    /// The profile's text with secrets masked, as written; empty if the plan was made by the program.
    pub profile_text: String,
}

impl Plan {
    /// The settings with more than one value: what the experiment is about.
    pub fn swept(&self) -> impl Iterator<Item = &Setting> {
        self.settings.iter().filter(|s| s.values.len() > 1)
    }

    /// A setting by its name.
    #[must_use]
    pub fn setting(&self, name: &str) -> Option<&Setting> {
        self.settings.iter().find(|s| s.name == name)
    }
}

/// The values of all settings in one step, by name.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Values(pub BTreeMap<String, f64>);

impl Values {
    /// One setting's value.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.get(name).copied()
    }

    /// These values with one changed or added.
    #[must_use]
    pub fn with(mut self, name: &str, value: f64) -> Self {
        self.0.insert(name.to_owned(), value);
        self
    }
}

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (name, value)) in self.0.iter().enumerate() {
            write!(f, "{}{name} {value}", if i > 0 { "  " } else { "" })?;
        }
        Ok(())
    }
}

/// The service under test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TargetPlan {
    /// Where requests go: scheme, host and port.
    pub url: String,
    /// All instances of a fleet; empty means `url` alone.
    pub instances: Vec<String>,
    /// Hosts that may be loaded and changed.
    pub allow: Vec<String>,
    /// When the service counts as ready.
    pub ready: Option<Ready>,
    /// A process that Plimsoll starts, watches and restarts.
    pub process: Option<ProcessPlan>,
}

/// When a service counts as ready.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ready {
    /// Path asked.
    pub path: String,
    /// Status that means ready.
    pub status: u16,
    /// How long to wait for it.
    pub within: Span,
}

/// A service process owned by the experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProcessPlan {
    /// Program and arguments, with settings as placeholders.
    pub command: Vec<Template>,
    /// Environment, with settings as placeholders.
    pub env: BTreeMap<String, Template>,
}

/// A capacity setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// Its name in the profile.
    pub name: String,
    /// The values to try, in the order of the profile.
    pub values: Vec<f64>,
    /// How far refinement may go.
    pub range: (f64, f64),
    /// How a value is put into effect.
    pub apply: Apply,
    /// How it is proved.
    pub verify: Option<Verify>,
    /// What to put back at the end; default: what was read before the first change.
    pub restore: Option<f64>,
}

/// How a value is put into effect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Apply {
    /// A request to the target.
    Http {
        /// Method.
        method: String,
        /// Path on the target, or a whole URL whose host is allowed.
        path: Template,
        /// Extra headers.
        headers: BTreeMap<String, Template>,
        /// Body.
        body: Option<Body>,
    },
    /// A program with its arguments; no shell.
    Command(Vec<Template>),
    /// The target's process is restarted with the new value in its environment or arguments.
    Restart,
    /// The load itself is what changes (`load.rate`, `load.users`): nothing to apply at the target.
    Load,
}

/// How a setting is proved to act.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verify {
    /// The signal that must read the value back.
    pub signal: Signal,
    /// Which part of it (a pool's name); none: the only one there is.
    pub of: Option<String>,
}

/// A source of metrics.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SourcePlan {
    /// Its name in the profile (`app`, `db`).
    pub name: String,
    /// What it is.
    pub kind: SourceKind,
    /// How often it is read.
    pub every: Span,
}

/// What a source of metrics is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// An exposition page in the Prometheus text format.
    Prometheus {
        /// Its address.
        url: String,
        /// Dialects to read it by; empty: detected.
        dialects: Vec<String>,
        /// Which part of a signal to take, by the dialect's label (`pool = "HikariPool-1"`).
        select: BTreeMap<String, String>,
    },
}
