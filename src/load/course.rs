//! When users come: rates over time as one cumulative curve, turned round to give the time of each arrival. Constant rates, ramps and crowds
//! are all stretches of that curve, so nothing is lost or doubled where they meet. No clock here; times are since the curve's begin.

use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Exp1};

use crate::model::plan::{Arrivals, Segment};
use crate::model::units::{Rate, Span};

/// Longer than any load: the length of a rate that holds until it is changed.
const FOR_EVER: f64 = 1e9;

/// A stretch of the curve.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Stretch {
    /// Begin, in seconds.
    begin: f64,
    /// In seconds.
    length: f64,
    /// Arrivals a second at the begin.
    from: f64,
    /// Arrivals a second at the end.
    to: f64,
    /// Arrivals before it.
    before: f64,
    /// Arrivals in it.
    count: f64,
}

impl Stretch {
    /// How long after its begin the curve has risen by `n`.
    fn rises(&self, n: f64) -> f64 {
        if self.length <= 0.0 || n <= 0.0 {
            return 0.0;
        }
        let slope = (self.to - self.from) / self.length;
        // The larger root's usual form loses all digits where the slope is small.
        let root = (self.from * self.from + 2.0 * slope * n).max(0.0).sqrt();
        (2.0 * n / (self.from + root)).min(self.length)
    }
}

/// The cumulative number of arrivals over time.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Course {
    stretches: Vec<Stretch>,
    now: f64,
    count: f64,
}

impl Course {
    /// This rate until something else is said.
    pub(crate) fn constant(rate: Rate) -> Self {
        let mut course = Self::default();
        let rate = rate.as_per_second();
        course.add(FOR_EVER, rate, rate, rate * FOR_EVER);
        course
    }

    fn add(&mut self, length: f64, from: f64, to: f64, count: f64) {
        if count > 0.0 && count.is_finite() {
            self.stretches.push(Stretch { begin: self.now, length, from, to, before: self.count, count });
            self.count += count;
        }
        self.now += length;
    }

    fn add_segment(&mut self, segment: Segment) {
        let length = segment.length().as_secs_f64();
        match segment {
            Segment::AtOnce { users } => self.add(0.0, 0.0, 0.0, f64::from(users)),
            Segment::Ramp { users, .. } => {
                let rate = if length > 0.0 { f64::from(users) / length } else { 0.0 };
                self.add(length, rate, rate, f64::from(users));
            }
            Segment::Rate { from, to, .. } => {
                let (from, to) = (from.as_per_second().max(0.0), to.as_per_second().max(0.0));
                self.add(length, from, to, (from + to) * 0.5 * length);
            }
            Segment::Nothing { .. } | Segment::Users { .. } => self.add(length, 0.0, 0.0, 0.0),
        }
    }

    /// When the curve passes `n`; none if it never does. A value on the border of two stretches belongs to the later one, so that a stretch
    /// of whole arrivals holds exactly that many, whatever fraction came before it.
    fn passes(&self, n: f64) -> Option<Span> {
        let at = self.stretches.partition_point(|s| s.before + s.count <= n);
        let stretch = self.stretches.get(at)?;
        Some(Span::from_secs_f64(stretch.begin + stretch.rises(n - stretch.before)))
    }
}

/// The two courses of a population: arrivals that are evenly spaced, and those that are a Poisson process.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Courses {
    /// Evenly spaced.
    pub(crate) even: Course,
    /// Independent of each other.
    pub(crate) random: Course,
}

impl Courses {
    /// Of a rate that holds.
    pub(crate) fn constant(rate: Rate, arrivals: Arrivals) -> Self {
        let course = Course::constant(rate);
        match arrivals {
            Arrivals::Uniform => Self { even: course, random: Course::default() },
            Arrivals::Poisson => Self { even: Course::default(), random: course },
        }
    }

    /// Of segments, one after the other. A number of users is met exactly and so is always even; only rates can be random.
    pub(crate) fn of(segments: &[Segment], arrivals: Arrivals) -> Self {
        let mut courses = Self::default();
        for segment in segments {
            let pause = Segment::Nothing { over: segment.length() };
            let random = arrivals == Arrivals::Poisson && matches!(segment, Segment::Rate { .. });
            courses.even.add_segment(if random { pause } else { *segment });
            courses.random.add_segment(if random { *segment } else { pause });
        }
        courses
    }
}

