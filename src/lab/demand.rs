//! How much work each request brings: drawn from a seed, so that two labs with one seed are asked for the same.
//!
//! Gamma distributed with the settings' mean and coefficient of variation; 0 is "all alike" and 1 is the exponential. Imports the lab's own
//! files only.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Gamma};

use super::settings::Settings;

const NANOS_PER_MS: f64 = 1e6;

/// The work of one request, in nanoseconds undisturbed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Demand {
    pub(super) app: f64,
    pub(super) outside: f64,
    pub(super) database: f64,
    /// Waiting for another service with the connection held.
    pub(super) held: f64,
    pub(super) inside: f64,
}

/// How the work of a route differs from the usual.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Work {
    /// Times the usual work in the database.
    pub(super) database: f64,
    /// Shortest and longest wait for another service with the connection held, in milliseconds; every length between is as likely.
    pub(super) held_ms: Option<(f64, f64)>,
}

impl Work {
    /// What the settings say, which is what the law is about.
    pub(super) const USUAL: Self = Self { database: 1.0, held_ms: None };

    /// So many times the usual work.
    pub(super) const fn times(database: f64) -> Self {
        Self { database, held_ms: None }
    }
}

/// Draws demands.
#[derive(Debug)]
pub(super) struct Sampler {
    random: ChaCha8Rng,
    shape: Option<Gamma<f64>>,
}

impl Sampler {
    pub(super) fn new(seed: u64, settings: &Settings) -> Self {
        Self { random: ChaCha8Rng::seed_from_u64(seed), shape: shape(settings.demand_cv) }
    }

    /// Goes on with the same random numbers and a changed spread.
    pub(super) fn change(&mut self, settings: &Settings) {
        self.shape = shape(settings.demand_cv);
    }

    pub(super) fn draw(&mut self, settings: &Settings, work: Work) -> Demand {
        Demand {
            app: self.around(settings.app_ms),
            outside: self.around(settings.cpu_outside_ms),
            database: self.around(settings.db_demand_ms * work.database),
            held: work.held_ms.map_or(0.0, |(least, most)| NANOS_PER_MS * self.random.random_range(least..=most)),
            inside: self.around(settings.cpu_inside_ms),
        }
    }

    fn around(&mut self, mean_ms: f64) -> f64 {
        let mean = mean_ms * NANOS_PER_MS;
        match &self.shape {
            Some(shape) if mean > 0.0 => mean * shape.sample(&mut self.random),
            _ => mean,
        }
    }
}

/// A gamma distribution of mean 1 with this coefficient of variation; `None` when there is no variation to draw.
fn shape(cv: f64) -> Option<Gamma<f64>> {
    let variance = cv * cv;
    if variance < 1e-6 { None } else { Gamma::new(1.0 / variance, variance).ok() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::presets;

    fn settings(cv: f64) -> Settings {
        Settings { demand_cv: cv, db_demand_ms: 10.0, app_ms: 0.0, ..presets::find("ticketing").unwrap().service }
    }

    fn moments(cv: f64) -> (f64, f64) {
        let settings = settings(cv);
        let mut sampler = Sampler::new(3, &settings);
        let draws: Vec<f64> = (0..40_000).map(|_| sampler.draw(&settings, Work::USUAL).database / NANOS_PER_MS).collect();
        let mean = draws.iter().sum::<f64>() / 40_000.0;
        let variance = draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / 40_000.0;
        (mean, variance.sqrt() / mean)
    }

    #[test]
    fn mean_and_spread_are_those_of_the_settings() {
        for cv in [0.3, 1.0, 2.0] {
            let (mean, spread) = moments(cv);
            assert!((mean / 10.0 - 1.0).abs() < 0.03, "cv {cv}: mean {mean}");
            assert!((spread / cv - 1.0).abs() < 0.05, "cv {cv}: spread {spread}");
        }
    }

    #[test]
    fn without_spread_all_requests_are_alike() {
        let (mean, spread) = moments(0.0);
        assert!((mean - 10.0).abs() < 1e-9 && spread < 1e-9);
    }

    #[test]
    fn one_seed_gives_one_sequence() {
        let settings = settings(0.7);
        let draw = |seed| {
            let mut sampler = Sampler::new(seed, &settings);
            (0..50).map(|_| sampler.draw(&settings, Work::USUAL).database).collect::<Vec<_>>()
        };
        assert_eq!(draw(5), draw(5));
        assert_ne!(draw(5), draw(6));
    }

    #[test]
    fn a_wait_with_the_connection_held_is_between_its_bounds() {
        let settings = settings(0.4);
        let mut sampler = Sampler::new(3, &settings);
        let work = Work { held_ms: Some((300.0, 700.0)), ..Work::USUAL };
        let waits: Vec<f64> = (0..4_000).map(|_| sampler.draw(&settings, work).held / NANOS_PER_MS).collect();
        assert!(waits.iter().all(|wait| (300.0..=700.0).contains(wait)));
        let mean = waits.iter().sum::<f64>() / 4_000.0;
        assert!((mean - 500.0).abs() < 10.0, "{mean}");
    }

    #[test]
    fn a_route_of_half_the_work_has_half_of_it() {
        let settings = settings(0.0);
        let mut sampler = Sampler::new(3, &settings);
        assert!((sampler.draw(&settings, Work::times(0.5)).database / NANOS_PER_MS - 5.0).abs() < 1e-9);
    }

    #[test]
    fn usual_work_is_drawn_as_if_there_were_no_other() {
        let settings = settings(0.7);
        let (mut one, mut other) = (Sampler::new(3, &settings), Sampler::new(3, &settings));
        let usual = |sampler: &mut Sampler| sampler.draw(&settings, Work::USUAL);
        assert_eq!(usual(&mut one), usual(&mut other));
        one.draw(&settings, Work::times(2.0));
        usual(&mut other);
        assert_eq!(usual(&mut one), usual(&mut other), "another share of work takes as many random numbers");
    }

    #[test]
    fn work_that_is_not_modelled_takes_nothing() {
        let settings = settings(1.0);
        let demand = Sampler::new(1, &settings).draw(&settings, Work::USUAL);
        assert!(demand.app.abs() < f64::EPSILON && demand.inside.abs() < f64::EPSILON);
    }
}
