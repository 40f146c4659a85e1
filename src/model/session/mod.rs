//! The fold: everything that can be seen about a session is [`Session::apply`] over its events, live or from a recording.
//!
//! Laws, each held by a test: total (no sequence of events panics; oddities are counted), pure (no clock, no hash order), live equals
//! replay, every prefix is a state that can be drawn, and the revision moves exactly when something visible did.

mod figures;
mod joined;
mod load;
mod log;
mod merged;
mod step;
#[cfg(test)]
pub(crate) mod tests;
mod ticks;

use std::collections::{BTreeMap, BTreeSet};

pub use figures::{HEAT_EDGES_US, SlotFigures, heat_row};
pub use joined::Flow;
pub use load::BOUND_SHARE;
pub use log::{LogLevel, LogLine};
pub use merged::Merged;
pub use step::{MOST_SLICES, NameFigures, PhaseSpan, Slice, StepState, StepStatus};
pub use ticks::TickPoint;

use super::event::{Bound, Event, Gap, Judged, Outcome, Phase, PlanChange, Sample, SessionStarted, Stamped, StepId};
use super::plan::Plan;
use super::series::{Point, Track, midpoint};
use super::signal::{SeriesKey, Signal};
use super::units::{Elapsed, Span};

/// Something in the stream that should not have been there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Anomaly {
    /// An event of a later version.
    UnknownKind,
    /// A number was missing from the stream.
    MissingEvents,
    /// An event spoke of a step that was never planned.
    UnknownStep,
    /// A second beginning or end.
    Repeated,
    /// Requests reported after their interval's figures were closed: counted, their percentiles are not.
    LateRows,
}

impl Anomaly {
    /// In words.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::UnknownKind => "events of a later version were skipped",
            Self::MissingEvents => "events are missing from the stream",
            Self::UnknownStep => "events spoke of a step that was never planned",
            Self::Repeated => "the session began or ended more than once",
            Self::LateRows => "requests were reported after their interval was closed",
        }
    }
}

/// How a session ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// How.
    pub outcome: Outcome,
    /// Whether every setting reads back what was put back.
    pub restored: Option<bool>,
    /// In words.
    pub reason: String,
    /// When.
    pub at: Elapsed,
}

/// Everything known about a session so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Session {
    head: Option<SessionStarted>,
    now: Elapsed,
    next_seq: u64,
    revision: u64,
    steps: Vec<StepState>,
    current: Option<usize>,
    ticks: Vec<TickPoint>,
    ticks_seen: BTreeMap<String, BTreeSet<u64>>,
    series: BTreeMap<SeriesKey, Track>,
    silent: BTreeMap<(String, Option<String>), String>,
    log: Vec<LogLine>,
    judged: Vec<Judged>,
    paused: bool,
    ended: Option<Ended>,
    anomalies: BTreeMap<Anomaly, u64>,
    bound: Option<Bound>,
}

