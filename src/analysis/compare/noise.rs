//! How much runs of the same thing differ, and what that makes of a difference between two.
//!
//! The spread between runs is pooled over all settings and both sides: two runs of a setting alone tell almost nothing of it. Times
//! and rates are compared as logarithms, so that a change is a ratio; shares as they are.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// Spread between runs of the same thing where nothing was repeated (log, or points of a share).
const ASSUMED: f64 = 0.05;
const ASSUMED_SHARE: f64 = 0.01;
/// Degrees of freedom an assumed spread is credited with.
const ASSUMED_FREE: f64 = 30.0;
/// Fewer degrees of freedom tell too little.
const LEAST_FREE: usize = 2;

/// A figure of one run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sample {
    pub(super) value: f64,
    /// Its own error, relative (of shares absolute); none if it has none.
    pub(super) error: Option<f64>,
}

/// The runs of one setting: of the base, and of the new one.
pub(super) type Sides = (Vec<Sample>, Vec<Sample>);

/// A difference with its error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Relative change, or the difference of shares.
    pub change: f64,
    /// 95% of it.
    pub interval_95: (f64, f64),
    /// How likely equal ones differ by as much.
    pub p: f64,
}

/// The spread of one run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Noise {
    variance: f64,
    free: f64,
    assumed: bool,
    is_share: bool,
}

impl Noise {
    /// From all runs of all settings on both sides.
    pub(super) fn of(sides: &[Sides], is_share: bool) -> Self {
        let mut noise = Self { variance: 0.0, free: ASSUMED_FREE, assumed: true, is_share };
        let (mut sum, mut free) = (0.0, 0);
        for group in sides.iter().flat_map(|s| [&s.0, &s.1]) {
            let values: Vec<f64> = group.iter().filter_map(|s| noise.scaled(s.value)).collect();
            let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
            sum += values.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
            free += values.len().saturating_sub(1);
        }
        let errors: Vec<f64> = sides.iter().flat_map(|s| s.0.iter().chain(&s.1)).filter_map(|s| s.error.map(|e| e * e)).collect();
        let within = errors.iter().sum::<f64>() / errors.len().max(1) as f64;
        let usual: f64 = if is_share { ASSUMED_SHARE } else { ASSUMED };
        if free >= LEAST_FREE {
            noise = Self { variance: (sum / free as f64).max(within), free: free as f64, assumed: false, is_share };
        } else {
            noise.variance = within + usual.powi(2);
        }
        noise
    }

    /// Whether nothing was repeated often enough to know it.
    pub(super) const fn is_assumed(&self) -> bool {
        self.assumed
    }

    /// What is said where it is assumed.
    pub(super) fn said() -> String {
        format!("too few runs of the same setting: that equal runs differ by {:.0}% is assumed, not measured", 100.0 * ASSUMED)
    }

    /// Runs of each side that show a relative difference of `delta` with 80% power at 5%.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped just before")]
    pub(super) fn runs_to_see(&self, delta: f64) -> Option<u32> {
        let runs = 15.7 * self.variance / (delta * delta);
        runs.is_finite().then(|| runs.ceil().clamp(1.0, 100_000.0) as u32)
    }

    /// The mean of samples: of logarithms, but of shares.
    pub(super) fn mean<'a>(&self, samples: impl Iterator<Item = &'a Sample>) -> Option<f64> {
        let values: Vec<f64> = samples.filter_map(|s| self.scaled(s.value)).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        (!values.is_empty()).then(|| if self.is_share { mean } else { mean.exp() })
    }

    fn scaled(&self, value: f64) -> Option<f64> {
        if self.is_share { Some(value) } else { (value > 0.0).then(|| value.ln()) }
    }

    fn change(&self, scaled: f64) -> f64 {
        if self.is_share { scaled } else { scaled.exp_m1() }
    }
}

