//! The engine watches itself: when it is late or has no time left, its figures are its own and not the service's, and it says so.

use super::book::Part;
use super::collect::SOURCE;
use crate::model::event::{Bound, ErrorKind, Limit, slot_begin};
use crate::model::histogram::Histogram;
use crate::model::units::{Elapsed, Span};
use crate::ports::EngineReport;

/// How long is looked at.
const WINDOW: Span = Span::from_secs(1);
/// The least time between two warnings.
const PAUSE: Span = Span::from_secs(5);
/// Of fewer requests the slowest in a hundred is not known.
const ENOUGH: u64 = 100;
/// A send lag below this is never worth a word.
const LAG: Span = Span::from_millis(10);
/// A worker busier than this has nothing left.
const BUSY: f64 = 0.9;
/// More dropped arrivals than this share are worth asking whose fault they are.
const DROPPED: f64 = 0.03;
/// With at least this share of the users waiting for answers, dropped arrivals are the service's.
const WAITING: f64 = 0.9;

/// Sums up about a second and judges it.
#[derive(Debug)]
pub(crate) struct Watch {
    tick: Span,
    from: Option<Elapsed>,
    looked: Span,
    busy: Span,
    lag: Histogram,
    service: Histogram,
    stale: u64,
    ports: u64,
    planned: f64,
    dropped: u64,
    /// Requests under way and users, over the intervals looked at.
    waiting: (u64, u64),
    quiet_until: Elapsed,
}

impl Watch {
    /// For intervals of this length.
    pub(crate) fn new(tick: Span) -> Self {
        Self {
            tick,
            from: None,
            looked: Span::ZERO,
            busy: Span::ZERO,
            lag: Histogram::default(),
            service: Histogram::default(),
            stale: 0,
            ports: 0,
            planned: 0.0,
            dropped: 0,
            waiting: (0, 0),
            quiet_until: Elapsed::ZERO,
        }
    }

    /// Looks at an interval; returns what must be said. A limit is told as long as it is there, a warning once in a while.
    pub(crate) fn look(&mut self, part: &Part) -> Vec<EngineReport> {
        self.add(part);
        if self.looked < WINDOW {
            return Vec::new();
        }
        let bound = self.limit().map(|(limit, figure)| {
            let from = self.from.unwrap_or(part.to);
            EngineReport::Bound(Bound { source: SOURCE.to_owned(), from, to: part.to, limit, figure })
        });
        let warning = self.resent().filter(|_| part.to >= self.quiet_until).map(EngineReport::Warning);
        if warning.is_some() {
            self.quiet_until = part.to.plus(PAUSE);
        }
        *self = Self { quiet_until: self.quiet_until, ..Self::new(self.tick) };
        bound.into_iter().chain(warning).collect()
    }

    fn add(&mut self, part: &Part) {
        self.from.get_or_insert(slot_begin(part.slot, self.tick));
        self.looked = self.looked.plus(self.tick);
        self.busy = self.busy.plus(part.busy);
        self.planned += part.planned.unwrap_or(0.0);
        self.dropped += part.dropped;
        self.waiting = (self.waiting.0 + part.in_flight, self.waiting.1 + part.users);
        for row in &part.rows {
            self.stale += row.stale;
            self.lag.merge(&row.send_lag);
            self.service.merge(&row.service_time);
            self.ports += row.failed_count(ErrorKind::LocalPorts);
        }
    }

    /// What there is too little of, the surest sign first, with its figure.
    fn limit(&self) -> Option<(Limit, f64)> {
        let busy = self.busy.as_secs_f64() / self.looked.as_secs_f64();
        let typical = self.service.quantile(0.5).unwrap_or(Span::ZERO);
        let late = || self.lag.quantile(0.99).filter(|lag| self.lag.count() >= ENOUGH && *lag > LAG.max(typical.times(0.1)));
        if self.ports > 0 {
            return Some((Limit::Ports, self.ports as f64));
        }
        if busy > BUSY {
            return Some((Limit::Cpu, busy));
        }
        late().map(|lag| (Limit::SendLag, lag.as_secs_f64())).or_else(|| self.idle_drops().map(|share| (Limit::Users, share)))
    }

    /// The share of arrivals dropped although users only paused. Where (nearly) all of them wait for answers, the service is what is slow.
    fn idle_drops(&self) -> Option<f64> {
        let (waiting, users) = self.waiting;
        let share = self.dropped as f64 / self.planned;
        (self.planned > 0.0 && share > DROPPED && (waiting as f64) < WAITING * users as f64).then_some(share)
    }

    fn resent(&self) -> Option<String> {
        let text =
            "requests were sent again because the service had closed the kept connection; its keep-alive time is shorter than the users' pauses";
        (self.stale > 0).then(|| format!("{} {text}", self.stale))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(slot: u64, busy_ms: u64) -> Part {
        Part { slot, to: Elapsed((slot + 1) * 500_000), busy: Span::from_millis(busy_ms), ..Part::default() }
    }

    fn bounds(said: &[EngineReport]) -> Vec<&Bound> {
        said.iter().filter_map(|r| if let EngineReport::Bound(b) = r { Some(b) } else { None }).collect()
    }

    #[test]
    fn a_busy_worker_is_named_each_second_with_its_share() {
        let mut watch = Watch::new(Span::from_millis(500));
        let said: Vec<EngineReport> = (4..8).flat_map(|slot| watch.look(&part(slot, 480))).collect();
        let read: Vec<(u64, u64, Limit)> = bounds(&said).iter().map(|b| (b.from.as_micros(), b.to.as_micros(), b.limit)).collect();
        assert_eq!(read, [(2_000_000, 3_000_000, Limit::Cpu), (3_000_000, 4_000_000, Limit::Cpu)]);
        assert!((bounds(&said)[0].figure - 0.96).abs() < 1e-9);
    }

    #[test]
    fn a_worker_with_time_left_is_not() {
        let mut watch = Watch::new(Span::from_millis(500));
        assert!((0..10).all(|slot| watch.look(&part(slot, 440)).is_empty()));
    }

    #[test]
    fn drops_are_the_generator_s_only_while_users_do_not_wait_for_answers() {
        let drops = |in_flight| {
            let mut watch = Watch::new(Span::from_secs(1));
            let part = Part { planned: Some(100.0), dropped: 20, in_flight, users: 50, ..part(0, 0) };
            bounds(&watch.look(&part)).first().map(|b| (b.limit, b.figure))
        };
        assert_eq!(drops(50), None, "every user waits for an answer: the service is slow");
        assert_eq!(drops(10), Some((Limit::Users, 0.2)));
    }

    #[test]
    fn requests_sent_again_are_told_once_in_a_while() {
        let mut watch = Watch::new(Span::from_secs(1));
        let cohort = crate::model::event::Cohort { step: crate::model::event::StepId(0), phase: crate::model::event::Phase::Measure, slot: 0 };
        let mut said = |slot: u64| {
            let mut part = Part { to: Elapsed((slot + 1) * 1_000_000), ..part(slot, 0) };
            part.row(0, cohort).stale = 3;
            watch.look(&part)
        };
        assert!(matches!(said(0).as_slice(), [EngineReport::Warning(text)] if text.starts_with("3 requests were sent again")));
        assert!(said(1).is_empty());
    }
}
