//! Where a step becomes steady: MSER (White 1997), on batch means.

/// How many leading rows to drop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::analysis) struct Truncation {
    /// Rows to drop.
    pub(in crate::analysis) rows: usize,
    /// The minimum lay at the most that may be dropped: no steady state was seen.
    pub(in crate::analysis) at_cap: bool,
}

/// MSER-m: the cut `d` (at most half) that minimises `sum (Y - mean)^2 / (n - d)^2` over the means of `m` rows.
pub(in crate::analysis) fn mser(values: &[f64], m: usize) -> Truncation {
    let m = m.max(1);
    let means: Vec<f64> = values.chunks_exact(m).map(|c| c.iter().sum::<f64>() / m as f64).collect();
    let n = means.len();
    if n < 4 {
        return Truncation { rows: 0, at_cap: false };
    }
    // From the back, so that every tail's sum of squares comes from running sums: linear in n. Centred, so that they keep their digits.
    let centre = means.iter().sum::<f64>() / n as f64;
    let (mut sum, mut squares, mut best) = (0.0, 0.0, (f64::INFINITY, 0));
    for (d, y) in means.iter().enumerate().rev() {
        let y = y - centre;
        sum += y;
        squares += y * y;
        if d > n / 2 {
            continue;
        }
        let left = (n - d) as f64;
        let score = (squares - sum * sum / left).max(0.0) / (left * left);
        // Ties, and differences that are only rounding, go to the shorter cut.
        if score <= best.0 + 1e-15 * centre * centre {
            best = (score, d);
        }
    }
    Truncation { rows: best.1 * m, at_cap: best.1 == n / 2 && best.1 > 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, word for word.
    fn by_definition(values: &[f64], m: usize) -> usize {
        let b: Vec<f64> = values.chunks_exact(m).map(|c| c.iter().sum::<f64>() / m as f64).collect();
        let score = |d: usize| {
            let tail = &b[d..];
            let mean = tail.iter().sum::<f64>() / tail.len() as f64;
            tail.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / (tail.len() as f64).powi(2)
        };
        (0..=b.len() / 2).min_by(|a, b| score(*a).total_cmp(&score(*b))).unwrap() * m
    }

    #[test]
    fn a_level_series_is_kept_whole() {
        let flat: Vec<f64> = (0..100).map(|i| 10.0 + f64::from(i % 5)).collect();
        assert_eq!(mser(&flat, 5), Truncation { rows: 0, at_cap: false });
    }

    #[test]
    fn a_cold_start_is_cut_where_it_ends() {
        let series: Vec<f64> = (0..100).map(|i| if i < 20 { 50.0 - f64::from(i) } else { 10.0 + 0.1 * f64::from(i % 7) }).collect();
        assert_eq!(mser(&series, 5).rows, 20);
    }

    #[test]
    fn it_equals_the_definition() {
        let series: Vec<f64> = (0..60).map(|i| 100.0 * (-f64::from(i) / 6.0).exp() + f64::from(i * 7919 % 13)).collect();
        assert_eq!(mser(&series, 5).rows, by_definition(&series, 5));
        assert_eq!(mser(&series, 2).rows, by_definition(&series, 2));
    }

    #[test]
    fn an_endless_climb_is_not_steady() {
        let climb: Vec<f64> = (0..100).map(f64::from).collect();
        assert!(mser(&climb, 5).at_cap);
        assert_eq!(mser(&[1.0, 2.0, 3.0], 5).rows, 0);
    }
}
