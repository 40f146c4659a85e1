//! Signals as charts and the flow line want them: one series each, joined over instances and parts.

use std::borrow::Cow;

use super::Session;
use crate::model::series::{Point, Track, timer_mean};
use crate::model::signal::{Over, SeriesKey, Signal, Value};
use crate::model::units::Span;

/// The flow line's figures: each is missing where its signal is.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Flow {
    /// Requests that ended a second.
    pub rate: Option<f64>,
    /// Arrivals planned a second; none under closed load.
    pub planned: Option<f64>,
    /// Worker threads at work.
    pub threads_busy: Option<f64>,
    /// The most there may be.
    pub threads_max: Option<f64>,
    /// Requests waiting for a connection.
    pub pending: Option<f64>,
    /// Wait W, in seconds.
    pub wait_s: Option<f64>,
    /// Connections in use.
    pub active: Option<f64>,
    /// The pool's maximum.
    pub pool_max: Option<f64>,
    /// Hold H, in seconds.
    pub hold_s: Option<f64>,
    /// Sessions at work at the database.
    pub db_active: Option<f64>,
    /// Sessions waiting for a lock.
    pub db_lock_waiting: Option<f64>,
    /// Cores in use by the service.
    pub process_cpu: Option<f64>,
    /// Cores it may use.
    pub process_cpu_limit: Option<f64>,
}

impl Session {
    /// The series of a signal (one part of it, or all parts), joined over instances. Of several sources the first of the plan counts.
    #[must_use]
    pub fn joined(&self, signal: Signal, of: Option<&str>) -> Option<Cow<'_, Track>> {
        let matching: Vec<(&SeriesKey, &Track)> =
            self.series.iter().filter(|(k, _)| k.signal == signal && (of.is_none() || k.of.as_deref() == of)).collect();
        let source = self.first_source(&matching)?;
        let tracks: Vec<&Track> = matching.iter().filter(|(k, _)| k.source == source).map(|(_, t)| *t).collect();
        match tracks.as_slice() {
            [] => None,
            [one] => Some(Cow::Borrowed(one)),
            many => Some(Cow::Owned(join(many, signal.over_instances(), self.tick().times(2.0)))),
        }
    }

    fn first_source(&self, matching: &[(&SeriesKey, &Track)]) -> Option<String> {
        let order = |name: &str| self.plan().and_then(|p| p.sources.iter().position(|s| s.name == name)).unwrap_or(usize::MAX);
        matching.iter().map(|(k, _)| k.source.as_str()).min_by_key(|s| order(s)).map(str::to_owned)
    }

    /// The latest level of a signal.
    #[must_use]
    pub fn latest(&self, signal: Signal, of: Option<&str>) -> Option<f64> {
        self.joined(signal, of)?.level()
    }

    /// Mean length of a timer's events over about the last second (at least two scrapes).
    #[must_use]
    pub fn latest_timer(&self, signal: Signal) -> Option<f64> {
        let track = self.joined(signal, None)?;
        let (last, before) = track.points().split_last()?;
        let reach = last.at.minus(self.tick().times(4.0).max(Span::from_secs(1)));
        let base = before.iter().rev().take_while(|p| p.at >= reach && p.value.is_some()).last()?;
        timer_mean(base.value, last.value)
    }

    /// What the flow line shows now.
    #[must_use]
    pub fn flow(&self) -> Flow {
        let window = self.tick().times(4.0).max(Span::from_secs(1));
        let last = self.ticks.last();
        Flow {
            rate: self.recent_rate(window),
            planned: last.and_then(|t| t.planned.filter(|_| t.seconds() > 0.0).map(|p| p / t.seconds())),
            threads_busy: self.latest(Signal::ThreadsBusy, None),
            threads_max: self.latest(Signal::ThreadsMax, None),
            pending: self.latest(Signal::PoolPending, None),
            wait_s: self.latest_timer(Signal::PoolAcquire),
            active: self.latest(Signal::PoolActive, None),
            pool_max: self.latest(Signal::PoolMax, None),
            hold_s: self.latest_timer(Signal::PoolUsage),
            db_active: self.latest(Signal::DbSessions, Some("active")),
            db_lock_waiting: self.latest(Signal::DbSessions, Some("lock_waiting")),
            process_cpu: self.latest(Signal::ProcessCpu, None),
            process_cpu_limit: self.latest(Signal::ProcessCpuLimit, None),
        }
    }
}

/// Joins tracks at the times of the first: each other one gives its last point, not older than `reach`. One gap makes a gap.
fn join(tracks: &[&Track], over: Over, reach: Span) -> Track {
    let mut out = Track::default();
    let Some((first, others)) = tracks.split_first() else { return out };
    for point in first.points() {
        let mut value = point.value;
        for other in others {
            let at = other.points().partition_point(|p| p.at <= point.at.plus(reach.times(0.5)));
            let near = at.checked_sub(1).and_then(|i| other.points().get(i)).filter(|p| p.at >= point.at.minus(reach));
            value = value.zip(near.and_then(|p| p.value)).and_then(|(a, b)| combine(a, b, over));
        }
        out.push(Point { at: point.at, value });
    }
    out
}

fn combine(a: Value, b: Value, over: Over) -> Option<Value> {
    let op = |x: f64, y: f64| if over == Over::Max { x.max(y) } else { x + y };
    match (a, b) {
        (Value::Gauge(x), Value::Gauge(y)) => Some(Value::Gauge(op(x, y))),
        (Value::Counter(x), Value::Counter(y)) => Some(Value::Counter(op(x, y))),
        (Value::Timer { sum, count }, Value::Timer { sum: more, count: events }) => Some(Value::Timer { sum: sum + more, count: count + events }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::units::Elapsed;

    fn gauges(points: &[(u64, Option<f64>)]) -> Track {
        let mut t = Track::default();
        for &(ms, v) in points {
            t.push(Point { at: Elapsed(ms * 1000), value: v.map(Value::Gauge) });
        }
        t
    }

    #[test]
    fn instances_are_summed_and_a_missing_one_is_a_gap() {
        let (a, b) = (gauges(&[(1000, Some(3.0)), (2000, Some(4.0))]), gauges(&[(1010, Some(10.0)), (2010, None)]));
        let sum = join(&[&a, &b], Over::Sum, Span::from_secs(2));
        let levels: Vec<_> = sum.points().iter().map(|p| p.value).collect();
        assert_eq!(levels, [Some(Value::Gauge(13.0)), None]);
    }

    #[test]
    fn several_observers_of_one_thing_are_not_added() {
        let (a, b) = (gauges(&[(1000, Some(3.0))]), gauges(&[(1000, Some(5.0))]));
        assert_eq!(join(&[&a, &b], Over::Max, Span::from_secs(2)).level(), Some(5.0));
    }

    #[test]
    fn kinds_that_do_not_match_are_no_figure() {
        assert_eq!(combine(Value::Gauge(1.0), Value::Counter(1.0), Over::Sum), None);
    }
}
