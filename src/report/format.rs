//! Numbers for people: each with its unit, and as many digits as are worth reading. What is unknown is `?`, never 0.

use crate::model::units::Span;

/// What stands for a figure that is not known.
pub const UNKNOWN: &str = "?";

/// A length of time in three digits: `850 µs`, `41.2 ms`, `412 ms`, `1.31 s`, `131 s`.
#[must_use]
pub fn time(seconds: f64) -> String {
    if !seconds.is_finite() {
        return UNKNOWN.to_owned();
    }
    let (value, unit, most) = match seconds.abs() {
        0.0 => return "0 s".to_owned(),
        a if a < 0.000_999_5 => (seconds * 1e6, "µs", 0),
        a if a < 0.999_5 => (seconds * 1e3, "ms", 2),
        _ => (seconds, "s", 2),
    };
    let digits = three_digits(value).min(most);
    format!("{value:.digits$} {unit}")
}

/// As [`time`], or `?`.
#[must_use]
pub fn time_or(seconds: Option<f64>) -> String {
    seconds.map_or_else(|| UNKNOWN.to_owned(), time)
}

/// As [`time`], of a span, or `?`.
#[must_use]
pub fn span_or(span: Option<Span>) -> String {
    time_or(span.map(Span::as_secs_f64))
}

/// How many digits behind the point make three in all.
fn three_digits(value: f64) -> usize {
    match value.abs() {
        v if v < 9.995 => 2,
        v if v < 99.95 => 1,
        _ => 0,
    }
}

/// A length of time that is planned, not measured: `45 s`, `2 min 30 s`, `1 h 5 min`.
#[must_use]
pub fn duration(span: Span) -> String {
    let us = span.as_micros();
    if us < 60_000_000 {
        return short_duration(us);
    }
    let seconds = (us + 500_000) / 1_000_000;
    let (h, min, s) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let parts = [(h, "h"), (min, "min"), (if h > 0 { 0 } else { s }, "s")];
    parts.iter().filter(|(n, _)| *n > 0).map(|(n, unit)| format!("{n} {unit}")).collect::<Vec<_>>().join(" ")
}

fn short_duration(us: u64) -> String {
    let seconds = us as f64 / 1e6;
    if us >= 1_000_000 { format!("{} s", plain(seconds)) } else { time(seconds) }
}

/// A rate in three digits: `0.31/s`, `98.2/s`, `1,204/s`.
#[must_use]
pub fn rate(per_second: f64) -> String {
    format!("{}/s", level(per_second))
}

/// As [`rate`], or `?`.
#[must_use]
pub fn rate_or(per_second: Option<f64>) -> String {
    per_second.map_or_else(|| UNKNOWN.to_owned(), rate)
}

/// A mean level in three digits, whole from a hundred on, thousands apart: `0.31`, `12.4`, `121`, `1,204`.
#[must_use]
pub fn level(value: f64) -> String {
    if !value.is_finite() {
        return UNKNOWN.to_owned();
    }
    if value.abs() >= 999.5 {
        return parted(value);
    }
    let digits = three_digits(value);
    let text = format!("{value:.digits$}");
    let short = text.strip_suffix(".00").or_else(|| text.strip_suffix(".0"));
    short.unwrap_or(&text).to_owned()
}

/// As [`level`], or `?`.
#[must_use]
pub fn level_or(value: Option<f64>) -> String {
    value.map_or_else(|| UNKNOWN.to_owned(), level)
}

/// A count with thousands apart.
#[must_use]
pub fn count(n: u64) -> String {
    group(&n.to_string())
}

fn parted(value: f64) -> String {
    let text = group(&format!("{:.0}", value.abs()));
    if value < 0.0 { format!("-{text}") } else { text }
}