/// Which arrivals of a course are this worker's.
#[derive(Debug, Clone)]
enum Count {
    /// Every so-manyth, beginning with `next`.
    Even { next: u64, step: u64 },
    /// A Poisson process of its own with its part of the rate: together they are one with the whole rate.
    Random { sum: f64, step: f64, rng: Box<ChaCha8Rng> },
}

impl Count {
    fn level(&self) -> f64 {
        match self {
            Self::Even { next, .. } => *next as f64 + 0.5,
            Self::Random { sum, .. } => *sum,
        }
    }

    fn advance(&mut self) {
        match self {
            Self::Even { next, step } => *next += *step,
            Self::Random { sum, step, rng } => {
                let gap: f64 = Exp1.sample(&mut **rng);
                *sum += gap * *step;
            }
        }
    }
}

/// The arrivals of one course that are this worker's, in order.
#[derive(Debug, Clone)]
pub(crate) struct Comings {
    course: Course,
    count: Count,
    next: Option<Span>,
}

impl Comings {
    /// Evenly spaced; the `first` of `of` workers takes arrivals first, first + of, ...
    pub(crate) fn even(course: Course, first: u64, of: u64) -> Self {
        let count = Count::Even { next: first, step: of.max(1) };
        let next = course.passes(count.level());
        Self { course, count, next }
    }

    /// A Poisson process with an `of`th of the rate.
    pub(crate) fn random(course: Course, of: u64, rng: ChaCha8Rng) -> Self {
        let mut count = Count::Random { sum: 0.0, step: of.max(1) as f64, rng: Box::new(rng) };
        count.advance();
        let next = course.passes(count.level());
        Self { course, count, next }
    }

    /// When the next one is due, since the begin of the course.
    pub(crate) const fn next(&self) -> Option<Span> {
        self.next
    }

