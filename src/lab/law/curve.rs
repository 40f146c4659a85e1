//! A curve of truth: what the service costs at every value of the setting, its best value and the values that are as good.
//!
//! Imports the lab's own files only; pure.

use std::fmt::Write as _;

use serde::{Serialize, Serializer};

use crate::lab::preset::Preset;

use super::station::Balance;

/// Losses this close are one loss: on a plateau the first value of it is the best.
const SAME: f64 = 1e-3;
/// How much worse than the best still counts as right.
const ZONE: f64 = 1.02;

/// The name and version of the machine-readable form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schema;

impl Serialize for Schema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("lab-law/1")
    }
}

/// The truth at one value of the setting.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Point {
    /// The setting's value.
    pub value: u32,
    /// Mean loss of a request, in seconds.
    pub loss_s: f64,
    /// Mean wait for a connection, in seconds.
    pub wait_s: f64,
    /// Mean time a connection is held, in seconds.
    pub hold_s: f64,
    /// Requests completed per second.
    pub rate: f64,
}

/// The truth about a preset.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Law {
    schema: Schema,
    /// The preset's name.
    pub preset: &'static str,
    /// The setting that is swept.
    pub setting: &'static str,
    /// The verdict that is right.
    pub verdict: &'static str,
    /// The value of least loss (the smallest of those that lose the same).
    pub best: u32,
    /// The values around it that lose at most 2% more.
    pub zone: [u32; 2],
    /// Every whole value of the range.
    pub curve: Vec<Point>,
}

impl Law {
    pub(super) fn new(preset: &Preset, balances: impl Iterator<Item = (u32, Balance)>) -> Self {
        let patience = preset.timeout.as_secs_f64();
        let curve: Vec<Point> = balances.map(|(value, balance)| point(value, balance, patience)).collect();
        let least = curve.iter().map(|point| point.loss_s).fold(f64::INFINITY, f64::min);
        let index = curve.iter().position(|point| point.loss_s <= least * (1.0 + SAME)).unwrap_or(0);
        let right = |point: &&Point| point.loss_s <= least * ZONE;
        let left = curve[..index].iter().rev().take_while(right).last();
        let end = curve[index..].iter().take_while(right).last();
        let best = curve.get(index).map_or(0, |point| point.value);
        let zone = [left.map_or(best, |point| point.value), end.map_or(best, |point| point.value)];
        Self { schema: Schema, preset: preset.name, setting: preset.setting, verdict: preset.verdict, best, zone, curve }
    }

    /// The truth at one value, if it lies in the range.
    #[must_use]
    pub fn at(&self, value: u32) -> Option<&Point> {
        self.curve.iter().find(|point| point.value == value)
    }

    /// The law in words, with a table of the values named and of the turning points.
    #[must_use]
    pub fn text(&self, values: &[u32]) -> String {
        let mut rows: Vec<u32> = values.iter().copied().chain([self.best, self.zone[0], self.zone[1]]).collect();
        rows.sort_unstable();
        rows.dedup();
        let mut text = format!(
            "preset {}: best {} {}, as good (within 2% of the least loss) from {} to {}; right verdict: {}\n\n",
            self.preset, self.setting, self.best, self.zone[0], self.zone[1], self.verdict
        );
        let _infallible = writeln!(text, "{:>6}  {:>12}  {:>12}  {:>12}  {:>12}", self.setting, "loss (ms)", "wait (ms)", "hold (ms)", "rate (/s)");
        for point in rows.iter().filter_map(|&value| self.at(value)) {
            let [loss, wait, hold] = [point.loss_s, point.wait_s, point.hold_s].map(|seconds| seconds * 1e3);
            let mark = if point.value == self.best { "  best" } else { "" };
            let _infallible = writeln!(text, "{:>6}  {loss:>12.2}  {wait:>12.2}  {hold:>12.2}  {:>12.1}{mark}", point.value, point.rate);
        }
        text
    }
}

fn point(value: u32, balance: Balance, patience: f64) -> Point {
    Point { value, loss_s: balance.response_s.min(patience), wait_s: balance.wait_s, hold_s: balance.hold_s, rate: balance.rate }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::presets;

    fn law(losses: &[f64]) -> Law {
        let balance = |loss: &f64| Balance { response_s: *loss, wait_s: 0.0, hold_s: *loss, rate: 1.0 };
        Law::new(&presets::find("ticketing").unwrap(), (1..).zip(losses.iter().map(balance)))
    }

    #[test]
    fn the_zone_is_what_loses_at_most_two_percent_more() {
        let law = law(&[2.0, 1.02, 1.0, 1.015, 1.03, 1.0]);
        assert_eq!((law.best, law.zone), (3, [2, 4]), "the last value is as good, but not next to the best");
    }

    #[test]
    fn on_a_plateau_the_first_is_the_best() {
        let law = law(&[2.0, 1.01, 1.0005, 1.0, 1.0]);
        assert_eq!((law.best, law.zone), (3, [2, 5]));
    }

    #[test]
    fn a_loss_is_never_more_than_the_callers_patience() {
        assert!((law(&[99.0]).curve[0].loss_s - 2.0).abs() < 1e-12);
    }

    #[test]
    fn the_machine_form_has_its_keys_in_order() {
        let json = serde_json::to_value(law(&[2.0, 1.0])).unwrap();
        let keys: Vec<_> = json.as_object().unwrap().keys().cloned().collect();
        assert_eq!(keys, ["schema", "preset", "setting", "verdict", "best", "zone", "curve"]);
        assert_eq!(json["schema"], "lab-law/1");
        let keys: Vec<_> = json["curve"][0].as_object().unwrap().keys().cloned().collect();
        assert_eq!(keys, ["value", "loss_s", "wait_s", "hold_s", "rate"]);
    }

    #[test]
    fn the_text_marks_the_best() {
        let text = law(&[2.0, 1.0, 1.5]).text(&[1, 3, 77]);
        assert!(text.lines().any(|line| line.trim_start().starts_with('2') && line.ends_with("best")), "{text}");
        assert_eq!(text.lines().count(), 2 + 1 + 3, "{text}");
    }
}