fn group(digits: &str) -> String {
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// A share in two digits: `0.15%`, `1.5%`, `12%`.
#[must_use]
pub fn share(fraction: f64) -> String {
    let percent = fraction * 100.0;
    match percent.abs() {
        p if !p.is_finite() => UNKNOWN.to_owned(),
        p if p < 0.005 => "0%".to_owned(),
        p if p < 0.995 => format!("{percent:.2}%"),
        p if p < 9.95 => format!("{percent:.1}%"),
        _ => format!("{percent:.0}%"),
    }
}

/// As [`share`], or `?`.
#[must_use]
pub fn share_or(fraction: Option<f64>) -> String {
    fraction.map_or_else(|| UNKNOWN.to_owned(), share)
}

/// A relative change with its sign: `+28%`, `-1.5%`.
#[must_use]
pub fn change(fraction: f64) -> String {
    let text = share(fraction);
    if fraction > 0.0 && text != "0%" && text != UNKNOWN { format!("+{text}") } else { text }
}

/// A change of time with its sign: `+3.20 ms`, `-9.10 ms`.
#[must_use]
pub fn time_change(seconds: f64) -> String {
    if seconds > 0.0 { format!("+{}", time(seconds)) } else { time(seconds) }
}

/// How many times as much: `1.12×`, `2.4×`.
#[must_use]
pub fn times(factor: f64) -> String {
    if !factor.is_finite() {
        return UNKNOWN.to_owned();
    }
    if factor < 1.995 { format!("{factor:.2}×") } else { format!("{factor:.1}×") }
}

/// A number as people write it: whole where it is whole, else up to three digits behind the point.
#[must_use]
pub fn plain(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_like_times() {
        let cases = [
            (0.412, "412 ms"),
            (1.31, "1.31 s"),
            (0.0412, "41.2 ms"),
            (0.000_85, "850 µs"),
            (13.1, "13.1 s"),
            (0.9996, "1.00 s"),
            (131.0, "131 s"),
            (0.0032, "3.20 ms"),
            (0.0, "0 s"),
        ];
        for (s, text) in cases {
            assert_eq!(time(s), text);
        }
        assert_eq!((time(f64::NAN).as_str(), time_or(None).as_str(), span_or(None).as_str()), ("?", "?", "?"));
        assert_eq!(time_change(-0.0091), "-9.10 ms");
        assert_eq!(time_change(0.0032), "+3.20 ms");
    }

    #[test]
    fn planned_lengths_read_like_plans() {
        let cases = [
            (20_000, "20 s"),
            (1500, "1.5 s"),
            (250, "250 ms"),
            (60_000, "1 min"),
            (150_000, "2 min 30 s"),
            (3_900_000, "1 h 5 min"),
            (59_600, "59.6 s"),
        ];
        for (ms, text) in cases {
            assert_eq!(duration(Span::from_millis(ms)), text);
        }
    }

    #[test]
    fn levels_and_rates_have_three_digits_and_parted_thousands() {
        assert_eq!((rate(98.24), rate(1204.4), rate(0.314)), ("98.2/s".into(), "1,204/s".into(), "0.31/s".into()));
        assert_eq!((level(150.0), level(30.0), level(12.345), level(0.0)), ("150".into(), "30".into(), "12.3".into(), "0".into()));
        assert_eq!((level(-1500.0), level(f64::INFINITY), level_or(None)), ("-1,500".into(), "?".into(), "?".into()));
        assert_eq!((count(999), count(1_234_567)), ("999".into(), "1,234,567".into()));
    }

    #[test]
    fn shares_have_two_digits_and_keep_small_ones_apart_from_none() {
        let cases = [(0.0015, "0.15%"), (0.015, "1.5%"), (0.1234, "12%"), (0.0, "0%"), (0.000_02, "0%"), (1.0, "100%")];
        for (fraction, text) in cases {
            assert_eq!(share(fraction), text);
        }
        assert_eq!((share(f64::NAN), share_or(None)), ("?".into(), "?".into()));
        assert_eq!((change(0.28), change(-0.015), change(0.0)), ("+28%".into(), "-1.5%".into(), "0%".into()));
        assert_eq!((times(1.12), times(2.42)), ("1.12×".into(), "2.4×".into()));
    }

    #[test]
    fn settings_are_whole_where_they_are() {
        assert_eq!((plain(150.0), plain(0.75), plain(-2.5), plain(0.0)), ("150".into(), "0.75".into(), "-2.5".into(), "0".into()));
    }
}
