//! The small numerical tools of the judge: steady state, batch errors, trend, least squares, a minimiser. Plain numbers in,
//! plain numbers out; they know nothing of steps or verdicts and import nothing of the package.

mod nnls;
mod simplex;
mod stats;
mod steady;

pub(in crate::analysis) use nnls::Normal;
pub(in crate::analysis) use simplex::{Stop, minimise};
pub(in crate::analysis) use stats::{batch_bounds, batch_ratio, mann_kendall, mean, median, quantile, spread};
pub(in crate::analysis) use steady::mser;
