//! One step: apply, settle under a share of the load, warm up, measure until precise, drain; and what to do when it goes wrong.

use super::Fault;
use super::driver::{Driver, Halt};
use super::hear::Heard;
use super::proofs::{Proofs, proved};
use crate::model::event::{ErrorKind, Event, NoteLevel, Phase, Proof, SettingApplied, StepEnd, StepId, StepPlanned};
use crate::model::plan::{Apply, LoadModel, Setting, TimeLine};
use crate::model::signal::Signal;
use crate::model::units::{Elapsed, Rate, Span};
use crate::ports::{Belongs, TargetError};

/// The share of the load under which a changed setting settles.
const SETTLE_SHARE: f64 = 0.3;
/// A target counts as dead when for this long nothing succeeds and every failure is a refused or broken connection.
const DEAD_AFTER: Span = Span::from_secs(2);
/// The window in which a pool that waits beside free room is refuted; shorter in compressed steps.
const PROOF_WINDOW: Span = Span::from_secs(5);

/// Why a step ends before its figures are complete.
enum Stop {
    Refused(String),
    Void(String),
    Dead(String),
    Skipped,
    Halted,
}

impl Driver {
    pub(super) async fn run_step(&mut self, step: StepPlanned) {
        (self.skip, self.proofs) = (false, Proofs::default());
        self.guards.reset();
        let id = step.step;
        let (end, reason) = match self.measure_step(&step).await {
            Ok(reason) => (StepEnd::Completed, reason),
            Err(early) => {
                let ended = self.stopped(&early);
                if !matches!(early, Stop::Halted) {
                    self.drain(id, false).await;
                }
                if matches!(early, Stop::Void(_)) {
                    self.run_again(&step);
                }
                if let Stop::Dead(why) = &early {
                    self.revive(&step, why).await;
                }
                ended
            }
        };
        self.emit(Event::StepEnded { step: id, end, reason });
    }

    fn stopped(&mut self, stop: &Stop) -> (StepEnd, String) {
        match stop {
            Stop::Refused(why) => {
                self.refused = true;
                (StepEnd::Refused, why.clone())
            }
            Stop::Void(why) | Stop::Dead(why) => (StepEnd::Void, why.clone()),
            Stop::Skipped => (StepEnd::Skipped, "skipped on request".to_owned()),
            Stop::Halted => match self.halted() {
                Some(Halt::Guard(why)) => (StepEnd::Guard, why.clone()),
                Some(Halt::Interrupted(why)) => (StepEnd::Interrupted, why.clone()),
                Some(Halt::Unreachable(why) | Halt::Internal(why)) => (StepEnd::Failed, why.clone()),
                None => (StepEnd::Failed, "stopped".to_owned()),
            },
        }
    }

    /// The target died: once it is ready again the step is run once more; if it was repeated already, or never gets ready, the run ends.
    async fn revive(&mut self, step: &StepPlanned, why: &str) {
        self.say(NoteLevel::Warning, format!("{why}; waiting for the target"));
        if self.wait_ready().await && !self.run_again(step) {
            self.halt(Halt::Unreachable(why.to_owned()));
        }
    }

    /// Plans the step once more; false if it was repeated already.
    fn run_again(&mut self, step: &StepPlanned) -> bool {
        let again = self.schedule.repeat_void(step);
        self.refused |= again.is_none();
        let repeated = again.is_some();
        if let Some(again) = again {
            self.emit(Event::StepPlanned(again));
        }
        repeated
    }

    async fn measure_step(&mut self, step: &StepPlanned) -> Result<String, Stop> {
        let id = step.step;
        self.wait_for_backlog().await?;
        self.apply(step).await?;
        let load = self.load_of(step);
        self.settle(step, load).await?;
        // A time line is the whole load: what would come before it would change what it measures.
        if load != LoadModel::Line && !self.plan.experiment.warmup.is_zero() {
            self.enter(step, Phase::WarmUp, load).await?;
            let end = self.clock.now().plus(self.plan.experiment.warmup);
            self.attend(end, |_, _| false).await?;
        }
        let began = self.process_starts();
        self.enter(step, Phase::Measure, load).await?;
        let reason = if load == LoadModel::Line { self.measure_line().await? } else { self.measure(id).await? };
        let restarted = began != self.process_starts();
        self.drain(id, true).await;
        self.stop_asked()?;
        if restarted {
            return Err(Stop::Void("the service restarted while it was measured".to_owned()));
        }
        self.prove(id)?;
        Ok(reason)
    }

    /// The load of a step: the plan's, unless the step sweeps it.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of users is a whole number, checked with the profile")]
    fn load_of(&self, step: &StepPlanned) -> LoadModel {
        let (users, rate) = (step.values.get("load.users"), step.values.get("load.rate"));
        match self.load {
            LoadModel::Closed { users: planned } => LoadModel::Closed { users: users.map_or(planned, |u| u as u32) },
            LoadModel::Open { rate: planned, max_users } => LoadModel::Open { rate: rate.map_or(planned, Rate::per_second), max_users },
            LoadModel::Line => LoadModel::Line,
        }
    }

