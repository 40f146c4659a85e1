//! The steps of a scenario as a tree of what is done.

use super::Compiler;
use super::ask::Ask;
use crate::load::draw::Shares;
use crate::model::plan::{Act, Scenario, ScenarioStep, Think};
use crate::model::units::Span;

/// Steps in order, or one of them by weight at each turn.
#[derive(Debug)]
pub(crate) struct Steps {
    /// The steps.
    pub(crate) nodes: Vec<Node>,
    /// Their shares; none: all in order.
    pub(crate) choice: Option<Shares>,
}

/// One step.
#[derive(Debug)]
pub(crate) struct Node {
    /// What is done.
    pub(crate) deed: Deed,
    /// Time after it.
    pub(crate) think: Option<Think>,
}

/// What a step does.
#[derive(Debug)]
pub(crate) enum Deed {
    /// Sends a request.
    Ask(Ask),
    /// Waits.
    Pause(Think),
    /// Does steps so many times.
    Repeat(u32, Steps),
    /// Does steps until a time is over.
    During(Span, Steps),
    /// Does steps once: a choice has one turn.
    Choose(Steps),
}

impl Steps {
    /// The steps of a scenario's loop. At least one of them sends something.
    pub(super) fn of(compiler: &mut Compiler<'_>, scenario: &Scenario) -> Result<Self, String> {
        let steps = Self::compile(compiler, scenario, &scenario.steps, scenario.is_weighted())?;
        if steps.any(&|node| matches!(node.deed, Deed::Ask(_))) { Ok(steps) } else { Err("no step that sends a request".to_owned()) }
    }

    fn compile(compiler: &mut Compiler<'_>, scenario: &Scenario, steps: &[ScenarioStep], by_weight: bool) -> Result<Self, String> {
        if steps.is_empty() {
            return Err("a group without a step".to_owned());
        }
        let nodes = steps.iter().map(|step| Node::compile(compiler, scenario, step)).collect::<Result<_, _>>()?;
        let shares = || Shares::new(steps.iter().map(|s| s.weight.unwrap_or(0.0))).ok_or_else(|| "steps whose weights are all zero".to_owned());
        Ok(Self { nodes, choice: by_weight.then(shares).transpose()? })
    }

    /// Whether some step that can come to its turn is of a kind, groups looked into.
    fn any(&self, is: &dyn Fn(&Node) -> bool) -> bool {
        let comes = |at: usize| self.choice.as_ref().is_none_or(|shares| shares.weight(at) > 0.0);
        self.nodes.iter().enumerate().any(|(at, node)| {
            comes(at)
                && (is(node)
                    || match &node.deed {
                        Deed::Ask(_) | Deed::Pause(_) => false,
                        Deed::Repeat(times, steps) => *times > 0 && steps.any(is),
                        Deed::During(length, steps) => !length.is_zero() && steps.any(is),
                        Deed::Choose(steps) => steps.any(is),
                    })
        })
    }

    /// Whether a turn takes time now and then. Without that, turns until a time would never end.
    fn takes_time(&self) -> bool {
        let takes = |t: Think| !t.mean().is_zero();
        self.any(&|node| match node.deed {
            Deed::Ask(_) => true,
            Deed::Pause(t) => takes(t),
            _ => node.think.is_some_and(takes),
        })
    }
}

impl Node {
    fn compile(compiler: &mut Compiler<'_>, scenario: &Scenario, step: &ScenarioStep) -> Result<Self, String> {
        let mut group = |steps: &[ScenarioStep], by_weight| Steps::compile(compiler, scenario, steps, by_weight);
        let weighted = |steps: &[ScenarioStep]| steps.iter().any(|s| s.weight.is_some());
        let deed = match &step.act {
            Act::Request(request) => Deed::Ask(compiler.ask(scenario, request)?),
            Act::Pause(pause) => Deed::Pause(*pause),
            Act::Repeat { times, steps } => Deed::Repeat(*times, group(steps, weighted(steps))?),
            Act::During { length, steps } => Deed::During(*length, group(steps, weighted(steps))?),
            Act::Choose { steps } => Deed::Choose(group(steps, true)?),
        };
        if let Deed::Repeat(_, steps) | Deed::During(_, steps) = &deed
            && !steps.takes_time()
        {
            return Err("a repeated group that neither sends nor waits".to_owned());
        }
        Ok(Self { deed, think: step.think })
    }
}
