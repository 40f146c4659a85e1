//! Everything random a load does: think times and choices by weight. Seeded generators are handed in; nothing here makes one.

use rand::{Rng, RngExt};
use rand_distr::{Distribution, Exp1, StandardNormal};

use crate::model::plan::Think;
use crate::model::units::Span;

/// Choices by weight.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shares {
    /// Upper edges, the last one is the total.
    edges: Vec<f64>,
}

impl Shares {
    /// From weights; none if nothing weighs anything. What is no number or negative weighs nothing.
    pub(crate) fn new(weights: impl Iterator<Item = f64>) -> Option<Self> {
        let edges: Vec<f64> = weights
            .scan(0.0, |sum, w| {
                *sum += if w.is_finite() && w > 0.0 { w } else { 0.0 };
                Some(*sum)
            })
            .collect();
        (edges.last().copied().unwrap_or(0.0) > 0.0).then_some(Self { edges })
    }

    /// One of them at random.
    pub(crate) fn draw(&self, rng: &mut impl Rng) -> usize {
        let total = self.edges.last().copied().unwrap_or(0.0);
        let at = rng.random::<f64>() * total;
        self.edges.partition_point(|edge| *edge <= at).min(self.edges.len().saturating_sub(1))
    }

    /// Which one the `n`th of many takes (from 0), so that every beginning of the row holds the shares as well as whole numbers can.
    pub(crate) fn nth(&self, n: usize) -> usize {
        if self.edges.len() == 1 {
            return 0;
        }
        let total = self.edges.last().copied().unwrap_or(1.0);
        let mut taken = vec![0_u32; self.edges.len()];
        let mut last = 0;
        for turn in 0..=n {
            let owed = |i: usize| self.weight(i) / total * (turn + 1) as f64 - f64::from(taken.get(i).copied().unwrap_or(0));
            last = (0..self.edges.len()).max_by(|a, b| owed(*a).total_cmp(&owed(*b)).then(b.cmp(a))).unwrap_or(0);
            if let Some(n) = taken.get_mut(last) {
                *n += 1;
            }
        }
        last
    }

    /// What one of them weighs.
    pub(crate) fn weight(&self, i: usize) -> f64 {
        let below = i.checked_sub(1).and_then(|b| self.edges.get(b)).copied().unwrap_or(0.0);
        self.edges.get(i).copied().unwrap_or(0.0) - below
    }
}

/// A think time.
pub(crate) fn think(think: Think, rng: &mut impl Rng) -> Span {
    match think {
        Think::Fixed(t) => t,
        Think::Between(a, b) => {
            let (low, high) = (a.as_secs_f64(), b.as_secs_f64());
            Span::from_secs_f64(low + (high - low) * rng.random::<f64>())
        }
        Think::Exponential(mean) => mean.times(Exp1.sample(rng)),
        Think::Normal(mean, deviation) => {
            let z: f64 = StandardNormal.sample(rng);
            Span::from_secs_f64(mean.as_secs_f64() + z * deviation.as_secs_f64())
        }
    }
}

/// A time between nothing and `most`.
pub(crate) fn up_to(most: Span, rng: &mut impl Rng) -> Span {
    most.times(rng.random::<f64>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    fn mean(t: Think) -> f64 {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        (0..20_000).map(|_| think(t, &mut rng).as_secs_f64()).sum::<f64>() / 20_000.0
    }

    #[test]
    fn think_times_have_their_means() {
        for t in [
            Think::Fixed(Span::from_secs(2)),
            Think::Between(Span::from_secs(1), Span::from_secs(3)),
            Think::Exponential(Span::from_secs(2)),
            Think::Normal(Span::from_secs(2), Span::from_millis(500)),
        ] {
            assert!((mean(t) - t.mean().as_secs_f64()).abs() < 0.05, "{t:?}: {}", mean(t));
        }
    }

    #[test]
    fn a_normal_think_time_is_never_negative() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let t = Think::Normal(Span::from_millis(1), Span::from_secs(1));
        assert!((0..1000).any(|_| think(t, &mut rng).is_zero()));
    }

    #[test]
    fn choices_follow_their_weights() {
        let shares = Shares::new([1.0, 0.0, 3.0].into_iter()).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(9);
        let mut counts = [0_u32; 3];
        for _ in 0..10_000 {
            counts[shares.draw(&mut rng)] += 1;
        }
        assert_eq!(counts[1], 0);
        assert!((2300..2700).contains(&counts[0]), "{counts:?}");
    }

    #[test]
    fn every_beginning_of_the_row_holds_the_shares() {
        let shares = Shares::new([8.0, 2.0].into_iter()).unwrap();
        let row: Vec<usize> = (0..10).map(|n| shares.nth(n)).collect();
        assert_eq!(row.iter().filter(|s| **s == 1).count(), 2);
        assert_eq!(row[0], 0);
    }

    #[test]
    fn weightless_choices_are_none() {
        assert_eq!(Shares::new([0.0, -1.0, f64::NAN].into_iter()), None);
        assert_eq!(Shares::new([].into_iter()), None);
    }
}
