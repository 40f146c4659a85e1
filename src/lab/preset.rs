//! What a preset of the lab is: a service with a known optimum, and the load and lengths under which a demonstration finds it.
//!
//! Plain data for whoever turns it into an experiment. Imports the lab's own files only; pure.

use std::time::Duration;

use super::settings::Settings;

/// How the demonstration asks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PresetLoad {
    /// Users who wait for their answers and think between them.
    Closed {
        /// How many.
        users: u32,
        /// Shortest and longest think time; every length between is as likely.
        think: (Duration, Duration),
    },
    /// Arrivals that ignore the answers.
    Open {
        /// Mean arrivals per second.
        rate_per_s: f64,
    },
}

/// How long the parts of a step last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PresetLengths {
    /// One interval of ticks and of scrapes.
    pub tick: Duration,
    /// Under full load before measuring.
    pub warmup: Duration,
    /// Shortest measuring.
    pub measure_min: Duration,
    /// Longest measuring.
    pub measure_max: Duration,
    /// Longest wait for what is still in flight.
    pub drain: Duration,
    /// Longest wait for a changed setting to act.
    pub settle_max: Duration,
}

/// A service with a known optimum, and how to look for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Preset {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it shows, in a sentence.
    pub description: &'static str,
    /// The setting that is swept: a field of [`Settings`] without `_max`.
    pub setting: &'static str,
    /// The values tried.
    pub values: [u32; 5],
    /// The verdict that is right.
    pub verdict: &'static str,
    /// The load.
    pub load: PresetLoad,
    /// The caller's patience, which is what a failed request costs.
    pub timeout: Duration,
    /// Lengths of a step.
    pub lengths: PresetLengths,
    /// Blocks of all values.
    pub repeats: u32,
    /// Further steps at most, after the blocks.
    pub refine: u32,
    /// Objectives, as a profile writes them.
    pub slo: &'static [&'static str],
    /// The work route that is asked for.
    pub path: &'static str,
    /// The service.
    pub service: Settings,
}

impl PresetLoad {
    /// Mean think time in seconds; none for arrivals.
    #[must_use]
    pub fn think_s(&self) -> f64 {
        match self {
            Self::Closed { think: (least, most), .. } => f64::midpoint(least.as_secs_f64(), most.as_secs_f64()),
            Self::Open { .. } => 0.0,
        }
    }
}
