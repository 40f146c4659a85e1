//! A load in virtual time: the engine alone, without sockets or a clock, so that a minute of service takes a moment.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Exp};

use crate::lab::engine::{Engine, Outcome, Route};
use crate::lab::preset::PresetLoad;
use crate::lab::settings::Settings;
use crate::lab::station::Nanos;

/// What a simulated run saw.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Seen {
    pub(super) requests: u64,
    pub(super) failed: u64,
    pub(super) loss_s: f64,
    pub(super) wait_s: f64,
    pub(super) hold_s: f64,
    pub(super) rate: f64,
}

pub(super) fn route() -> Route {
    Route::usual("/api/tickets".into(), "GET")
}

struct Load {
    random: ChaCha8Rng,
    kind: PresetLoad,
    coming: BinaryHeap<Reverse<(Nanos, u64)>>,
}

impl Load {
    fn begin(load: PresetLoad, seed: u64) -> Self {
        let random = ChaCha8Rng::seed_from_u64(seed);
        let coming = BinaryHeap::new();
        let mut load = Self { random, kind: load, coming };
        match load.kind {
            PresetLoad::Closed { users, .. } => (0..users).for_each(|_| load.answered(0)),
            PresetLoad::Open { .. } => load.arrived(0),
        }
        load
    }

    /// A user has its answer and thinks.
    fn answered(&mut self, now: Nanos) {
        if let PresetLoad::Closed { think, .. } = self.kind {
            let (least, most) = (think.0.as_nanos(), think.1.as_nanos());
            let think = self.random.random_range(least..=most);
            self.coming.push(Reverse((now + Nanos::try_from(think).unwrap(), 0)));
        }
    }

    /// An arrival is followed by the next, whatever became of it.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a positive gap")]
    fn arrived(&mut self, now: Nanos) {
        if let PresetLoad::Open { rate_per_s } = self.kind {
            let gap = Exp::new(rate_per_s).unwrap().sample(&mut self.random);
            self.coming.push(Reverse((now + (gap * 1e9) as Nanos, 0)));
        }
    }
}

/// Runs a load on a service for `warm_s` and then `measured_s`.
pub(super) fn simulate(settings: &Settings, load: PresetLoad, random: u64, (warm_s, measured_s): (u64, u64)) -> Seen {
    let mut engine: Engine<Nanos> = Engine::new(settings.clone(), random);
    let mut load = Load::begin(load, random ^ 0x5eed);
    let [warm, end] = [warm_s, warm_s + measured_s].map(|seconds| seconds * 1_000_000_000);
    let mut seen = Seen::default();
    let mut before = None;
    while engine.now() < end {
        if engine.now() >= warm && before.is_none() {
            before = Some((engine.meters.acquire.clone(), engine.meters.usage.clone()));
        }
        let next = [engine.due(), load.coming.peek().map(|Reverse((at, _))| *at)];
        let now = next.into_iter().flatten().min().unwrap();
        engine.run_to(now);
        for ended in engine.take_ended() {
            if ended.token >= warm {
                seen.requests += 1;
                seen.failed += u64::from(ended.outcome != Outcome::Served);
                seen.loss_s += (now - ended.token) as f64 / 1e9;
            }
            load.answered(now);
        }
        while load.coming.peek().is_some_and(|Reverse((at, _))| *at <= now) {
            load.coming.pop();
            load.arrived(now);
            engine.arrive(route(), now).unwrap();
        }
    }
    let (acquire, usage) = before.unwrap();
    let per = |sum: Nanos, count: u64| sum as f64 / 1e9 / count as f64;
    let (asked, used) = (&engine.meters.acquire, &engine.meters.usage);
    Seen {
        loss_s: seen.loss_s / seen.requests as f64,
        wait_s: per(asked.sum - acquire.sum, asked.count - acquire.count),
        hold_s: per(used.sum - usage.sum, used.count - usage.count),
        rate: (used.count - usage.count) as f64 / measured_s as f64,
        ..seen
    }
}
