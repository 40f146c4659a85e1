//! What a session measured against the thresholds of its plan. A threshold is judged over the measure phases of all steps that ran to
//! their end, were cut off, or are running now; histograms are merged, never percentiles averaged. It may import `model/`.

use crate::model::event::StepEnd;
use crate::model::histogram::Histogram;
use crate::model::plan::{Metric, MetricKind, Rule, Statistic, Threshold};
use crate::model::session::{NameFigures, Session, StepState, StepStatus};
use crate::model::units::{Elapsed, Span};

/// How a threshold stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// The threshold.
    pub threshold: Threshold,
    /// Its figure, in seconds, as a fraction, a second, or a plain number; none where nothing was measured that it speaks of.
    pub value: Option<f64>,
    /// Whether it holds. What nobody could check does not hold.
    pub ok: bool,
    /// Of how many requests, checks or passes the figure is.
    pub samples: u64,
    /// Why there is no figure.
    pub why: Option<String>,
}

/// How all thresholds of a session's plan stand, in the order of the plan.
#[must_use]
pub fn thresholds(session: &Session) -> Vec<Standing> {
    session.plan().map(|p| p.thresholds.as_slice()).unwrap_or_default().iter().map(|t| standing(session, t)).collect()
}

/// How one threshold stands.
#[must_use]
pub fn standing(session: &Session, threshold: &Threshold) -> Standing {
    let (value, ok, samples, why) = match threshold.rule() {
        Ok(rule) => {
            let figure = figure(session, &rule);
            let why = figure.value.is_none().then(|| missing(session, &rule));
            (figure.value, figure.value.is_some_and(|v| rule.holds(v)), figure.samples, why)
        }
        Err(error) => (None, false, 0, Some(format!("this version can not read it: {error}"))),
    };
    Standing { threshold: threshold.clone(), value, ok, samples, why }
}

fn missing(session: &Session, rule: &Rule) -> String {
    match (steps(session).next(), rule.metric) {
        (None, _) => "nothing was measured".to_owned(),
        (_, Metric::Checks) => "no check was made of such requests".to_owned(),
        (_, Metric::IterationDuration) => "no pass of a scenario ended".to_owned(),
        _ if rule.selectors.is_empty() => "no request ended".to_owned(),
        _ => "no request matched".to_owned(),
    }
}

/// A figure and of how many it is.
struct Figure {
    value: Option<f64>,
    samples: u64,
}

fn figure(session: &Session, rule: &Rule) -> Figure {
    match rule.metric {
        Metric::HttpReqDuration => of_times(&latency(session, rule), rule.statistic),
        Metric::IterationDuration => of_times(&passes(session), rule.statistic),
        Metric::HttpReqFailed => {
            let (ok, failed) = requests(session, rule);
            share(failed, ok.saturating_add(failed))
        }
        Metric::Checks => {
            let (held, not) = sum(names(session, rule).map(|n| n.checks));
            share(held, held.saturating_add(not))
        }
        Metric::HttpReqs => {
            let (ok, failed) = requests(session, rule);
            let all = ok.saturating_add(failed);
            let seconds: f64 = steps(session).map(|s| seconds(session, s, rule.selectors.phase.as_deref())).sum();
            counted(all, seconds, rule).matching(all > 0 || rule.selectors.is_empty())
        }
        Metric::Iterations => {
            let n = passes(session).count();
            counted(n, intervals(session).1, rule)
        }
        Metric::DroppedIterations => {
            let (dropped, seconds) = intervals(session);
            counted(dropped, seconds, rule)
        }
    }
}

impl Figure {
    /// No figure where no request was of the kind.
    fn matching(self, any: bool) -> Self {
        if any { self } else { Self { value: None, ..self } }
    }
}

/// The steps whose figures count: measured to the end, cut off while measuring, or running.
fn steps(session: &Session) -> impl Iterator<Item = &StepState> {
    let counts = |status| match status {
        StepStatus::Planned => false,
        StepStatus::Running(_) => true,
        StepStatus::Ended(end) => matches!(end, StepEnd::Completed | StepEnd::Guard | StepEnd::Interrupted),
    };
    session.steps().iter().filter(move |s| s.measured().is_some() && s.excluded().is_none() && counts(s.status()))
}

fn names<'a>(session: &'a Session, rule: &'a Rule) -> impl Iterator<Item = &'a NameFigures> {
    let takes = |key: &crate::model::event::RequestKey| rule.selectors.take(&key.scenario, &key.name, &key.tags, key.load_phase.as_deref());
    steps(session).flat_map(StepState::names).filter(move |(key, _)| takes(key)).map(|(_, figures)| figures)
}

fn sum(pairs: impl Iterator<Item = (u64, u64)>) -> (u64, u64) {
    pairs.fold((0, 0), |(a, b), (x, y)| (u64::saturating_add(a, x), u64::saturating_add(b, y)))
}