/// The mean difference over settings; none if no setting has runs on both sides.
pub(super) fn overall(sides: &[Sides], noise: &Noise) -> Option<Estimate> {
    let (mut sum, mut variance, mut count) = (0.0, 0.0, 0.0);
    for (base, new) in sides {
        let side = |samples: &[Sample]| {
            let values: Vec<f64> = samples.iter().filter_map(|s| noise.scaled(s.value)).collect();
            (!values.is_empty()).then(|| (values.iter().sum::<f64>() / values.len() as f64, noise.variance / values.len() as f64))
        };
        let (Some((b, b_var)), Some((n, n_var))) = (side(base), side(new)) else { continue };
        sum += n - b;
        variance += b_var + n_var;
        count += 1.0;
    }
    if count == 0.0 {
        return None;
    }
    let (mean, se) = (sum / count, variance.sqrt() / count);
    let student = StudentsT::new(0.0, 1.0, noise.free).ok()?;
    let reach = student.inverse_cdf(0.975) * se;
    let p = if se > 0.0 {
        2.0 * (1.0 - student.cdf((mean / se).abs()))
    } else if mean == 0.0 {
        1.0
    } else {
        0.0
    };
    Some(Estimate { change: noise.change(mean), interval_95: (noise.change(mean - reach), noise.change(mean + reach)), p: p.clamp(0.0, 1.0) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use rand_distr::{Distribution, StandardNormal};

    /// Runs of five settings, two of each, whose logarithms differ by `apart` from run to run; the new side is changed by `by`.
    fn pair(apart: f64, by: f64, rng: &mut ChaCha8Rng) -> Vec<Sides> {
        let mut runs = |level: f64| {
            let one = |_| {
                let z: f64 = StandardNormal.sample(rng);
                Sample { value: level * (apart * z).exp(), error: Some(0.01) }
            };
            (0..2).map(one).collect::<Vec<_>>()
        };
        [0.05, 0.08, 0.1, 0.2, 0.7].into_iter().map(|level| (runs(level), runs(level * (1.0 + by)))).collect()
    }

    #[test]
    fn equal_runs_raise_an_alarm_as_seldom_as_they_should() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let alarms = (0..500).filter(|_| {
            let sides = pair(0.04, 0.0, &mut rng);
            overall(&sides, &Noise::of(&sides, false)).unwrap().p < 0.05
        });
        let share = alarms.count() as f64 / 500.0;
        assert!((0.03..=0.07).contains(&share), "{share}");
    }

    #[test]
    fn a_change_is_found_and_its_interval_holds_the_truth() {
        let mut rng = ChaCha8Rng::seed_from_u64(6);
        let (mut found, mut held) = (0, 0);
        for _ in 0..200 {
            let sides = pair(0.04, 0.1, &mut rng);
            let change = overall(&sides, &Noise::of(&sides, false)).unwrap();
            found += u32::from(change.p < 0.05 && change.change > 0.0);
            held += u32::from(change.interval_95.0 <= 0.1 && 0.1 <= change.interval_95.1);
        }
        assert!(found > 190, "{found} of 200 found");
        assert!((180..=198).contains(&held), "{held} of 200 intervals hold 10%");
    }

    #[test]
    fn single_runs_are_compared_with_an_assumed_spread() {
        let one = |value| vec![Sample { value, error: Some(0.01) }];
        let sides = vec![(one(0.1), one(0.106))];
        let noise = Noise::of(&sides, false);
        assert!(noise.is_assumed() && Noise::said().contains("5%"));
        assert!(overall(&sides, &noise).unwrap().p > 0.05, "6% is within what equal runs differ by");
        assert!(overall(&[(one(3.054), one(0.03))], &noise).unwrap().p < 1e-6, "from three seconds to thirty milliseconds is not");
    }

    #[test]
    fn runs_needed_follow_the_spread() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let sides = pair(0.05, 0.0, &mut rng);
        let needed = Noise::of(&sides, false).runs_to_see(0.1).unwrap();
        assert!((2..=8).contains(&needed), "about 4 at 5% apart: {needed}");
    }

    #[test]
    fn shares_are_compared_as_points() {
        let some = |values: [f64; 3]| values.map(|value| Sample { value, error: Some(0.001) }).to_vec();
        let sides = vec![(some([0.0, 0.001, 0.0]), some([0.04, 0.05, 0.045]))];
        let change = overall(&sides, &Noise::of(&sides, true)).unwrap();
        assert!((change.change - 0.0447).abs() < 0.001 && change.p < 0.01, "{change:?}");
    }

    #[test]
    fn nothing_on_one_side_is_no_difference() {
        assert_eq!(overall(&[(Vec::new(), vec![Sample { value: 1.0, error: None }])], &Noise::of(&[], false)), None);
    }
}
