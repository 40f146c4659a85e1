//! Numbers on screens: those of the reports, and where figures change under the reader's eyes, ones whose digits stand still.

use crate::model::units::{Elapsed, Span};
pub use crate::report::format::{UNKNOWN, plain as setting, share, time, time_or, times};

/// A rate: `0.31/s`, `9.8/s`, `98.2/s`, `1,204/s`.
#[must_use]
pub fn rate(per_second: f64) -> String {
    format!("{}/s", decimal(per_second, 1))
}

/// As [`rate`], or `?`.
#[must_use]
pub fn rate_or(per_second: Option<f64>) -> String {
    per_second.map_or_else(|| UNKNOWN.to_owned(), rate)
}

/// A number with thousands apart; digits behind the point only below 1000.
#[must_use]
pub fn decimal(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return UNKNOWN.to_owned();
    }
    if value.abs() < 999.95 {
        return format!("{value:.digits$}");
    }
    let whole = format!("{:.0}", value.abs());
    let mut out = String::new();
    for (i, c) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(c);
    }
    if value < 0.0 { format!("-{out}") } else { out }
}

/// A whole number with thousands apart.
#[must_use]
pub fn count(value: f64) -> String {
    decimal(value.round(), 0)
}

/// As [`count`], or `?`.
#[must_use]
pub fn count_or(value: Option<f64>) -> String {
    value.map_or_else(|| UNKNOWN.to_owned(), count)
}

/// A length of time on a clock: `00:41`, `1:02:03`.
#[must_use]
pub fn clock(span: Span) -> String {
    Elapsed(span.as_micros()).to_string()
}

/// The unit that suits a column of times, with the factor from seconds and the digits behind the point.
#[must_use]
pub fn column_unit(largest_s: f64) -> (&'static str, f64, usize) {
    match largest_s {
        s if s < 0.000_999_5 => ("µs", 1e6, 0),
        s if s < 0.009_995 => ("ms", 1e3, 2),
        s if s < 0.099_95 => ("ms", 1e3, 1),
        s if s < 9.995 => ("ms", 1e3, 0),
        _ => ("s", 1.0, 2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_are_parted() {
        assert_eq!(rate(98.24), "98.2/s");
        assert_eq!(rate(1204.4), "1,204/s");
        assert_eq!(count(1_234_567.0), "1,234,567");
        assert_eq!(count(999.6), "1,000");
        assert_eq!(count_or(None), "?");
        assert_eq!(decimal(-1500.0, 1), "-1,500");
    }

    #[test]
    fn a_column_has_one_unit() {
        assert_eq!(column_unit(0.5), ("ms", 1e3, 0));
        assert_eq!(column_unit(0.05), ("ms", 1e3, 1));
        assert_eq!(column_unit(12.0), ("s", 1.0, 2));
    }
}