    /// A queue left over from the step before holds this one back: at most three time-outs.
    async fn wait_for_backlog(&mut self) -> Result<(), Stop> {
        let waiting = |d: &Self| d.session().latest(Signal::PoolPending, None).is_some_and(|p| p >= 1.0);
        if !waiting(self) {
            return self.stop_asked();
        }
        self.say(NoteLevel::Info, "a queue is left over at the pool: the next step waits until it is gone".to_owned());
        let end = self.clock.now().plus(self.plan.load.timeout.times(3.0));
        self.attend(end, |d, _| !waiting(d)).await?;
        if waiting(self) {
            self.say(NoteLevel::Warning, "the queue left over did not go away within three time-outs".to_owned());
        }
        Ok(())
    }

    async fn apply(&mut self, step: &StepPlanned) -> Result<(), Stop> {
        let settings: Vec<(Setting, f64)> =
            self.plan.settings.iter().filter(|s| s.apply != Apply::Load).filter_map(|s| step.values.get(&s.name).map(|v| (s.clone(), v))).collect();
        let pairs: Vec<(&Setting, f64)> = settings.iter().map(|(s, v)| (s, *v)).collect();
        if pairs.is_empty() {
            return Ok(());
        }
        self.touched.extend(settings.iter().map(|(s, _)| s.name.clone()));
        let hows = self.target.apply(&pairs).await.map_err(|error| match error {
            TargetError::Unreachable { .. } | TargetError::NotReady { .. } => Stop::Dead(error.to_string()),
            TargetError::Refused { .. } | TargetError::HostNotAllowed { .. } => Stop::Refused(error.to_string()),
        })?;
        for ((setting, value), how) in settings.iter().zip(hows) {
            let applied = SettingApplied { step: Some(step.step), setting: setting.name.clone(), value: *value, instance: None, how, restore: false };
            self.emit(Event::SettingApplied(applied));
            if setting.verify.is_none() {
                let text = format!("{value} applied; the profile names nothing to prove it by");
                self.emit(proved(Some(step.step), &setting.name, None, Proof::Unverified, text));
            }
        }
        Ok(())
    }

    async fn settle(&mut self, step: &StepPlanned, load: LoadModel) -> Result<(), Stop> {
        let least = if load == LoadModel::Line { self.line_length() } else { self.plan.experiment.measure.min };
        let window = PROOF_WINDOW.min(least.times(0.5));
        self.proofs = Proofs::of_step(&self.plan, &step.values, window);
        if self.proofs.is_empty() {
            return Ok(());
        }
        if load == LoadModel::Line {
            // There is no share of a time line: the setting is read back while nothing is sent.
            self.stop_asked()?;
            self.emit(Event::PhaseChanged { step: step.step, phase: Phase::Settle });
        } else {
            self.enter(step, Phase::Settle, load.scaled(SETTLE_SHARE)).await?;
        }
        let (begun, mut settled) = (self.clock.now(), false);
        let end = begun.plus(self.plan.experiment.settle_max);
        self.attend(end, |d, heard| {
            if let Heard::Sample(sample) = heard
                && sample.asked >= begun
            {
                settled = d.proofs.settle(sample);
            }
            settled
        })
        .await?;
        if settled {
            return Ok(());
        }
        let mut said = Vec::new();
        for (name, seen, text) in self.proofs.unsettled() {
            said.push(format!("{name}: {text}"));
            self.emit(proved(Some(step.step), &name, seen, Proof::Refuted, text));
        }
        Err(Stop::Refused(said.join("; ")))
    }

    async fn measure(&mut self, id: StepId) -> Result<String, Stop> {
        let rule = self.plan.experiment.measure;
        let begun = self.clock.now();
        let (least, most) = (begun.plus(rule.min), begun.plus(rule.max));
        let middle = begun.plus(rule.min.times(0.5));
        let (mut precise, mut done) = (false, false);
        self.attend(most, |d, heard| {
            let now = d.clock.now();
            if d.fault == Some(Fault::PanicInMeasure) && now >= middle {
                injected_panic();
            }
            let tick = matches!(heard, Heard::Tick);
            done = tick && d.passes_are_done(id);
            precise = tick && now >= least && (d.judge.precise)(d.session(), id, rule.precision);
            precise || done
        })
        .await?;
        let length = self.clock.now().since(begun).as_secs_f64();
        let why = match (done, precise) {
            (true, _) => "all passes are done",
            (false, true) => "precise enough",
            (false, false) => "the longest time",
        };
        Ok(format!("measured {length:.1} s ({why})"))
    }

    /// Whether a load of so many passes has made them all.
    fn passes_are_done(&self, id: StepId) -> bool {
        let made = || self.session().step(id).map_or(0, |s| s.iterations().count());
        self.plan.load.passes.is_some_and(|wanted| made() >= wanted)
    }

    fn line_length(&self) -> Span {
        self.plan.load.line.as_ref().map_or(Span::ZERO, TimeLine::length)
    }

