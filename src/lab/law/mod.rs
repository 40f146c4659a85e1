//! The lab's truth: what every value of the setting costs, computed from the model's own numbers by queueing theory alone.
//!
//! Requests in the threads form a small network with an exact solution (`station`, `cores`); around it users think or arrivals come
//! (`outside`). Exact for exponential demands, and within the noise of long runs for the spreads that the presets have, because the stations
//! share their speed. Imports the lab's own files only; pure.

mod cores;
mod curve;
mod outside;
mod station;

pub use curve::{Law, Point, Schema};

use super::preset::{Preset, PresetLoad};
use super::settings::Settings;

/// The truth about a preset, for every value from its smallest to its largest.
#[must_use]
pub fn explain(preset: &Preset) -> Law {
    let [least, .., most] = preset.values;
    Law::new(preset, (least..=most).map(|pool| (pool, balance(&preset.service, preset.load, pool))))
}

fn balance(settings: &Settings, load: PresetLoad, pool: u32) -> station::Balance {
    let cores = settings.models_cpu();
    outside::balance(
        load,
        settings.threads_max,
        |there| {
            if cores { cores::inside(settings, pool, there) } else { station::inside(settings, pool, there) }
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::presets;
    #[test]
    fn show() {
        for p in presets::all() {
            let t = std::time::Instant::now();
            let law = explain(&p);
            println!("{}{:?}", law.text(&p.values), t.elapsed());
        }
    }
}
