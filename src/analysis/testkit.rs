//! A made-up service whose every figure follows from a few laws: threads, a pool, holds that grow with the connections in use.
//!
//! Its steps come from the stationary birth-death chain, with a small wobble drawn from a fixed seed, so that a test knows what the
//! judge should find. Test code of `analysis/` alone.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use super::sweep::Sweep;

/// Who calls.
#[derive(Debug, Clone, Copy)]
pub(super) enum Callers {
    /// Users with a mean think time in seconds.
    Users(u32, f64),
    /// Arrivals a second, of which the generator could not send a share.
    Rate(f64, f64),
}

/// The service and how it is looked at.
#[derive(Debug, Clone)]
pub(super) struct Service {
    pub(super) callers: Callers,
    /// Hold of one connection alone, and the law of scalability.
    pub(super) hold_s: f64,
    pub(super) sigma: f64,
    pub(super) kappa: f64,
    /// Time of a request outside the pool.
    pub(super) rest_s: f64,
    pub(super) threads: u32,
    pub(super) timeout_s: f64,
    /// Relative noise of a row.
    pub(super) wobble: f64,
    /// Relative noise of a whole run.
    pub(super) apart: f64,
    /// Cores in use for each connection in use, and how many there are.
    pub(super) cpu: Option<(f64, f64)>,
    /// Share of the hold that is work of the database.
    pub(super) db_share: Option<f64>,
}

impl Default for Service {
    /// 300 users, capacity 40 connections at most: somewhat beyond them is the best pool.
    fn default() -> Self {
        Self {
            callers: Callers::Users(300, 0.5),
            hold_s: 0.05,
            sigma: 0.005,
            kappa: 0.0004,
            rest_s: 0.004,
            threads: 400,
            timeout_s: 10.0,
            wobble: 0.02,
            apart: 0.0,
            cpu: None,
            db_share: None,
        }
    }
}

/// What a pool comes to in the long run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Steady {
    pub(super) rate: f64,
    pub(super) latency_s: f64,
    pub(super) active: f64,
    pub(super) pending: f64,
    pub(super) busy: f64,
    /// Arrivals that found no end of the queue.
    pub(super) lost: f64,
}

impl Service {
    fn hold(&self, active: f64) -> f64 {
        self.hold_s * (1.0 + self.sigma * (active - 1.0) + self.kappa * active * (active - 1.0))
    }

    /// The stationary chain; under open load its room is what a caller's patience allows.
    pub(super) fn steady(&self, pool: u32) -> Steady {
        let at_work = |n: u32| f64::from(n.min(pool).min(self.threads));
        let served = |n: u32| at_work(n) / self.hold(at_work(n));
        let room = match self.callers {
            Callers::Users(users, _) => users,
            Callers::Rate(..) => pool + whole(self.timeout_s * served(pool)),
        };
        let born = |n: u32| match self.callers {
            Callers::Users(users, think_s) => f64::from(users - n) / (think_s + self.rest_s),
            Callers::Rate(rate, unsent) => rate * (1.0 - unsent),
        };
        let mut log_p = vec![0.0_f64];
        for n in 1..=room {
            log_p.push(log_p[n as usize - 1] + (born(n - 1) / served(n)).ln());
        }
        let top = log_p.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let p: Vec<f64> = log_p.iter().map(|l| (l - top).exp()).collect();
        let total: f64 = p.iter().sum();
        let mean = |of: &dyn Fn(u32) -> f64| (0..=room).map(|n| p[n as usize] * of(n)).sum::<f64>() / total;
        let rate = mean(&|n| if n == 0 { 0.0 } else { served(n) });
        let inside = mean(&f64::from);
        let busy = mean(&|n| f64::from(n.min(self.threads)));
        let active = mean(&at_work);
        Steady { rate, latency_s: inside / rate + self.rest_s, active, pending: busy - active, busy, lost: p[room as usize] / total }
    }

    /// The pool of least latency.
    pub(super) fn best(&self, within: std::ops::RangeInclusive<u32>) -> u32 {
        within.min_by(|a, b| self.steady(*a).latency_s.total_cmp(&self.steady(*b).latency_s)).unwrap()
    }

    /// A sweep over these pools, each so many times.
    pub(super) fn sweep(&self, pools: &[u32], repeats: u32) -> Sweep {
        read(&self.json(pools, repeats))
    }

    /// The same as a file holds it.
    pub(super) fn json(&self, pools: &[u32], repeats: u32) -> Value {
        let (model, load) = match self.callers {
            Callers::Users(users, think_s) => ("closed", json!({"users": users, "think_s": think_s})),
            Callers::Rate(rate, _) => ("open", json!({"rate": rate})),
        };
        let steps: Vec<Value> = (0..repeats)
            .flat_map(|rep| pools.iter().enumerate().map(move |(i, pool)| (rep, i, *pool)))
            .map(|(rep, i, pool)| self.step(pool, rep, rep * whole(pools.len() as f64) + whole(i as f64)))
            .collect();
        json!({
            "schema": "pool-sweep/1", "model": model, "load": load, "client_timeout_s": self.timeout_s, "by": "start",
            "process_cores": self.cpu.map(|c| c.1), "candidates": {"min": pools.iter().min(), "max": pools.iter().max()}, "steps": steps,
        })
    }

    /// One step of a minute.
    pub(super) fn step(&self, pool: u32, rep: u32, order: u32) -> Value {
        let s = self.steady(pool);
        let mut rng = ChaCha8Rng::seed_from_u64(u64::from(pool) * 1000 + u64::from(rep));
        let mut noisy = |x: f64, by: f64| x * (1.0 + by * (rng.random::<f64>() + rng.random::<f64>() - 1.0));
        let run = noisy(1.0, 2.0 * self.apart);
        let dropped = if let Callers::Rate(rate, unsent) = self.callers { rate * unsent } else { 0.0 };
        let (wait_s, hold_s) = (s.pending / s.rate, s.active / s.rate);
        let mut column = |x: f64| (0..60).map(|_| noisy(x, 2.0 * self.wobble)).collect::<Vec<f64>>();
        json!({
            "order": order, "rep": rep, "pool": pool, "threads": self.threads, "start_s": 90 * order, "duration_s": 60,
            "series": {
                "t": (1..=60).collect::<Vec<u32>>(), "ok": column(s.rate * (1.0 - s.lost)), "err": vec![s.rate * s.lost; 60], "dropped": vec![dropped; 60],
                "lat_mean_ms": column(1e3 * s.latency_s * run), "active": column(s.active).iter().map(|a| a.min(f64::from(pool))).collect::<Vec<_>>(),
                "pending": column(s.pending), "threads_busy": column(s.busy).iter().map(|b| b.min(f64::from(self.threads))).collect::<Vec<_>>(),
                "acquire_mean_ms": column(1e3 * wait_s), "usage_mean_ms": column(1e3 * hold_s * run), "server_done": vec![s.rate; 60],
                "process_cpu": self.cpu.map(|(each, cores)| vec![(each * s.active).min(cores); 60]),
                "db_active": self.db_share.map(|share| vec![share * s.active; 60]),
            }
        })
    }
}

/// Reads a sweep that a test has changed.
pub(super) fn read(file: &Value) -> Sweep {
    Sweep::from_json(&file.to_string()).unwrap()
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small numbers of tests")]
fn whole(x: f64) -> u32 {
    x as u32
}
