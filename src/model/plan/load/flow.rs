//! What a virtual user does: scenarios, their steps, the times between them, and the data they are fed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::request::RequestPlan;
use crate::model::units::Span;

/// A time between the passes or steps of a user.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Think {
    /// Always the same.
    Fixed(Span),
    /// Uniform between two times.
    Between(Span, Span),
    /// Exponential with this mean.
    Exponential(Span),
    /// Normal with mean and standard deviation, never below zero.
    Normal(Span, Span),
}

impl Think {
    /// Its mean.
    #[must_use]
    pub fn mean(self) -> Span {
        match self {
            Self::Fixed(t) | Self::Exponential(t) | Self::Normal(t, _) => t,
            Self::Between(a, b) => a.plus(b).times(0.5),
        }
    }
}

/// What a virtual user or an arrival does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scenario {
    /// Its name.
    pub name: String,
    /// Its share among the scenarios.
    pub weight: f64,
    /// Time between passes.
    pub think: Option<Think>,
    /// A row of data for each pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feeder: Option<Feeder>,
    /// The user's own tags, on every request.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tags: BTreeMap<String, String>,
    /// Once a user, before the loop.
    pub once: Vec<RequestPlan>,
    /// The loop: in order, or one by weight if the steps have weights.
    pub steps: Vec<ScenarioStep>,
}

impl Scenario {
    /// These steps in order, without anything else.
    #[must_use]
    pub const fn new(name: String, steps: Vec<ScenarioStep>) -> Self {
        Self { name, weight: 1.0, think: None, feeder: None, tags: BTreeMap::new(), once: Vec::new(), steps }
    }

    /// Whether a pass is one step chosen by weight, not all in order.
    #[must_use]
    pub fn is_weighted(&self) -> bool {
        is_weighted(&self.steps)
    }

    /// Requests of one pass, on average; none where a step goes on for a time, so that nobody can know.
    #[must_use]
    pub fn requests_per_pass(&self) -> Option<f64> {
        mean_of(&self.steps, self.is_weighted(), &|step| step.requests())
    }

    /// Time that one pass and the pause behind it wait on purpose, on average.
    #[must_use]
    pub fn mean_think(&self) -> Span {
        let steps = mean_of(&self.steps, self.is_weighted(), &|step| Some(step.mean_think()));
        Span::from_secs_f64(steps.unwrap_or(0.0)).plus(self.think.map_or(Span::ZERO, Think::mean))
    }

    /// Every request of the scenario, the `once` ones first.
    pub fn requests(&self) -> impl Iterator<Item = &RequestPlan> {
        let mut found: Vec<&RequestPlan> = self.once.iter().collect();
        self.steps.iter().for_each(|step| step.collect(&mut found));
        found.into_iter()
    }
}

fn is_weighted(steps: &[ScenarioStep]) -> bool {
    steps.iter().any(|s| s.weight.is_some())
}

/// The sum of a figure over all steps, or its mean by weight.
fn mean_of(steps: &[ScenarioStep], by_weight: bool, figure: &dyn Fn(&ScenarioStep) -> Option<f64>) -> Option<f64> {
    if !by_weight {
        return steps.iter().map(figure).sum();
    }
    let total: f64 = steps.iter().map(ScenarioStep::share).sum();
    let sum: Option<f64> = steps.iter().map(|s| Some(s.share() * figure(s)?)).sum();
    sum.filter(|_| total > 0.0).map(|sum| sum / total)
}

/// One step of a scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScenarioStep {
    /// Its share among the steps; none: all run in order.
    pub weight: Option<f64>,
    /// Time after it.
    pub think: Option<Think>,
    /// What is done.
    #[serde(flatten)]
    pub act: Act,
}

impl ScenarioStep {
    /// A step that does this and nothing else.
    #[must_use]
    pub const fn new(act: Act) -> Self {
        Self { weight: None, think: None, act }
    }

    /// A step that sends this request.
    #[must_use]
    pub fn of(request: RequestPlan) -> Self {
        Self::new(Act::Request(Box::new(request)))
    }

    /// Its request, if it is one.
    #[must_use]
    pub fn request(&self) -> Option<&RequestPlan> {
        if let Act::Request(request) = &self.act { Some(request) } else { None }
    }

    fn share(&self) -> f64 {
        self.weight.unwrap_or(0.0)
    }

    /// Requests each time it is done, on average.
    fn requests(&self) -> Option<f64> {
        match &self.act {
            Act::Request(_) => Some(1.0),
            Act::Pause(_) => Some(0.0),
            Act::Repeat { times, steps } => mean_of(steps, is_weighted(steps), &Self::requests).map(|n| n * f64::from(*times)),
            Act::During { .. } => None,
            Act::Choose { steps } => mean_of(steps, true, &Self::requests),
        }
    }

    fn mean_think(&self) -> f64 {
        let own = match &self.act {
            Act::Request(_) => 0.0,
            Act::Pause(pause) => pause.mean().as_secs_f64(),
            Act::Repeat { times, steps } => f64::from(*times) * mean_of(steps, is_weighted(steps), &|s| Some(s.mean_think())).unwrap_or(0.0),
            Act::During { length, .. } => length.as_secs_f64(),
            Act::Choose { steps } => mean_of(steps, true, &|s| Some(s.mean_think())).unwrap_or(0.0),
        };
        own + self.think.map_or(0.0, |t| t.mean().as_secs_f64())
    }

