//! The load over time: what was planned, sent, dropped, and what ended, interval by interval.

use std::collections::BTreeMap;

use super::{Anomaly, Session};
use crate::model::event::{ErrorKind, Tick, add_failures};
use crate::model::histogram::Histogram;
use crate::model::units::{Elapsed, Span};

/// One interval of load. Intervals of several load sources are joined by their begin.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TickPoint {
    /// Begin.
    pub from: Elapsed,
    /// End.
    pub to: Elapsed,
    /// Arrivals planned; none under closed load.
    pub planned: Option<f64>,
    /// Requests sent.
    pub sent: u64,
    /// Arrivals that could not begin.
    pub dropped: u64,
    /// Requests in flight at the end.
    pub in_flight: u64,
    /// Users at work at the end.
    pub users: u64,
    /// Requests that ended in it, whenever they began.
    pub finished: u64,
    /// Those of them that failed, by kind.
    pub failed: BTreeMap<ErrorKind, u64>,
    /// 99th percentile of the time from the intended start to the send, of what ended; the largest of the load sources.
    pub send_lag_p99: Option<Span>,
    /// Median and 99th percentile of the time from the send, of what ended; the larger of the load sources.
    pub service_time: Option<(Span, Span)>,
}

impl TickPoint {
    /// Its length in seconds.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.to.since(self.from).as_secs_f64()
    }

    /// Requests that ended, a second.
    #[must_use]
    pub fn rate(&self) -> Option<f64> {
        (self.seconds() > 0.0).then(|| self.finished as f64 / self.seconds())
    }

    /// All that failed.
    #[must_use]
    pub fn failures(&self) -> u64 {
        self.failed.values().fold(0, |all, n| all.saturating_add(*n))
    }
}

impl Session {
    /// Returns whether it was new: a repeated number of a source changes nothing.
    pub(super) fn take_tick(&mut self, tick: &Tick) -> bool {
        if !self.ticks_seen.entry(tick.source.clone()).or_default().insert(tick.number) {
            return false;
        }
        self.join_tick(tick);
        let (slot, now) = (self.tick(), self.now);
        let longest = self.plan().map_or(Span::from_secs(60), |p| p.load.timeout);
        for row in &tick.rows {
            let mut late = false;
            self.with_step(row.cohort.step, |s| late = !s.add(row, slot));
            if late {
                self.odd(Anomaly::LateRows);
            }
        }
        for step in &mut self.steps {
            step.add_interval(tick);
            step.close_slots(now, slot, longest);
        }
        true
    }

    fn join_tick(&mut self, tick: &Tick) {
        let at = self.ticks.partition_point(|p| p.from < tick.from);
        let known = self.ticks.get(at).is_some_and(|p| p.from == tick.from && p.to == tick.to);
        if !known {
            self.ticks.insert(at, TickPoint { from: tick.from, to: tick.to, ..TickPoint::default() });
        }
        let Some(point) = self.ticks.get_mut(at) else { return };
        point.planned = match (point.planned, tick.planned) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        };
        point.sent = point.sent.saturating_add(tick.sent);
        point.dropped = point.dropped.saturating_add(tick.dropped);
        point.in_flight = point.in_flight.saturating_add(tick.in_flight);
        point.users = point.users.saturating_add(tick.users);
        let (mut lag, mut service) = (Histogram::default(), Histogram::default());
        for row in &tick.rows {
            point.finished = point.finished.saturating_add(row.finished());
            add_failures(&mut point.failed, &row.failed);
            lag.merge(&row.send_lag);
            service.merge(&row.service_time);
        }
        point.service_time = point.service_time.max(service.quantile(0.5).zip(service.quantile(0.99)));
        point.send_lag_p99 = point.send_lag_p99.max(lag.quantile(0.99));
    }

    /// The intervals of load that lie wholly between two times.
    pub fn ticks_between(&self, from: Elapsed, to: Elapsed) -> impl Iterator<Item = &TickPoint> {
        let begin = self.ticks.partition_point(|p| p.from < from);
        self.ticks.iter().skip(begin).take_while(move |p| p.to <= to)
    }

    /// Requests that ended a second, over about the last `window`.
    #[must_use]
    pub fn recent_rate(&self, window: Span) -> Option<f64> {
        let last = self.ticks.last()?;
        let from = last.to.minus(window);
        let (mut n, mut seconds) = (0_u64, 0.0);
        for point in self.ticks.iter().rev().take_while(|p| p.to > from) {
            n = n.saturating_add(point.finished);
            seconds += point.seconds();
        }
        (seconds > 0.0).then(|| n as f64 / seconds)
    }
}
