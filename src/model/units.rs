//! Quantities with their units: points in a run, lengths of time, rates, shares. They parse and print themselves, so that no
//! bare number with a unit in somebody's head crosses a module's border.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Why a quantity could not be read. The text names what was expected; the caller adds where it stood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    /// A number without its unit.
    #[error("`{text}` has no unit: {hint}")]
    NoUnit {
        /// What was written.
        text: String,
        /// What to write instead.
        hint: String,
    },
    /// Not a quantity of this kind.
    #[error("`{text}` is not {what}: {hint}")]
    Malformed {
        /// What was written.
        text: String,
        /// What kind of quantity was expected.
        what: &'static str,
        /// What to write instead.
        hint: String,
    },
}

/// A point on a session's monotonic clock: microseconds since the session began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Elapsed(pub u64);

impl Elapsed {
    /// The beginning of the session.
    pub const ZERO: Self = Self(0);

    /// From seconds; negative and non-finite values become the beginning.
    #[must_use]
    pub fn from_secs_f64(seconds: f64) -> Self {
        Self(Span::from_secs_f64(seconds).as_micros())
    }

    /// Microseconds since the session began.
    #[must_use]
    pub const fn as_micros(self) -> u64 {
        self.0
    }

    /// Seconds since the session began.
    #[must_use]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// The length from `earlier` to here; zero if `earlier` is later.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }

    /// The point `span` later.
    #[must_use]
    pub const fn plus(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }

    /// The point `span` earlier, at the earliest the beginning.
    #[must_use]
    pub const fn minus(self, span: Span) -> Self {
        Self(self.0.saturating_sub(span.0))
    }

    /// Which interval of length `tick` this point lies in, counted from the beginning.
    #[must_use]
    pub const fn slot(self, tick: Span) -> u64 {
        match self.0.checked_div(tick.0) {
            Some(slot) => slot,
            None => 0,
        }
    }
}

impl fmt::Display for Elapsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0 / 1_000_000;
        let (h, m, s) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        if h > 0 { write!(f, "{h}:{m:02}:{s:02}") } else { write!(f, "{m:02}:{s:02}") }
    }
}

/// A length of time in whole microseconds, written with its unit: `250ms`, `5s`, `1.5m`, `2h`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span(u64);

const SPAN_HINT: &str = "write a time with its unit, as \"250ms\", \"5s\", \"10m\" or \"1h\"";

impl Span {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// From microseconds.
    #[must_use]
    pub const fn from_micros(us: u64) -> Self {
        Self(us)
    }

    /// From milliseconds.
    #[must_use]
    pub const fn from_millis(ms: u64) -> Self {
        Self(ms.saturating_mul(1000))
    }

    /// From seconds.
    #[must_use]
    pub const fn from_secs(s: u64) -> Self {
        Self(s.saturating_mul(1_000_000))
    }

    /// From seconds; negative and non-finite values become zero.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the range just before")]
    pub fn from_secs_f64(seconds: f64) -> Self {
        if seconds.is_finite() && seconds > 0.0 { Self((seconds * 1e6).round().min(9e18) as u64) } else { Self(0) }
    }

    /// Microseconds.
    #[must_use]
    pub const fn as_micros(self) -> u64 {
        self.0
    }

    /// Seconds.
    #[must_use]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// For the standard library and tokio.
    #[must_use]
    pub const fn duration(self) -> Duration {
        Duration::from_micros(self.0)
    }

    /// This length times `factor`.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Self::from_secs_f64(self.as_secs_f64() * factor)
    }

    /// The sum of two lengths.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// Whether it is no time at all.
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }
}

impl From<Duration> for Span {
    fn from(d: Duration) -> Self {
        Self(u64::try_from(d.as_micros()).unwrap_or(u64::MAX))
    }
}

impl FromStr for Span {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (number, unit) = split_unit(text, "a time", SPAN_HINT)?;
        let factor = match unit {
            "us" | "µs" => 1e-6,
            "ms" => 1e-3,
            "s" => 1.0,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            "d" => 86_400.0,
            "" => return Err(UnitError::NoUnit { text: text.to_owned(), hint: SPAN_HINT.to_owned() }),
            _ => return Err(UnitError::Malformed { text: text.to_owned(), what: "a time", hint: SPAN_HINT.to_owned() }),
        };
        Ok(Self::from_secs_f64(number * factor))
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let us = self.0;
        let (value, unit) = match us {
            0 => return f.write_str("0s"),
            _ if us < 1000 => (us as f64, "us"),
            _ if us < 1_000_000 => (us as f64 / 1e3, "ms"),
            _ if us.is_multiple_of(3_600_000_000) => (us as f64 / 3.6e9, "h"),
            _ if us.is_multiple_of(60_000_000) => (us as f64 / 6e7, "m"),
            _ => (us as f64 / 1e6, "s"),
        };
        write!(f, "{value}{unit}")
    }
}

/// Arrivals, requests or anything else per second, written `80/s`, `4800/m`.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Rate(f64);

const RATE_HINT: &str = "write a rate with its unit, as \"80/s\" or \"4800/m\"";

