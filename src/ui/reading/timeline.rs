//! The time axis all charts share: which stretch of the session is shown, and where its steps lie.

use super::label;
use crate::model::event::Phase;
use crate::model::session::{Session, StepState};
use crate::model::units::Elapsed;
use crate::ui::state::Window;
use crate::ui::widget::scale::Scale;

/// A step on the time axis, in seconds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Band {
    /// When it began.
    pub from: f64,
    /// When it ended, or now.
    pub to: f64,
    /// Its values.
    pub label: String,
    /// Its measure phase.
    pub measured: Option<(f64, f64)>,
}

/// The time axis.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Timeline {
    /// Seconds since the session began.
    pub x: Scale,
    /// The steps on it.
    pub bands: Vec<Band>,
    /// Up to when anything is known.
    pub now: f64,
}

/// The time axis of a session.
#[must_use]
pub(crate) fn timeline(session: &Session, window: Window) -> Timeline {
    let now = session.now().as_secs_f64();
    let (from, to) = match window {
        Window::Whole if session.ended().is_some() => (0.0, now),
        Window::Whole => (0.0, grown(now)),
        Window::Minute => ((now - 60.0).max(0.0), now.max(60.0)),
        Window::Step => {
            let begun = session.current().or_else(|| session.steps().iter().rev().find(|s| s.begun().is_some())).and_then(StepState::begun);
            let from = begun.map_or(0.0, Elapsed::as_secs_f64);
            (from, from + grown(now - from))
        }
    };
    let bands = session.steps().iter().filter_map(|s| band(session, s, now)).filter(|b| b.to > from && b.from < to).collect();
    Timeline { x: Scale::linear(from, to.max(from + 1.0)), bands, now }
}

fn band(session: &Session, step: &StepState, now: f64) -> Option<Band> {
    let from = step.begun()?.as_secs_f64();
    let to = step.ended().map_or(now, |(.., at)| at.as_secs_f64());
    let measured = step.phases().iter().rev().find(|p| p.phase == Phase::Measure);
    let measured = measured.map(|p| (p.from.as_secs_f64(), p.to.map_or(now, Elapsed::as_secs_f64)));
    Some(Band { from, to, label: label::short(session, step), measured })
}

/// The next round length, so that the axis does not creep with every second.
fn grown(seconds: f64) -> f64 {
    const LENGTHS: [f64; 18] =
        [10.0, 20.0, 30.0, 45.0, 60.0, 90.0, 120.0, 180.0, 240.0, 300.0, 420.0, 600.0, 900.0, 1200.0, 1800.0, 2700.0, 3600.0, 5400.0];
    LENGTHS.into_iter().find(|l| *l >= seconds).unwrap_or_else(|| (seconds / 3600.0).ceil() * 3600.0)
}

impl Timeline {
    /// The stretches that are not measured, from its beginning to now.
    #[must_use]
    pub(crate) fn unmeasured(&self) -> Vec<(f64, f64)> {
        let mut out = Vec::new();
        let mut at = self.x.from();
        for (from, to) in self.bands.iter().filter_map(|b| b.measured) {
            if from > at {
                out.push((at, from));
            }
            at = at.max(to);
        }
        if self.now > at {
            out.push((at, self.now));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::testkit;

    #[test]
    fn steps_lie_on_it_in_order() {
        let axis = timeline(&Session::of(testkit::sweep().iter()), Window::Whole);
        let labels: Vec<&str> = axis.bands.iter().map(|b| b.label.as_str()).collect();
        assert_eq!(labels, ["100", "30", "200", "150", "50", "50", "200", "30", "150", "100"]);
        assert!(axis.bands.windows(2).all(|w| w[0].to <= w[1].from));
        assert!((axis.x.to() - axis.now).abs() < 1e-9, "an ended session fills it");
    }

    #[test]
    fn measured_and_unmeasured_part_the_time() {
        let axis = timeline(&testkit::middle(), Window::Whole);
        let dark: f64 = axis.unmeasured().iter().map(|(a, b)| b - a).sum();
        let bright: f64 = axis.bands.iter().filter_map(|b| b.measured).map(|(a, b)| b - a).sum();
        assert!((dark + bright - axis.now).abs() < 1e-6, "{dark} + {bright} is not {}", axis.now);
    }

    #[test]
    fn windows_show_what_they_say() {
        let session = testkit::middle();
        let step = timeline(&session, Window::Step);
        assert_eq!(step.bands.len(), 1);
        let minute = timeline(&session, Window::Minute);
        assert!(minute.x.to() - minute.x.from() <= 60.0 + 1e-9);
        assert!(timeline(&Session::new(), Window::Whole).bands.is_empty());
    }

    #[test]
    fn lengths_are_round() {
        assert!((grown(0.0) - 10.0).abs() < 1e-9 && (grown(61.0) - 90.0).abs() < 1e-9 && (grown(7201.0) - 10800.0).abs() < 1e-9);
    }
}
