//! Feeds the proofs of a step's settings with what the sources show.

use std::collections::BTreeMap;

use crate::control::{ProofWatch, Sighting};
use crate::model::event::{Event, Proof, Sample, SettingProved, StepId};
use crate::model::plan::{Apply, Plan, Setting, Values, Verify};
use crate::model::series::midpoint;
use crate::model::session::Session;
use crate::model::signal::Signal;
use crate::model::units::Span;

/// The proofs of the running step, by setting.
#[derive(Debug, Default)]
pub(super) struct Proofs {
    watches: BTreeMap<String, (Verify, ProofWatch)>,
    settled: BTreeMap<String, bool>,
}

impl Proofs {
    /// The proofs a step needs: one for each setting that is applied and can be verified.
    pub(super) fn of_step(plan: &Plan, values: &Values, window: Span) -> Self {
        let mut out = Self::default();
        for setting in plan.settings.iter().filter(|s| s.apply != Apply::Load) {
            if let (Some(verify), Some(value)) = (&setting.verify, values.get(&setting.name)) {
                out.watches.insert(setting.name.clone(), (verify.clone(), ProofWatch::new(value, window)));
                out.settled.insert(setting.name.clone(), false);
            }
        }
        out
    }

    pub(super) fn is_empty(&self) -> bool {
        self.watches.is_empty()
    }

    /// A scrape while settling. Returns whether all settings have settled.
    pub(super) fn settle(&mut self, sample: &Sample) -> bool {
        for (name, (verify, watch)) in &mut self.watches {
            if let Some(seen) = sighting(sample, verify) {
                self.settled.insert(name.clone(), watch.settle(seen));
            }
        }
        self.settled.values().all(|settled| *settled)
    }

    /// A scrape under full load.
    pub(super) fn load(&mut self, sample: &Sample) {
        for (verify, watch) in self.watches.values_mut() {
            if let Some(seen) = sighting(sample, verify) {
                watch.load(midpoint(sample.asked, sample.answered), seen);
            }
        }
    }

    /// What refuses the step when settling took too long.
    pub(super) fn unsettled(&self) -> Vec<(String, Option<f64>, String)> {
        let open = self.watches.iter().filter(|(name, _)| self.settled.get(*name) != Some(&true));
        open.map(|(name, (_, watch))| (name.clone(), watch.seen(), watch.unsettled())).collect()
    }

    /// The findings at the end of a step.
    pub(super) fn findings(&self) -> Vec<(String, Option<f64>, Proof, String)> {
        self.watches
            .iter()
            .map(|(name, (_, watch))| {
                let (proof, text) = watch.finding();
                (name.clone(), watch.seen(), proof, text)
            })
            .collect()
    }
}

/// The event that tells a finding.
pub(super) fn proved(step: Option<StepId>, setting: &str, seen: Option<f64>, proof: Proof, text: String) -> Event {
    Event::SettingProved(SettingProved { step, setting: setting.to_owned(), proof, seen, text })
}

/// What a sample shows of a setting; none if the sample is of a source that does not know it.
fn sighting(sample: &Sample, verify: &Verify) -> Option<Sighting> {
    let read = |signal: Signal| -> Option<f64> {
        let mine = sample.readings.iter().filter(|r| r.signal == signal && (verify.of.is_none() || r.of == verify.of));
        mine.map(|r| r.value.level()).reduce(|a, b| a + b)
    };
    let max = read(verify.signal);
    let (total, pending) = match verify.signal {
        Signal::PoolMax => (read(Signal::PoolTotal), read(Signal::PoolPending)),
        Signal::ThreadsMax => (read(Signal::ThreadsCurrent), None),
        _ => (None, None),
    };
    (max.is_some() || total.is_some()).then_some(Sighting { max, total, pending })
}

/// The value of a setting that can be read now.
pub(super) fn reads(session: &Session, setting: &Setting) -> Option<f64> {
    let verify = setting.verify.as_ref()?;
    session.latest(verify.signal, verify.of.as_deref())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::testkit::plan;
    use crate::model::event::Reading;
    use crate::model::signal::Value;
    use crate::model::units::Elapsed;

    fn sample(max: f64, total: f64, pending: f64) -> Sample {
        let reading = |signal, v| Reading { signal, of: Some("p".into()), value: Value::Gauge(v) };
        let readings = vec![reading(Signal::PoolMax, max), reading(Signal::PoolTotal, total), reading(Signal::PoolPending, pending)];
        Sample { source: "app".into(), instance: None, asked: Elapsed(1), answered: Elapsed(3), readings }
    }

    #[test]
    fn a_step_settles_and_acts() {
        let mut proofs = Proofs::of_step(&plan(&[10.0], 1), &Values::default().with("pool", 10.0), Span::from_secs(5));
        assert!(!proofs.is_empty());
        assert!(!proofs.settle(&sample(10.0, 8.0, 0.0)) && !proofs.settle(&sample(10.0, 9.0, 0.0)));
        assert!(proofs.settle(&sample(10.0, 9.0, 0.0)));
        proofs.load(&sample(10.0, 10.0, 5.0));
        assert_eq!(proofs.findings()[0].2, Proof::Acted);
    }

    #[test]
    fn samples_of_other_sources_neither_help_nor_hurt() {
        let mut proofs = Proofs::of_step(&plan(&[10.0], 1), &Values::default().with("pool", 10.0), Span::from_secs(5));
        let host = Sample { readings: vec![], source: "host".into(), ..sample(0.0, 0.0, 0.0) };
        for _ in 0..2 {
            proofs.settle(&sample(10.0, 9.0, 0.0));
            proofs.settle(&host);
        }
        assert!(proofs.settle(&sample(10.0, 9.0, 0.0)), "three in a row of its own source");
    }

    #[test]
    fn what_did_not_settle_is_told() {
        let mut proofs = Proofs::of_step(&plan(&[10.0], 1), &Values::default().with("pool", 10.0), Span::from_secs(5));
        proofs.settle(&sample(10.0, 40.0, 0.0));
        let open = proofs.unsettled();
        assert_eq!((open[0].0.as_str(), open[0].1), ("pool", Some(10.0)));
    }
}
