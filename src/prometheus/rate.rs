//! Counter arithmetic: what a counter did between two readings, and the honest answer when it restarted between them.
//! Pure sums on numbers handed in; it may import `model/units` only.

/// A counter's value at a moment, both as plain numbers of the source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CounterReading {
    /// Seconds since the start of the session.
    pub at_s: f64,
    /// The counter's value.
    pub value: f64,
}

/// How much a counter grew. `None` when it went backwards (the process restarted, and what it counted before the
/// restart is lost) or when either value is no number.
#[must_use]
pub fn increase(earlier: f64, later: f64) -> Option<f64> {
    let grown = later - earlier;
    (grown.is_finite() && grown >= 0.0).then_some(grown)
}

/// A counter's growth per second. `None` on a restart and where no time passed.
#[must_use]
pub fn rate_per_second(earlier: CounterReading, later: CounterReading) -> Option<f64> {
    let passed = later.at_s - earlier.at_s;
    if !(passed.is_finite() && passed > 0.0) {
        return None;
    }
    increase(earlier.value, later.value).map(|grown| grown / passed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(at_s: f64, value: f64) -> CounterReading {
        CounterReading { at_s, value }
    }

    #[test]
    fn growth_over_time_is_the_rate() {
        assert_eq!(rate_per_second(reading(1.0, 100.0), reading(3.0, 150.0)), Some(25.0));
        assert_eq!(rate_per_second(reading(1.0, 100.0), reading(2.0, 100.0)), Some(0.0));
    }

    #[test]
    fn a_restart_is_unknown_not_negative() {
        assert_eq!(increase(100.0, 7.0), None);
        assert_eq!(rate_per_second(reading(1.0, 100.0), reading(2.0, 7.0)), None);
    }

    #[test]
    fn no_time_passed_is_unknown() {
        assert_eq!(rate_per_second(reading(2.0, 1.0), reading(2.0, 5.0)), None);
        assert_eq!(rate_per_second(reading(2.0, 1.0), reading(1.0, 5.0)), None);
        assert_eq!(rate_per_second(reading(f64::NAN, 1.0), reading(1.0, 5.0)), None);
    }

    #[test]
    fn numbers_that_are_none_give_none() {
        assert_eq!(increase(f64::NAN, 1.0), None);
        assert_eq!(increase(1.0, f64::INFINITY), None);
        assert_eq!(increase(f64::INFINITY, f64::INFINITY), None);
    }
}
