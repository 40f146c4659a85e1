//! A signal over time, as scraped: points on the session's clock, with gaps kept as gaps.

use serde::Serialize;

use super::signal::Value;
use super::units::{Elapsed, Span};

/// One scraped point: a value, or a gap (the source could not be read, or no longer shows the signal).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Point {
    /// Half-way between request and answer of the scrape.
    pub at: Elapsed,
    /// The value; `None` is a gap.
    pub value: Option<Value>,
}

/// One series, in the order of time.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Track {
    points: Vec<Point>,
}

impl Track {
    /// Adds a point; one that is earlier than the last is put in its place.
    pub fn push(&mut self, point: Point) {
        let at = match self.points.last() {
            Some(last) if last.at > point.at => self.points.partition_point(|p| p.at <= point.at),
            _ => self.points.len(),
        };
        self.points.insert(at, point);
    }

    /// All points.
    #[must_use]
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// The points from `from` (inclusive) to `to` (exclusive).
    #[must_use]
    pub fn between(&self, from: Elapsed, to: Elapsed) -> &[Point] {
        let a = self.points.partition_point(|p| p.at < from);
        let b = self.points.partition_point(|p| p.at < to);
        self.points.get(a..b.max(a)).unwrap_or_default()
    }

    /// The last point, be it a value or a gap.
    #[must_use]
    pub fn last(&self) -> Option<Point> {
        self.points.last().copied()
    }

    /// The last level, if the last point is not a gap.
    #[must_use]
    pub fn level(&self) -> Option<f64> {
        self.last().and_then(|p| p.value).map(Value::level)
    }

    /// The mean of the levels between two times (each point counts once; gaps do not count), and how many points that was.
    #[must_use]
    pub fn mean_level(&self, from: Elapsed, to: Elapsed) -> Option<(f64, usize)> {
        let levels: Vec<f64> = self.between(from, to).iter().filter_map(|p| p.value.map(Value::level)).collect();
        (!levels.is_empty()).then(|| (levels.iter().sum::<f64>() / levels.len() as f64, levels.len()))
    }

    /// Growth a second of a counter (or of a timer's count) between neighbouring points, placed at the later one.
    /// A restart (the counter fell) and a gap give none.
    #[must_use]
    pub fn rates(&self) -> Vec<(Elapsed, Option<f64>)> {
        self.growth(|v| Some(v.level()), |grown, span| (span > 0.0).then(|| grown / span))
    }

    /// Mean seconds of a timer's events between neighbouring points, placed at the later one; none where nothing happened.
    #[must_use]
    pub fn timer_means(&self) -> Vec<(Elapsed, Option<f64>)> {
        self.points.windows(2).filter_map(|w| if let [a, b] = w { Some((b.at, timer_mean(a.value, b.value))) } else { None }).collect()
    }

    fn growth(&self, of: impl Fn(Value) -> Option<f64>, make: impl Fn(f64, f64) -> Option<f64>) -> Vec<(Elapsed, Option<f64>)> {
        self.points
            .windows(2)
            .filter_map(|w| {
                let [a, b] = w else { return None };
                let grown = a.value.and_then(&of).zip(b.value.and_then(&of)).map(|(x, y)| y - x).filter(|d| *d >= 0.0);
                Some((b.at, grown.and_then(|d| make(d, b.at.since(a.at).as_secs_f64()))))
            })
            .collect()
    }
}

/// Mean length of the events between two readings of one timer; none if none happened or the process restarted.
#[must_use]
pub fn timer_mean(earlier: Option<Value>, later: Option<Value>) -> Option<f64> {
    match (earlier?, later?) {
        (Value::Timer { sum: s0, count: n0 }, Value::Timer { sum: s1, count: n1 }) if n1 > n0 && s1 >= s0 => Some((s1 - s0) / (n1 - n0)),
        _ => None,
    }
}

/// Half-way between two times of one scrape.
#[must_use]
pub const fn midpoint(asked: Elapsed, answered: Elapsed) -> Elapsed {
    asked.plus(Span::from_micros(answered.since(asked).as_micros() / 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn track(points: &[(u64, Option<Value>)]) -> Track {
        let mut t = Track::default();
        for &(s, value) in points {
            t.push(Point { at: Elapsed(s * 1_000_000), value });
        }
        t
    }

    #[test]
    fn late_points_take_their_place() {
        let t = track(&[(1, None), (3, None), (2, Some(Value::Gauge(5.0)))]);
        let at: Vec<u64> = t.points().iter().map(|p| p.at.0 / 1_000_000).collect();
        assert_eq!(at, [1, 2, 3]);
    }

    #[test]
    fn gaps_do_not_count_as_zero() {
        let t = track(&[(1, Some(Value::Gauge(4.0))), (2, None), (3, Some(Value::Gauge(8.0)))]);
        assert_eq!(t.mean_level(Elapsed(0), Elapsed(10_000_000)), Some((6.0, 2)));
        assert_eq!(t.mean_level(Elapsed(2_000_000), Elapsed(3_000_000)), None);
        assert_eq!(t.level(), Some(8.0));
    }

    #[test]
    fn a_restart_is_no_rate() {
        let t = track(&[(1, Some(Value::Counter(10.0))), (2, Some(Value::Counter(30.0))), (3, Some(Value::Counter(5.0))), (4, None)]);
        let rates: Vec<_> = t.rates().into_iter().map(|r| r.1).collect();
        assert_eq!(rates, [Some(20.0), None, None]);
    }

    #[test]
    fn timer_means_weigh_by_events() {
        let t = track(&[
            (1, Some(Value::Timer { sum: 1.0, count: 10.0 })),
            (2, Some(Value::Timer { sum: 4.0, count: 20.0 })),
            (3, Some(Value::Timer { sum: 4.0, count: 20.0 })),
        ]);
        let means: Vec<_> = t.timer_means().into_iter().map(|r| r.1).collect();
        assert_eq!(means.len(), 2);
        assert!((means[0].unwrap() - 0.3).abs() < 1e-12);
        assert_eq!(means[1], None);
    }

    #[test]
    fn an_empty_window_is_empty() {
        let t = track(&[(1, None)]);
        assert!(t.between(Elapsed(5_000_000), Elapsed(2_000_000)).is_empty());
        assert_eq!(midpoint(Elapsed(10), Elapsed(20)), Elapsed(15));
    }
}