/// Successes and failures.
fn requests(session: &Session, rule: &Rule) -> (u64, u64) {
    let failures = |n: &NameFigures| n.failed.values().fold(0_u64, |all, n| all.saturating_add(*n));
    sum(names(session, rule).map(|n| (n.slices.iter().fold(0_u64, |all, s| all.saturating_add(s.latency.count())), failures(n))))
}

/// Successes and failures, from the intended start.
fn latency(session: &Session, rule: &Rule) -> Histogram {
    let mut all = Histogram::default();
    for name in names(session, rule) {
        name.slices.iter().for_each(|s| all.merge(&s.latency));
        all.merge(&name.failed_latency);
    }
    all
}

fn passes(session: &Session) -> Histogram {
    let mut all = Histogram::default();
    steps(session).for_each(|s| all.merge(s.iterations()));
    all
}

/// Dropped arrivals of the measure phases, and how long these were.
fn intervals(session: &Session) -> (u64, f64) {
    steps(session).fold((0_u64, 0.0), |(dropped, length), s| (dropped.saturating_add(s.dropped()), length + seconds(session, s, None)))
}

fn window(session: &Session, step: &StepState) -> Option<(Elapsed, Elapsed)> {
    step.measured().map(|m| (m.from, m.to.unwrap_or(session.now())))
}

/// How long a step was measured, or how long it was in a named phase of the load meanwhile.
fn seconds(session: &Session, step: &StepState, phase: Option<&str>) -> f64 {
    let Some((from, to)) = window(session, step) else { return 0.0 };
    let measured = to.since(from);
    let phases = session.plan().and_then(|p| p.load.line.as_ref()).map(|l| l.phases.as_slice()).unwrap_or_default();
    if phase.is_none_or(|name| !phases.iter().any(|p| p.name == name)) {
        return measured.as_secs_f64();
    }
    let (mut begin, mut inside) = (Elapsed::ZERO, Span::ZERO);
    for p in phases {
        let end = begin.plus(p.length).min(Elapsed::ZERO.plus(measured));
        if phase == Some(p.name.as_str()) {
            inside = inside.plus(end.since(begin));
        }
        begin = begin.plus(p.length);
    }
    inside.as_secs_f64()
}

fn share(part: u64, all: u64) -> Figure {
    Figure { value: (all > 0).then(|| part as f64 / all as f64), samples: all }
}

fn counted(n: u64, seconds: f64, rule: &Rule) -> Figure {
    debug_assert_eq!(rule.metric.kind(), MetricKind::Count);
    let value = if rule.statistic == Statistic::Count { (seconds > 0.0).then_some(n as f64) } else { (seconds > 0.0).then(|| n as f64 / seconds) };
    Figure { value, samples: n }
}

