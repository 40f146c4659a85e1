//! Numbers for people, each with its unit and as many digits as are worth reading. What is unknown is `?`, never 0.

use crate::model::units::{Elapsed, Span};

/// What stands for a figure that is not known.
pub const UNKNOWN: &str = "?";

/// A length of time in three digits: `850 µs`, `41.2 ms`, `412 ms`, `1.31 s`, `13.1 s`, `131 s`.
#[must_use]
pub fn time(seconds: f64) -> String {
    let (value, unit) = if !seconds.is_finite() {
        return UNKNOWN.to_owned();
    } else if seconds.abs() < 0.000_999_5 {
        (seconds * 1e6, "µs")
    } else if seconds.abs() < 0.999_5 {
        (seconds * 1e3, "ms")
    } else {
        (seconds, "s")
    };
    let digits = if unit == "µs" { 0 } else { three_digits(value) };
    format!("{value:.digits$} {unit}")
}

/// As [`time`], or `?`.
#[must_use]
pub fn time_or(seconds: Option<f64>) -> String {
    seconds.map_or_else(|| UNKNOWN.to_owned(), time)
}

/// How many digits behind the point make three in all.
const fn three_digits(value: f64) -> usize {
    match value.abs() {
        v if v < 9.995 => 2,
        v if v < 99.95 => 1,
        _ => 0,
    }
}

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

/// A share: `0.3%`, `12%`.
#[must_use]
pub fn share(fraction: f64) -> String {
    let percent = fraction * 100.0;
    if percent.abs() < 9.95 { format!("{percent:.1}%") } else { format!("{percent:.0}%") }
}

/// How many times as much: `2.4×`, `1.12×`.
#[must_use]
pub fn times(factor: f64) -> String {
    if factor < 1.995 { format!("{factor:.2}×") } else { format!("{factor:.1}×") }
}

/// A setting's value as people write it: whole where it is whole.
#[must_use]
pub fn setting(value: f64) -> String {
    if value.fract().abs() < 1e-9 { format!("{value:.0}") } else { format!("{value:.3}").trim_end_matches('0').to_owned() }
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
    fn times_read_like_times() {
        for (s, text) in
            [(0.412, "412 ms"), (1.31, "1.31 s"), (0.0412, "41.2 ms"), (0.000_85, "850 µs"), (13.1, "13.1 s"), (0.9996, "1.00 s"), (131.0, "131 s")]
        {
            assert_eq!(time(s), text);
        }
        assert_eq!(time(f64::NAN), "?");
        assert_eq!(time_or(None), "?");
    }

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
    fn shares_and_factors() {
        assert_eq!(share(0.003), "0.3%");
        assert_eq!(share(0.1234), "12%");
        assert_eq!(times(1.12), "1.12×");
        assert_eq!(times(2.42), "2.4×");
    }

    #[test]
    fn settings_are_whole_where_they_are() {
        assert_eq!(setting(150.0), "150");
        assert_eq!(setting(0.75), "0.75");
    }

    #[test]
    fn a_column_has_one_unit() {
        assert_eq!(column_unit(0.5), ("ms", 1e3, 0));
        assert_eq!(column_unit(0.05), ("ms", 1e3, 1));
        assert_eq!(column_unit(12.0), ("s", 1.0, 2));
    }
}
