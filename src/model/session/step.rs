//! One step of a session: its settings and their proofs, its phases, its figures by interval and by request.

use std::collections::BTreeMap;

use super::figures::{SlotFigures, can_close};
use super::load::LoadFigures;
use super::merged::{Intervals, is_measured};
use crate::model::event::{
    ErrorKind, Phase, Proof, RequestKey, SettingApplied, SettingProved, StepEnd, StepPlanned, Tick, TickRow, TotalFigure, add_failures, slot_begin,
};
use crate::model::histogram::Histogram;
use crate::model::units::{Elapsed, Span};

/// The measure phase is kept in at most this many slices a request.
pub const MOST_SLICES: usize = 24;

/// Where a step stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepStatus {
    /// Not begun.
    Planned,
    /// In this phase; none while its settings are being applied.
    Running(Option<Phase>),
    /// Over.
    Ended(StepEnd),
}

/// A phase with its times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhaseSpan {
    /// Which.
    pub phase: Phase,
    /// Begin.
    pub from: Elapsed,
    /// End; none while it runs.
    pub to: Option<Elapsed>,
}

/// Requests of the measure phase whose intended start lay in a few neighbouring intervals.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Slice {
    /// First interval.
    pub from_slot: u64,
    /// The interval after the last.
    pub to_slot: u64,
    /// Successes.
    pub latency: Histogram,
    /// Failures.
    pub failed: u64,
}

/// What is known of one request name in one step.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NameFigures {
    /// By phase and interval of the intended start.
    pub slots: BTreeMap<(u64, Phase), SlotFigures>,
    /// The measure phase in slices.
    pub slices: Vec<Slice>,
    /// Failures of the measure phase by kind.
    pub failed: BTreeMap<ErrorKind, u64>,
    /// Requests of the measure phase sent once more because the server had closed the kept connection.
    pub stale: u64,
    /// Failures of the measure phase, from the intended start; a time-out is at least its time-out long.
    pub failed_latency: Histogram,
    /// Requests of the measure phase, from the send.
    pub service_time: Histogram,
    /// Requests of the measure phase, from the intended start to the send.
    pub send_lag: Histogram,
    /// Requests of the measure phase, waiting for an own connection.
    pub connect_wait: Histogram,
    /// Checks of the measure phase that held, and that did not.
    pub checks: (u64, u64),
    slice_width: u64,
    first_slot: u64,
}

impl NameFigures {
    /// Successes of the measure phase in one histogram.
    #[must_use]
    pub fn latency(&self) -> Histogram {
        Histogram::merged(self.slices.iter().map(|slice| &slice.latency))
    }

    /// `begin` is the interval in which measuring began, where slices begin for all requests alike.
    fn add(&mut self, row: &TickRow, begin: Option<u64>) -> bool {
        let took = self.slots.entry((row.cohort.slot, row.cohort.phase)).or_default().add(row);
        if row.cohort.phase == Phase::Measure {
            add_failures(&mut self.failed, &row.failed);
            self.stale = self.stale.saturating_add(row.stale);
            self.failed_latency.merge(&row.failed_latency);
            self.service_time.merge(&row.service_time);
            self.send_lag.merge(&row.send_lag);
            self.connect_wait.merge(&row.connect_wait);
            self.checks.0 = self.checks.0.saturating_add(row.checks_passed);
            self.checks.1 = self.checks.1.saturating_add(row.checks_failed);
            self.add_to_slice(row, begin);
        }
        took
    }

    fn add_to_slice(&mut self, row: &TickRow, begin: Option<u64>) {
        if self.slices.is_empty() {
            (self.slice_width, self.first_slot) = (1, begin.unwrap_or(row.cohort.slot).min(row.cohort.slot));
        }
        let slot = row.cohort.slot.max(self.first_slot);
        while (slot - self.first_slot) / self.slice_width >= MOST_SLICES as u64 {
            self.widen();
        }
        let begin = self.first_slot + (slot - self.first_slot) / self.slice_width * self.slice_width;
        let at = self.slices.partition_point(|s| s.from_slot < begin);
        if self.slices.get(at).is_none_or(|s| s.from_slot != begin) {
            self.slices.insert(at, Slice { from_slot: begin, to_slot: begin.saturating_add(self.slice_width), ..Slice::default() });
        }
        if let Some(slice) = self.slices.get_mut(at) {
            slice.latency.merge(&row.latency);
            slice.failed = slice.failed.saturating_add(row.failures());
        }
    }

