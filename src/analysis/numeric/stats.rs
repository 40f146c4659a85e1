//! Means, quantiles, the batch ratio estimator with its autocorrelation, and the Mann-Kendall trend.

/// The mean; none of nothing.
pub(in crate::analysis) fn mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (n, sum) = values.into_iter().fold((0_u64, 0.0), |(n, sum), v| (n + 1, sum + v));
    (n > 0).then(|| sum / n as f64)
}

/// Standard deviation about the mean (divided by n); none of nothing.
pub(in crate::analysis) fn spread(values: &[f64]) -> Option<f64> {
    let m = mean(values.iter().copied())?;
    mean(values.iter().map(|v| (v - m).powi(2))).map(f64::sqrt)
}

/// The quantile by linear interpolation between order statistics; none of nothing.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a position inside the slice")]
pub(in crate::analysis) fn quantile(values: &[f64], q: f64) -> Option<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    let at = q.clamp(0.0, 1.0) * last as f64;
    let low = at as usize;
    let (a, b) = (sorted.get(low)?, sorted.get((low + 1).min(last))?);
    Some(a + (b - a) * (at - low as f64))
}

/// The median.
pub(in crate::analysis) fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// Where `n` rows are cut into `parts` neighbouring batches of nearly equal length.
pub(in crate::analysis) fn batch_bounds(n: usize, parts: usize) -> Vec<(usize, usize)> {
    let parts = parts.clamp(1, n.max(1));
    let (each, longer) = (n / parts, n % parts);
    let mut from = 0;
    (0..parts)
        .map(|i| {
            let to = from + each + usize::from(i < longer);
            let bounds = (from, to);
            from = to;
            bounds
        })
        .collect()
}

/// A ratio of sums over batches with its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::analysis) struct Ratio {
    /// Sum of the numerators over sum of the denominators.
    pub(in crate::analysis) mean: f64,
    /// Its standard error, widened for the correlation of neighbouring batches; none with fewer than two batches.
    pub(in crate::analysis) se: Option<f64>,
}

/// The ratio estimator of METHOD section 4: `se = sqrt(sum e^2 B/(B-1) (1+rho)/(1-rho)) / sum N` with `e = C - J N`.
pub(in crate::analysis) fn batch_ratio(batches: &[(f64, f64)]) -> Option<Ratio> {
    let (sum, count) = batches.iter().fold((0.0, 0.0), |(c, n), b| (c + b.0, n + b.1));
    if count <= 0.0 {
        return None;
    }
    let mean = sum / count;
    let errors: Vec<f64> = batches.iter().map(|(c, n)| c - mean * n).collect();
    let squares: f64 = errors.iter().map(|e| e * e).sum();
    let b = batches.len() as f64;
    let rho = if batches.len() < 6 || squares <= 0.0 {
        0.0
    } else {
        (errors.windows(2).map(|w| w.iter().product::<f64>()).sum::<f64>() / squares).clamp(0.0, 0.8)
    };
    let se = (batches.len() > 1).then(|| (squares * b / (b - 1.0) * (1.0 + rho) / (1.0 - rho)).sqrt() / count);
    Some(Ratio { mean, se })
}

/// Mann-Kendall's z of a short series: above 2.6 it grows.
pub(in crate::analysis) fn mann_kendall(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    if values.len() < 5 {
        return 0.0;
    }
    let mut s = 0.0;
    for (i, a) in values.iter().enumerate() {
        for b in values.iter().skip(i + 1) {
            s += f64::from(i8::from(b > a) - i8::from(b < a));
        }
    }
    let variance = n * (n - 1.0) * (2.0 * n + 5.0) / 18.0;
    if s == 0.0 { 0.0 } else { (s - s.signum()) / variance.sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_distr::{Distribution, Exp1};

    #[test]
    fn quantiles_interpolate() {
        assert_eq!(quantile(&[3.0, 1.0, 2.0], 0.5), Some(2.0));
        assert_eq!(quantile(&[0.0, 10.0], 0.25), Some(2.5));
        assert_eq!(quantile(&[], 0.5), None);
        assert_eq!(median(&[f64::NAN, 4.0]), Some(4.0));
    }

    #[test]
    fn batches_cover_every_row_once() {
        for (n, parts) in [(10, 4), (7, 7), (3, 8), (120, 12), (1, 1)] {
            let cut = batch_bounds(n, parts);
            assert_eq!(cut.first().unwrap().0, 0);
            assert_eq!(cut.last().unwrap().1, n);
            assert!(cut.windows(2).all(|w| w[0].1 == w[1].0));
        }
    }

    #[test]
    fn a_ratio_of_equal_batches_has_no_error() {
        let r = batch_ratio(&[(10.0, 5.0), (20.0, 10.0), (4.0, 2.0), (8.0, 4.0)]).unwrap();
        assert!((r.mean - 2.0).abs() < 1e-12 && r.se.unwrap() < 1e-12);
        assert_eq!(batch_ratio(&[(0.0, 0.0)]), None);
        assert_eq!(batch_ratio(&[(3.0, 1.0)]).unwrap().se, None);
    }

    /// Nominal 95% intervals of the batch error cover the true mean about that often, independent data.
    #[test]
    fn batch_errors_cover() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(11);
        let (mut hits, runs) = (0, 600);
        for _ in 0..runs {
            let batches: Vec<(f64, f64)> = (0..12)
                .map(|_| {
                    let n = 300 + rng.random_range(0..60);
                    let sum: f64 = (0..n)
                        .map(|_| {
                            let x: f64 = Exp1.sample(&mut rng);
                            x
                        })
                        .sum();
                    (sum, f64::from(n))
                })
                .collect();
            let r = batch_ratio(&batches).unwrap();
            hits += i32::from((r.mean - 1.0).abs() <= 2.2 * r.se.unwrap());
        }
        let share = f64::from(hits) / f64::from(runs);
        assert!((0.92..=0.985).contains(&share), "{share}");
    }

    #[test]
    fn correlated_batches_have_a_wider_error() {
        let waves: Vec<(f64, f64)> = (0..12).map(|i| (100.0 + 20.0 * (f64::from(i) / 2.0).sin(), 10.0)).collect();
        let mut mixed = waves.clone();
        for i in 0..6 {
            mixed.swap(i, (i * 5 + 3) % 12);
        }
        assert!(batch_ratio(&waves).unwrap().se > batch_ratio(&mixed).unwrap().se);
    }

    #[test]
    fn growth_is_seen_and_noise_is_not() {
        let up: Vec<f64> = (0..10).map(f64::from).collect();
        assert!(mann_kendall(&up) > 2.6);
        assert!(mann_kendall(&[3.0, 1.0, 2.0, 3.0, 1.0, 2.0, 2.0, 1.0]).abs() < 1.5);
        assert!(mann_kendall(&[1.0, 2.0]).abs() < 1e-12);
    }
}
