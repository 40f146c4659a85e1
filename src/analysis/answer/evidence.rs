//! Everything the rules look at, made once.

use super::group::{Group, groups};
use crate::analysis::curve::{Arrivals, Posterior, Question, Queue, fill_doubts};
use crate::analysis::numeric::median;
use crate::analysis::run::{Run, measure};
use crate::analysis::sweep::{LoadKind, Sweep};

/// Fewer values than this can not be judged.
pub(super) const LEAST_VALUES: usize = 3;

/// The measured sweep with its posterior.
pub(super) struct Evidence<'a> {
    /// As it was given.
    pub(super) sweep: &'a Sweep,
    /// The runs by value, ascending.
    pub(super) groups: Vec<Group>,
    /// The runs in the order of the sweep.
    pub(super) runs: Vec<Run>,
    /// What was asked.
    pub(super) question: Question,
    /// What is known.
    pub(super) posterior: Posterior,
    /// Planned requests a second; none under closed load.
    pub(super) target: Option<f64>,
}

/// Why there is no evidence.
pub(super) enum Lacking {
    /// Fewer than three values can be judged; what was there.
    Values {
        /// The figures all the same.
        groups: Vec<Group>,
        /// Steps that do not count, with their reasons.
        void: Vec<String>,
    },
}

impl<'a> Evidence<'a> {
    /// Measures and fits.
    pub(super) fn of(sweep: &'a Sweep) -> Result<Self, Lacking> {
        let (mut runs, mut void) = (Vec::new(), Vec::new());
        for step in &sweep.steps {
            let name = step.value(&sweep.setting).unwrap_or(0.0);
            match &step.void {
                Some(why) => void.push(format!("{} {name}: {why}", sweep.setting)),
                None => match measure(sweep, step) {
                    Some(run) => runs.push(run),
                    None => void.push(format!("{} {name}: nothing ended in it", sweep.setting)),
                },
            }
        }
        let grouped = groups(&runs);
        if grouped.len() < LEAST_VALUES {
            return Err(Lacking::Values { groups: grouped, void });
        }
        let question = question(sweep, &runs);
        fill_doubts(&mut runs);
        let Some(posterior) = Posterior::given(&runs, &question) else { return Err(Lacking::Values { groups: grouped, void }) };
        let target = sweep.load.rate.filter(|_| sweep.model == LoadKind::Open).map(|r| r * sweep.load.requests_per_arrival);
        Ok(Self { sweep, groups: groups(&runs), runs, question, posterior, target })
    }

    /// The group of least loss.
    pub(super) fn best(&self) -> &Group {
        let least = self.groups.iter().min_by(|a, b| a.loss().total_cmp(&b.loss()));
        least.unwrap_or(&self.groups[0])
    }

    /// The group nearest to a value.
    pub(super) fn nearest(&self, value: f64) -> &Group {
        let apart = |g: &Group| (g.value - value).abs();
        let near = self.groups.iter().min_by(|a, b| apart(a).total_cmp(&apart(b)));
        near.unwrap_or(&self.groups[0])
    }

    /// Loss by the heaviest member's queue model alone, at any value; none without hold times.
    pub(super) fn model_loss(&self, value: f64) -> Option<f64> {
        let fit = self.posterior.members.first()?.fit.as_ref()?;
        self.question.queue.losses(&fit.curve, &[value]).first().copied()
    }

    /// Capacity in requests a second at a pool size, averaged over the members.
    pub(super) fn capacity(&self, pool: f64) -> Option<f64> {
        let each = self.posterior.members.iter().map(|m| m.fit.as_ref().map(|f| m.weight * pool / (self.question.queue.uses * f.curve.at(pool))));
        each.sum::<Option<f64>>().filter(|c| c.is_finite() && *c > 0.0)
    }
}

fn question(sweep: &Sweep, runs: &[Run]) -> Question {
    let rest = |r: &Run| Some((r.latency? - r.wait_request()? - r.hold_request()?).max(0.0));
    let free: Vec<f64> = runs.iter().filter(|r| r.full.unwrap_or(0.0) < 0.05).filter_map(rest).collect();
    let uses: Vec<f64> = runs.iter().map(|r| r.uses).collect();
    let threads = runs.iter().filter_map(|r| r.threads).reduce(f64::max);
    let arrivals = match sweep.model {
        LoadKind::Closed => Arrivals::Closed { users: sweep.load.users.unwrap_or(1.0), think_s: sweep.load.think_s.unwrap_or(0.0) },
        LoadKind::Open => Arrivals::Open { rate: sweep.load.rate.unwrap_or(1.0) * sweep.load.requests_per_arrival },
    };
    let range = sweep
        .candidates
        .of(&sweep.setting)
        .unwrap_or_else(|| runs.iter().fold((f64::INFINITY, 1.0), |(lo, hi), r| (f64::min(lo, r.value), f64::max(hi, r.value))));
    Question {
        queue: Queue {
            arrivals,
            rest_s: median(&free).unwrap_or(0.005),
            cap_s: sweep.failure_cost_s().0,
            threads: threads.unwrap_or(f64::INFINITY),
            uses: median(&uses).unwrap_or(1.0),
            holds_out: holds_out(runs),
        },
        cores: sweep.db_cores,
        range,
    }
}

/// Whether every value above the best went well, most of its runs at least: nothing was crushed there.
fn holds_out(runs: &[Run]) -> bool {
    let usual = |g: &Group| median(&g.runs.iter().map(|r| r.loss).collect::<Vec<_>>()).unwrap_or(f64::INFINITY);
    let groups = groups(runs);
    let best = groups.iter().map(|g| (g.value, usual(g))).min_by(|a, b| a.1.total_cmp(&b.1));
    best.is_some_and(|(value, least)| groups.iter().filter(|g| g.value > value).all(|g| usual(g) <= 2.0 * least))
}