    /// Slices become twice as long; neighbours merge.
    fn widen(&mut self) {
        self.slice_width = self.slice_width.saturating_mul(2);
        let (width, first) = (self.slice_width, self.first_slot);
        let mut wider: Vec<Slice> = Vec::new();
        for slice in std::mem::take(&mut self.slices) {
            let begin = first + (slice.from_slot - first) / width * width;
            match wider.last_mut() {
                Some(last) if last.from_slot == begin => {
                    last.latency.merge(&slice.latency);
                    last.failed = last.failed.saturating_add(slice.failed);
                }
                _ => wider.push(Slice { from_slot: begin, to_slot: begin.saturating_add(width), ..slice }),
            }
        }
        self.slices = wider;
    }
}

/// Everything known of one step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepState {
    planned: StepPlanned,
    phases: Vec<PhaseSpan>,
    begun: Option<Elapsed>,
    applied: Vec<SettingApplied>,
    proofs: Vec<SettingProved>,
    ended: Option<(StepEnd, String, Elapsed)>,
    excluded: Option<String>,
    slots: BTreeMap<(u64, Phase), SlotFigures>,
    names: BTreeMap<RequestKey, NameFigures>,
    /// No interval before this one holds a distribution any more.
    open_from: u64,
    totals: Vec<TotalFigure>,
    intervals: Intervals,
    pub(super) load: LoadFigures,
}

impl StepState {
    pub(super) fn new(planned: StepPlanned) -> Self {
        Self {
            planned,
            phases: Vec::new(),
            begun: None,
            applied: Vec::new(),
            proofs: Vec::new(),
            ended: None,
            excluded: None,
            slots: BTreeMap::new(),
            names: BTreeMap::new(),
            open_from: 0,
            totals: Vec::new(),
            intervals: Intervals::default(),
            load: LoadFigures::default(),
        }
    }

    pub(super) fn applied(&mut self, at: Elapsed, applied: &SettingApplied) {
        self.begun.get_or_insert(at);
        self.applied.push(applied.clone());
    }

    pub(super) fn proved(&mut self, proved: &SettingProved) {
        match self.proofs.iter_mut().find(|p| p.setting == proved.setting) {
            Some(known) => *known = proved.clone(),
            None => self.proofs.push(proved.clone()),
        }
    }

    pub(super) fn enter(&mut self, at: Elapsed, phase: Phase) {
        self.begun.get_or_insert(at);
        self.close_phase(at);
        self.phases.push(PhaseSpan { phase, from: at, to: None });
    }

    fn close_phase(&mut self, at: Elapsed) {
        if let Some(last) = self.phases.last_mut() {
            last.to.get_or_insert(at);
        }
    }

    pub(super) fn end(&mut self, at: Elapsed, end: StepEnd, reason: &str) {
        self.close_phase(at);
        self.ended = Some((end, reason.to_owned(), at));
    }

    pub(super) fn exclude(&mut self, why: Option<&String>) {
        self.excluded = why.cloned();
    }

    pub(super) fn totals(&mut self, figures: &[TotalFigure]) {
        self.totals.extend_from_slice(figures);
    }

    /// Adds what an interval says of no request, if it belongs to the measure phase.
    pub(super) fn add_interval(&mut self, tick: &Tick) {
        if self.takes_interval(tick.from, tick.to) {
            self.intervals.add(tick);
            self.load.saw(tick.to);
        }
    }

    /// Adds one row; returns whether its percentiles could still be taken in.
    pub(super) fn add(&mut self, row: &TickRow, tick: Span) -> bool {
        self.open_from = self.open_from.min(row.cohort.slot);
        let begin = self.measured().map(|p| p.from.slot(tick));
        let took = self.slots.entry((row.cohort.slot, row.cohort.phase)).or_default().add(row);
        self.names.entry(row.key.clone()).or_default().add(row, begin) && took
    }

    /// Lets go of the distributions of intervals to which nothing more can be added.
    pub(super) fn close_slots(&mut self, now: Elapsed, tick: Span, longest: Span) {
        let from = self.open_from;
        for ((slot, _), figures) in self.slots.range_mut((from, Phase::Settle)..) {
            if !can_close(slot_begin(slot.saturating_add(1), tick), now, longest) {
                break;
            }
            figures.close();
            self.open_from = slot.saturating_add(1);
        }
        let closed = (from, Phase::Settle)..(self.open_from, Phase::Settle);
        for name in self.names.values_mut() {
            for (_, figures) in name.slots.range_mut(closed.clone()) {
                figures.close();
            }
        }
    }