    fn collect<'a>(&'a self, found: &mut Vec<&'a RequestPlan>) {
        match &self.act {
            Act::Request(request) => found.push(request),
            Act::Pause(_) => {}
            Act::Repeat { steps, .. } | Act::During { steps, .. } | Act::Choose { steps } => steps.iter().for_each(|s| s.collect(found)),
        }
    }
}

/// What a step does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// Sends a request.
    Request(Box<RequestPlan>),
    /// Waits.
    Pause(Think),
    /// Does these steps so many times: in order, or one by weight each time if they have weights.
    Repeat {
        /// How many times.
        times: u32,
        /// What.
        steps: Vec<ScenarioStep>,
    },
    /// Does these steps again and again until this time is over; the turn under way is finished.
    During {
        /// How long.
        length: Span,
        /// What.
        steps: Vec<ScenarioStep>,
    },
    /// Does one of these, chosen by weight.
    Choose {
        /// Among what; a step without weight weighs nothing.
        steps: Vec<ScenarioStep>,
    },
}

/// Rows of data for the passes of a scenario: `{feed.column}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feeder {
    /// Where the rows are. The rows themselves are read when the load is made ready and never recorded.
    pub file: FeederFile,
    /// Which row a pass gets.
    pub strategy: FeedStrategy,
}

/// A file of rows, its name as the profile has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeederFile {
    /// Comma-separated with a header line.
    Csv(String),
    /// A JSON array of objects.
    Json(String),
}

impl FeederFile {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        let (Self::Csv(name) | Self::Json(name)) = self;
        name
    }
}

/// Which row a pass gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeedStrategy {
    /// One after the other, from the first again after the last.
    #[default]
    Circular,
    /// Any, each time anew.
    Random,
    /// Shuffled once, then one after the other, from the first again after the last.
    Shuffled,
    /// Each row once; a user that finds none left ends.
    Queue,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(weight: Option<f64>) -> ScenarioStep {
        ScenarioStep { weight, ..ScenarioStep::of(RequestPlan::new("GET", "/")) }
    }

    #[test]
    fn mean_think_times() {
        assert_eq!(Think::Between(Span::from_secs(3), Span::from_secs(8)).mean(), Span::from_millis(5500));
        assert_eq!(Think::Exponential(Span::from_secs(1)).mean(), Span::from_secs(1));
    }

    #[test]
    fn mean_think_weighs_the_steps() {
        let step = |weight, ms| ScenarioStep { think: Some(Think::Fixed(Span::from_millis(ms))), ..get(Some(weight)) };
        let mut scenario = Scenario::new("s".to_owned(), vec![step(1.0, 100), step(3.0, 200)]);
        scenario.think = Some(Think::Fixed(Span::from_millis(10)));
        assert_eq!(scenario.mean_think(), Span::from_millis(185));
    }

    #[test]
    fn requests_of_a_pass() {
        let of = |steps| Scenario::new("s".to_owned(), steps).requests_per_pass();
        let twice = |steps| ScenarioStep::new(Act::Repeat { times: 2, steps });
        assert_eq!(of(vec![get(None), get(None)]), Some(2.0));
        assert_eq!(of(vec![get(Some(1.0)), get(Some(4.0))]), Some(1.0));
        let pause = ScenarioStep::new(Act::Pause(Think::Fixed(Span::from_secs(1))));
        assert_eq!(of(vec![get(None), pause, twice(vec![get(None), get(None)])]), Some(5.0));
        let one_or_two = ScenarioStep::new(Act::Choose { steps: vec![get(Some(3.0)), ScenarioStep { weight: Some(1.0), ..twice(vec![get(None)]) }] });
        assert_eq!(of(vec![one_or_two]), Some(1.25));
        let for_a_while = ScenarioStep::new(Act::During { length: Span::from_secs(1), steps: vec![get(None)] });
        assert_eq!(of(vec![get(None), for_a_while]), None, "how often it turns is up to the service");
    }

    #[test]
    fn a_step_is_stored_under_what_it_does() {
        let stored = serde_json::to_value(get(Some(2.0))).unwrap();
        assert_eq!(stored["weight"], 2.0);
        assert_eq!(stored["request"]["method"], "GET");
        assert_eq!(serde_json::from_value::<ScenarioStep>(stored).unwrap(), get(Some(2.0)));
    }

    #[test]
    fn requests_are_found_wherever_they_stand() {
        let inner = ScenarioStep::new(Act::Choose { steps: vec![get(Some(1.0)), get(Some(1.0))] });
        let mut scenario = Scenario::new("s".to_owned(), vec![get(None), ScenarioStep::new(Act::Repeat { times: 3, steps: vec![inner] })]);
        scenario.once.push(RequestPlan::new("POST", "/login"));
        assert_eq!(scenario.requests().count(), 4);
        assert_eq!(scenario.requests().next().map(|r| r.method.as_str()), Some("POST"));
    }
}