    /// Goes on to the one after it.
    pub(crate) fn advance(&mut self) {
        self.count.advance();
        self.next = self.course.passes(self.count.level());
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    fn rate(v: f64) -> Rate {
        Rate::per_second(v)
    }

    fn secs(s: u64) -> Span {
        Span::from_secs(s)
    }

    fn all(mut comings: Comings) -> Vec<u64> {
        let mut out = Vec::new();
        while let Some(due) = comings.next().filter(|_| out.len() < 100_000) {
            out.push(due.as_micros());
            comings.advance();
        }
        out
    }

    fn even(segments: &[Segment]) -> Vec<u64> {
        all(Comings::even(Courses::of(segments, Arrivals::Uniform).even, 0, 1))
    }

    /// How many in each second.
    fn per_second(due: &[u64], seconds: usize) -> Vec<usize> {
        let mut out = vec![0; seconds];
        for us in due {
            out[usize::try_from(us / 1_000_000).unwrap()] += 1;
        }
        out
    }

    #[test]
    fn a_constant_rate_is_evenly_spaced_and_shared() {
        let of = |first| {
            let mut comings = Comings::even(Course::constant(rate(1000.0)), first, 2);
            let mut due = Vec::new();
            for _ in 0..3 {
                due.push(comings.next().unwrap().as_micros());
                comings.advance();
            }
            due
        };
        assert_eq!((of(0), of(1)), (vec![500, 2500, 4500], vec![1500, 3500, 5500]));
        assert_eq!(Comings::even(Course::constant(rate(0.0)), 0, 1).next(), None, "no rate, no arrival");
    }

    #[test]
    fn a_ramp_of_users_is_exactly_that_many_whatever_came_before() {
        for before in [0.0, 0.5, 1.0, 3.3, 7.77, 10.5] {
            let segments = [
                Segment::Rate { from: rate(before), to: rate(before), over: secs(1) },
                Segment::Nothing { over: secs(1) },
                Segment::Ramp { users: 40, over: secs(7) },
                Segment::Nothing { over: secs(1) },
                Segment::AtOnce { users: 3 },
                Segment::Nothing { over: secs(1) },
            ];
            let due = even(&segments);
            let within = |a: u64, b: u64| due.iter().filter(|us| (a * 1_000_000..b * 1_000_000).contains(*us)).count();
            assert_eq!(within(2, 9), 40, "after {before}");
            assert_eq!(due.iter().filter(|us| **us == 10_000_000).count(), 3, "after {before}");
            assert!(due.is_sorted());
        }
    }

    #[test]
    fn a_rate_that_rises_and_falls_has_the_arrivals_under_its_line() {
        let segments = [
            Segment::Rate { from: rate(0.0), to: rate(10.0), over: secs(10) },
            Segment::Rate { from: rate(10.0), to: rate(10.0), over: secs(2) },
            Segment::Rate { from: rate(10.0), to: rate(0.0), over: secs(5) },
        ];
        let due = even(&segments);
        // Arrival k comes where the curve passes k + 1/2: while it rises as t²/2, that is at the root of 2 k + 1, so 1, 3, 5 s are hit exactly.
        assert_eq!(per_second(&due, 17), [0, 2, 2, 4, 4, 6, 6, 8, 8, 10, 10, 10, 9, 7, 5, 3, 1]);
        assert_eq!(due.len(), 95);
    }

    #[test]
    fn workers_together_have_what_one_would_have() {
        let segments = [
            Segment::AtOnce { users: 5 },
            Segment::Rate { from: rate(3.0), to: rate(40.0), over: secs(9) },
            Segment::Ramp { users: 17, over: secs(4) },
        ];
        let course = Courses::of(&segments, Arrivals::Uniform).even;
        let mut dealt: Vec<u64> = (0..3).flat_map(|w| all(Comings::even(course.clone(), w, 3))).collect();
        dealt.sort_unstable();
        assert_eq!(dealt, even(&segments));
    }

    #[test]
    fn a_poisson_process_has_mean_and_variance_of_one() {
        let segment = Segment::Rate { from: rate(100.0), to: rate(100.0), over: secs(400) };
        let course = Courses::of(&[segment], Arrivals::Poisson);
        assert!(even(&[]).is_empty() && course.even.stretches.is_empty());
        let mut due: Vec<u64> = (0..2)
            .flat_map(|w| {
                let mut rng = ChaCha8Rng::seed_from_u64(11);
                rng.set_stream(w);
                all(Comings::random(course.random.clone(), 2, rng))
            })
            .collect();
        due.sort_unstable();
        let n = per_second(&due, 400);
        let mean = n.iter().sum::<usize>() as f64 / 400.0;
        let variance = n.iter().map(|c| (*c as f64 - mean).powi(2)).sum::<f64>() / 399.0;
        // 40,000 arrivals: the mean's standard error is 0.5, the variance's about 7.
        assert!((mean - 100.0).abs() < 1.5, "{mean}");
        assert!((variance - 100.0).abs() < 21.0, "{variance}");
        let gaps: Vec<f64> = due.windows(2).map(|w| (w[1] - w[0]) as f64 / 1e4).collect();
        let short = gaps.iter().filter(|g| **g < std::f64::consts::LN_2).count() as f64 / gaps.len() as f64;
        assert!((short - 0.5).abs() < 0.01, "half of exponential gaps are shorter than ln 2 of the mean: {short}");
    }

    #[test]
    fn a_random_ramp_follows_its_rate() {
        let segment = Segment::Rate { from: rate(0.0), to: rate(200.0), over: secs(100) };
        let course = Courses::of(&[segment], Arrivals::Poisson).random;
        let due = all(Comings::random(course, 1, ChaCha8Rng::seed_from_u64(2)));
        let first_half = due.iter().filter(|us| **us < 50_000_000).count() as f64;
        assert!((due.len() as f64 - 10_000.0).abs() < 300.0, "{}", due.len());
        assert!((first_half / due.len() as f64 - 0.25).abs() < 0.02, "{first_half}");
    }

    #[test]
    fn numbers_of_users_stay_exact_among_random_rates() {
        let segments = [Segment::Rate { from: rate(50.0), to: rate(50.0), over: secs(2) }, Segment::Ramp { users: 9, over: secs(3) }];
        let courses = Courses::of(&segments, Arrivals::Poisson);
        let exact = all(Comings::even(courses.even.clone(), 0, 1));
        assert_eq!(exact.len(), 9);
        assert!(exact.iter().all(|us| (2_000_000..5_000_000).contains(us)));
        let random = all(Comings::random(courses.random, 1, ChaCha8Rng::seed_from_u64(4)));
        assert!(random.iter().all(|us| *us < 2_000_000) && (70..130).contains(&random.len()), "{}", random.len());
    }
}