    /// Its plan: values, block, order.
    #[must_use]
    pub const fn planned(&self) -> &StepPlanned {
        &self.planned
    }

    /// Where it stands.
    #[must_use]
    pub fn status(&self) -> StepStatus {
        match (&self.ended, self.begun) {
            (Some((end, ..)), _) => StepStatus::Ended(*end),
            (None, Some(_)) => StepStatus::Running(self.phase()),
            (None, None) => StepStatus::Planned,
        }
    }

    /// How it ended: end, reason, time.
    #[must_use]
    pub const fn ended(&self) -> Option<&(StepEnd, String, Elapsed)> {
        self.ended.as_ref()
    }

    /// When its first setting was applied or its first phase began.
    #[must_use]
    pub const fn begun(&self) -> Option<Elapsed> {
        self.begun
    }

    /// Its phases in order.
    #[must_use]
    pub fn phases(&self) -> &[PhaseSpan] {
        &self.phases
    }

    /// The phase that runs.
    #[must_use]
    pub fn phase(&self) -> Option<Phase> {
        self.phases.last().filter(|p| p.to.is_none()).map(|p| p.phase)
    }

    /// The times of the measure phase; the end is none while it runs.
    #[must_use]
    pub fn measured(&self) -> Option<PhaseSpan> {
        self.phases.iter().rev().find(|p| p.phase == Phase::Measure).copied()
    }

    /// Settings put into effect for it.
    #[must_use]
    pub fn settings(&self) -> &[SettingApplied] {
        &self.applied
    }

    /// The latest proof of each setting.
    #[must_use]
    pub fn proofs(&self) -> &[SettingProved] {
        &self.proofs
    }

    /// Why a person took it out of the judgement, if one did.
    #[must_use]
    pub fn excluded(&self) -> Option<&str> {
        self.excluded.as_deref()
    }

    /// Whether its figures may be judged: measured to the end, not refuted, not taken out.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.excluded.is_none()
            && matches!(self.status(), StepStatus::Ended(StepEnd::Completed))
            && self.proofs.iter().all(|p| p.proof != Proof::Refuted)
    }

    /// Figures by interval and phase, over all requests.
    #[must_use]
    pub const fn slots(&self) -> &BTreeMap<(u64, Phase), SlotFigures> {
        &self.slots
    }

    /// The measure phase's intervals, over all requests.
    pub fn measured_slots(&self) -> impl Iterator<Item = (u64, &SlotFigures)> {
        self.slots.iter().filter(|((_, phase), _)| *phase == Phase::Measure).map(|((slot, _), f)| (*slot, f))
    }

    /// Figures by request.
    #[must_use]
    pub const fn names(&self) -> &BTreeMap<RequestKey, NameFigures> {
        &self.names
    }

    /// Requests of the measure phase that ended: successes and failures.
    #[must_use]
    pub fn measured_counts(&self) -> (u64, u64) {
        self.measured_slots().fold((0_u64, 0_u64), |(ok, failed), (_, f)| (ok.saturating_add(f.ok), failed.saturating_add(f.failed)))
    }

    /// Successes of the measure phase, over all requests, in one histogram.
    #[must_use]
    pub fn latency(&self) -> Histogram {
        let mut all = Histogram::default();
        for slice in self.names.values().flat_map(|n| &n.slices) {
            all.merge(&slice.latency);
        }
        all
    }

    /// Failures of the measure phase by kind.
    #[must_use]
    pub fn failed(&self) -> BTreeMap<ErrorKind, u64> {
        let mut all: BTreeMap<ErrorKind, u64> = BTreeMap::new();
        for figures in self.names.values() {
            add_failures(&mut all, &figures.failed);
        }
        all
    }

    /// Passes of a scenario that ended in the intervals of the measure phase, with their time.
    #[must_use]
    pub const fn iterations(&self) -> &Histogram {
        &self.intervals.iterations
    }

    /// Whether an interval of load belongs to the measure phase.
    #[must_use]
    pub fn takes_interval(&self, from: Elapsed, to: Elapsed) -> bool {
        is_measured(&self.phases, from, to)
    }

    /// Arrivals that could not begin in the intervals of the measure phase.
    #[must_use]
    pub const fn dropped(&self) -> u64 {
        self.intervals.dropped
    }

    /// Figures known only as totals.
    #[must_use]
    pub fn total_figures(&self) -> &[TotalFigure] {
        &self.totals
    }
}
