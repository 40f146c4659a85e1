//! Which candidate, how sure, and which others are as good.

use super::bottleneck::{CPU_FULL, cpu_share};
use super::evidence::Evidence;
use super::group::Group;
use crate::analysis::curve::INDIFFERENT;
use crate::analysis::numeric::quantile;
use crate::analysis::sweep::LoadKind;

/// One doubling of the setting must save this share of the loss: each connection costs the database memory.
const SIZE_COST: f64 = 0.01;

/// The choice among the candidates.
#[derive(Debug, Clone)]
pub(super) struct Choice {
    /// Index of the chosen candidate.
    pub(super) at: usize,
    /// Its value.
    pub(super) value: f64,
    /// What was wished before the rule of open load.
    pub(super) wish: f64,
    /// Expected regret of every candidate, at most 1.
    pub(super) regret: Vec<f64>,
    /// Probability of every candidate to be as good as the best.
    pub(super) as_good: Vec<f64>,
    /// Which candidates the objectives allow.
    pub(super) allowed: Vec<bool>,
    /// The best candidate of each draw.
    pub(super) best: Vec<f64>,
    /// 90% of them.
    pub(super) interval: (f64, f64),
    /// The value of least loss where an objective rules it out.
    pub(super) unconstrained: Option<f64>,
}

impl Choice {
    /// The choice among candidates that `allowed` admits (all, if it admits none).
    pub(super) fn of(evidence: &Evidence<'_>, allowed: &[bool]) -> Self {
        let p = &evidence.posterior;
        let n = p.grid.len();
        let any = (0..n).any(|i| allowed.get(i).copied().unwrap_or(true));
        let allows = |i: usize| !any || allowed.get(i).copied().unwrap_or(true);
        let Compared { regret, as_good, best } = compare(evidence, &allows);
        let open = evidence.sweep.model == LoadKind::Open;
        let floor = if open { over_the_cliff(evidence) } else { 0 };
        let score = |i: &usize| regret[*i] + SIZE_COST * p.grid[*i].log2();
        let least = |admit: &dyn Fn(usize) -> bool| (0..n).filter(|i| admit(*i)).min_by(|a, b| score(a).total_cmp(&score(b)));
        let rules_out = (0..n).any(|i| !allows(i));
        let free = if rules_out { unbound(evidence, floor) } else { None };
        let wish = least(&|i| i >= floor && allows(i)).or_else(|| least(&allows)).unwrap_or(0);
        let at = if open { off_the_cliff(evidence, wish) } else { wish };
        let at = small_enough(evidence, &regret).filter(|small| *small < at && *small >= floor && allows(*small)).unwrap_or(at);
        let grid = |i: usize| p.grid.get(i).copied().unwrap_or(0.0);
        let interval = quantile(&best, 0.05).zip(quantile(&best, 0.95)).unwrap_or((grid(0), grid(n.saturating_sub(1))));
        Self {
            at,
            value: grid(at),
            wish: grid(wish),
            unconstrained: free.filter(|free| !allows(*free)).map(grid),
            interval: (interval.0.floor(), interval.1.ceil()),
            allowed: (0..n).map(allows).collect(),
            regret,
            as_good,
            best,
        }
    }

    /// The expected regret of the choice.
    pub(super) fn expected_regret(&self) -> f64 {
        self.regret.get(self.at).copied().unwrap_or(1.0)
    }

    /// The neighbouring candidates that are more likely than not within 2% of the best; the choice is always among them.
    pub(super) fn zone(&self, grid: &[f64]) -> (f64, f64) {
        let good = |i: usize| self.as_good.get(i).is_some_and(|p| *p >= 0.5);
        let low = (0..self.at).rev().take_while(|i| good(*i)).last().unwrap_or(self.at);
        let high = (self.at + 1..grid.len()).take_while(|i| good(*i)).last().unwrap_or(self.at);
        (grid.get(low).copied().unwrap_or(self.value), grid.get(high).copied().unwrap_or(self.value))
    }
}

/// The candidates against the best of those that are allowed, over all draws.
struct Compared {
    regret: Vec<f64>,
    as_good: Vec<f64>,
    best: Vec<f64>,
}

fn compare(evidence: &Evidence<'_>, allows: &dyn Fn(usize) -> bool) -> Compared {
    let p = &evidence.posterior;
    let n = p.grid.len();
    let mut out = Compared { regret: vec![0.0; n], as_good: vec![0.0; n], best: Vec::with_capacity(p.draws.len()) };
    for draw in &p.draws {
        let least = draw.iter().enumerate().filter(|(i, _)| allows(*i)).fold((0, f64::INFINITY), |b, (i, l)| if *l < b.1 { (i, *l) } else { b });
        out.best.push(p.grid.get(least.0).copied().unwrap_or(0.0));
        for (i, loss) in draw.iter().enumerate() {
            let over = (loss / least.1 - 1.0).max(0.0);
            out.regret[i] += over.min(1.0);
            out.as_good[i] += if over <= INDIFFERENT && allows(i) { 1.0 } else { 0.0 };
        }
    }
    let count = p.draws.len().max(1) as f64;
    out.regret.iter_mut().chain(out.as_good.iter_mut()).for_each(|x| *x /= count);
    out
}

/// The candidate of least loss if nothing ruled any out.
fn unbound(evidence: &Evidence<'_>, floor: usize) -> Option<usize> {
    let p = &evidence.posterior;
    let regret = compare(evidence, &|_| true).regret;
    let score = |i: &usize| regret[*i] + SIZE_COST * p.grid[*i].log2();
    (floor..p.grid.len()).min_by(|a, b| score(a).total_cmp(&score(b)))
}

/// Where the service's own CPU is the limit the loss is level: the smallest value measured to be on the level part is enough.
fn small_enough(evidence: &Evidence<'_>, regret: &[f64]) -> Option<usize> {
    let best = evidence.best();
    let cores = evidence.sweep.process_cores;
    let level = |g: &&Group| g.loss() <= 1.01 * best.loss() + g.run_se() && cpu_share(g, cores).is_some_and(|s| s >= CPU_FULL);
    let at = evidence.posterior.index(evidence.groups.iter().find(level)?.value);
    regret.get(at).is_some_and(|r| *r <= 0.02).then_some(at)
}

/// Left of an open load's plateau is a cliff that interpolation can not place: no lower than the smallest value measured good.
fn off_the_cliff(evidence: &Evidence<'_>, wish: usize) -> usize {
    let least = evidence.best().loss();
    let good = evidence.groups.iter().find(|g| g.loss() <= 1.05 * least + 2.0 * g.run_se());
    good.map_or(wish, |g| wish.max(evidence.posterior.index(g.value)))
}

/// Under open load the loss only falls up to the plateau: what lies left of a value measured bad is bad.
fn over_the_cliff(evidence: &Evidence<'_>) -> usize {
    let best = evidence.best();
    let is_bad = |g: &&Group| g.value < best.value && g.loss() - 2.0 * g.run_se() > 1.1 * best.loss() + 2.0 * best.run_se();
    let bad = evidence.groups.iter().rev().find(is_bad);
    bad.map_or(0, |g| (evidence.posterior.index(g.value) + 1).min(evidence.posterior.index(best.value)))
}