impl Session {
    /// Nothing known yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The fold of a whole stream.
    #[must_use]
    pub fn of<'a>(events: impl IntoIterator<Item = &'a Stamped>) -> Self {
        let mut session = Self::new();
        for event in events {
            session.apply(event);
        }
        session
    }

    /// Takes in one event. An event already seen (by its number) changes nothing.
    pub fn apply(&mut self, stamped: &Stamped) {
        if stamped.seq < self.next_seq {
            return;
        }
        let mut changed = stamped.at > self.now;
        if stamped.seq > self.next_seq {
            changed |= self.odd(Anomaly::MissingEvents);
        }
        self.next_seq = stamped.seq.saturating_add(1);
        self.now = self.now.max(stamped.at);
        changed |= self.note_in_log(stamped.at, &stamped.event);
        changed |= self.take(stamped.at, &stamped.event);
        self.revision += u64::from(changed);
    }

    /// Takes in what an event says; returns whether that changed anything (its line in the log apart).
    fn take(&mut self, at: Elapsed, event: &Event) -> bool {
        match event {
            Event::SessionStarted(head) if self.head.is_none() => self.head = Some((**head).clone()),
            Event::SessionResumed { .. } => self.ended = None,
            Event::StepPlanned(planned) if self.find(planned.step).is_none() => self.steps.push(StepState::new(planned.clone())),
            Event::SessionEnded { outcome, restored, reason } if self.ended.is_none() => {
                self.ended = Some(Ended { outcome: *outcome, restored: *restored, reason: reason.clone(), at });
                self.current = None;
            }
            Event::SessionStarted(_) | Event::StepPlanned(_) | Event::SessionEnded { .. } => return self.odd(Anomaly::Repeated),
            Event::StepEnded { step, end, reason } => return self.with_step(*step, |s| s.end(at, *end, reason)),
            Event::SettingApplied(applied) => return applied.step.is_some_and(|step| self.begin_step(step, |s| s.applied(at, applied))),
            Event::SettingProved(proved) => return proved.step.is_some_and(|step| self.with_step(step, |s| s.proved(proved))),
            Event::PhaseChanged { step, phase } => return self.begin_step(*step, |s| s.enter(at, *phase)),
            Event::Tick(tick) => return self.take_tick(tick),
            Event::Sample(sample) => return self.take_sample(sample),
            Event::Gap(gap) => return self.take_gap(gap),
            Event::StepExcluded { step, why } => return self.with_step(*step, |s| s.exclude(Some(why))),
            Event::StepIncluded { step, .. } => return self.with_step(*step, |s| s.exclude(None)),
            Event::Totals { step, figures } => {
                return self.with_step(*step, |s| s.totals(figures)) && (self.find(*step).is_none() || !figures.is_empty());
            }
            Event::GeneratorBound { step, bound } => return self.take_bound(*step, bound),
            Event::Judged(judged) => self.judged.push((**judged).clone()),
            Event::Unknown => return self.odd(Anomaly::UnknownKind),
            Event::PlanChanged { what: PlanChange::Pause, .. } => self.paused = true,
            Event::PlanChanged { what: PlanChange::GoOn, .. } => self.paused = false,
            Event::PlanChanged { .. } | Event::Note(_) => return false,
        }
        true
    }

    /// Counts something that should not have been there, which is a change.
    fn odd(&mut self, anomaly: Anomaly) -> bool {
        *self.anomalies.entry(anomaly).or_default() += 1;
        true
    }

    fn find(&self, step: StepId) -> Option<usize> {
        self.steps.iter().position(|s| s.planned().step == step)
    }

    fn with_step(&mut self, step: StepId, change: impl FnOnce(&mut StepState)) -> bool {
        let at = self.find(step);
        let Some(state) = at.and_then(|i| self.steps.get_mut(i)) else { return self.odd(Anomaly::UnknownStep) };
        change(state);
        if state.ended().is_some() && self.current == at {
            self.current = None;
        }
        true
    }

    /// As `with_step`, and the step becomes the current one.
    fn begin_step(&mut self, step: StepId, change: impl FnOnce(&mut StepState)) -> bool {
        let changed = self.with_step(step, change);
        let at = self.find(step).filter(|&i| self.steps.get(i).is_some_and(|s| s.ended().is_none()));
        if at.is_some() && self.ended.is_none() {
            self.current = at;
        }
        changed
    }

    fn take_sample(&mut self, sample: &Sample) -> bool {
        let spoke_again = self.silent.remove(&(sample.source.clone(), sample.instance.clone())).is_some();
        let at = midpoint(sample.asked, sample.answered);
        let mut shown = BTreeSet::new();
        // One key for all readings: an hour has some 700,000 of them, and nearly all are of a series already known.
        let mut key = SeriesKey { signal: Signal::ClientRequests, of: None, source: sample.source.clone(), instance: sample.instance.clone() };
        for reading in &sample.readings {
            key.signal = reading.signal;
            key.of.clone_from(&reading.of);
            let point = Point { at, value: Some(reading.value) };
            match self.series.get_mut(&key) {
                Some(track) => track.push(point),
                None => self.series.entry(key.clone()).or_default().push(point),
            }
            shown.insert((reading.signal, reading.of.as_deref()));
        }
        let gaps = self.gap_others(&sample.source, sample.instance.as_ref(), at, &shown);
        spoke_again || gaps || !shown.is_empty()
    }

    fn take_gap(&mut self, gap: &Gap) -> bool {
        let before = self.silent.insert((gap.source.clone(), gap.instance.clone()), gap.reason.clone());
        let gaps = self.gap_others(&gap.source, gap.instance.as_ref(), gap.asked, &BTreeSet::new());
        gaps || before.as_ref() != Some(&gap.reason)
    }

    /// A series that a scrape no longer shows has a gap there, once. Returns whether any has one now.
    fn gap_others(&mut self, source: &str, instance: Option<&String>, at: Elapsed, shown: &BTreeSet<(Signal, Option<&str>)>) -> bool {
        let mut any = false;
        for (key, track) in &mut self.series {
            let mine = key.source == source && key.instance.as_ref() == instance;
            if mine && !shown.contains(&(key.signal, key.of.as_deref())) && track.last().is_some_and(|p| p.value.is_some()) {
                track.push(Point { at, value: None });
                any = true;
            }
        }
        any
    }

    /// The session's head, once it began.
    #[must_use]
    pub const fn head(&self) -> Option<&SessionStarted> {
        self.head.as_ref()
    }

    /// The plan, once the session began.
    #[must_use]
    pub fn plan(&self) -> Option<&Plan> {
        self.head.as_ref().map(|h| &h.plan)
    }

    /// The plan's interval of aggregation; one second before the session began.
    #[must_use]
    pub fn tick(&self) -> Span {
        self.plan().map_or(Span::from_secs(1), |p| p.experiment.tick)
    }

    /// The time of the last event.
    #[must_use]
    pub const fn now(&self) -> Elapsed {
        self.now
    }

    /// Moves with every event that changed something.
    #[must_use]
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    /// The number the next event will have.
    #[must_use]
    pub const fn next_seq(&self) -> u64 {
        self.next_seq
    }

    /// All steps, in the order they were planned.
    #[must_use]
    pub fn steps(&self) -> &[StepState] {
        &self.steps
    }

    /// A step by its number.
    #[must_use]
    pub fn step(&self, id: StepId) -> Option<&StepState> {
        self.find(id).and_then(|i| self.steps.get(i))
    }

    /// The step that runs now.
    #[must_use]
    pub fn current(&self) -> Option<&StepState> {
        self.current.and_then(|i| self.steps.get(i))
    }

    /// The phase that runs now.
    #[must_use]
    pub fn phase(&self) -> Option<Phase> {
        self.current().and_then(StepState::phase)
    }

    /// The intervals of load, over all load sources, in order.
    #[must_use]
    pub fn ticks(&self) -> &[TickPoint] {
        &self.ticks
    }

    /// All scraped series.
    #[must_use]
    pub const fn series(&self) -> &BTreeMap<SeriesKey, Track> {
        &self.series
    }

    /// Sources that are silent now, with the reason.
    #[must_use]
    pub const fn silent(&self) -> &BTreeMap<(String, Option<String>), String> {
        &self.silent
    }

    /// What happened, in words.
    #[must_use]
    pub fn log(&self) -> &[LogLine] {
        &self.log
    }

    /// All judgements, as they were given.
    #[must_use]
    pub fn judged(&self) -> &[Judged] {
        &self.judged
    }

    /// How the session ended, if it did.
    #[must_use]
    pub const fn ended(&self) -> Option<&Ended> {
        self.ended.as_ref()
    }

    /// Whether the run holds between steps.
    #[must_use]
    pub const fn paused(&self) -> bool {
        self.paused
    }

    /// What should not have been in the stream, counted.
    #[must_use]
    pub const fn anomalies(&self) -> &BTreeMap<Anomaly, u64> {
        &self.anomalies
    }
}
