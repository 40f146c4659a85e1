//! Least squares with coefficients that may not be negative (Lawson and Hanson), for a few columns.

use nalgebra::{DMatrix, DVector};

/// The sums of a least squares problem `A x = b`: `A'A` and `A'b`, gathered row by row.
#[derive(Debug, Clone)]
pub(in crate::analysis) struct Normal {
    gram: DMatrix<f64>,
    right: DVector<f64>,
}

impl Normal {
    /// No rows yet.
    pub(in crate::analysis) fn new(columns: usize) -> Self {
        Self { gram: DMatrix::zeros(columns, columns), right: DVector::zeros(columns) }
    }

    /// Adds a row of `A` with its target, counting `weight` times.
    pub(in crate::analysis) fn add(&mut self, row: &[f64], target: f64, weight: f64) {
        let n = self.right.len().min(row.len());
        for (i, a) in row.iter().enumerate().take(n) {
            let scaled = weight * a;
            self.right[i] += scaled * target;
            for (j, b) in row.iter().enumerate().take(i + 1) {
                self.gram[(i, j)] += scaled * b;
            }
        }
    }

    /// The coefficients `x >= 0` that minimise `|A x - b|`.
    pub(in crate::analysis) fn solve(&self) -> Vec<f64> {
        let n = self.right.len();
        let lengths: Vec<f64> = (0..n).map(|i| self.gram[(i, i)].sqrt().max(1e-12)).collect();
        let entry = |i: usize, j: usize| self.gram[(i.max(j), i.min(j))] / (lengths[i] * lengths[j]);
        let gram = DMatrix::from_fn(n, n, entry);
        let right = DVector::from_fn(n, |i, _| self.right[i] / lengths[i]);
        nnls(&gram, &right).iter().zip(&lengths).map(|(x, length)| x / length).collect()
    }
}

/// Lawson and Hanson on columns of unit length.
fn nnls(gram: &DMatrix<f64>, right: &DVector<f64>) -> Vec<f64> {
    let n = right.len();
    let mut x = vec![0.0; n];
    let mut free = vec![false; n];
    for _ in 0..3 * n {
        let gradient = |i: usize, x: &[f64]| right[i] - (0..n).map(|j| gram[(i, j)] * x[j]).sum::<f64>();
        let entering = (0..n).filter(|i| !free[*i]).map(|i| (gradient(i, &x), i)).max_by(|a, b| a.0.total_cmp(&b.0));
        match entering {
            Some((g, i)) if g > 1e-10 * (1.0 + right.amax()) => free[i] = true,
            _ => break,
        }
        settle(gram, right, &mut free, &mut x);
    }
    x
}

/// Solves for the free columns; those that would become negative leave, until none does.
fn settle(gram: &DMatrix<f64>, right: &DVector<f64>, free: &mut [bool], x: &mut [f64]) {
    loop {
        let chosen: Vec<usize> = (0..free.len()).filter(|i| free[*i]).collect();
        let Some(solution) = solve(gram, right, &chosen) else { return };
        let blocking = chosen.iter().zip(solution.iter()).filter(|(_, s)| **s <= 0.0);
        let reach = blocking.map(|(i, s)| x[*i] / (x[*i] - s)).filter(|r| r.is_finite()).fold(1.0, f64::min);
        let stays = chosen.iter().zip(solution.iter()).all(|(_, s)| *s > 0.0);
        for (i, s) in chosen.iter().zip(solution.iter()) {
            x[*i] += reach * (s - x[*i]);
            if !stays && (x[*i] <= 1e-12) {
                x[*i] = 0.0;
                free[*i] = false;
            }
        }
        if stays || chosen.iter().all(|i| free[*i]) {
            return;
        }
    }
}

fn solve(gram: &DMatrix<f64>, right: &DVector<f64>, chosen: &[usize]) -> Option<DVector<f64>> {
    let n = chosen.len();
    let part = DMatrix::from_fn(n, n, |i, j| gram[(chosen[i], chosen[j])] + if i == j { 1e-12 } else { 0.0 });
    let b = DVector::from_fn(n, |i, _| right[chosen[i]]);
    part.cholesky().map(|c| c.solve(&b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn nnls(a: &DMatrix<f64>, b: &DVector<f64>) -> Vec<f64> {
        let mut normal = Normal::new(a.ncols());
        for (row, target) in a.row_iter().zip(b.iter()) {
            normal.add(&row.iter().copied().collect::<Vec<_>>(), *target, 1.0);
        }
        normal.solve()
    }

    #[test]
    fn a_solution_that_is_positive_anyway_is_least_squares() {
        let a = DMatrix::from_row_slice(3, 2, &[1.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
        let x = nnls(&a, &DVector::from_vec(vec![1.0, 2.0, 3.0]));
        assert!((x[0] - 1.0).abs() < 1e-9 && (x[1] - 2.0).abs() < 1e-9, "{x:?}");
    }

    #[test]
    fn a_negative_part_becomes_zero_and_the_rest_is_refitted() {
        let a = DMatrix::from_row_slice(3, 2, &[1.0, 1.0, 1.0, 2.0, 1.0, 3.0]);
        let x = nnls(&a, &DVector::from_vec(vec![3.0, 2.0, 1.0]));
        assert!((x[0] - 2.0).abs() < 1e-9 && x[1] == 0.0, "{x:?}");
    }

    proptest! {
        /// The conditions of an optimum: no negative coefficient, no descent along a zero one, no slope along a positive one.
        #[test]
        fn the_conditions_of_an_optimum_hold(values in prop::collection::vec(-3.0..3.0_f64, 24), b in prop::collection::vec(-3.0..3.0_f64, 6)) {
            let a = DMatrix::from_row_slice(6, 4, &values);
            let target = DVector::from_vec(b);
            let x = nnls(&a, &target);
            let slope = a.transpose() * (&target - &a * DVector::from_vec(x.clone()));
            for (i, v) in x.iter().enumerate() {
                prop_assert!(*v >= 0.0);
                let scale = a.column(i).norm() * (1.0 + target.norm());
                prop_assert!(slope[i] <= 1e-6 * scale, "descent left at {i}: {}", slope[i]);
                if *v > 1e-9 { prop_assert!(slope[i].abs() <= 1e-6 * scale); }
            }
        }
    }
}