    /// Measures the whole time line, however precise its figures are before its end.
    async fn measure_line(&mut self) -> Result<String, Stop> {
        let (begun, length) = (self.clock.now(), self.line_length());
        let middle = begun.plus(length.times(0.5));
        self.attend(begun.plus(length), |d, _| {
            if d.fault == Some(Fault::PanicInMeasure) && d.clock.now() >= middle {
                injected_panic();
            }
            false
        })
        .await?;
        Ok(format!("measured its time line of {:.1} s", length.as_secs_f64()))
    }

    async fn enter(&mut self, step: &StepPlanned, phase: Phase, load: LoadModel) -> Result<(), Stop> {
        self.stop_asked()?;
        let id = step.step;
        self.emit(Event::PhaseChanged { step: id, phase });
        if let Err(error) = self.engine.drive(load, Belongs { step: id, phase }, &step.values).await {
            self.halt(Halt::Internal(error.to_string()));
            return Err(Stop::Halted);
        }
        Ok(())
    }

    /// Listens until `end` or until `done`; ends early when the step must stop.
    async fn attend(&mut self, end: Elapsed, mut done: impl FnMut(&mut Self, &Heard) -> bool) -> Result<(), Stop> {
        let begun = self.clock.now();
        loop {
            self.stop_asked()?;
            if self.clock.now() >= end {
                return Ok(());
            }
            let heard = self.hear(end).await;
            if let Heard::Sample(sample) = &heard {
                self.proofs.load(sample);
            }
            if matches!(heard, Heard::Tick)
                && let Some(why) = self.seems_dead(begun)
            {
                return Err(Stop::Dead(why));
            }
            if done(self, &heard) {
                return self.stop_asked();
            }
        }
    }

    fn stop_asked(&self) -> Result<(), Stop> {
        match (self.halted(), self.skip) {
            (Some(_), _) => Err(Stop::Halted),
            (None, true) => Err(Stop::Skipped),
            (None, false) => Ok(()),
        }
    }

    /// Whether for a while nothing but broken connections came back.
    fn seems_dead(&self, since: Elapsed) -> Option<String> {
        let now = self.session().ticks().last()?.to;
        if now.since(since) < DEAD_AFTER {
            return None;
        }
        let (mut broken, mut other) = (0_u64, 0_u64);
        for point in self.session().ticks_between(now.minus(DEAD_AFTER), now) {
            let hard: u64 = [ErrorKind::Refused, ErrorKind::Reset, ErrorKind::ConnectTimeout].iter().filter_map(|k| point.failed.get(k)).sum();
            broken += hard;
            other += point.finished - hard;
        }
        (broken > 0 && other == 0).then(|| format!("the target is gone: {broken} requests in {DEAD_AFTER} met a refused or broken connection"))
    }

    /// No request begins; waits for what is under way and for the pool's queue, at the latest until the drain's end.
    async fn drain(&mut self, step: StepId, whole: bool) {
        let _ = self.engine.hold().await;
        self.emit(Event::PhaseChanged { step, phase: Phase::Drain });
        let begun = self.clock.now();
        let end = begun.plus(self.plan.experiment.drain);
        let mut fresh = self.session().latest(Signal::PoolPending, None).is_none();
        self.listen_until(end, |d, heard| {
            fresh |= matches!(heard, Heard::Sample(s) if s.asked >= begun && s.readings.iter().any(|r| r.signal == Signal::PoolPending));
            let queue = d.session().latest(Signal::PoolPending, None).is_some_and(|p| p >= 1.0);
            d.halted().is_some()
                || (d.engine.in_flight() == 0 && fresh && !queue && matches!(heard, Heard::Tick))
                || (!whole && d.engine.in_flight() == 0)
        })
        .await;
        if self.engine.in_flight() > 0 {
            let _ = self.engine.abandon().await;
        }
        let soon = self.clock.now().plus(self.plan.experiment.tick.times(1.5));
        self.listen_until(soon, |_, heard| matches!(heard, Heard::Tick)).await;
    }

    fn prove(&mut self, step: StepId) -> Result<(), Stop> {
        let mut refuted = Vec::new();
        for (name, seen, proof, text) in self.proofs.findings() {
            if proof == Proof::Refuted {
                refuted.push(format!("{name}: {text}"));
            }
            self.emit(proved(Some(step), &name, seen, proof, text));
        }
        if refuted.is_empty() { Ok(()) } else { Err(Stop::Refused(refuted.join("; "))) }
    }

    fn process_starts(&self) -> Vec<(String, f64)> {
        let started = self.session().series().iter().filter(|(k, _)| k.signal == Signal::ProcessStarted);
        started
            .filter_map(|(k, t)| t.points().iter().rev().find_map(|p| p.value).map(|v| (format!("{}/{:?}", k.source, k.instance), v.level())))
            .collect()
    }
}

#[expect(clippy::panic, reason = "a failure injected on purpose, to test that the ending comes whatever happens")]
fn injected_panic() {
    panic!("injected in the middle of a step");
}
