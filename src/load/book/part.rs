//! What one worker did in one interval, and how the parts of several workers become one.

use std::collections::BTreeMap;

use super::Ending;
use crate::load::checks::Tested;
use crate::model::event::{Cohort, ErrorKind, RequestKey, TickRow};
use crate::model::histogram::Histogram;
use crate::model::units::{Elapsed, Span};

/// One interval of one worker.
#[derive(Debug, Default)]
pub(crate) struct Part {
    /// Which interval of the plan's tick.
    pub(crate) slot: u64,
    /// Its end.
    pub(crate) to: Elapsed,
    /// Arrivals that were due; none under closed load.
    pub(crate) planned: Option<f64>,
    /// Requests sent.
    pub(crate) sent: u64,
    /// Arrivals that could not begin.
    pub(crate) dropped: u64,
    /// Requests under way at the end.
    pub(crate) in_flight: u64,
    /// Users at work at the end.
    pub(crate) users: u64,
    /// Requests sent again because the server had closed the kept connection.
    pub(crate) stale: u64,
    /// Whole passes.
    pub(crate) iterations: Histogram,
    /// How long the worker was busy.
    pub(crate) busy: Span,
    /// What ended.
    pub(crate) rows: Vec<Row>,
}

/// Requests of one key and cohort.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) key: usize,
    pub(crate) cohort: Cohort,
    failed: Vec<(ErrorKind, u64)>,
    pub(crate) checks: Tested,
    pub(crate) stale: u64,
    pub(crate) bytes: u64,
    pub(crate) latency: Histogram,
    pub(crate) failed_latency: Histogram,
    pub(crate) service_time: Histogram,
    pub(crate) send_lag: Histogram,
    pub(crate) connect_wait: Histogram,
}

impl Part {
    /// Recent cohorts stand at the end and are asked for most.
    pub(in crate::load) fn row(&mut self, key: usize, cohort: Cohort) -> &mut Row {
        let at = self.find(key, cohort).unwrap_or_else(|| {
            self.rows.push(Row::new(key, cohort));
            self.rows.len() - 1
        });
        &mut self.rows[at]
    }

    fn find(&self, key: usize, cohort: Cohort) -> Option<usize> {
        self.rows.iter().rposition(|r| r.key == key && r.cohort == cohort)
    }

    /// Adds another worker's part of the same interval.
    pub(crate) fn merge(&mut self, other: Self) {
        self.to = self.to.max(other.to);
        self.planned = match (self.planned, other.planned) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        };
        self.sent += other.sent;
        self.dropped += other.dropped;
        self.in_flight += other.in_flight;
        self.users += other.users;
        self.stale += other.stale;
        self.busy = self.busy.max(other.busy);
        self.iterations.merge(&other.iterations);
        for row in other.rows {
            self.add(row);
        }
    }

    /// Adds a row to the one of the same key and cohort.
    pub(super) fn add(&mut self, row: Row) {
        match self.find(row.key, row.cohort).and_then(|at| self.rows.get_mut(at)) {
            Some(known) => known.merge(&row),
            None => self.rows.push(row),
        }
    }
}

impl Row {
    pub(super) fn new(key: usize, cohort: Cohort) -> Self {
        Self {
            key,
            cohort,
            failed: Vec::new(),
            checks: Tested::default(),
            stale: 0,
            bytes: 0,
            latency: Histogram::default(),
            failed_latency: Histogram::default(),
            service_time: Histogram::default(),
            send_lag: Histogram::default(),
            connect_wait: Histogram::default(),
        }
    }

    /// Counts a request that ended, so late after its intended start and so long after its send.
    pub(super) fn count(&mut self, ending: Ending, lag: Span, service: Span) {
        match ending.failed {
            None => self.latency.record(lag.plus(service)),
            Some(kind) => {
                self.failed_latency.record(lag.plus(service));
                self.fail(kind, 1);
            }
        }
        self.service_time.record(service);
        self.send_lag.record(lag);
        self.connect_wait.record(ending.connect_wait);
        self.checks.add(ending.checks);
        self.stale += u64::from(ending.stale);
        self.bytes += ending.bytes;
    }

