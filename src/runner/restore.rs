//! What the settings were before, and putting them back: on every path, with the command to do it by hand if it fails.

use super::driver::{Driver, Halt};
use super::hear::Heard;
use super::proofs::{proved, reads};
use crate::model::event::{Event, NoteLevel, Proof, SettingApplied};
use crate::model::plan::{Apply, Setting};
use crate::model::units::Span;

/// How long the sources may take to answer for the first time.
const FIRST_ANSWER: Span = Span::from_secs(10);
/// How long a value put back may take to read back.
const READ_BACK: Span = Span::from_secs(5);

impl Driver {
    /// Waits until every source has answered, and keeps what each setting reads. A source that stays silent stops the run before anything is changed.
    pub(super) async fn read_originals(&mut self) {
        let end = self.clock.now().plus(FIRST_ANSWER);
        self.listen_until(end, |d, _| d.halted().is_some() || d.sources_answered()).await;
        if self.halted().is_some() {
            return;
        }
        let silent: Vec<String> = self.silent_sources();
        if !silent.is_empty() {
            return self.halt(Halt::Unreachable(format!("nothing was changed: {}", silent.join("; "))));
        }
        for setting in self.plan.settings.clone() {
            if let Some(value) = setting.restore.or_else(|| reads(self.session(), &setting)) {
                self.originals.insert(setting.name.clone(), value);
            } else if setting.apply != Apply::Load {
                let name = &setting.name;
                let text = format!("what `{name}` is now does not read back: it can not be put back at the end; say `settings.{name}.restore`");
                self.say(NoteLevel::Warning, text);
            }
        }
    }

    fn sources_answered(&self) -> bool {
        let known = |name: &str| self.session().series().keys().any(|k| k.source == name);
        self.plan.sources.iter().all(|s| known(&s.name))
    }

    fn silent_sources(&self) -> Vec<String> {
        let known = |name: &str| self.session().series().keys().any(|k| k.source == name);
        let missing = self.plan.sources.iter().filter(|s| !known(&s.name));
        missing
            .map(|s| {
                let why = self.session().silent().iter().find(|((source, _), _)| *source == s.name).map(|(_, why)| why.clone());
                format!("metrics source `{}`: {}", s.name, why.unwrap_or_else(|| format!("no answer within {FIRST_ANSWER}")))
            })
            .collect()
    }

    /// Puts every changed setting back and waits until it reads back. Tells whether all do; none: it can not be said.
    pub(super) async fn put_back(&mut self) -> Option<bool> {
        let _ = self.engine.hold().await;
        let touched: Vec<Setting> = self.plan.settings.iter().filter(|s| self.touched.contains(&s.name)).cloned().collect();
        let known: Vec<(Setting, f64)> = touched.iter().filter_map(|s| self.originals.get(&s.name).map(|v| (s.clone(), *v))).collect();
        let mut all = if known.len() == touched.len() { Some(true) } else { None };
        if known.is_empty() {
            return all;
        }
        if !self.apply_back(&known).await {
            return Some(false);
        }
        let end = self.clock.now().plus(READ_BACK);
        self.listen_until(end, |d, heard| matches!(heard, Heard::Sample(_)) && d.unrestored(&known).is_empty()).await;
        for (setting, value) in &known {
            let seen = reads(self.session(), setting);
            let finding = match (seen, setting.verify.is_some()) {
                (Some(v), _) if (v - value).abs() < 0.5 => (Proof::Acted, format!("put back: {value} reads back")),
                (_, true) => (Proof::Refuted, format!("put back, but {value} does not read back; by hand: {}", self.by_hand(setting, *value))),
                (_, false) => (Proof::Unverified, format!("put back to {value}; nothing shows it")),
            };
            all = match finding.0 {
                Proof::Refuted => Some(false),
                Proof::Unverified if all == Some(true) => None,
                _ => all,
            };
            self.emit(proved(None, &setting.name, seen, finding.0, finding.1));
        }
        all
    }

    async fn apply_back(&mut self, known: &[(Setting, f64)]) -> bool {
        let pairs: Vec<(&Setting, f64)> = known.iter().map(|(s, v)| (s, *v)).collect();
        let mut outcome = self.target.apply(&pairs).await;
        if outcome.is_err() {
            outcome = self.target.apply(&pairs).await;
        }
        match outcome {
            Ok(hows) => {
                for ((setting, value), how) in known.iter().zip(hows) {
                    let applied = SettingApplied { step: None, setting: setting.name.clone(), value: *value, instance: None, how, restore: true };
                    self.emit(Event::SettingApplied(applied));
                }
                true
            }
            Err(error) => {
                for (setting, value) in known {
                    let by_hand = self.by_hand(setting, *value);
                    self.say(NoteLevel::Warning, format!("`{}` was NOT put back to {value}: {error}; by hand: {by_hand}", setting.name));
                }
                false
            }
        }
    }

    /// What a person would type; made from the plan as it is recorded, so that no secret is in it.
    fn by_hand(&self, setting: &Setting, value: f64) -> String {
        let told = self.head.plan.as_ref().and_then(|p| p.setting(&setting.name)).unwrap_or(setting);
        self.target.by_hand(told, value)
    }

    fn unrestored(&self, known: &[(Setting, f64)]) -> Vec<String> {
        let open = known.iter().filter(|(s, v)| s.verify.is_some() && reads(self.session(), s).is_none_or(|seen| (seen - v).abs() >= 0.5));
        open.map(|(s, _)| s.name.clone()).collect()
    }
}
