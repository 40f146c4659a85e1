//! What happens around the worker threads: users who think or arrivals that do not care, and the queue for a thread.
//!
//! A birth-death chain over the requests in the service, whose deaths are the completions that `station` gives. Imports the lab's own files
//! only; pure.

use crate::lab::preset::PresetLoad;

use super::station::{Balance, Inside, shares};

/// The means over time under a load, with `inside(n)` for n requests in the threads, of which there are `threads`.
pub(super) fn balance(load: PresetLoad, threads: u32, inside: impl Fn(u32) -> Inside) -> Balance {
    match load {
        PresetLoad::Closed { users, .. } if load.think_s() <= 0.0 => {
            let always = inside(users.min(threads));
            per_request(f64::from(users), always)
        }
        PresetLoad::Closed { users, .. } => {
            let table: Vec<Inside> = (0..=users.min(threads)).map(inside).collect();
            closed(users, load.think_s(), &table)
        }
        PresetLoad::Open { rate_per_s } => open(rate_per_s, &(0..=threads).map(inside).collect::<Vec<_>>()),
    }
}

fn at(inside: &[Inside], there: usize) -> Inside {
    inside[there.min(inside.len() - 1)]
}

fn closed(users: u32, think_s: f64, inside: &[Inside]) -> Balance {
    let all = users as usize;
    let mut logs = vec![0.0_f64];
    for there in 1..=all {
        let coming = (all - there + 1) as f64 / think_s;
        logs.push(logs[there - 1] + (coming / at(inside, there).rate).ln());
    }
    means(&shares(&logs), inside)
}

/// Arrivals of a Poisson stream. Beyond the last entry of `inside` the queue is geometric; without end when it can not keep up.
fn open(rate: f64, inside: &[Inside]) -> Balance {
    let full = inside.len() - 1;
    let most = at(inside, full).rate;
    if rate >= most {
        return Balance { response_s: f64::INFINITY, wait_s: f64::INFINITY, hold_s: at(inside, full).holding / most, rate: most };
    }
    let mut logs = vec![0.0_f64];
    // Long enough that what is left out weighs less than a millionth of a millionth.
    let tail = (28.0 / (most / rate).ln()).ceil().min(2_000_000.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded just above")]
    for there in 1..=full + tail as usize {
        logs.push(logs[there - 1] + (rate / at(inside, there).rate).ln());
    }
    means(&shares(&logs), inside)
}

fn means(share: &[f64], inside: &[Inside]) -> Balance {
    let mean = |figure: &dyn Fn(usize) -> f64| share.iter().enumerate().map(|(there, share)| figure(there) * share).sum::<f64>();
    let always = Inside {
        rate: mean(&|there| at(inside, there).rate),
        waiting: mean(&|there| at(inside, there).waiting),
        holding: mean(&|there| at(inside, there).holding),
    };
    per_request(mean(&|there| there as f64), always)
}

/// Little's law turns mean numbers into mean times.
fn per_request(there: f64, Inside { rate, waiting, holding }: Inside) -> Balance {
    Balance { response_s: there / rate, wait_s: waiting / rate, hold_s: holding / rate, rate }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// Stations with `servers` of `each_per_s`.
    fn servers(servers: u32, each_per_s: f64) -> impl Fn(u32) -> Inside {
        move |there| {
            let holding = f64::from(there.min(servers));
            Inside { rate: holding * each_per_s, waiting: f64::from(there) - holding, holding }
        }
    }

    fn closed_load(users: u32, think_ms: u64) -> PresetLoad {
        let think = Duration::from_millis(think_ms);
        PresetLoad::Closed { users, think: (think, think) }
    }

    #[test]
    fn an_open_queue_with_one_server_is_the_textbooks() {
        let balance = balance(PresetLoad::Open { rate_per_s: 80.0 }, 500, servers(1, 100.0));
        assert!((balance.response_s - 1.0 / (100.0 - 80.0)).abs() < 1e-6, "{balance:?}");
        assert!((balance.wait_s - (0.05 - 0.01)).abs() < 1e-6, "{balance:?}");
        assert!((balance.hold_s - 0.01).abs() < 1e-9);
    }

    #[test]
    fn a_queue_for_threads_counts_in_the_response_and_not_in_the_wait() {
        let balance = balance(PresetLoad::Open { rate_per_s: 80.0 }, 1, servers(1, 100.0));
        assert!((balance.response_s - 0.05).abs() < 1e-6, "{balance:?}");
        assert!(balance.wait_s.abs() < 1e-12, "{balance:?}");
    }

    #[test]
    fn more_than_can_be_served_waits_for_ever() {
        assert!(balance(PresetLoad::Open { rate_per_s: 100.0 }, 5, servers(1, 100.0)).response_s.is_infinite());
    }

    #[test]
    fn erlangs_formula_comes_out() {
        // Erlang C for 2 servers at a load of 1: an arrival waits with probability 1/3, for 1/3 x 1/(200 - 100) on average.
        let balance = balance(PresetLoad::Open { rate_per_s: 100.0 }, 400, servers(2, 100.0));
        assert!((balance.wait_s - 1.0 / 300.0).abs() < 1e-6, "{balance:?}");
    }

    #[test]
    fn users_without_thought_are_all_in_the_service() {
        let balance = balance(closed_load(10, 0), 20, servers(4, 100.0));
        assert!((balance.rate - 400.0).abs() < 1e-9 && (balance.response_s - 0.025).abs() < 1e-12, "{balance:?}");
    }

    #[test]
    fn users_think_and_wait_in_turn() {
        for users in [1, 5, 40] {
            let balance = balance(closed_load(users, 20), 50, servers(4, 100.0));
            let all = balance.rate * (balance.response_s + 0.020);
            assert!((all - f64::from(users)).abs() < 1e-6, "{balance:?}");
        }
    }
}