    fn fail(&mut self, kind: ErrorKind, n: u64) {
        match self.failed.iter_mut().find(|f| f.0 == kind) {
            Some(known) => known.1 += n,
            None => self.failed.push((kind, n)),
        }
    }

    /// How many failed in one way.
    pub(crate) fn failed_count(&self, kind: ErrorKind) -> u64 {
        self.failed.iter().filter(|f| f.0 == kind).map(|f| f.1).sum()
    }

    fn merge(&mut self, other: &Self) {
        for (kind, n) in &other.failed {
            self.fail(*kind, *n);
        }
        self.checks.add(other.checks);
        self.stale += other.stale;
        self.bytes += other.bytes;
        self.latency.merge(&other.latency);
        self.failed_latency.merge(&other.failed_latency);
        self.service_time.merge(&other.service_time);
        self.send_lag.merge(&other.send_lag);
        self.connect_wait.merge(&other.connect_wait);
    }

    /// As an event carries it.
    pub(crate) fn named(self, key: RequestKey) -> TickRow {
        TickRow {
            key,
            cohort: self.cohort,
            failed: self.failed.into_iter().collect::<BTreeMap<_, _>>(),
            stale: self.stale,
            checks_passed: self.checks.passed,
            checks_failed: self.checks.failed,
            bytes: self.bytes,
            latency: self.latency,
            failed_latency: self.failed_latency,
            service_time: self.service_time,
            send_lag: self.send_lag,
            connect_wait: self.connect_wait,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::event::{Phase, StepId};

    fn cohort(slot: u64) -> Cohort {
        Cohort { step: StepId(0), phase: Phase::Measure, slot }
    }

    fn part(requests: &[(usize, u64, Option<ErrorKind>)]) -> Part {
        let mut part = Part::default();
        for &(key, slot, failed) in requests {
            let ending = Ending {
                at: Elapsed(slot * 100 + 50),
                failed,
                checks: Tested { passed: 1, failed: u64::from(failed.is_some()) },
                stale: u32::from(slot == 2),
                bytes: 1,
                connect_wait: Span::ZERO,
            };
            part.row(key, cohort(slot)).count(ending, Span::ZERO, Span::from_micros(50));
        }
        part
    }

    #[test]
    fn the_parts_of_several_workers_add_up() {
        let mut whole = part(&[(0, 1, None), (1, 1, Some(ErrorKind::Reset))]);
        whole.planned = Some(2.0);
        let mut other = part(&[(0, 1, None), (0, 2, None), (1, 1, Some(ErrorKind::Status))]);
        other.busy = Span::from_millis(3);
        whole.merge(other);
        let counts: Vec<_> = whole.rows.iter().map(|r| (r.key, r.cohort.slot, r.latency.count(), r.bytes)).collect();
        assert_eq!(counts, [(0, 1, 2, 2), (1, 1, 0, 2), (0, 2, 1, 1)]);
        assert_eq!(whole.rows.iter().map(|r| r.stale).collect::<Vec<_>>(), [0, 0, 1]);
        assert_eq!((whole.planned, whole.busy), (Some(2.0), Span::from_millis(3)));
        assert_eq!(whole.rows[1].failed_count(ErrorKind::Reset) + whole.rows[1].failed_count(ErrorKind::Status), 2);
    }

    #[test]
    fn a_named_row_counts_the_same() {
        let row = part(&[(0, 1, None), (0, 1, Some(ErrorKind::Timeout))]).rows.remove(0).named(RequestKey::default());
        assert_eq!((row.finished(), row.failures(), row.service_time.count()), (2, 1, 2));
        assert_eq!((row.checks_passed, row.checks_failed), (2, 1));
    }
}
