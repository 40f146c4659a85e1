//! The sweep as it might have come out: every run's hold and loss moved together by that run's own noise, the curve fitted anew.
//!
//! Hold and loss of a run share their noise (at a full pool both are the throughput), so a loss that lies on the curve proves
//! nothing: without this the posterior would be sure of the accidents of the sample.

use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::draws::Residual;
use super::hold::{Fit, refit};
use super::member::{Member, Model, Setup, losses_at_runs};
use super::queue::Arrivals;
use crate::analysis::numeric::{batch_ratio, spread};
use crate::analysis::run::Run;

const REPLICATES: u32 = 40;
/// The least noise of a run's throughput (log).
const LEAST_NOISE: f64 = 0.004;
/// Step of a numerical derivative (log).
const STEP: f64 = 0.02;

/// A replicate's residual and model.
pub(super) struct Replicate {
    pub(super) residual: Residual,
    pub(super) base: Vec<f64>,
    pub(super) reach: Vec<f64>,
    /// Weight; they sum to one.
    pub(super) weight: f64,
}

/// Replicates shared out among the members by weight.
///
/// Under closed load hold and loss move together. Under open load the loss is evidence of its own, for it says on which side of the
/// cliff a value lies: it stays as measured, and replicates that contradict it lose their weight.
pub(super) fn replicates(setup: &Setup<'_>, members: &[Member], rng: &mut ChaCha8Rng) -> Vec<Replicate> {
    let open = matches!(setup.question.queue.arrivals, Arrivals::Open { .. });
    let (mut out, mut evidence) = (Vec::new(), Vec::new());
    let (mut upto, mut given) = (0.0, 0);
    for member in members {
        upto += member.weight * f64::from(REPLICATES);
        let sensitive = member.fit.as_ref().filter(|_| !open).map(|f| sensitivity(setup, f));
        while f64::from(given) + 0.5 < upto {
            given += 1;
            if let Some((replicate, log)) = replicate(setup, member, sensitive.as_deref(), rng) {
                out.push(replicate);
                evidence.push(if open { log } else { 0.0 });
            }
        }
    }
    let top = evidence.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = evidence.iter().map(|e| (0.5 * (e - top)).exp()).sum();
    for (replicate, e) in out.iter_mut().zip(evidence) {
        replicate.weight = (0.5 * (e - top)).exp() / total;
    }
    out
}

fn replicate(setup: &Setup<'_>, member: &Member, sensitive: Option<&[f64]>, rng: &mut ChaCha8Rng) -> Option<(Replicate, f64)> {
    let mut moved = setup.runs.to_vec();
    let mut shifts = Vec::new();
    for run in &mut moved {
        let z: f64 = StandardNormal.sample(rng);
        let by = z * noise(run, setup.shift);
        run.holds.iter_mut().for_each(|h| h.1 *= by.exp());
        shifts.push(((run.value, run.at_s), by));
    }
    let by = |r: &Run| shifts.iter().find(|s| same(s.0, r)).map_or(0.0, |s| s.1);
    let mut seen = setup.seen.clone();
    for ((y, run), s) in seen.y.iter_mut().zip(setup.fitted).zip(sensitive.unwrap_or_default()) {
        *y += s * by(run);
    }
    let fit = member.fit.as_ref().map(|f| refit(&moved, f));
    let model = Model::of(setup, fit.as_ref());
    seen.reach.clone_from(&model.reach_seen);
    let r = model.residual(&seen.y);
    let evidence = seen.evidence(&member.scales, &r)?;
    let residual = Residual::given(&seen, &member.scales, &r, &setup.logs, &setup.nodes)?;
    Some((Replicate { residual, base: model.grid, reach: model.reach_grid, weight: 1.0 }, evidence))
}

fn same(key: (f64, f64), run: &Run) -> bool {
    (key.0 - run.value).abs() < 1e-9 && (key.1 - run.at_s).abs() < 1e-9
}

/// How much of a change of log H reaches the log loss of each run.
fn sensitivity(setup: &Setup<'_>, fit: &Fit) -> Vec<f64> {
    let (here, there) = (losses_at_runs(setup, fit, 1.0), losses_at_runs(setup, fit, STEP.exp()));
    here.iter().zip(there).map(|(a, b)| (((b + setup.shift) / (a + setup.shift)).ln() / STEP).clamp(0.0, 3.0)).collect()
}

/// Noise of a run's throughput: of its hold times, or of its loss if that is more.
fn noise(run: &Run, shift: f64) -> f64 {
    let loss = run.loss_se / (run.loss + shift).max(1e-6);
    let log_holds: Vec<(f64, f64)> = run.holds.iter().map(|h| (h.1.ln(), 1.0)).collect();
    let hold =
        if log_holds.len() > 3 { batch_ratio(&log_holds).and_then(|r| r.se) } else { spread(&log_holds.iter().map(|l| l.0).collect::<Vec<_>>()) };
    LEAST_NOISE.max(loss.min(0.2)).max(hold.unwrap_or(0.0).min(0.2))
}
