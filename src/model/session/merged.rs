//! A step's figures joined over what a reader does not ask about: by request over all load phases, or by load phase over all requests.
//! Histograms are merged, percentiles never averaged. Beside it what belongs to whole intervals and to no request: passes that ended, and
//! arrivals that could not begin.

use std::collections::BTreeMap;

use super::Session;
use super::step::{NameFigures, PhaseSpan, StepState};
use crate::model::event::{ErrorKind, Phase, RequestKey, Tick, add_failures};
use crate::model::histogram::Histogram;
use crate::model::units::{Elapsed, Span};

/// Figures of the measure phase, joined.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Merged {
    /// Successes, from the intended start.
    pub latency: Histogram,
    /// Failures, from the intended start; a time-out is at least its time-out long.
    pub failed_latency: Histogram,
    /// Successes and failures, from the send.
    pub service_time: Histogram,
    /// From the intended start to the send.
    pub send_lag: Histogram,
    /// Waiting for an own connection.
    pub connect_wait: Histogram,
    /// Failures by kind.
    pub failed: BTreeMap<ErrorKind, u64>,
    /// Sent once more because the server had closed the kept connection.
    pub stale: u64,
    /// Checks that held, and that did not.
    pub checks: (u64, u64),
}

impl Merged {
    fn add(&mut self, name: &NameFigures) {
        name.slices.iter().for_each(|slice| self.latency.merge(&slice.latency));
        self.failed_latency.merge(&name.failed_latency);
        self.service_time.merge(&name.service_time);
        self.send_lag.merge(&name.send_lag);
        self.connect_wait.merge(&name.connect_wait);
        self.count(&name.failed, name.stale, name.checks);
    }

    fn count(&mut self, failed: &BTreeMap<ErrorKind, u64>, stale: u64, checks: (u64, u64)) {
        add_failures(&mut self.failed, failed);
        self.stale = self.stale.saturating_add(stale);
        self.checks = (self.checks.0.saturating_add(checks.0), self.checks.1.saturating_add(checks.1));
    }

    /// Takes another's requests in.
    pub fn merge(&mut self, other: &Self) {
        self.latency.merge(&other.latency);
        self.failed_latency.merge(&other.failed_latency);
        self.service_time.merge(&other.service_time);
        self.send_lag.merge(&other.send_lag);
        self.connect_wait.merge(&other.connect_wait);
        self.count(&other.failed, other.stale, other.checks);
    }

    /// How many ended without success.
    #[must_use]
    pub fn failures(&self) -> u64 {
        self.failed.values().fold(0, |all, n| all.saturating_add(*n))
    }

    /// How many ended.
    #[must_use]
    pub fn finished(&self) -> u64 {
        self.latency.count().saturating_add(self.failures())
    }

    /// Share of those that ended without success; none where nothing ended.
    #[must_use]
    pub fn failed_share(&self) -> Option<f64> {
        (self.finished() > 0).then(|| self.failures() as f64 / self.finished() as f64)
    }
}

impl StepState {
    /// The measure phase joined by whatever is asked of a request's key.
    fn merged_by<'a, K: Ord>(&'a self, of: impl Fn(&'a RequestKey) -> K) -> BTreeMap<K, Merged> {
        let mut all: BTreeMap<K, Merged> = BTreeMap::new();
        for (key, figures) in self.names() {
            all.entry(of(key)).or_default().add(figures);
        }
        all
    }

    /// By scenario and request name, over all load phases and tags.
    #[must_use]
    pub fn by_request(&self) -> BTreeMap<(&str, &str), Merged> {
        self.merged_by(|key| (key.scenario.as_str(), key.name.as_str()))
    }

    /// By load phase, over all requests; under none what was meant to begin behind the last phase, or had no phases at all.
    #[must_use]
    pub fn by_load_phase(&self) -> BTreeMap<Option<&str>, Merged> {
        self.merged_by(|key| key.load_phase.as_deref())
    }
}

impl Session {
    /// The named phase of the load that runs now, while a step is measured along a time line with phases.
    #[must_use]
    pub fn load_phase(&self) -> Option<&str> {
        let measured = self.current().filter(|s| s.phase() == Some(Phase::Measure))?.measured()?;
        let line = self.plan()?.load.time_line()?;
        let at = line.phase_at(self.now().since(measured.from))?;
        line.phases.get(at).map(|phase| phase.name.as_str())
    }
}

/// What is known by interval alone of one step's measure phase.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Intervals {
    pub(super) iterations: Histogram,
    pub(super) dropped: u64,
}

