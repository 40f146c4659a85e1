//! What happens inside the worker threads, exactly: with a number of requests in them, how many they complete and where they stand.
//!
//! A delay and a pooled database with load-dependent speed form a product-form network, so a short recursion gives the exact answer; where
//! the service's own cores are shared inside and outside the hold, `cores` solves the chain instead. Imports the lab's own files only; pure.

use crate::lab::settings::Settings;

/// Means of the requests in the threads, given how many there are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Inside {
    /// Completions per second.
    pub(super) rate: f64,
    /// Requests waiting for a connection.
    pub(super) waiting: f64,
    /// Requests holding one.
    pub(super) holding: f64,
}

/// Means over time of the whole service.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Balance {
    pub(super) response_s: f64,
    pub(super) wait_s: f64,
    pub(super) hold_s: f64,
    pub(super) rate: f64,
}

/// What `there` requests in the threads do with a pool of `pool`.
pub(super) fn inside(settings: &Settings, pool: u32, there: u32) -> Inside {
    product_form(there, settings.app_ms / 1e3, pool, |at_pool| database_rate(settings, at_pool.min(pool)))
}

/// Completions per second of a database with `sessions` at work.
pub(super) fn database_rate(settings: &Settings, sessions: u32) -> f64 {
    f64::from(sessions) / (settings.db_demand_ms / 1e3 * settings.db_law.slowdown(sessions))
}

/// `there` requests split between a delay of `app_s` and the pool with its database.
fn product_form(there: u32, app_s: f64, pool: u32, served: impl Fn(u32) -> f64) -> Inside {
    if app_s <= 0.0 || there == 0 {
        let holding = f64::from(there.min(pool));
        return Inside { rate: if there == 0 { 0.0 } else { served(there) }, waiting: f64::from(there) - holding, holding };
    }
    // Weights of 0..=there at the pool, relative to the one before; logs, because they span hundreds of decades.
    let mut logs = vec![0.0_f64];
    for at_pool in 1..=there {
        let coming = f64::from(there - at_pool + 1) / app_s;
        logs.push(logs[logs.len() - 1] + (coming / served(at_pool)).ln());
    }
    let share = shares(&logs);
    let mean = |figure: &dyn Fn(u32) -> f64| (0..=there).zip(&share).map(|(at_pool, share)| figure(at_pool) * share).sum::<f64>();
    Inside {
        rate: mean(&|at_pool| if at_pool == 0 { 0.0 } else { served(at_pool) }),
        waiting: mean(&|at_pool| f64::from(at_pool.saturating_sub(pool))),
        holding: mean(&|at_pool| f64::from(at_pool.min(pool))),
    }
}

/// Probabilities from logarithms of weights.
pub(super) fn shares(logs: &[f64]) -> Vec<f64> {
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = logs.iter().map(|log| (log - largest).exp()).collect();
    let total: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / total).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::contention::Contention;
    use crate::lab::presets;

    fn settings(app_ms: f64) -> Settings {
        let free = Contention::Usl { sigma: 0.0, kappa: 0.0 };
        Settings { app_ms, db_demand_ms: 10.0, db_law: free, ..presets::find("plateau").unwrap().service }
    }

    #[test]
    fn without_a_delay_everyone_is_at_the_pool() {
        let at = |there| inside(&settings(0.0), 4, there);
        assert_eq!(at(0), Inside { rate: 0.0, waiting: 0.0, holding: 0.0 });
        assert!((at(3).rate - 300.0).abs() < 1e-9);
        assert_eq!((at(6).waiting, at(6).holding), (2.0, 4.0));
    }

    #[test]
    fn a_wide_pool_and_a_delay_are_two_delays() {
        // Ten requests that go round a delay of 10 ms and one of 10 ms: 500 a second, half of them at either.
        let inside = inside(&settings(10.0), 100, 10);
        assert!((inside.rate - 500.0).abs() < 1e-6, "{}", inside.rate);
        assert!((inside.holding - 5.0).abs() < 1e-9);
        assert!(inside.waiting.abs() < 1e-12);
    }

    #[test]
    fn one_connection_and_a_delay_are_the_machine_repair_model() {
        // Two machines, mean run 10 ms, one repairer, mean repair 10 ms: p0 = 1/(1 + 2 + 2) = 0.2.
        let inside = inside(&settings(10.0), 1, 2);
        assert!((inside.rate - 100.0 * 0.8).abs() < 1e-9);
        assert!((inside.waiting - 0.4).abs() < 1e-9);
    }

    #[test]
    fn shares_survive_extreme_weights() {
        let share = shares(&[-5_000.0, 0.0, 2_000.0]);
        assert!((share[2] - 1.0).abs() < 1e-12 && share[0].abs() < 1e-12);
    }
}
