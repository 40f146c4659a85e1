//! Scraped figures and ticks put onto the rows of a step: gauges where they were read, growth of counters and timers shared out
//! over the time it took.

use super::Column;
use crate::model::series::Track;
use crate::model::session::Session;
use crate::model::signal::Value;
use crate::model::units::Elapsed;

/// The rows of a step: `rows` intervals of `dt` seconds from `begin_s`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Grid {
    pub(super) first: u64,
    pub(super) begin_s: f64,
    pub(super) dt: f64,
    pub(super) rows: usize,
}

impl Grid {
    pub(super) fn seconds(self) -> f64 {
        self.rows as f64 * self.dt
    }

    fn end_s(self) -> f64 {
        self.begin_s + self.seconds()
    }

    /// The rows that `[from, to)` touches, each with the seconds it has of it.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the rows just before")]
    fn overlaps(self, from: f64, to: f64) -> impl Iterator<Item = (usize, f64)> {
        let at = |s: f64| ((s - self.begin_s) / self.dt).clamp(0.0, self.rows as f64) as usize;
        (at(from)..(at(to) + 1).min(self.rows)).filter_map(move |row| {
            let begin = self.begin_s + row as f64 * self.dt;
            let shared = to.min(begin + self.dt) - from.max(begin);
            (shared > 0.0).then_some((row, shared))
        })
    }
}

/// What a timer or counter grew by in one row.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Growth {
    pub(super) sum: f64,
    pub(super) count: f64,
}

impl Growth {
    pub(super) fn mean_ms(self) -> Option<f64> {
        (self.count > 1e-9).then(|| 1e3 * self.sum / self.count)
    }
}

/// A joined series, ready to be put onto rows.
pub(super) struct Spread {
    track: Track,
}

impl Spread {
    pub(super) const fn new(track: Track) -> Self {
        Self { track }
    }

    /// The mean of the levels read in each row; rows without a reading have none.
    pub(super) fn levels(&self, grid: Grid) -> Column {
        let mut cells = vec![(0.0, 0_u32); grid.rows];
        for point in self.track.between(Elapsed::from_secs_f64(grid.begin_s), Elapsed::from_secs_f64(grid.end_s())) {
            let at = point.at.as_secs_f64();
            if let (Some(value), Some((row, _))) = (point.value, grid.overlaps(at, at + 1e-9).next())
                && let Some(cell) = cells.get_mut(row)
            {
                cell.0 += value.level();
                cell.1 += 1;
            }
        }
        cells.into_iter().map(|(sum, n)| (n > 0).then(|| sum / f64::from(n))).collect()
    }

    /// Growth in each row; a row of which less than half is known (gaps, restarts) has none.
    pub(super) fn growth(&self, grid: Grid) -> Vec<Option<Growth>> {
        let mut cells = vec![(Growth::default(), 0.0); grid.rows];
        for pair in self.track.points().windows(2) {
            let [a, b] = pair else { continue };
            let (from, to) = (a.at.as_secs_f64(), b.at.as_secs_f64());
            if to <= grid.begin_s || from >= grid.end_s() || to <= from {
                continue;
            }
            let Some(grown) = grown(a.value, b.value) else { continue };
            for (row, shared) in grid.overlaps(from, to) {
                if let Some(cell) = cells.get_mut(row) {
                    cell.0.sum += grown.sum * shared / (to - from);
                    cell.0.count += grown.count * shared / (to - from);
                    cell.1 += shared;
                }
            }
        }
        let scaled = |(g, known): (Growth, f64)| {
            let factor = grid.dt / known;
            (known >= 0.5 * grid.dt).then_some(Growth { sum: g.sum * factor, count: g.count * factor })
        };
        cells.into_iter().map(scaled).collect()
    }
}

fn grown(earlier: Option<Value>, later: Option<Value>) -> Option<Growth> {
    match (earlier?, later?) {
        (Value::Timer { sum: s0, count: n0 }, Value::Timer { sum: s1, count: n1 }) if n1 >= n0 && s1 >= s0 => {
            Some(Growth { sum: s1 - s0, count: n1 - n0 })
        }
        (Value::Counter(a), Value::Counter(b)) if b >= a => Some(Growth { sum: 0.0, count: b - a }),
        _ => None,
    }
}

/// What the load sources counted in each row.
pub(super) struct Ticks {
    pub(super) done: Column,
    pub(super) dropped: Column,
}

/// Requests that ended and arrivals that could not begin, by row.
pub(super) fn ticks(session: &Session, grid: Grid) -> Ticks {
    let mut cells = vec![(0.0, 0.0, 0.0); grid.rows];
    let late = Elapsed::from_secs_f64(grid.end_s());
    for point in session.ticks().iter().filter(|p| p.to.as_secs_f64() > grid.begin_s && p.from < late && p.seconds() > 0.0) {
        for (row, shared) in grid.overlaps(point.from.as_secs_f64(), point.to.as_secs_f64()) {
            if let Some(cell) = cells.get_mut(row) {
                let share = shared / point.seconds();
                cell.0 += share * point.finished as f64;
                cell.1 += share * point.dropped as f64;
                cell.2 += shared;
            }
        }
    }
    let known = |c: &(f64, f64, f64)| c.2 >= 0.5 * grid.dt;
    Ticks { done: cells.iter().map(|c| known(c).then_some(c.0)).collect(), dropped: cells.iter().map(|c| known(c).then_some(c.1)).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::series::Point;

    const GRID: Grid = Grid { first: 10, begin_s: 2.5, dt: 0.25, rows: 4 };

    fn track(points: &[(f64, Option<Value>)]) -> Spread {
        let mut t = Track::default();
        for (s, value) in points {
            t.push(Point { at: Elapsed::from_secs_f64(*s), value: *value });
        }
        Spread::new(t)
    }

    #[test]
    fn rows_without_a_scrape_stay_empty() {
        let t =
            track(&[(2.6, Some(Value::Gauge(4.0))), (2.7, Some(Value::Gauge(6.0))), (3.3, Some(Value::Gauge(8.0))), (9.0, Some(Value::Gauge(1.0)))]);
        assert_eq!(t.levels(GRID), [Some(5.0), None, None, Some(8.0)]);
    }

    #[test]
    fn growth_is_shared_out_over_the_time_it_took() {
        let timer = |sum, count| Some(Value::Timer { sum, count });
        let t = track(&[(2.0, timer(0.0, 0.0)), (3.0, timer(1.0, 100.0)), (3.5, timer(4.0, 150.0))]);
        let rows = t.growth(GRID);
        assert!((rows[0].unwrap().count - 25.0).abs() < 1e-9);
        assert!((rows[0].unwrap().mean_ms().unwrap() - 10.0).abs() < 1e-9);
        assert!((rows[3].unwrap().mean_ms().unwrap() - 60.0).abs() < 1e-9);
    }

    #[test]
    fn a_restart_or_a_gap_is_not_growth() {
        let t = track(&[(2.5, Some(Value::Counter(9.0))), (3.0, Some(Value::Counter(2.0))), (3.25, None), (3.5, Some(Value::Counter(4.0)))]);
        assert!(t.growth(GRID).iter().all(Option::is_none));
    }
}
