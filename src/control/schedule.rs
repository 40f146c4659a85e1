//! Which step comes next: randomised blocks over the grid, then the judge's further steps. A pure state machine; the runner asks, and
//! tells it what became of each step.

use std::collections::{BTreeMap, VecDeque};

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::model::event::{StepId, StepPlanned};
use crate::model::plan::{Design, Order, Plan, Values};
use crate::model::verdict::{Kind, PoolVerdict};

/// Blocks of further steps begin here: the judge knows them by it.
pub const FURTHER: u32 = 99;

/// What follows from a verdict once the grid is done.
#[derive(Debug, Clone, PartialEq)]
pub enum Refinement {
    /// One more step.
    Step {
        /// The step.
        step: StepPlanned,
        /// Why it is worth it.
        why: String,
    },
    /// Nothing more is worth measuring.
    Converged {
        /// Why.
        why: String,
    },
}

/// The steps still to run, and the budget for further ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Schedule {
    waiting: VecDeque<StepPlanned>,
    next_id: u32,
    order: u32,
    budget: u32,
    further: u32,
    repeated: BTreeMap<u32, StepId>,
    setting: Option<String>,
}

impl Schedule {
    /// The grid of a plan, in its order, with the numbers its steps will have.
    #[must_use]
    pub fn new(plan: &Plan) -> Self {
        let mut schedule = Self {
            waiting: VecDeque::new(),
            next_id: 0,
            order: 0,
            budget: plan.experiment.refine,
            further: 0,
            repeated: BTreeMap::new(),
            setting: plan.swept().next().map(|s| s.name.clone()),
        };
        let mut random = ChaCha8Rng::seed_from_u64(plan.experiment.seed);
        let combinations = combinations(plan);
        for block in 0..plan.experiment.repeats.max(1) {
            let mut order = combinations.clone();
            if plan.experiment.order == Order::Blocked {
                order.shuffle(&mut random);
            }
            for values in order {
                let step = schedule.make(values, block);
                schedule.waiting.push_back(step);
            }
        }
        schedule
    }

    fn make(&mut self, values: Values, block: u32) -> StepPlanned {
        let step = StepPlanned { step: StepId(self.next_id), values, block, order: self.order };
        self.next_id += 1;
        self.order += 1;
        step
    }

    /// The steps still to run, in order.
    pub fn waiting(&self) -> impl Iterator<Item = &StepPlanned> {
        self.waiting.iter()
    }

    /// Takes the next step.
    pub fn take(&mut self) -> Option<StepPlanned> {
        self.waiting.pop_front()
    }

    /// A step is to be run again at once, in the same block; at most once for each. None: it was repeated already.
    pub fn repeat_void(&mut self, of: &StepPlanned) -> Option<StepPlanned> {
        if self.repeated.contains_key(&of.step.0) {
            return None;
        }
        let again = self.make(of.values.clone(), of.block);
        self.repeated.insert(again.step.0, of.step);
        self.waiting.push_front(again.clone());
        Some(again)
    }

    /// A further step a person wants, after the planned ones.
    pub fn add(&mut self, values: Values) -> StepPlanned {
        let block = FURTHER + self.further;
        self.further += 1;
        let step = self.make(values, block);
        self.waiting.push_back(step.clone());
        step
    }

    /// What follows from the judge's word once nothing is waiting. `held` are the values of settings that the verdict does not speak of.
    pub fn refine(&mut self, verdict: Option<&PoolVerdict>, held: &Values) -> Refinement {
        let converged = |why: &str| Refinement::Converged { why: why.to_owned() };
        if self.budget == 0 {
            return converged("no further steps are left to choose");
        }
        let Some(verdict) = verdict else { return converged("nothing to choose between") };
        if !matches!(verdict.verdict, Kind::Recommend | Kind::Repeat) {
            return converged("further steps would not change this verdict");
        }
        let (Some(next), Some(setting)) = (&verdict.next, self.setting.clone()) else {
            return converged("nothing more is worth measuring");
        };
        self.budget -= 1;
        let mut values = held.clone().with(&setting, next.value);
        for (name, value) in &next.values {
            values = values.with(name, *value);
        }
        let block = FURTHER + self.further;
        self.further += 1;
        let step = self.make(values, block);
        self.waiting.push_back(step.clone());
        Refinement::Step { step, why: next.why.clone() }
    }
}

