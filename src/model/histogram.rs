//! Durations counted in logarithmic buckets: three significant digits from 1 µs to 10 min, kept sparse.
//!
//! The buckets are those of HdrHistogram (2048 sub-buckets), so the compressed V2 form any HdrHistogram reader knows comes out
//! without loss. A dense one takes 168 KiB; one second of one request name fills a few dozen buckets, so only those are kept.
//! The exact sum and maximum travel beside the counts: a mean is never read off bucket edges.

mod v2;

use base64::Engine as _;
use serde::{Deserialize, Serialize};

use super::units::Span;

const HALF_MAGNITUDE: u32 = 10;
const HALF: u64 = 1 << HALF_MAGNITUDE;
/// Longest duration that is told apart: ten minutes. Longer ones count as this long in the buckets (the sum keeps them exact).
pub const LONGEST_US: u64 = 600_000_000;

/// Why stored bytes are no histogram.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HistogramError {
    /// The text around the bytes is broken.
    #[error("a stored histogram is not base64: {0}")]
    Text(String),
    /// The bytes themselves.
    #[error("a stored histogram is not HdrHistogram V2 compressed: {0}")]
    Bytes(String),
}

/// A sparse histogram of durations with its exact sum and maximum.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Histogram {
    /// Sorted by bucket index; counts are never zero.
    buckets: Vec<(u32, u64)>,
    total: u64,
    sum_us: u64,
    max_us: u64,
}

impl Histogram {
    /// Counts one duration.
    pub fn record(&mut self, span: Span) {
        self.record_n(span.as_micros(), 1);
    }

    /// Counts a duration of `us` microseconds `n` times.
    pub fn record_n(&mut self, us: u64, n: u64) {
        if n == 0 {
            return;
        }
        self.add_bucket(index_of(us.min(LONGEST_US)), n);
        self.total = self.total.saturating_add(n);
        self.sum_us = self.sum_us.saturating_add(us.saturating_mul(n));
        self.max_us = self.max_us.max(us);
    }

    fn add_bucket(&mut self, index: u32, n: u64) {
        match self.buckets.binary_search_by_key(&index, |b| b.0) {
            Ok(at) => {
                if let Some(bucket) = self.buckets.get_mut(at) {
                    bucket.1 = bucket.1.saturating_add(n);
                }
            }
            Err(at) => self.buckets.insert(at, (index, n)),
        }
    }

    /// All of these in one.
    #[must_use]
    pub fn merged<'a>(parts: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut all = Self::default();
        for part in parts {
            all.merge(part);
        }
        all
    }

    /// Adds everything `other` counted.
    pub fn merge(&mut self, other: &Self) {
        if self.buckets.is_empty() {
            self.buckets.clone_from(&other.buckets);
        } else {
            for &(index, n) in &other.buckets {
                self.add_bucket(index, n);
            }
        }
        self.total = self.total.saturating_add(other.total);
        self.sum_us = self.sum_us.saturating_add(other.sum_us);
        self.max_us = self.max_us.max(other.max_us);
    }

    /// How many durations were counted.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.total
    }

    /// Whether nothing was counted.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// The exact sum.
    #[must_use]
    pub const fn sum(&self) -> Span {
        Span::from_micros(self.sum_us)
    }

    /// The exact maximum, if anything was counted.
    #[must_use]
    pub fn max(&self) -> Option<Span> {
        (self.total > 0).then(|| Span::from_micros(self.max_us))
    }

    /// The exact mean in seconds, if anything was counted.
    #[must_use]
    pub fn mean_s(&self) -> Option<f64> {
        (self.total > 0).then(|| self.sum_us as f64 / 1e6 / self.total as f64)
    }

    /// The duration that a share `q` (0 to 1) of all stayed at or below; the upper edge of its bucket, never above the maximum.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a count lies between 0 and the count")]
    pub fn quantile(&self, q: f64) -> Option<Span> {
        if self.total == 0 || q.is_nan() {
            return None;
        }
        let rank = ((q.clamp(0.0, 1.0) * self.total as f64).ceil() as u64).max(1);
        let mut seen = 0;
        for &(index, n) in &self.buckets {
            seen = u64::saturating_add(seen, n);
            if seen >= rank {
                return Some(Span::from_micros(highest(index).min(self.max_us)));
            }
        }
        self.max()
    }

    /// How many were at or below `span` (to the resolution of the buckets).
    #[must_use]
    pub fn count_up_to(&self, span: Span) -> u64 {
        let last = index_of(span.as_micros().min(LONGEST_US));
        self.buckets.iter().take_while(|b| b.0 <= last).fold(0, |all, b| all.saturating_add(b.1))
    }

    /// The filled buckets as (lowest, highest, count), in microseconds, ascending.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        self.buckets.iter().map(|&(index, n)| (lowest(index), highest(index), n))
    }

    /// HdrHistogram V2, compressed: what a recording and the interchange file hold.
    #[must_use]
    pub fn to_v2(&self) -> Vec<u8> {
        v2::encode(&self.buckets)
    }

    /// Reads the compressed V2 form. `sum_us` and `max_us` are what was stored beside it; without them they come from the buckets.
    pub fn from_v2(bytes: &[u8], sum_us: Option<u64>, max_us: Option<u64>) -> Result<Self, HistogramError> {
        let buckets = v2::decode(bytes)?;
        let (sum, max) = v2::edges(&buckets);
        let total = buckets.iter().fold(0_u64, |all, b| all.saturating_add(b.1));
        Ok(Self { buckets, total, sum_us: sum_us.unwrap_or(sum), max_us: max_us.unwrap_or(max) })
    }

    /// The compressed V2 form as base64 text, as the interchange file holds it.
    #[must_use]
    pub fn to_base64(&self) -> String {
        base64::engine::general_purpose::STANDARD.encode(self.to_v2())
    }

    /// Reads [`Histogram::to_base64`].
    pub fn from_base64(text: &str) -> Result<Self, HistogramError> {
        let bytes = base64::engine::general_purpose::STANDARD.decode(text.trim()).map_err(|e| HistogramError::Text(e.to_string()))?;
        Self::from_v2(&bytes, None, None)
    }
}