fn of_times(times: &Histogram, statistic: Statistic) -> Figure {
    let quantile = |q| times.quantile(q).map(Span::as_secs_f64);
    let value = match statistic {
        Statistic::Average => times.mean_s(),
        Statistic::Least => quantile(0.0),
        Statistic::Median => quantile(0.5),
        Statistic::Most => times.max().map(Span::as_secs_f64),
        Statistic::Percentile(q) => quantile(q),
        Statistic::Rate | Statistic::Count => None,
    };
    Figure { value, samples: times.count() }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::model::event::{Cohort, ErrorKind, Event, Phase, RequestKey, Stamped, StepId, StepPlanned, Tick, TickRow};
    use crate::model::plan::{LoadPhase, TimeLine, Values};
    use crate::model::session::tests::events::head;

    const STEP: StepId = StepId(0);

    /// A session that measures from second 10 on.
    struct Run {
        session: Session,
    }

    impl Run {
        fn new() -> Self {
            let mut head = head();
            let phase = |name: &str, s| LoadPhase { name: name.to_owned(), length: Span::from_secs(s) };
            head.plan.load.line = Some(TimeLine { phases: vec![phase("baseline", 2), phase("spike", 2)], populations: Vec::new() });
            let mut run = Self { session: Session::new() };
            run.say(0, Event::SessionStarted(Box::new(head)));
            run.say(0, Event::StepPlanned(StepPlanned { step: STEP, values: Values::default(), block: 0, order: 0 }));
            run.say(10, Event::PhaseChanged { step: STEP, phase: Phase::Measure });
            run
        }

        fn say(&mut self, second: u64, event: Event) {
            let seq = self.session.next_seq();
            self.session.apply(&Stamped { seq, at: Elapsed(second * 1_000_000), event });
        }

        /// One second of requests of a name in a phase of the load: so many of 100 ms, so many failures of 900 ms.
        fn second(&mut self, n: u64, name: &str, phase: &str, ok: u64, failed: u64) {
            let (mut latency, mut failed_latency, mut iterations) = (Histogram::default(), Histogram::default(), Histogram::default());
            latency.record_n(100_000, ok);
            failed_latency.record_n(900_000, failed);
            iterations.record_n(2_000_000, ok);
            let row = TickRow {
                failed: BTreeMap::from([(ErrorKind::Status, failed)]),
                checks_passed: ok,
                checks_failed: failed,
                latency,
                failed_latency,
                ..TickRow::new(
                    RequestKey { scenario: "s".into(), name: name.into(), load_phase: Some(phase.into()), ..RequestKey::default() },
                    Cohort { step: STEP, phase: Phase::Measure, slot: n },
                )
            };
            let (from, to) = (Elapsed(n * 1_000_000), Elapsed((n + 1) * 1_000_000));
            let tick = Tick { source: "local".into(), number: n, from, to, dropped: 3, iterations, rows: vec![row], ..Tick::default() };
            self.say(n + 1, Event::Tick(Box::new(tick)));
        }

        fn value(&self, metric: &str, pass: &str) -> Option<f64> {
            standing(&self.session, &Threshold::new(metric, pass)).value
        }
    }

    fn run() -> Run {
        let mut run = Run::new();
        run.second(10, "login", "baseline", 90, 10);
        run.second(11, "cart", "baseline", 100, 0);
        run.second(12, "login", "spike", 50, 50);
        run.second(13, "cart", "spike", 100, 0);
        run
    }

    fn near(found: Option<f64>, wanted: f64) -> bool {
        found.is_some_and(|f| (f - wanted).abs() <= wanted.abs() * 0.002)
    }

    #[test]
    fn durations_hold_failures_too_and_histograms_are_merged() {
        let run = run();
        assert!(near(run.value("http_req_duration", "p(50) < 1s"), 0.1));
        assert!(near(run.value("http_req_duration", "p(95) < 1s"), 0.9), "60 of 400 are failures of 900 ms");
        assert!(near(run.value("http_req_duration", "max < 1s"), 0.9) && near(run.value("http_req_duration", "min < 1s"), 0.1));
        assert!(near(run.value("http_req_duration{name:cart}", "p(95) < 1s"), 0.1));
        assert!(near(run.value("http_req_duration", "avg < 1s"), (340.0 * 0.1 + 60.0 * 0.9) / 400.0));
    }

    #[test]
    fn shares_counts_and_rates_are_of_what_the_selectors_take() {
        let run = run();
        assert!(near(run.value("http_req_failed", "rate < 1%"), 0.15));
        assert!(near(run.value("http_req_failed{phase:spike,name:login}", "rate < 1%"), 0.5));
        assert!(near(run.value("checks{name:login}", "rate > 0.5"), 0.7));
        assert!(near(run.value("http_reqs{scenario:s}", "count > 1"), 400.0));
        assert!(near(run.value("http_reqs", "rate > 1"), 100.0));
        assert!(near(run.value("http_reqs{phase:spike}", "rate > 1"), 100.0), "200 in the two seconds of the phase");
        assert!(near(run.value("dropped_iterations", "count < 1"), 12.0));
        assert!(near(run.value("iterations", "count > 1"), 340.0));
        assert!(near(run.value("iteration_duration", "med < 3s"), 2.0));
    }

    #[test]
    fn what_nobody_could_check_does_not_hold() {
        let run = run();
        let none = standing(&run.session, &Threshold::new("http_req_duration{name:nonesuch}", "p(95) < 1s"));
        assert_eq!((none.value, none.ok, none.why.as_deref()), (None, false, Some("no request matched")));
        let none = standing(&run.session, &Threshold::new("http_reqs{name:nonesuch}", "count < 1"));
        assert!(!none.ok && none.why.is_some());
        let old = standing(&run.session, &Threshold::new("m", "a < 1"));
        assert!(!old.ok && old.why.unwrap().contains('m'));
        let empty = standing(&Session::new(), &Threshold::new("http_reqs", "count < 1"));
        assert_eq!((empty.ok, empty.why.as_deref()), (false, Some("nothing was measured")));
    }

    #[test]
    fn steps_that_do_not_count_are_left_out() {
        for (end, counts) in [(StepEnd::Completed, true), (StepEnd::Guard, true), (StepEnd::Void, false), (StepEnd::Skipped, false)] {
            let mut run = run();
            run.say(14, Event::StepEnded { step: STEP, end, reason: "over".into() });
            assert_eq!(run.value("http_reqs", "count > 1").is_some(), counts, "{end:?}");
        }
    }

    #[test]
    fn passes_outside_the_measure_phase_do_not_count() {
        let mut run = Run::new();
        run.second(9, "login", "baseline", 90, 10);
        assert_eq!(run.value("iterations", "count > 1"), None, "only an interval before measuring was seen");
        run.second(10, "login", "baseline", 7, 0);
        assert!(near(run.value("iterations", "count > 1"), 7.0));
    }

    #[test]
    fn the_plan_s_thresholds_come_in_its_order() {
        let mut head = head();
        head.plan.thresholds = vec![Threshold::new("http_reqs", "count > 1"), Threshold::new("checks", "rate > 0.5")];
        let started = Stamped { seq: 0, at: Elapsed::ZERO, event: Event::SessionStarted(Box::new(head)) };
        let metrics: Vec<String> = thresholds(&Session::of([&started])).into_iter().map(|s| s.threshold.metric).collect();
        assert_eq!(metrics, ["http_reqs", "checks"]);
    }
}
