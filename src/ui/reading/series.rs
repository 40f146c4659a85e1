//! Points for charts: figures over time brought to the columns of a plot, with gaps kept.
//!
//! Rates and levels are averaged over a column; of percentiles the middle one is taken, for the mean of percentiles is none.

use crate::model::session::Session;
use crate::model::signal::{Signal, Value};
use crate::model::units::Span;
use crate::ui::widget::scale::Scale;

/// A figure at a time; no figure is a gap.
pub(crate) type Point = Option<(f64, f64)>;

/// How several figures in one column become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Joined {
    /// Their mean.
    Mean,
    /// The middle one.
    Middle,
}

/// Figures in the order of time: seconds, and the figure or a gap.
pub(crate) type Figures = Vec<(f64, Option<f64>)>;

/// Brings figures to columns. A gap, or more than `reach` seconds without a figure, breaks the line.
#[must_use]
pub(crate) fn columns(figures: &Figures, x: Scale, columns: usize, reach: f64, joined: Joined) -> Vec<Point> {
    let mut out: Vec<Point> = Vec::new();
    let mut group: Vec<(f64, f64)> = Vec::new();
    let mut column = None;
    let mut last = f64::NEG_INFINITY;
    for (at, value) in figures {
        let Some(here) = x.place(*at).map(|p| bucket(p, columns)) else { continue };
        if column != Some(here) || value.is_none() {
            flush(&mut group, joined, &mut out);
            column = Some(here);
        }
        match value {
            Some(v) if v.is_finite() => {
                if *at - last > reach && last.is_finite() {
                    flush(&mut group, joined, &mut out);
                    out.push(None);
                }
                group.push((*at, *v));
                last = *at;
            }
            _ => out.push(None),
        }
    }
    flush(&mut group, joined, &mut out);
    out
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place between 0 and 1 times a screen's width")]
fn bucket(place: f64, columns: usize) -> usize {
    (place * columns as f64) as usize
}

fn flush(group: &mut Vec<(f64, f64)>, joined: Joined, out: &mut Vec<Point>) {
    if group.is_empty() {
        return;
    }
    let n = group.len() as f64;
    let at = group.iter().map(|g| g.0).sum::<f64>() / n;
    let value = match joined {
        Joined::Mean => group.iter().map(|g| g.1).sum::<f64>() / n,
        Joined::Middle => {
            group.sort_by(|a, b| a.1.total_cmp(&b.1));
            group.get(group.len() / 2).map_or(0.0, |g| g.1)
        }
    };
    out.push(Some((at, value)));
    group.clear();
}

/// The longest silence between two figures of the load that is not a gap, in seconds.
#[must_use]
pub(crate) fn reach(session: &Session) -> f64 {
    session.tick().as_secs_f64() * 3.5
}

/// The levels of a signal.
#[must_use]
pub(crate) fn levels(session: &Session, signal: Signal, of: Option<&str>) -> Figures {
    let track = session.joined(signal, of);
    track.iter().flat_map(|t| t.points()).map(|p| (p.at.as_secs_f64(), p.value.map(Value::level))).collect()
}

/// The mean length of a timer's events over time.
#[must_use]
pub(crate) fn timer(session: &Session, signal: Signal) -> Figures {
    let track = session.joined(signal, None);
    track.iter().flat_map(|t| t.timer_means()).map(|(at, mean)| (at.as_secs_f64(), mean)).collect()
}

/// Something of each interval of load, at its middle.
#[must_use]
pub(crate) fn ticks(session: &Session, figure: impl Fn(&crate::model::session::TickPoint) -> Option<f64>) -> Figures {
    session.ticks().iter().map(|t| (f64::midpoint(t.from.as_secs_f64(), t.to.as_secs_f64()), figure(t))).collect()
}

/// A percentile of the requests whose intended start lay in each interval: 0 is the median, 1 to 3 the 90th, 95th and 99th.
#[must_use]
pub(crate) fn percentiles(session: &Session, which: usize) -> Figures {
    let tick = session.tick().as_secs_f64();
    let mut out: Figures = Vec::new();
    for step in session.steps() {
        for ((slot, _), figures) in step.slots() {
            let value = figures.percentiles.as_ref().and_then(|p| p.get(which)).map(|s| s.as_secs_f64());
            if let Some(value) = value {
                out.push(((*slot as f64 + 0.5) * tick, Some(value)));
            }
        }
    }
    out.sort_by(|a, b| a.0.total_cmp(&b.0));
    out
}

/// The mean level of a signal over about the last second; none if its last reading is a gap.
#[must_use]
pub(crate) fn recent(session: &Session, signal: Signal, of: Option<&str>) -> Option<f64> {
    let track = session.joined(signal, of)?;
    let last = track.last()?;
    last.value?;
    let span = session.tick().times(4.0).max(Span::from_secs(1));
    track.mean_level(last.at.minus(span).plus(Span::from_micros(1)), last.at.plus(Span::from_micros(1))).map(|(mean, _)| mean)
}

/// The last figure of points, if the last is no gap.
#[must_use]
pub(crate) fn last(points: &[Point]) -> Option<f64> {
    points.last().copied().flatten().map(|(_, v)| v)
}

/// The largest of all figures.
#[must_use]
pub(crate) fn largest<'a>(all: impl IntoIterator<Item = &'a [Point]>) -> f64 {
    all.into_iter().flatten().flatten().map(|(_, v)| *v).fold(0.0, f64::max)
}

/// The smallest figure above 0.
#[must_use]
pub(crate) fn smallest<'a>(all: impl IntoIterator<Item = &'a [Point]>) -> f64 {
    all.into_iter().flatten().flatten().map(|(_, v)| *v).filter(|v| *v > 0.0).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::testkit;

    #[test]
    fn a_column_holds_the_mean_or_the_middle() {
        let figures: Figures = vec![(0.1, Some(1.0)), (0.2, Some(2.0)), (0.3, Some(9.0))];
        let x = Scale::linear(0.0, 10.0);
        let near = |p: &[Point], v: f64| assert!((p[0].unwrap().1 - v).abs() < 1e-9 && p.len() == 1, "{p:?}");
        near(&columns(&figures, x, 10, 1.0, Joined::Mean), 4.0);
        near(&columns(&figures, x, 10, 1.0, Joined::Middle), 2.0);
    }

    #[test]
    fn gaps_break_lines() {
        let figures: Figures = vec![(1.0, Some(1.0)), (2.0, None), (3.0, Some(1.0)), (9.0, Some(1.0))];
        let points = columns(&figures, Scale::linear(0.0, 10.0), 10, 2.0, Joined::Mean);
        let known: Vec<bool> = points.iter().map(Option::is_some).collect();
        assert_eq!(known, [true, false, true, false, true], "a gap, and a silence longer than the reach");
    }

    #[test]
    fn figures_come_from_the_session() {
        let session = testkit::middle();
        assert!(levels(&session, Signal::PoolActive, None).len() > 20);
        assert!(percentiles(&session, 3).windows(2).all(|w| w[0].0 <= w[1].0));
        assert!(timer(&session, Signal::PoolAcquire).iter().any(|p| p.1.is_some()));
        assert!(recent(&session, Signal::PoolPending, None).is_some());
        assert_eq!(recent(&session, Signal::DbCpu, None), None);
        assert!(ticks(&session, crate::model::session::TickPoint::rate).iter().all(|p| p.1.is_some()));
    }
}