/// Counts many durations fast: one cell for every bucket, of which only those touched are read when a [`Histogram`] is taken out.
///
/// For the one place that counts every request of a load; a cell for each microsecond up to two milliseconds makes it too large
/// (up to 86 KiB) to be kept for every name and second.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    cells: Vec<u32>,
    touched: Vec<u32>,
    total: u64,
    sum_us: u64,
    max_us: u64,
}

impl Tally {
    /// Counts one duration.
    pub fn record(&mut self, span: Span) {
        let us = span.as_micros();
        let index = index_of(us.min(LONGEST_US));
        let at = index as usize;
        if at >= self.cells.len() {
            self.cells.resize((at + 1).next_power_of_two(), 0);
        }
        if let Some(cell) = self.cells.get_mut(at) {
            if *cell == 0 {
                self.touched.push(index);
            }
            *cell = cell.saturating_add(1);
        }
        self.total += 1;
        self.sum_us = self.sum_us.saturating_add(us);
        self.max_us = self.max_us.max(us);
    }

    /// Whether nothing was counted since the last histogram was taken out.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// Takes out what was counted; the tally is empty afterwards and keeps its room.
    #[must_use]
    pub fn take(&mut self) -> Histogram {
        self.touched.sort_unstable();
        let (cells, touched) = (&mut self.cells, &mut self.touched);
        let buckets = touched.drain(..).filter_map(|index| Some((index, u64::from(std::mem::take(cells.get_mut(index as usize)?)))));
        let out = Histogram { buckets: buckets.collect(), total: self.total, sum_us: self.sum_us, max_us: self.max_us };
        (self.total, self.sum_us, self.max_us) = (0, 0, 0);
        out
    }
}

/// The stored form: counts as V2 text, sum and maximum exact beside it.
#[derive(Serialize, Deserialize)]
struct Stored {
    hdr: String,
    sum_us: u64,
    max_us: u64,
}

impl Serialize for Histogram {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Stored { hdr: self.to_base64(), sum_us: self.sum_us, max_us: self.max_us }.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Histogram {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let stored = Stored::deserialize(from)?;
        let mut out = Self::from_base64(&stored.hdr).map_err(serde::de::Error::custom)?;
        out.sum_us = stored.sum_us;
        out.max_us = stored.max_us;
        Ok(out)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "indices of values up to ten minutes stay below 22,000")]
const fn index_of(us: u64) -> u32 {
    if us < 2 * HALF {
        return us as u32;
    }
    let shift = us.ilog2() - HALF_MAGNITUDE;
    (shift + 1) * HALF as u32 + ((us >> shift) - HALF) as u32
}

