//! The plan's scenarios made ready to be sent: every request is bytes with gaps, every name a number.
//!
//! Whatever can be wrong with a scenario is found here, before a request is sent.

mod json;
mod request;
mod text;

use std::collections::BTreeMap;

use super::draw::Shares;
use super::host::Origin;
use super::line::Line;
use crate::model::event::RequestKey;
use crate::model::plan::{Arrivals, Extract, Plan, Scenario, Think};
use crate::model::units::Span;
use crate::ports::EngineError;

pub(crate) use request::Wire;
pub(crate) use text::Value;

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
    /// The time line.
    pub(crate) line: Option<Line>,
}

/// One scenario.
#[derive(Debug)]
pub(crate) struct Flow {
    /// Time between passes.
    pub(crate) think: Option<Think>,
    /// Once a user.
    pub(crate) once: Vec<Ask>,
    /// The loop.
    pub(crate) steps: Vec<(Ask, Option<Think>)>,
    /// Shares of the steps; none: all in order.
    pub(crate) choice: Option<Shares>,
    /// Think times of a pass, on the mean.
    pub(crate) mean_think: Span,
}

/// One request.
#[derive(Debug)]
pub(crate) struct Ask {
    /// Which of the job's keys.
    pub(crate) key: usize,
    /// What is sent.
    pub(crate) wire: Wire,
    /// Whether it asks for a head only.
    pub(crate) to_head: bool,
    /// Whether sending it twice does no harm.
    pub(crate) safe: bool,
    /// Statuses that are success; empty: 200 to 399.
    pub(crate) expect: Vec<u16>,
    /// What is taken from the answer, into which variable.
    pub(crate) extract: Vec<(usize, Extract)>,
}

impl Ask {
    /// Whether a status is success.
    pub(crate) fn expects(&self, status: u16) -> bool {
        if self.expect.is_empty() { (200..400).contains(&status) } else { self.expect.contains(&status) }
    }
}

impl Job {
    /// Makes a plan ready for these instances.
    pub(crate) fn compile(plan: &Plan, origins: Vec<Origin>) -> Result<Self, EngineError> {
        let names = variables(&plan.scenarios);
        let mut compiler = Compiler { origins: &origins, names: &names, keys: Vec::new() };
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
        Ok(Self { origins, keys, flows, shares, vars: names.len(), timeout: load.timeout, tick, arrivals, prestart, line })
    }
}

fn unsupported(what: String) -> EngineError {
    EngineError::Unsupported { what }
}

/// Every variable that some answer fills, by name.
fn variables(scenarios: &[Scenario]) -> BTreeMap<String, usize> {
    let requests = scenarios.iter().flat_map(Scenario::requests);
    let mut names: BTreeMap<String, usize> = requests.flat_map(|r| r.extract.keys().cloned()).map(|name| (name, 0)).collect();
    for (number, at) in names.values_mut().enumerate() {
        *at = number;
    }
    names
}

struct Compiler<'a> {
    origins: &'a [Origin],
    names: &'a BTreeMap<String, usize>,
    keys: Vec<RequestKey>,
}

impl Compiler<'_> {
    fn flow(&mut self, scenario: &Scenario) -> Result<Flow, EngineError> {
        let once = scenario.once.iter().map(|r| self.ask(scenario, r)).collect::<Result<_, _>>()?;
        let mut steps = Vec::with_capacity(scenario.steps.len());
        for step in &scenario.steps {
            let request = step.request().ok_or_else(|| unsupported(format!("a step of scenario `{}` that is no request", scenario.name)))?;
            steps.push((self.ask(scenario, request)?, step.think));
        }
        if steps.is_empty() {
            return Err(unsupported(format!("scenario `{}` has no step", scenario.name)));
        }
        let choice = if scenario.is_weighted() {
            let shares = Shares::new(scenario.steps.iter().map(|s| s.weight.unwrap_or(0.0)));
            Some(shares.ok_or_else(|| unsupported(format!("scenario `{}` whose steps all weigh zero", scenario.name)))?)
        } else {
            None
        };
        Ok(Flow { think: scenario.think, once, steps, choice, mean_think: scenario.mean_think() })
    }

    fn ask(&mut self, scenario: &Scenario, request: &crate::model::plan::RequestPlan) -> Result<Ask, EngineError> {
        let key = RequestKey { scenario: scenario.name.clone(), name: request.name.clone(), ..RequestKey::default() };
        let at = self.keys.iter().position(|k| *k == key).unwrap_or_else(|| {
            self.keys.push(key);
            self.keys.len() - 1
        });
        let wire = Wire::compile(request, self.origins, self.names).map_err(|why| unsupported(format!("request `{}`: {why}", request.name)))?;
        let method = request.method.to_ascii_uppercase();
        Ok(Ask {
            key: at,
            wire,
            to_head: method == "HEAD",
            safe: matches!(method.as_str(), "GET" | "HEAD" | "OPTIONS" | "TRACE"),
            expect: request.expect_status.clone(),
            extract: request.extract.iter().filter_map(|(name, what)| Some((*self.names.get(name)?, what.clone()))).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testkit;
    use super::*;
    use crate::model::plan::{RequestPlan, ScenarioStep};

    #[test]
    fn one_name_is_one_key_also_in_two_places() {
        let mut plan = testkit::plan("http://127.0.0.1:1");
        let again = plan.scenarios[0].steps[0].clone();
        plan.scenarios[0].steps.push(again);
        let job = Job::compile(&plan, vec![testkit::origin()]).unwrap();
        assert_eq!(job.keys.len(), 1);
        assert_eq!(job.flows[0].steps.len(), 2);
    }

    #[test]
    fn plans_that_can_not_be_sent_are_refused_with_a_reason() {
        let good = testkit::plan("http://127.0.0.1:1");
        let spoilt = |spoil: &dyn Fn(&mut Plan)| {
            let mut plan = good.clone();
            spoil(&mut plan);
            match Job::compile(&plan, vec![testkit::origin()]) {
                Err(EngineError::Unsupported { what }) => what,
                other => panic!("{other:?}"),
            }
        };
        assert!(spoilt(&|p| p.scenarios.clear()).contains("scenario"));
        assert!(spoilt(&|p| p.scenarios[0].steps.clear()).contains("no step"));
        assert!(spoilt(&|p| p.scenarios[0].weight = 0.0).contains("zero"));
        let no_method = ScenarioStep::of(RequestPlan::new("GET IT", "/"));
        assert!(spoilt(&|p| p.scenarios[0].steps = vec![no_method.clone()]).contains("method"));
        assert!(spoilt(&|p| p.experiment.tick = Span::ZERO).contains("tick"));
    }

    #[test]
    fn statuses_count_as_the_plan_says() {
        let plan = testkit::plan("http://127.0.0.1:1");
        let job = Job::compile(&plan, vec![testkit::origin()]).unwrap();
        let ask = &job.flows[0].steps[0].0;
        assert!(ask.expects(200) && ask.expects(302) && !ask.expects(404));
    }
}
