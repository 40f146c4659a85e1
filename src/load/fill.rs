//! What the gaps of a user's requests are filled with: what it took from answers, its row of data, the settings of the step.

use std::sync::Arc;

pub(crate) use crate::model::rows::Cell as Value;

/// Where the value of a gap comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slot {
    /// What the user took from an answer.
    Own(usize),
    /// A column of the pass's row.
    Column(usize),
    /// A setting.
    Setting(usize),
}

/// The values of one user.
#[derive(Debug, Clone, Default)]
pub(crate) struct Vars {
    /// What it took from answers, by number.
    pub(crate) own: Vec<Option<Value>>,
    /// The row of its pass; empty without a feeder.
    pub(crate) row: Arc<[Value]>,
    /// The settings of the step, by number; looked up only before a request that uses one.
    pub(crate) settings: Arc<[Option<Value>]>,
}

impl Vars {
    /// Nothing yet, with room for so many taken values.
    pub(crate) fn new(own: usize) -> Self {
        Self { own: vec![None; own], ..Self::default() }
    }

    /// What a gap is filled with.
    pub(crate) fn get(&self, slot: Slot) -> Option<&Value> {
        match slot {
            Slot::Own(n) => self.own.get(n).and_then(Option::as_ref),
            Slot::Column(n) => self.row.get(n),
            Slot::Setting(n) => self.settings.get(n).and_then(Option::as_ref),
        }
    }

    /// Puts in what was taken from an answer, or takes out what was there.
    pub(crate) fn set(&mut self, n: usize, value: Option<Value>) {
        if let Some(slot) = self.own.get_mut(n) {
            *slot = value;
        }
    }
}

/// A setting's value as requests hold it: a number, whole ones without a point.
pub(crate) fn of_setting(value: f64) -> Value {
    Value { text: value.to_string(), bare: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_numbers() {
        let texts = [30.0, 0.25, -1.5, 1e15].map(|v| of_setting(v).text);
        assert_eq!(texts, ["30", "0.25", "-1.5", "1000000000000000"]);
        assert!(of_setting(1.0).bare);
    }

    #[test]
    fn every_slot_has_its_own_place() {
        let mut vars = Vars::new(1);
        vars.row = Arc::from([of_setting(1.0)]);
        vars.settings = Arc::from([Some(of_setting(2.0))]);
        let text = |vars: &Vars, slot| vars.get(slot).map(|v| v.text.clone());
        assert_eq!(text(&vars, Slot::Own(0)), None);
        vars.set(0, Some(of_setting(3.0)));
        vars.set(9, Some(of_setting(3.0)));
        let all = [Slot::Own(0), Slot::Column(0), Slot::Setting(0), Slot::Column(1)].map(|s| text(&vars, s));
        assert_eq!(all.map(Option::unwrap_or_default), ["3", "1", "2", ""]);
        vars.set(0, None);
        assert_eq!(text(&vars, Slot::Own(0)), None);
    }
}