const fn shift_of(index: u32) -> u32 {
    let half = 1 << HALF_MAGNITUDE;
    if index < 2 * half { 0 } else { index / half - 1 }
}

const fn lowest(index: u32) -> u64 {
    let half = 1 << HALF_MAGNITUDE;
    if index < 2 * half { index as u64 } else { (HALF + (index % half) as u64) << shift_of(index) }
}

const fn highest(index: u32) -> u64 {
    lowest(index) + (1 << shift_of(index)) - 1
}

#[cfg(test)]
mod tests {
    use hdrhistogram::serialization::Deserializer;
    use proptest::prelude::*;

    use super::*;

    fn of(values: &[u64]) -> Histogram {
        let mut h = Histogram::default();
        for &v in values {
            h.record_n(v, 1);
        }
        h
    }

    #[test]
    fn every_value_lies_in_its_own_bucket_within_a_thousandth() {
        for v in [0, 1, 2047, 2048, 2049, 4095, 4096, 123_456, 59_999_999, LONGEST_US] {
            let index = index_of(v);
            assert!(lowest(index) <= v && v <= highest(index), "{v} in {}..{}", lowest(index), highest(index));
            assert!((highest(index) - lowest(index)) as f64 <= v as f64 / 1000.0 + 0.5, "{v}");
        }
    }

    #[test]
    fn nothing_counted_has_no_figures() {
        let h = Histogram::default();
        assert_eq!((h.quantile(0.5), h.mean_s(), h.max()), (None, None, None));
    }

    #[test]
    fn mean_and_maximum_are_exact() {
        let h = of(&[1_000_001, 2_000_003, 999_999_999]);
        assert_eq!(h.max(), Some(Span::from_micros(999_999_999)));
        assert!((h.mean_s().unwrap() - 1_003.000_003 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn quantiles_are_nearest_rank() {
        let h = of(&(1..=100).map(|v| v * 10).collect::<Vec<_>>());
        assert_eq!(h.quantile(0.5), Some(Span::from_micros(500)));
        assert_eq!(h.quantile(0.95), Some(Span::from_micros(950)));
        assert_eq!(h.quantile(1.0), Some(Span::from_micros(1000)));
        assert_eq!(h.quantile(f64::NAN), None);
    }

    #[test]
    fn other_readers_see_the_same_buckets() {
        let h = of(&[5, 5, 3000, 70_000, 45_000_000]);
        let dense: hdrhistogram::Histogram<u64> = Deserializer::new().deserialize(&mut std::io::Cursor::new(h.to_v2())).unwrap();
        assert_eq!(dense.len(), 5);
        assert_eq!(dense.value_at_quantile(0.6), h.quantile(0.6).unwrap().as_micros());
    }

    #[test]
    fn broken_bytes_are_an_error() {
        assert!(Histogram::from_base64("not base64!").is_err());
        assert!(Histogram::from_v2(b"garbage that is no histogram at all", None, None).is_err());
        assert!(Histogram::from_v2(&[], None, None).is_err());
    }

    proptest! {
        #[test]
        fn merged_parts_equal_the_whole(a in prop::collection::vec(0_u64..700_000_000, 0..60), b in prop::collection::vec(0_u64..700_000_000, 0..60)) {
            let mut merged = of(&a);
            merged.merge(&of(&b));
            let whole: Vec<u64> = a.iter().chain(&b).copied().collect();
            prop_assert_eq!(merged, of(&whole));
        }

        #[test]
        fn a_tally_counts_as_a_histogram_does(a in prop::collection::vec(0_u64..700_000_000, 0..60), b in prop::collection::vec(0_u64..5000, 0..60)) {
            let mut tally = Tally::default();
            for values in [&a, &b] {
                prop_assert!(tally.is_empty());
                for v in values {
                    tally.record(Span::from_micros(*v));
                }
                prop_assert_eq!(tally.take(), of(values));
            }
        }

        #[test]
        fn the_stored_form_comes_back_equal(a in prop::collection::vec(0_u64..700_000_000, 0..60)) {
            let h = of(&a);
            let json = serde_json::to_string(&h).unwrap();
            prop_assert_eq!(serde_json::from_str::<Histogram>(&json).unwrap(), h);
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = Histogram::from_v2(&bytes, None, None);
        }
    }
}
