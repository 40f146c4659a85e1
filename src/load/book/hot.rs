//! Where requests are counted while they are many: for each key the newest cohort has tallies of its own, which are read out when
//! a newer cohort comes or the interval ends. Older cohorts are few and go to the part at once.

use super::Ending;
use super::part::{Part, Row};
use super::seats::Under;
use crate::load::checks::Tested;
use crate::model::event::{Cohort, ErrorKind};
use crate::model::histogram::Tally;
use crate::model::units::Span;

/// The newest cohort of one key.
#[derive(Debug, Default)]
struct Hot {
    cohort: Option<Cohort>,
    checks: Tested,
    stale: u64,
    bytes: u64,
    latency: Tally,
    service_time: Tally,
    send_lag: Tally,
    connect_wait: Tally,
}

impl Hot {
    /// Reads out what was counted.
    fn pour(&mut self, key: usize, to: &mut Part) {
        let Some(cohort) = self.cohort.filter(|_| !self.service_time.is_empty()) else { return };
        let mut row = Row::new(key, cohort);
        row.checks = std::mem::take(&mut self.checks);
        row.stale = std::mem::take(&mut self.stale);
        row.bytes = std::mem::take(&mut self.bytes);
        row.latency = self.latency.take();
        row.service_time = self.service_time.take();
        row.send_lag = self.send_lag.take();
        row.connect_wait = self.connect_wait.take();
        to.add(row);
    }
}

/// The newest cohorts of all keys.
#[derive(Debug, Default)]
pub(super) struct Counters {
    keys: Vec<Hot>,
}

impl Counters {
    /// Counts a request that ended. `timeout` is the least a time-out lasts.
    pub(super) fn take(&mut self, under: &Under, ending: Ending, timeout: Span, part: &mut Part) {
        let least = match ending.failed {
            Some(ErrorKind::Timeout) => timeout,
            Some(ErrorKind::ConnectTimeout) => ending.connect_wait,
            _ => Span::ZERO,
        };
        let service = ending.at.since(under.sent).max(least);
        let lag = under.sent.since(under.intended);
        let hot = if ending.failed.is_none() { self.hot(under, part) } else { None };
        if let Some(hot) = hot {
            hot.latency.record(lag.plus(service));
            hot.service_time.record(service);
            hot.send_lag.record(lag);
            hot.connect_wait.record(ending.connect_wait);
            hot.checks.add(ending.checks);
            hot.stale += u64::from(ending.stale);
            hot.bytes += ending.bytes;
        } else {
            part.row(under.key, under.cohort).count(ending, lag, service);
        }
    }

    /// The tallies of the request's cohort, if it is the newest of its key.
    fn hot(&mut self, under: &Under, part: &mut Part) -> Option<&mut Hot> {
        if under.key >= self.keys.len() {
            self.keys.resize_with(under.key + 1, Hot::default);
        }
        let hot = self.keys.get_mut(under.key)?;
        if hot.cohort != Some(under.cohort) {
            if hot.cohort.is_some_and(|known| known.slot > under.cohort.slot) {
                return None;
            }
            hot.pour(under.key, part);
            hot.cohort = Some(under.cohort);
        }
        Some(hot)
    }

    /// Reads everything out.
    pub(super) fn pour(&mut self, to: &mut Part) {
        for (key, hot) in self.keys.iter_mut().enumerate() {
            hot.pour(key, to);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::event::{Phase, StepId};
    use crate::model::units::Elapsed;

    fn count(counters: &mut Counters, part: &mut Part, slot: u64, took_us: u64, failed: Option<ErrorKind>) {
        let cohort = Cohort { step: StepId(0), phase: Phase::Measure, slot };
        let under = Under { key: 1, cohort, intended: Elapsed(10), sent: Elapsed(12) };
        counters.take(
            &under,
            Ending { at: Elapsed(12 + took_us), failed, checks: Tested { passed: 1, failed: 0 }, stale: 0, bytes: 3, connect_wait: Span::ZERO },
            Span::ZERO,
            part,
        );
    }

    #[test]
    fn every_cohort_gets_its_own_row_whatever_the_order() {
        let (mut counters, mut part) = (Counters::default(), Part::default());
        for slot in [4, 5, 4, 5, 6, 4, 5, 6, 6] {
            count(&mut counters, &mut part, slot, 100 * slot, None);
        }
        count(&mut counters, &mut part, 6, 7, Some(ErrorKind::Reset));
        counters.pour(&mut part);
        counters.pour(&mut part);
        let mut rows: Vec<_> = part.rows.iter().map(|r| (r.cohort.slot, r.latency.count(), r.latency.sum().as_micros(), r.bytes)).collect();
        rows.sort_unstable();
        assert_eq!(rows, [(4, 3, 1206, 9), (5, 3, 1506, 9), (6, 3, 1806, 12)]);
        assert_eq!(part.rows.iter().map(|r| r.failed_count(ErrorKind::Reset)).sum::<u64>(), 1);
    }

    #[test]
    fn the_next_interval_begins_empty() {
        let (mut counters, mut part) = (Counters::default(), Part::default());
        count(&mut counters, &mut part, 4, 1, None);
        counters.pour(&mut part);
        let mut next = Part::default();
        count(&mut counters, &mut next, 4, 2, None);
        counters.pour(&mut next);
        assert_eq!(next.rows[0].service_time.sum(), Span::from_micros(2));
        assert_eq!((next.rows[0].bytes, next.rows[0].checks.passed), (3, 1));
    }
}