impl Intervals {
    /// Adds an interval that belongs to the measure phase.
    pub(super) fn add(&mut self, tick: &Tick) {
        self.iterations.merge(&tick.iterations);
        self.dropped = self.dropped.saturating_add(tick.dropped);
    }
}

/// Whether an interval belongs to the measure phase among these phases. Nothing is sent behind it, and under a time line nothing before it:
/// then a part of an interval is as good as the whole. Behind a warm-up the interval in which the phase began goes where its middle lies.
pub(super) fn is_measured(phases: &[PhaseSpan], from: Elapsed, to: Elapsed) -> bool {
    let Some(at) = phases.iter().rposition(|p| p.phase == Phase::Measure) else { return false };
    let Some(measured) = phases.get(at) else { return false };
    let warm = at.checked_sub(1).and_then(|before| phases.get(before)).is_some_and(|p| p.phase == Phase::WarmUp);
    let begins = if warm { from.plus(Span::from_micros(to.since(from).as_micros() / 2)) >= measured.from } else { to > measured.from };
    begins && measured.to.is_none_or(|end| from < end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::event::{Cohort, StepId, StepPlanned, TickRow};
    use crate::model::plan::Values;

    fn row(name: &str, load_phase: Option<&str>, took_ms: u64, n: u64, failed: u64) -> TickRow {
        let mut times = Histogram::default();
        (0..n).for_each(|_| times.record(Span::from_millis(took_ms)));
        TickRow {
            failed: BTreeMap::from([(ErrorKind::Status, failed)]),
            stale: 1,
            checks_passed: 2,
            latency: times.clone(),
            service_time: times,
            ..TickRow::new(
                RequestKey { scenario: "s".into(), name: name.into(), load_phase: load_phase.map(str::to_owned), ..RequestKey::default() },
                Cohort { step: StepId(0), phase: Phase::Measure, slot: took_ms },
            )
        }
    }

    fn step() -> StepState {
        let mut step = StepState::new(StepPlanned { step: StepId(0), values: Values::default(), block: 0, order: 0 });
        step.enter(Elapsed(0), Phase::Measure);
        for row in [
            row("login", Some("calm"), 10, 99, 0),
            row("login", Some("spike"), 1000, 1, 3),
            row("read", Some("calm"), 20, 50, 0),
            row("read", None, 30, 7, 0),
        ] {
            step.add(&row, Span::from_secs(1));
        }
        step
    }

    #[test]
    fn percentiles_over_phases_are_those_of_all_requests_together() {
        let step = step();
        let all = step.by_request();
        let login = &all[&("s", "login")];
        assert_eq!((all.len(), login.latency.count(), login.finished(), login.stale, login.checks), (2, 100, 103, 2, (4, 0)));
        let p99 = login.latency.quantile(0.99).unwrap();
        assert!(p99 < Span::from_millis(11), "one of a hundred is slow: the 99th percentile is not it, and no mean of two percentiles: {p99}");
        assert!(login.latency.max().unwrap() >= Span::from_millis(990));
    }

    #[test]
    fn a_phase_holds_all_its_requests() {
        let step = step();
        let all = step.by_load_phase();
        let count = |phase: Option<&str>| all[&phase].finished();
        assert_eq!((count(Some("calm")), count(Some("spike")), count(None)), (149, 4, 7));
        assert_eq!(all[&Some("spike")].failed_share(), Some(0.75));
        assert_eq!(all.values().map(Merged::finished).sum::<u64>(), step.by_request().values().map(Merged::finished).sum::<u64>());
        assert_eq!(Merged::default().failed_share(), None);
    }

    #[test]
    fn intervals_cut_by_the_measure_phase_are_never_lost() {
        let span = |phase, from, to| PhaseSpan { phase, from: Elapsed(from), to: Some(Elapsed(to)) };
        let line = [span(Phase::Settle, 0, 130), span(Phase::Measure, 130, 470), span(Phase::Drain, 470, 500)];
        let of = |phases: &[PhaseSpan]| (0..6).filter(|n| is_measured(phases, Elapsed(n * 100), Elapsed(n * 100 + 100))).collect::<Vec<u64>>();
        assert_eq!(of(&line), [1, 2, 3, 4], "nothing was sent before it");
        let warm = |begin| [span(Phase::WarmUp, 0, begin), span(Phase::Measure, begin, 470)];
        assert_eq!((of(&warm(130)), of(&warm(160))), (vec![1, 2, 3, 4], vec![2, 3, 4]), "the greater part decides");
        assert_eq!(of(&line[..1]), [] as [u64; 0]);
    }
}
