//! The threads of a service whose own cores are shared by work outside and inside the hold: no product form, so the chain itself is solved.
//!
//! With the number of requests fixed, the state is how many have come to the pool and how many of those compute on the cores while they hold
//! a connection; the stationary shares are found by sweeping the balance equations until they stand still. Imports the lab's own files only;
//! pure.

use crate::lab::settings::Settings;

use super::station::{Inside, database_rate};

/// Sweeps at most; the presets' chains stand still after some hundreds.
const SWEEPS: usize = 20_000;
const STILL: f64 = 1e-11;

/// What `there` requests in the threads do with a pool of `pool`. Work on the cores outside the hold must be part of the model, a delay not.
pub(super) fn inside(settings: &Settings, pool: u32, there: u32) -> Inside {
    if there == 0 {
        return Inside { rate: 0.0, waiting: 0.0, holding: 0.0 };
    }
    Chain::new(settings, pool, there).solved()
}

/// A state, its share of the time and its rates out: to the pool, from the database to the cores, and away.
#[derive(Debug, Clone, Copy, Default)]
struct State {
    share: f64,
    ask: f64,
    answer: f64,
    finish: f64,
}

/// The states in rows of equal numbers at the pool; within a row by how many compute while they hold.
struct Chain {
    pool: u32,
    there: u32,
    width: usize,
    states: Vec<State>,
}

impl Chain {
    fn new(settings: &Settings, pool: u32, there: u32) -> Self {
        let most = pool.min(there);
        let mut chain = Self { pool, there, width: most as usize + 1, states: Vec::new() };
        for at_pool in 0..=there {
            for computing in 0..=most {
                let state = if computing <= at_pool { rates(settings, pool, there, at_pool, computing) } else { State::default() };
                chain.states.push(state);
            }
        }
        chain
    }

    fn index(&self, at_pool: u32, computing: u32) -> usize {
        at_pool as usize * self.width + computing as usize
    }

    fn possible(&self) -> impl Iterator<Item = (u32, u32)> + use<> {
        let pool = self.pool;
        (0..=self.there).flat_map(move |at_pool| (0..=at_pool.min(pool)).map(move |computing| (at_pool, computing)))
    }

    /// Flow into a state from those around it, per unit of time.
    fn coming(&self, at_pool: u32, computing: u32) -> f64 {
        let mut flow = 0.0;
        if at_pool > computing {
            let before = self.states[self.index(at_pool - 1, computing)];
            flow += before.share * before.ask;
        }
        if computing > 0 {
            let before = self.states[self.index(at_pool, computing - 1)];
            flow += before.share * before.answer;
        }
        if at_pool < self.there && (computing as usize) + 1 < self.width {
            let before = self.states[self.index(at_pool + 1, computing + 1)];
            flow += before.share * before.finish;
        }
        flow
    }

    fn solved(mut self) -> Inside {
        let order: Vec<_> = self.possible().collect();
        for &(at_pool, computing) in &order {
            let index = self.index(at_pool, computing);
            self.states[index].share = 1.0 / order.len() as f64;
        }
        for sweep in 0..SWEEPS {
            let mut moved = 0.0_f64;
            for step in 0..order.len() {
                let (at_pool, computing) = order[if sweep % 2 == 0 { step } else { order.len() - 1 - step }];
                let share = self.coming(at_pool, computing);
                let index = self.index(at_pool, computing);
                let state = &mut self.states[index];
                let share = share / (state.ask + state.answer + state.finish);
                moved += (share - state.share).abs();
                state.share = share;
            }
            let total: f64 = self.states.iter().map(|state| state.share).sum();
            self.states.iter_mut().for_each(|state| state.share /= total);
            if moved < STILL {
                break;
            }
        }
        self.means(&order)
    }

    fn means(&self, order: &[(u32, u32)]) -> Inside {
        let mut inside = Inside { rate: 0.0, waiting: 0.0, holding: 0.0 };
        for &(at_pool, computing) in order {
            let State { share, finish, .. } = self.states[self.index(at_pool, computing)];
            let holding = at_pool.min(self.pool);
            inside.rate += share * finish;
            inside.waiting += share * f64::from(at_pool - holding);
            inside.holding += share * f64::from(holding);
        }
        inside
    }
}

fn rates(settings: &Settings, pool: u32, there: u32, at_pool: u32, computing: u32) -> State {
    let outside = there - at_pool;
    let each = (settings.cpu_cores / f64::from((outside + computing).max(1))).min(1.0);
    let on_cores = |jobs: u32, mean_ms: f64| f64::from(jobs) * each / (mean_ms / 1e3);
    let at_database = at_pool.min(pool).saturating_sub(computing);
    State {
        share: 0.0,
        ask: on_cores(outside, settings.cpu_outside_ms),
        answer: database_rate(settings, at_database),
        finish: on_cores(computing, settings.cpu_inside_ms),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::contention::Contention;
    use crate::lab::presets;

    fn settings(cores: f64, outside_ms: f64, inside_ms: f64, database_ms: f64) -> Settings {
        Settings {
            cpu_cores: cores,
            cpu_outside_ms: outside_ms,
            cpu_inside_ms: inside_ms,
            db_demand_ms: database_ms,
            db_law: Contention::Usl { sigma: 0.0, kappa: 0.0 },
            ..presets::find("cpu-bound").unwrap().service
        }
    }

    #[test]
    fn one_request_alone_takes_the_sum_of_its_parts() {
        let inside = inside(&settings(2.0, 3.0, 2.0, 5.0), 4, 1);
        assert!((inside.rate - 100.0).abs() < 1e-6, "{inside:?}");
        assert!((inside.holding - 0.7).abs() < 1e-6 && inside.waiting.abs() < 1e-12, "{inside:?}");
    }

    #[test]
    fn many_requests_get_what_the_cores_give() {
        let inside = inside(&settings(2.0, 3.0, 1.0, 5.0), 20, 40);
        assert!((inside.rate - 500.0).abs() < 0.5, "two cores, 4 ms each: {inside:?}");
    }

    #[test]
    fn a_single_connection_can_be_the_narrower_place() {
        // With a core for everyone the hold is 1 + 5 ms, one at a time.
        let inside = inside(&settings(1_000.0, 3.0, 1.0, 5.0), 1, 40);
        assert!((inside.rate - 1_000.0 / 6.0).abs() < 0.01, "{inside:?}");
        assert!((inside.holding - 1.0).abs() < 1e-6);
    }

    #[test]
    fn with_enough_of_everything_requests_do_not_meet() {
        let inside = inside(&settings(1_000.0, 2.0, 3.0, 5.0), 50, 12);
        assert!((inside.rate - 1_200.0).abs() < 1e-3, "{inside:?}");
        assert!((inside.holding - 12.0 * 0.8).abs() < 1e-3);
    }
}
