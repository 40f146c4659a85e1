//! The engine watches itself: when it is late or has no time left, its figures are its own and not the service's, and it says so.

use super::book::Part;
use crate::model::histogram::Histogram;
use crate::model::units::{Elapsed, Span};

/// How long is looked at.
const WINDOW: Span = Span::from_secs(1);
/// The least time between two warnings.
const PAUSE: Span = Span::from_secs(5);
/// A send lag below this is never worth a word.
const LAG: Span = Span::from_millis(10);
/// A worker busier than this has nothing left.
const BUSY: f64 = 0.9;

/// Sums up about a second and judges it.
#[derive(Debug)]
pub(crate) struct Watch {
    tick: Span,
    looked: Span,
    busy: Span,
    lag: Histogram,
    service: Histogram,
    stale: u64,
    ports: u64,
    quiet_until: Elapsed,
}

impl Watch {
    /// For intervals of this length.
    pub(crate) fn new(tick: Span) -> Self {
        Self {
            tick,
            looked: Span::ZERO,
            busy: Span::ZERO,
            lag: Histogram::default(),
            service: Histogram::default(),
            stale: 0,
            ports: 0,
            quiet_until: Elapsed::ZERO,
        }
    }

    /// Looks at an interval; returns what must be said.
    pub(crate) fn look(&mut self, part: &Part) -> Vec<String> {
        self.looked = self.looked.plus(self.tick);
        self.busy = self.busy.plus(part.busy);
        self.stale += part.stale;
        for row in &part.rows {
            self.lag.merge(&row.send_lag);
            self.service.merge(&row.service_time);
            self.ports += row.failed_count(crate::model::event::ErrorKind::LocalPorts);
        }
        if self.looked < WINDOW {
            return Vec::new();
        }
        let said = if part.to >= self.quiet_until { self.judge() } else { Vec::new() };
        if !said.is_empty() {
            self.quiet_until = part.to.plus(PAUSE);
        }
        *self = Self { quiet_until: self.quiet_until, ..Self::new(self.tick) };
        said
    }

    fn judge(&self) -> Vec<String> {
        let mut said = Vec::new();
        let share = self.busy.as_secs_f64() / self.looked.as_secs_f64();
        if share > BUSY {
            said.push(format!(
                "the load generator is the limit: a worker was busy {:.0} % of the time; fewer users, a lower rate or more workers would help",
                share * 100.0
            ));
        }
        let typical = self.service.quantile(0.5).unwrap_or(Span::ZERO);
        if let Some(lag) = self.lag.quantile(0.99).filter(|lag| *lag > LAG.max(typical.times(0.1))) {
            said.push(format!("the load generator is late: 1 % of its requests left {:.0} ms or more after they were due", lag.as_secs_f64() * 1e3));
        }
        if self.ports > 0 {
            said.push(format!(
                "this machine ran out of ports or open files for {} requests: the load generator's fault, not the service's",
                self.ports
            ));
        }
        if self.stale > 0 {
            said.push(format!("{} requests were sent again because the service had closed the kept connection; its keep-alive time is shorter than the users' pauses", self.stale));
        }
        said
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(slot: u64, busy_ms: u64) -> Part {
        Part { slot, to: Elapsed((slot + 1) * 500_000), busy: Span::from_millis(busy_ms), ..Part::default() }
    }

    #[test]
    fn a_busy_worker_is_named_at_most_every_five_seconds() {
        let mut watch = Watch::new(Span::from_millis(500));
        let said: Vec<bool> = (0..24).map(|slot| !watch.look(&part(slot, 480)).is_empty()).collect();
        let at: Vec<usize> = said.iter().enumerate().filter_map(|(i, s)| s.then_some(i)).collect();
        assert_eq!(at, [1, 11, 21]);
    }

    #[test]
    fn a_worker_with_time_left_is_not() {
        let mut watch = Watch::new(Span::from_millis(500));
        assert!((0..10).all(|slot| watch.look(&part(slot, 440)).is_empty()));
    }

    #[test]
    fn requests_sent_again_are_told() {
        let mut watch = Watch::new(Span::from_secs(1));
        let said = watch.look(&Part { stale: 3, ..part(0, 0) });
        assert!(said[0].starts_with("3 requests were sent again"), "{said:?}");
    }
}
