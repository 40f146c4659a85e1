//! The posterior of the loss at every candidate: contention curves x queue model x residual, mixed over the knees.

use super::draws::chance;
use super::hold::{fit, left_out};
use super::member::{Member, Setup, members};
use super::queue::{Arrivals, Queue};
use super::replicate::replicates;
use crate::analysis::numeric::median;
use crate::analysis::run::Run;

/// Curves drawn.
const DRAWS: u32 = 600;
/// A value is as good as the best within this.
pub(in crate::analysis) const INDIFFERENT: f64 = 0.02;
/// How far the loss may be off a level line where nothing is known of hold times.
const NO_CURVE: f64 = 0.3;
/// Candidates at most; a wider range is thinned geometrically.
const MOST_CANDIDATES: usize = 400;

/// What is asked.
#[derive(Debug, Clone)]
pub(in crate::analysis) struct Question {
    /// The load and the rest of the queue model.
    pub(in crate::analysis) queue: Queue,
    /// Cores of the database, if known.
    pub(in crate::analysis) cores: Option<f64>,
    /// The candidates' range.
    pub(in crate::analysis) range: (f64, f64),
}

/// What is known about every candidate.
#[derive(Debug, Clone)]
pub(in crate::analysis) struct Posterior {
    /// The candidates.
    pub(in crate::analysis) grid: Vec<f64>,
    /// The mixture's members, heaviest first.
    pub(in crate::analysis) members: Vec<Member>,
    /// Mean and standard deviation of log(loss + think).
    pub(in crate::analysis) mean: Vec<f64>,
    /// See `mean`.
    pub(in crate::analysis) sd: Vec<f64>,
    /// Curves of the loss, drawn jointly.
    pub(in crate::analysis) draws: Vec<Vec<f64>>,
    /// Noise of one further run (log).
    pub(in crate::analysis) noise: f64,
    /// Think time added inside the logarithm.
    pub(in crate::analysis) shift: f64,
}

impl Question {
    /// Added to the loss inside the logarithm: with users it makes drift additive.
    pub(super) fn shift(&self) -> f64 {
        match self.queue.arrivals {
            Arrivals::Closed { think_s, .. } => think_s,
            Arrivals::Open { .. } => 0.0,
        }
    }

    /// The candidates: every whole number, thinned geometrically if they are very many.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of whole numbers in a checked range")]
    pub(in crate::analysis) fn grid(&self) -> Vec<f64> {
        let (low, high) = (self.range.0.ceil().max(1.0), self.range.1.floor());
        let n = (high - low).clamp(0.0, 1e9) as usize + 1;
        if n <= MOST_CANDIDATES {
            return (0..n).map(|i| low + i as f64).collect();
        }
        let at = |i: usize| (low * (high / low).powf(i as f64 / (MOST_CANDIDATES - 1) as f64)).round();
        let mut grid: Vec<f64> = (0..MOST_CANDIDATES).map(at).collect();
        grid.dedup();
        grid
    }
}

/// Runs whose loss tells how much, not only where: not collapsed, few failures; at least three values.
fn informative(runs: &[Run]) -> Vec<Run> {
    let least = runs.iter().map(|r| r.loss).fold(f64::INFINITY, f64::min);
    let good: Vec<Run> = runs.iter().filter(|r| r.failed < 0.05 && r.loss < 4.0 * least).cloned().collect();
    let values = |runs: &[Run]| {
        let mut v: Vec<f64> = runs.iter().map(|r| r.value).collect();
        v.sort_by(f64::total_cmp);
        v.dedup();
        v
    };
    if values(&good).len() >= 3 {
        return good;
    }
    let best_of = |value: f64| runs.iter().filter(|r| (r.value - value).abs() < 1e-9).map(|r| r.loss).fold(f64::INFINITY, f64::min);
    let mut all = values(runs);
    all.sort_by(|a, b| best_of(*a).total_cmp(&best_of(*b)));
    all.truncate(3);
    runs.iter().filter(|r| all.iter().any(|v| (r.value - v).abs() < 1e-9)).cloned().collect()
}

impl Posterior {
    /// The posterior given runs whose doubts are filled in; none without candidates or runs.
    pub(in crate::analysis) fn given(runs: &[Run], question: &Question) -> Option<Self> {
        let fitted = informative(runs);
        let best = fitted.iter().min_by(|a, b| a.loss.total_cmp(&b.loss))?.value;
        let family = fit(runs, question.cores);
        let misfit = family.first().map_or(NO_CURVE, |f| left_out(runs, question.cores, best, f.drift));
        let setup = Setup::new(question, runs, &fitted, if family.is_empty() { NO_CURVE } else { 0.05 });
        let members = members(&setup, family, misfit);
        let variance = median(&setup.seen.variance).unwrap_or(0.0);
        let noise = (variance + members.first()?.scales.noise.powi(2)).sqrt();
        let (mut mean, mut square) = (vec![0.0; setup.grid.len()], vec![0.0; setup.grid.len()]);
        let (mut draws, mut rng) = (Vec::new(), chance());
        let (mut upto, mut given) = (0.0, 0);
        for replicate in replicates(&setup, &members, &mut rng) {
            let (m, s) = replicate.residual.moments(&replicate.base, &replicate.reach);
            for i in 0..mean.len() {
                mean[i] += replicate.weight * m[i];
                square[i] += replicate.weight * (s[i].powi(2) + m[i].powi(2));
            }
            upto += replicate.weight * f64::from(DRAWS);
            let n = (given..DRAWS).take_while(|i| f64::from(*i) + 0.5 < upto).count();
            given += u32::try_from(n).unwrap_or(0);
            let curves = replicate.residual.draw(&replicate.base, &replicate.reach, n, &mut rng);
            draws.extend(curves.into_iter().map(|c| c.into_iter().map(|y| (y.exp() - setup.shift).max(1e-4)).collect::<Vec<f64>>()));
        }
        let sd = mean.iter().zip(&square).map(|(m, s)| (s - m * m).max(0.0).sqrt()).collect();
        (!draws.is_empty()).then_some(Self { grid: setup.grid, members, mean, sd, draws, noise, shift: setup.shift })
    }

    /// Where a value stands among the candidates: the nearest.
    pub(in crate::analysis) fn index(&self, value: f64) -> usize {
        let apart = |i: &usize| (self.grid[*i] - value).abs();
        (0..self.grid.len()).min_by(|a, b| apart(a).total_cmp(&apart(b))).unwrap_or(0)
    }

    /// The loss at a candidate by the posterior mean of its logarithm.
    pub(in crate::analysis) fn loss(&self, i: usize) -> f64 {
        (self.mean[i].exp() - self.shift).max(1e-4)
    }
}