/// All combinations to try once a block.
fn combinations(plan: &Plan) -> Vec<Values> {
    let first = plan.settings.iter().filter_map(|s| s.values.first().map(|v| (s.name.clone(), *v))).collect();
    let base = Values(first);
    let mut out = vec![base.clone()];
    match plan.experiment.design {
        Design::Grid => {
            for setting in &plan.settings {
                out = out.iter().flat_map(|values| setting.values.iter().map(|v| values.clone().with(&setting.name, *v))).collect();
            }
        }
        Design::OneAtATime => {
            for setting in &plan.settings {
                out.extend(setting.values.iter().skip(1).map(|v| base.clone().with(&setting.name, *v)));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::testkit::{plan, verdict};

    fn pools(schedule: &Schedule) -> Vec<f64> {
        schedule.waiting().filter_map(|s| s.values.get("pool")).collect()
    }

    #[test]
    fn every_block_holds_every_value_once_in_another_order() {
        let schedule = Schedule::new(&plan(&[30.0, 50.0, 100.0, 150.0, 200.0], 3));
        let all = pools(&schedule);
        assert_eq!(all.len(), 15);
        for block in all.chunks(5) {
            let mut sorted = block.to_vec();
            sorted.sort_by(f64::total_cmp);
            assert_eq!(sorted, [30.0, 50.0, 100.0, 150.0, 200.0]);
        }
        assert!(all.chunks(5).any(|b| b != [30.0, 50.0, 100.0, 150.0, 200.0]), "shuffled");
    }

    #[test]
    fn the_same_seed_gives_the_same_order_and_another_another() {
        let p = plan(&[30.0, 50.0, 100.0, 150.0, 200.0], 3);
        assert_eq!(Schedule::new(&p), Schedule::new(&p));
        let mut q = p.clone();
        q.experiment.seed += 1;
        assert_ne!(pools(&Schedule::new(&p)), pools(&Schedule::new(&q)));
    }

    #[test]
    fn listed_order_is_kept() {
        let mut p = plan(&[100.0, 30.0, 50.0], 2);
        p.experiment.order = Order::Listed;
        assert_eq!(pools(&Schedule::new(&p)), [100.0, 30.0, 50.0, 100.0, 30.0, 50.0]);
    }

    #[test]
    fn two_settings_are_crossed_or_taken_in_turn() {
        let mut p = plan(&[10.0, 20.0, 30.0], 1);
        let mut threads = p.settings[0].clone();
        threads.name = "threads".to_owned();
        threads.values = vec![100.0, 200.0];
        p.settings.push(threads);
        assert_eq!(Schedule::new(&p).waiting().count(), 6);
        p.experiment.design = Design::OneAtATime;
        assert_eq!(Schedule::new(&p).waiting().count(), 4);
    }

    #[test]
    fn a_void_step_is_repeated_next_and_once_only() {
        let mut schedule = Schedule::new(&plan(&[10.0, 20.0, 30.0], 1));
        let first = schedule.take().unwrap();
        let again = schedule.repeat_void(&first).unwrap();
        assert_eq!((again.values.clone(), again.block), (first.values.clone(), first.block));
        assert_eq!(schedule.take().unwrap(), again);
        assert_eq!(schedule.repeat_void(&again), None);
    }

    #[test]
    fn refinement_follows_the_judge_within_its_budget() {
        let mut schedule = Schedule::new(&plan(&[10.0, 20.0, 30.0], 1));
        let held = Values::default();
        let wish = verdict(Kind::Recommend, Some(25.0));
        for expected in [FURTHER, FURTHER + 1] {
            let Refinement::Step { step, .. } = schedule.refine(Some(&wish), &held) else { panic!("a step") };
            assert_eq!((step.block, step.values.get("pool")), (expected, Some(25.0)));
        }
        assert!(matches!(schedule.refine(Some(&wish), &held), Refinement::Converged { .. }), "the budget of 2 is spent");
    }

    #[test]
    fn a_refusal_or_a_content_judge_ends_it() {
        let mut schedule = Schedule::new(&plan(&[10.0, 20.0, 30.0], 1));
        let held = Values::default();
        assert!(matches!(schedule.refine(Some(&verdict(Kind::Recommend, None)), &held), Refinement::Converged { .. }));
        assert!(matches!(schedule.refine(Some(&verdict(Kind::Overloaded, Some(40.0))), &held), Refinement::Converged { .. }));
        assert!(matches!(schedule.refine(None, &held), Refinement::Converged { .. }));
    }
}
