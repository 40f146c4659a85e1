//! From figures to places: a linear or logarithmic scale with round marks.

/// A scale between two figures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scale {
    from: f64,
    to: f64,
    log: bool,
}

impl Scale {
    /// Linear. An empty or broken range becomes one that can be drawn.
    #[must_use]
    pub(crate) fn linear(from: f64, to: f64) -> Self {
        let from = if from.is_finite() { from } else { 0.0 };
        let to = if to.is_finite() && to > from { to } else { from + 1.0 };
        Self { from, to, log: false }
    }

    /// Logarithmic; what is not above 0 has no place on it.
    #[must_use]
    pub(crate) fn log(from: f64, to: f64) -> Self {
        let from = if from.is_finite() && from > 0.0 { from } else { 1e-3 };
        let to = if to.is_finite() && to > from { to } else { from * 10.0 };
        Self { from, to, log: true }
    }

    /// Linear from 0 to a little above the largest figure, a round number.
    #[must_use]
    pub(crate) fn up_to(largest: f64) -> Self {
        let largest = if largest.is_finite() && largest > 0.0 { largest } else { 1.0 };
        let step = nice_step(largest / 5.0);
        Self::linear(0.0, (largest / step - 1e-9).ceil() * step)
    }

    /// Logarithmic around all figures, from and to a round number.
    #[must_use]
    pub(crate) fn around(smallest: f64, largest: f64) -> Self {
        let ok = |v: f64| v.is_finite() && v > 0.0;
        if !ok(smallest) || !ok(largest) {
            return Self::log(0.001, 1.0);
        }
        let low = round_below(smallest * 0.95);
        let high = round_below(largest * 1.05);
        Self::log(low, if high >= largest * 1.02 { high } else { next_round(high) })
    }

    /// Where it begins.
    #[must_use]
    pub(crate) const fn from(&self) -> f64 {
        self.from
    }

    /// Where it ends.
    #[must_use]
    pub(crate) const fn to(&self) -> f64 {
        self.to
    }

    /// The place of a figure: 0 at the beginning, 1 at the end; outside that it has none.
    #[must_use]
    pub(crate) fn place(&self, value: f64) -> Option<f64> {
        let at = self.place_anywhere(value)?;
        (-1e-9..=1.0 + 1e-9).contains(&at).then(|| at.clamp(0.0, 1.0))
    }

    /// As [`Scale::place`], with what lies outside at the nearer end.
    #[must_use]
    pub(crate) fn place_clamped(&self, value: f64) -> Option<f64> {
        self.place_anywhere(value).map(|at| at.clamp(0.0, 1.0))
    }

    fn place_anywhere(&self, value: f64) -> Option<f64> {
        if !value.is_finite() || (self.log && value <= 0.0) {
            return None;
        }
        Some(if self.log { (value / self.from).ln() / (self.to / self.from).ln() } else { (value - self.from) / (self.to - self.from) })
    }

    /// Round figures on it, at most about `most`, ascending.
    #[must_use]
    pub(crate) fn marks(&self, most: usize) -> Vec<f64> {
        let most = most.max(2);
        if self.log { self.log_marks(most) } else { self.linear_marks(most) }
    }

    fn linear_marks(&self, most: usize) -> Vec<f64> {
        let step = nice_step((self.to - self.from) / most as f64);
        let first = (self.from / step - 1e-9).ceil();
        (0..=most + 1).map(|i| (first + i as f64) * step).take_while(|v| *v <= self.to + step * 1e-6).collect()
    }

    fn log_marks(&self, most: usize) -> Vec<f64> {
        let mut all = Vec::new();
        let mut mark = round_below(self.from);
        while mark <= self.to * 1.000_001 && all.len() < 64 {
            if mark >= self.from * 0.999_999 {
                all.push(mark);
            }
            mark = next_round(mark);
        }
        if all.len() > most {
            let tens: Vec<f64> = all.iter().copied().filter(|v| is_power_of_ten(*v)).collect();
            if tens.len() >= 2 {
                all = tens;
            }
        }
        let every = all.len().div_ceil(most).max(1);
        all.into_iter().step_by(every).collect()
    }
}

/// The smallest of 1, 2, 5 times a power of ten that is not below `rough`.
#[must_use]
pub(crate) fn nice_step(rough: f64) -> f64 {
    if !rough.is_finite() || rough <= 0.0 {
        return 1.0;
    }
    let ten = 10_f64.powf(rough.log10().floor());
    [1.0, 2.0, 5.0].into_iter().map(|m| m * ten).find(|s| *s >= rough * 0.999_999).unwrap_or(10.0 * ten)
}

/// The largest of 1, 2, 5 times a power of ten that is not above `value`.
fn round_below(value: f64) -> f64 {
    let ten = 10_f64.powf(value.log10().floor());
    [5.0, 2.0].into_iter().map(|m| m * ten).find(|s| *s <= value * 1.000_001).unwrap_or(ten)
}

fn next_round(mark: f64) -> f64 {
    let lead = mark / 10_f64.powf((mark.log10() + 1e-9).floor());
    if (1.5..=3.0).contains(&lead) { mark * 2.5 } else { mark * 2.0 }
}

fn is_power_of_ten(value: f64) -> bool {
    (value.log10() - value.log10().round()).abs() < 1e-6
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: &[f64], b: &[f64]) {
        assert!(a.len() == b.len() && a.iter().zip(b).all(|(x, y)| (x - y).abs() < 1e-9), "{a:?} is not {b:?}");
    }

    #[test]
    fn marks_are_round() {
        close(&Scale::linear(0.0, 100.0).marks(5), &[0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        close(&Scale::linear(3.0, 9.0).marks(3), &[4.0, 6.0, 8.0]);
        close(&Scale::log(0.01, 1.0).marks(9), &[0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0]);
        close(&Scale::log(0.01, 1.0).marks(4), &[0.01, 0.1, 1.0]);
    }

    #[test]
    fn a_scale_reaches_over_its_figures() {
        assert!((Scale::up_to(98.2).to() - 150.0).abs() < 60.0 && Scale::up_to(98.2).to() >= 98.2);
        let around = Scale::around(0.03, 1.3);
        assert!(around.from() <= 0.03 && around.to() >= 1.3 && around.to() <= 2.0, "{around:?}");
    }

    #[test]
    fn places_run_from_0_to_1_and_no_further() {
        let s = Scale::log(0.01, 1.0);
        assert!((s.place(0.1).unwrap() - 0.5).abs() < 1e-9);
        assert_eq!((s.place(0.0), s.place(2.0), s.place(f64::NAN)), (None, None, None));
        assert_eq!(s.place_clamped(2.0), Some(1.0));
    }

    #[test]
    fn broken_ranges_can_still_be_drawn() {
        for s in
            [Scale::linear(f64::NAN, 1.0), Scale::linear(5.0, 5.0), Scale::log(-1.0, f64::INFINITY), Scale::up_to(f64::NAN), Scale::around(0.0, 0.0)]
        {
            assert!(s.to() > s.from() && !s.marks(4).is_empty() && s.marks(4).len() < 70, "{s:?}");
        }
    }
}
