//! Joint draws of the whole loss curve, and what they say about every candidate.
//!
//! The smooth residual is drawn at a few nodes and carried to the candidates by cubic interpolation: with nodes a quarter of its
//! length apart next to nothing is lost, and a range of hundreds of candidates costs as little as one of twenty.

use nalgebra::{DMatrix, DVector, SymmetricEigen};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::kernel::{OFFSET, Observed, Scales, smooth};

const NODE_SPACING: f64 = 0.1;
const SEED: u64 = 7;

/// The residual given the observations: a shift common to all, and the smooth part at the nodes.
pub(super) struct Residual {
    mean: DVector<f64>,
    root: DMatrix<f64>,
    /// From nodes to candidates.
    carry: DMatrix<f64>,
}

/// Nodes over the candidates' logarithms.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small positive count")]
pub(super) fn nodes(grid: &[f64]) -> Vec<f64> {
    let (low, high) = (grid.first().copied().unwrap_or(0.0), grid.last().copied().unwrap_or(0.0));
    let n = ((high - low) / NODE_SPACING).ceil().clamp(5.0, 40.0) as usize;
    (0..=n).map(|i| low + (high - low) * i as f64 / n as f64).collect()
}

impl Residual {
    /// Conditions on residuals `r` at the observations; `grid` and `nodes` are logarithms.
    pub(super) fn given(seen: &Observed, scales: &Scales, r: &DVector<f64>, grid: &[f64], nodes: &[f64]) -> Option<Self> {
        let m = nodes.len();
        let a2 = scales.amplitude.powi(2);
        let k = |a: f64, b: f64| smooth(a, b, scales.length);
        let solver = seen.covariance(scales).cholesky()?;
        let cross = DMatrix::from_fn(m + 1, seen.x.len(), |i, j| if i == 0 { OFFSET } else { a2 * seen.reach[j] * k(nodes[i - 1], seen.x[j]) });
        let prior = DMatrix::from_fn(m + 1, m + 1, |i, j| match (i, j) {
            (0, 0) => OFFSET,
            (0, _) | (_, 0) => 0.0,
            _ => a2 * k(nodes[i - 1], nodes[j - 1]),
        });
        let mean = &cross * solver.solve(r);
        let covariance = prior - &cross * solver.solve(&cross.transpose());
        let eigen = SymmetricEigen::new((&covariance + covariance.transpose()) * 0.5);
        let mut root = eigen.eigenvectors;
        for (mut column, value) in root.column_iter_mut().zip(eigen.eigenvalues.iter()) {
            column *= value.max(0.0).sqrt();
        }
        Some(Self { mean, root, carry: carry(grid, nodes) })
    }

    /// The mean and the standard deviation of the log loss at every candidate.
    pub(super) fn moments(&self, base: &[f64], reach: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let rows = base.iter().zip(reach).enumerate().map(|(c, (base, reach))| {
            let mut to = DVector::zeros(self.mean.len());
            to[0] = 1.0;
            for (i, w) in self.carry.row(c).iter().enumerate() {
                to[i + 1] = reach * w;
            }
            (base + to.dot(&self.mean), self.root.tr_mul(&to).norm())
        });
        rows.unzip()
    }

    /// `n` curves of the log loss over the candidates.
    pub(super) fn draw(&self, base: &[f64], reach: &[f64], n: usize, rng: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
        let normal = DMatrix::from_fn(self.mean.len(), n, |_, _| StandardNormal.sample(rng));
        let latent = &self.root * normal;
        let smooth = &self.carry * latent.rows(1, latent.nrows() - 1);
        let centre = &self.carry * self.mean.rows(1, self.mean.len() - 1);
        let value = |c: usize, d: usize| base[c] + self.mean[0] + latent[(0, d)] + reach[c] * (centre[c] + smooth[(c, d)]);
        (0..n).map(|d| (0..base.len()).map(|c| value(c, d)).collect()).collect()
    }
}

/// Weights of the four nodes around each candidate: Lagrange's cubic.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a position among the nodes")]
fn carry(grid: &[f64], nodes: &[f64]) -> DMatrix<f64> {
    let (first, last) = (nodes.first().copied().unwrap_or(0.0), nodes.last().copied().unwrap_or(0.0));
    let step = (last - first) / (nodes.len().max(2) - 1) as f64;
    let mut out = DMatrix::zeros(grid.len(), nodes.len());
    for (c, x) in grid.iter().enumerate() {
        let at = if step > 0.0 { (x - first) / step } else { 0.0 };
        let base = (at.floor() as usize).saturating_sub(1).min(nodes.len().saturating_sub(4));
        for i in 0..4.min(nodes.len()) {
            let others = (0..4).filter(|j| *j != i);
            out[(c, base + i)] = others.map(|j| (at - (base + j) as f64) / (i as f64 - j as f64)).product();
        }
    }
    out
}

/// The one source of chance in a judgement.
pub(super) fn chance() -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(SEED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carrying_is_exact_for_cubics_and_sums_to_one() {
        let grid: Vec<f64> = (10..60).map(|c| f64::from(c).ln()).collect();
        let nodes = nodes(&grid);
        let cubic = |x: &f64| 1.0 + x - 0.5 * x * x + 0.1 * x * x * x;
        let out = carry(&grid, &nodes) * DVector::from_iterator(nodes.len(), nodes.iter().map(cubic));
        for (x, y) in grid.iter().zip(out.iter()) {
            assert!((cubic(x) - y).abs() < 1e-9);
        }
    }

    #[test]
    fn a_range_of_one_candidate_is_no_trouble() {
        let grid = [3.0_f64.ln()];
        let out = carry(&grid, &nodes(&grid));
        assert!((out.row(0).sum() - 1.0).abs() < 1e-9);
    }
}
