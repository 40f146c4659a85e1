//! The residual about the queue model as a Gaussian process over the logarithm of the setting, with drift, block and noise terms.

use nalgebra::{DMatrix, DVector};

use crate::analysis::numeric::{Stop, minimise};

/// Prior variance of a shift common to all values.
pub(super) const OFFSET: f64 = 0.25;
/// Prior medians: amplitude, length in log c, drift over the sweep, block, extra run noise; and their log-sds.
const PRIOR: [f64; 5] = [0.05, 0.4, 0.03, 0.02, 0.01];
const WIDTH: [f64; 5] = [0.7, 0.3, 1.0, 0.8, 0.8];

/// The scales of the residual.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scales {
    pub(super) amplitude: f64,
    pub(super) length: f64,
    pub(super) drift: f64,
    pub(super) block: f64,
    pub(super) noise: f64,
}

impl Scales {
    fn from_logs(q: &[f64]) -> Self {
        let at = |i: usize| q.get(i).map_or(1.0, |x| x.exp());
        Self { amplitude: at(0), length: at(1), drift: at(2), block: at(3), noise: at(4) }
    }
}

/// The observations: where, when, in which block, with which error.
#[derive(Debug, Clone)]
pub(super) struct Observed {
    /// Log of the setting.
    pub(super) x: Vec<f64>,
    /// Log of (loss + think time).
    pub(super) y: Vec<f64>,
    /// Variance of y by itself.
    pub(super) variance: Vec<f64>,
    /// Time over the sweep, centred, about one long.
    pub(super) time: Vec<f64>,
    /// Block.
    pub(super) block: Vec<u32>,
    /// How much the value can matter at all, 0 to 1.
    pub(super) reach: Vec<f64>,
    /// Prior median of the amplitude.
    pub(super) amplitude: f64,
}

pub(super) fn smooth(a: f64, b: f64, length: f64) -> f64 {
    (-0.5 * ((a - b) / length).powi(2)).exp()
}

impl Observed {
    /// Covariance of the observations.
    pub(super) fn covariance(&self, s: &Scales) -> DMatrix<f64> {
        let n = self.x.len();
        let blocks = self.block.iter().any(|b| Some(b) != self.block.first());
        DMatrix::from_fn(n, n, |i, j| {
            let mut k = OFFSET + s.amplitude.powi(2) * self.reach[i] * self.reach[j] * smooth(self.x[i], self.x[j], s.length);
            k += s.drift.powi(2) * self.time[i] * self.time[j];
            if blocks && self.block[i] == self.block[j] {
                k += s.block.powi(2);
            }
            if i == j { k + self.variance[i] + s.noise.powi(2) } else { k }
        })
    }

    /// The log evidence of residuals `r` at given scales (up to a constant).
    pub(super) fn evidence(&self, scales: &Scales, r: &DVector<f64>) -> Option<f64> {
        let c = self.covariance(scales).cholesky()?;
        let fit = c.l_dirty().solve_lower_triangular(r)?.norm_squared();
        let size: f64 = c.l_dirty().diagonal().iter().map(|d| d.ln()).sum();
        Some(-0.5 * fit - size)
    }

    /// The most probable scales for residuals `r`, and the log evidence there.
    pub(super) fn scales(&self, r: &DVector<f64>, start: Option<&Scales>) -> (Scales, f64) {
        let prior = PRIOR.map(f64::ln);
        let centre = |i: usize| if i == 0 { self.amplitude.ln() } else { prior[i] };
        let penalty = |q: &[f64]| q.iter().enumerate().map(|(i, x)| ((x - centre(i)) / WIDTH[i]).powi(2)).sum::<f64>();
        let cost = |q: &[f64]| self.evidence(&Scales::from_logs(q), r).map_or(1e9, |e| 0.5 * penalty(q) - e);
        let begin: Vec<f64> =
            start.map_or_else(|| (0..5).map(centre).collect(), |s| [s.amplitude, s.length, s.drift, s.block, s.noise].map(f64::ln).to_vec());
        let (evaluations, scale) = if start.is_some() { (120, 0.25) } else { (300, 0.4) };
        let (q, value) = minimise(&begin, &[scale; 5], Stop { evaluations, x: 0.02, f: 0.01 }, cost);
        (Scales::from_logs(&q), -value)
    }
}
