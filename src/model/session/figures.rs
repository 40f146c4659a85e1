//! Figures of one interval of intended starts: counts at once, percentiles as long as late answers may still come, a heat-map row.

use crate::model::event::TickRow;
use crate::model::histogram::Histogram;
use crate::model::units::{Elapsed, Span};

/// Upper edges of the heat map's rows, in microseconds: 24 rows, two to three an octave from 250 µs to a minute.
pub const HEAT_EDGES_US: [u64; 24] = [
    250, 500, 1_000, 1_700, 3_000, 5_000, 8_000, 12_000, 18_000, 27_000, 40_000, 60_000, 90_000, 140_000, 210_000, 320_000, 500_000, 800_000,
    1_300_000, 2_200_000, 4_000_000, 8_000_000, 20_000_000, 60_000_000,
];

/// Which row of the heat map a latency falls into; the last takes all longer ones.
#[must_use]
pub fn heat_row(us: u64) -> usize {
    HEAT_EDGES_US.partition_point(|edge| *edge < us).min(HEAT_EDGES_US.len() - 1)
}

/// What is known of the requests whose intended start lay in one interval.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SlotFigures {
    /// Successes.
    pub ok: u64,
    /// Failures.
    pub failed: u64,
    /// Sent once more because the server had closed the kept connection.
    pub stale: u64,
    /// Sum of the latencies of the successes.
    pub ok_sum: Span,
    /// Sum of the latencies of the failures.
    pub failed_sum: Span,
    /// Longest success.
    pub max: Option<Span>,
    /// Percentiles of the successes: 50, 90, 95, 99.
    pub percentiles: Option<[Span; 4]>,
    /// Successes by row of the heat map.
    pub heat: [u32; HEAT_EDGES_US.len()],
    /// The distribution, until the interval is closed.
    open: Histogram,
    closed: bool,
}

impl SlotFigures {
    /// Adds what one tick reported. Returns whether the percentiles could take it in.
    pub(super) fn add(&mut self, row: &TickRow) -> bool {
        self.ok = self.ok.saturating_add(row.latency.count());
        self.failed = self.failed.saturating_add(row.failures());
        self.stale = self.stale.saturating_add(row.stale);
        self.ok_sum = self.ok_sum.plus(row.latency.sum());
        self.failed_sum = self.failed_sum.plus(row.failed_latency.sum());
        self.max = self.max.max(row.latency.max());
        for (_, high, n) in row.latency.buckets() {
            if let Some(cell) = self.heat.get_mut(heat_row(high)) {
                *cell = cell.saturating_add(u32::try_from(n).unwrap_or(u32::MAX));
            }
        }
        if self.closed {
            return row.latency.is_empty();
        }
        self.open.merge(&row.latency);
        let at = |q| self.open.quantile(q);
        self.percentiles = at(0.5).zip(at(0.9)).zip(at(0.95)).zip(at(0.99)).map(|(((a, b), c), d)| [a, b, c, d]);
        true
    }

    /// Lets go of the distribution: nothing more is expected.
    pub(super) fn close(&mut self) {
        self.open = Histogram::default();
        self.closed = true;
    }

    /// How many ended.
    #[must_use]
    pub const fn finished(&self) -> u64 {
        self.ok.saturating_add(self.failed)
    }

    /// Mean latency of the successes, in seconds.
    #[must_use]
    pub fn mean_s(&self) -> Option<f64> {
        (self.ok > 0).then(|| self.ok_sum.as_secs_f64() / self.ok as f64)
    }

    /// Sum of the losses in seconds: a success costs its latency, at most `cost`; a failure costs `cost`.
    #[must_use]
    pub fn loss_sum_s(&self, cost: Span) -> f64 {
        self.ok_sum.as_secs_f64().min(self.ok as f64 * cost.as_secs_f64()) + self.failed as f64 * cost.as_secs_f64()
    }
}

/// Whether an interval that ended at `end` can be closed at `now`: nothing of it can still be under way.
pub(super) fn can_close(end: Elapsed, now: Elapsed, longest: Span) -> bool {
    now.since(end) > longest.plus(Span::from_secs(5))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::model::event::{Cohort, ErrorKind, Phase, RequestKey, StepId};

    fn row(latencies_ms: &[u64], failed: u64) -> TickRow {
        let mut latency = Histogram::default();
        for &ms in latencies_ms {
            latency.record(Span::from_millis(ms));
        }
        TickRow {
            failed: if failed > 0 { BTreeMap::from([(ErrorKind::Status, failed)]) } else { BTreeMap::new() },
            latency,
            ..TickRow::new(RequestKey::default(), Cohort { step: StepId(0), phase: Phase::Measure, slot: 0 })
        }
    }

    #[test]
    fn a_failure_costs_k_and_fast_refusals_do_not_help() {
        let mut s = SlotFigures::default();
        s.add(&row(&[100, 300], 2));
        assert!((s.loss_sum_s(Span::from_secs(5)) - 10.4).abs() < 1e-9);
        assert_eq!((s.ok, s.failed, s.finished()), (2, 2, 4));
        assert!((s.mean_s().unwrap() - 0.2).abs() < 1e-9);
    }

    #[test]
    fn late_rows_amend_counts_after_closing_but_not_percentiles() {
        let mut s = SlotFigures::default();
        assert!(s.add(&row(&[100], 0)));
        let before = s.percentiles;
        s.close();
        assert!(!s.add(&row(&[900], 0)));
        assert_eq!((s.ok, s.percentiles), (2, before));
        assert!(s.add(&row(&[], 1)), "a failure changes no percentile");
    }

    #[test]
    fn what_went_out_twice_is_counted_beside_what_ended() {
        let mut s = SlotFigures::default();
        s.add(&TickRow { stale: 3, ..row(&[100], 1) });
        s.add(&TickRow { stale: u64::MAX, ..row(&[100], 0) });
        assert_eq!((s.stale, s.finished()), (u64::MAX, 3));
    }

    #[test]
    fn heat_rows_cover_everything() {
        assert_eq!(heat_row(0), 0);
        assert_eq!(heat_row(250), 0);
        assert_eq!(heat_row(251), 1);
        assert_eq!(heat_row(u64::MAX), HEAT_EDGES_US.len() - 1);
    }
}
