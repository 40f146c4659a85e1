//! Percentiles of a run from its merged distributions, the 95th with an interval by block bootstrap over the slices.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::analysis::numeric::quantile;
use crate::analysis::sweep::LatencySlice;
use crate::model::histogram::Histogram;

const DRAWS: usize = 1000;
const SEED: u64 = 95;

/// Percentiles in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(in crate::analysis) struct Percentiles {
    /// Median.
    pub(in crate::analysis) p50: Option<f64>,
    /// 95th.
    pub(in crate::analysis) p95: Option<f64>,
    /// Its 95% interval; none with fewer than four slices.
    pub(in crate::analysis) p95_95: Option<(f64, f64)>,
    /// 99th.
    pub(in crate::analysis) p99: Option<f64>,
}

/// The percentiles of the slices that begin after `from_s`, or of all if none does.
pub(in crate::analysis) fn percentiles(slices: &[LatencySlice], from_s: f64) -> Percentiles {
    let late: Vec<&LatencySlice> = slices.iter().filter(|s| s.from_s + 1e-9 >= from_s && !s.latency.is_empty()).collect();
    let chosen: Vec<&Histogram> =
        if late.is_empty() { slices.iter().map(|s| &s.latency).collect() } else { late.iter().map(|s| &s.latency).collect() };
    let all = Histogram::merged(chosen.iter().copied());
    let at = |q| all.quantile(q).map(crate::model::units::Span::as_secs_f64);
    Percentiles { p50: at(0.5), p95: at(0.95), p95_95: interval(&chosen, &all, 0.95), p99: at(0.99) }
}

/// One percentile over all slices in seconds, with its 95% interval where there are at least four.
pub(in crate::analysis) fn percentile_at(slices: &[LatencySlice], q: f64) -> Option<(f64, Option<(f64, f64)>)> {
    let parts: Vec<&Histogram> = slices.iter().map(|s| &s.latency).collect();
    let all = Histogram::merged(parts.iter().copied());
    let value = all.quantile(q)?.as_secs_f64();
    Some((value, interval(&parts, &all, q)))
}

/// Slices drawn with replacement; each draw's percentile is looked up in running counts, so that nothing is merged again.
fn interval(slices: &[&Histogram], all: &Histogram, q: f64) -> Option<(f64, f64)> {
    if slices.len() < 4 {
        return None;
    }
    let edges: Vec<(u64, u64)> = all.buckets().map(|(low, high, _)| (low, high)).collect();
    let running: Vec<Vec<u64>> = slices.iter().map(|h| running_counts(h, &edges)).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let mut found = Vec::with_capacity(DRAWS);
    for _ in 0..DRAWS {
        let drawn: Vec<&Vec<u64>> = (0..running.len()).filter_map(|_| running.get(rng.random_range(0..running.len()))).collect();
        let upto = |i: usize| drawn.iter().filter_map(|r| r.get(i)).sum::<u64>();
        let total = upto(edges.len().checked_sub(1)?);
        let rank = q * total as f64;
        let (mut low, mut high) = (0, edges.len() - 1);
        while low < high {
            let middle = usize::midpoint(low, high);
            if upto(middle) as f64 >= rank { high = middle } else { low = middle + 1 }
        }
        found.push(edges.get(low)?.1 as f64 / 1e6);
    }
    quantile(&found, 0.025).zip(quantile(&found, 0.975))
}

fn running_counts(h: &Histogram, edges: &[(u64, u64)]) -> Vec<u64> {
    let mut own = h.buckets().peekable();
    let mut sum = 0;
    edges
        .iter()
        .map(|(_, high)| {
            while let Some((_, _, n)) = own.next_if(|b| b.0 <= *high) {
                sum += n;
            }
            sum
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::units::Span;
    use rand_distr::{Distribution, Exp1};

    fn slice(i: u32, rng: &mut ChaCha8Rng, n: u32) -> LatencySlice {
        let mut latency = Histogram::default();
        for _ in 0..n {
            let x: f64 = Exp1.sample(rng);
            latency.record(Span::from_secs_f64(0.1 * x));
        }
        LatencySlice { from_s: f64::from(i), to_s: f64::from(i + 1), latency }
    }

    #[test]
    fn few_slices_have_no_interval_and_the_cut_is_kept() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let slices: Vec<LatencySlice> = (0..6).map(|i| slice(i, &mut rng, 500)).collect();
        assert!(percentiles(&slices[..3], 0.0).p95_95.is_none());
        assert!(percentiles(&slices, 0.0).p95_95.is_some());
        assert!(percentiles(&slices, 3.0).p95_95.is_none(), "three are left");
        assert_eq!(percentiles(&slices, 99.0).p50, percentiles(&slices, 0.0).p50);
    }

    /// Nominal 95% intervals of the 95th percentile hold the true one about that often.
    #[test]
    fn the_interval_covers() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let truth = 0.1 * 20.0_f64.ln();
        let (mut hits, runs) = (0, 120);
        for _ in 0..runs {
            let slices: Vec<LatencySlice> = (0..20).map(|i| slice(i, &mut rng, 200)).collect();
            let (low, high) = percentiles(&slices, 0.0).p95_95.unwrap();
            hits += i32::from(low <= truth && truth <= high);
        }
        let share = f64::from(hits) / f64::from(runs);
        assert!((0.87..=0.99).contains(&share), "{share}");
    }
}
