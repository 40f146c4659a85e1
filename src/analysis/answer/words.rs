//! Numbers as people read them, always with their unit.

/// Seconds as `9.1 ms` or `1.93 s`.
pub(super) fn seconds(s: f64) -> String {
    let a = s.abs();
    if a >= 100.0 {
        format!("{s:.0} s")
    } else if a >= 1.0 {
        format!("{s:.2} s")
    } else if a >= 0.01 {
        format!("{:.0} ms", s * 1e3)
    } else if a >= 0.001 {
        format!("{:.1} ms", s * 1e3)
    } else {
        format!("{:.2} ms", s * 1e3)
    }
}

/// A fraction as `0.8%` or `31%`.
pub(super) fn percent(fraction: f64) -> String {
    let p = 100.0 * fraction;
    if p.abs() >= 10.0 { format!("{p:.0}%") } else { format!("{p:.1}%") }
}

/// A rate or level with three digits.
pub(super) fn figure(x: f64) -> String {
    let a = x.abs();
    if a >= 100.0 || (x - x.round()).abs() < 1e-9 {
        format!("{x:.0}")
    } else if a >= 10.0 {
        format!("{x:.1}")
    } else {
        format!("{x:.2}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_carry_units_and_no_false_digits() {
        assert_eq!(
            (seconds(0.0091), seconds(1.934), seconds(0.412), seconds(0.0002)),
            ("9.1 ms".into(), "1.93 s".into(), "412 ms".into(), "0.20 ms".into())
        );
        assert_eq!((percent(0.008), percent(0.31)), ("0.8%".into(), "31%".into()));
        assert_eq!((figure(97.94), figure(150.0), figure(3.2)), ("97.9".into(), "150".into(), "3.20".into()));
    }
}
