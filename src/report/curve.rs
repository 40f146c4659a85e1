//! The sweep's curve in text: one bar a value, as long as its loss, parted into waiting, holding and the rest.

use super::format::{plain, time};
use super::words::setting;
use crate::model::verdict::{PoolVerdict, ValueFigures};

/// Length of the longest bar, in characters.
const WIDTH: f64 = 48.0;

/// Bars for all values of a verdict; none if no loss is known.
pub(super) fn of(verdict: &PoolVerdict) -> Option<String> {
    let largest = verdict.steps.iter().filter_map(|s| s.loss_s).map(|l| l.mean).fold(0.0, f64::max);
    if largest <= 0.0 {
        return None;
    }
    let name = setting(verdict);
    let wide = verdict.steps.iter().map(|s| plain(s.value).len()).max().unwrap_or(0);
    let mut out: Vec<String> = verdict.steps.iter().filter_map(|s| line(verdict, s, largest, &name, wide)).collect();
    out.push("a bar is the mean loss of a request: ░ waiting for a connection, █ holding one, ▒ the rest".to_owned());
    Some(out.join("\n"))
}

fn line(verdict: &PoolVerdict, step: &ValueFigures, largest: f64, name: &str, wide: usize) -> Option<String> {
    let loss = step.loss_s?.mean;
    let bar = bar(step, loss, largest);
    let near = verdict.value.is_some_and(|v| (v - step.value).abs() < 1e-9);
    let inside = verdict.zone.is_some_and(|(low, high)| low <= step.value && step.value <= high);
    let mark = match (near, inside) {
        (true, _) => "  <- the answer",
        (false, true) => "  within 2%",
        (false, false) => "",
    };
    Some(format!("{name} {:>wide$}  {bar} {}{mark}", plain(step.value), time(loss)))
}

fn bar(step: &ValueFigures, loss: f64, largest: f64) -> String {
    let whole = cells(loss, largest).max(1);
    let Some((wait, hold)) = step.wait_s.zip(step.hold_s) else { return "▒".repeat(whole) };
    let wait = cells(wait, largest).min(whole);
    let hold = cells(hold, largest).min(whole - wait);
    format!("{}{}{}", "░".repeat(wait), "█".repeat(hold), "▒".repeat(whole - wait - hold))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and the width")]
fn cells(part: f64, largest: f64) -> usize {
    (part / largest * WIDTH).round().clamp(0.0, WIDTH) as usize
}