impl Rate {
    /// From a number a second; negative and non-finite values become none at all.
    #[must_use]
    pub fn per_second(value: f64) -> Self {
        Self(if value.is_finite() && value > 0.0 { value } else { 0.0 })
    }

    /// How many a second.
    #[must_use]
    pub const fn as_per_second(self) -> f64 {
        self.0
    }

    /// This rate times `factor`.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Self::per_second(self.0 * factor)
    }
}

impl FromStr for Rate {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (number, unit) = split_unit(text, "a rate", RATE_HINT)?;
        let per = match unit {
            "/s" => 1.0,
            "/m" | "/min" => 60.0,
            "/h" => 3600.0,
            "" => return Err(UnitError::NoUnit { text: text.to_owned(), hint: RATE_HINT.to_owned() }),
            _ => return Err(UnitError::Malformed { text: text.to_owned(), what: "a rate", hint: RATE_HINT.to_owned() }),
        };
        Ok(Self::per_second(number / per))
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/s", self.0)
    }
}

/// A share between 0 and 1, written `1%` or `0.01`.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Share(f64);

const SHARE_HINT: &str = "write a share as \"1%\" or a number between 0 and 1";

impl Share {
    /// From a fraction; values outside 0 to 1 are clamped.
    #[must_use]
    pub fn new(fraction: f64) -> Self {
        Self(if fraction.is_finite() { fraction.clamp(0.0, 1.0) } else { 0.0 })
    }

    /// As a fraction of one.
    #[must_use]
    pub const fn fraction(self) -> f64 {
        self.0
    }
}

impl FromStr for Share {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (number, unit) = split_unit(text, "a share", SHARE_HINT)?;
        let fraction = match unit {
            "%" => number / 100.0,
            "" => number,
            _ => f64::NAN,
        };
        if (0.0..=1.0).contains(&fraction) {
            Ok(Self(fraction))
        } else {
            Err(UnitError::Malformed { text: text.to_owned(), what: "a share", hint: SHARE_HINT.to_owned() })
        }
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", self.0 * 100.0)
    }
}

/// Splits `80/s` into 80 and `/s`. Numbers are plain decimals, never negative.
fn split_unit<'a>(text: &'a str, what: &'static str, hint: &str) -> Result<(f64, &'a str), UnitError> {
    let trimmed = text.trim();
    let end = trimmed.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_')).unwrap_or(trimmed.len());
    let malformed = || UnitError::Malformed { text: text.to_owned(), what, hint: hint.to_owned() };
    let number: f64 = trimmed[..end].replace('_', "").parse().ok().ok_or_else(malformed)?;
    if number.is_finite() { Ok((number, trimmed[end..].trim_start())) } else { Err(malformed()) }
}

/// Serialises through `Display` and reads through `FromStr`: the written form is the stored form.
macro_rules! as_text {
    ($($kind:ty),*) => {$(
        impl Serialize for $kind {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.collect_str(self)
            }
        }
        impl<'de> Deserialize<'de> for $kind {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<'de, str>::deserialize(from)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    )*};
}

as_text!(Span, Rate, Share);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_read_and_print() {
        for (text, us) in [("250ms", 250_000), ("5s", 5_000_000), ("1.5s", 1_500_000), ("10m", 600_000_000), ("2h", 7_200_000_000), ("40us", 40)] {
            let span: Span = text.parse().unwrap();
            assert_eq!(span.as_micros(), us, "{text}");
            assert_eq!(span.to_string().parse::<Span>().unwrap(), span, "{text} comes back");
        }
    }

    #[test]
    fn a_bare_number_is_an_error_that_names_the_mend() {
        let error = "5".parse::<Span>().unwrap_err();
        assert!(matches!(error, UnitError::NoUnit { .. }));
        assert!(error.to_string().contains("\"5s\""), "{error}");
        assert!("80".parse::<Rate>().unwrap_err().to_string().contains("80/s"));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "s", "-5s", "5 parsecs", "1e9s", "NaN s", "..s"] {
            assert!(text.parse::<Span>().is_err(), "{text}");
        }
        assert!("80/week".parse::<Rate>().is_err());
        assert!("150%".parse::<Share>().is_err());
    }

    #[test]
    fn rates_and_shares_read() {
        assert!((("4800/m".parse::<Rate>().unwrap()).as_per_second() - 80.0).abs() < 1e-9);
        assert!((("1%".parse::<Share>().unwrap()).fraction() - 0.01).abs() < 1e-12);
    }

    #[test]
    fn slots_count_from_the_beginning() {
        let tick = Span::from_millis(250);
        assert_eq!(Elapsed(249_999).slot(tick), 0);
        assert_eq!(Elapsed(250_000).slot(tick), 1);
        assert_eq!(Elapsed(1).slot(Span::ZERO), 0);
    }

    #[test]
    fn stored_form_is_the_written_form() {
        let json = serde_json::to_string(&Span::from_millis(1500)).unwrap();
        assert_eq!(json, "\"1.5s\"");
        assert_eq!(serde_json::from_str::<Span>(&json).unwrap(), Span::from_millis(1500));
    }
}
