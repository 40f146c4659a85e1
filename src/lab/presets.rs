//! The lab's presets, each with a different answer to the question how large its pool should be.
//!
//! Only numbers; what they promise is checked against the law in `law/`. Imports the lab's own files only; pure.

use std::time::Duration;

use super::contention::Contention;
use super::error::LabError;
use super::preset::{Preset, PresetLengths, PresetLoad};
use super::settings::{Behaviour, Settings};

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// A compressed step: ten thousand requests in four seconds.
const LENGTHS: PresetLengths =
    PresetLengths { tick: ms(250), warmup: ms(1_000), measure_min: ms(4_000), measure_max: ms(6_000), drain: ms(1_000), settle_max: ms(5_000) };

const WORK: &str = "/api/tickets";
const VALUES: [u32; 5] = [30, 50, 100, 150, 200];

/// A service whose database alone takes its time.
fn service(db_law: Contention, db_demand_ms: f64) -> Settings {
    Settings {
        pool_max: 30,
        pool_connection_timeout_ms: 1_500.0,
        pool_connect_ms: 2.0,
        behaviour: Behaviour::Evict,
        threads_max: 600,
        accept_count: 1_000,
        db_law,
        db_demand_ms,
        demand_cv: 0.4,
        app_ms: 0.0,
        cpu_cores: 4.0,
        cpu_outside_ms: 0.0,
        cpu_inside_ms: 0.0,
    }
}

fn base(name: &'static str, description: &'static str, verdict: &'static str, load: PresetLoad, service: Settings) -> Preset {
    Preset {
        name,
        description,
        setting: "pool",
        values: VALUES,
        verdict,
        load,
        timeout: ms(2_000),
        lengths: LENGTHS,
        repeats: 2,
        refine: 2,
        slo: &["failed < 1%"],
        path: WORK,
        service,
    }
}

fn ticketing() -> Preset {
    let load = PresetLoad::Closed { users: 540, think: (ms(50), ms(150)) };
    let law = Contention::Usl { sigma: 0.001, kappa: 0.000_049 };
    let about = "ticket sales: sessions that must agree with each other slow the database, so there is a best pool";
    base("ticketing", about, "recommend", load, service(law, 22.0))
}

fn locks() -> Preset {
    let load = PresetLoad::Closed { users: 450, think: (ms(40), ms(120)) };
    let law = Contention::Locks { cores: 8.0, cpu_share: 0.1, lock: 0.07 };
    let about = "database cores spent on lock waits: more sessions than about ninety waste what they get";
    base("locks", about, "recommend", load, service(law, 20.0))
}

fn plateau() -> Preset {
    let load = PresetLoad::Closed { users: 250, think: (ms(40), ms(120)) };
    let free = Contention::Usl { sigma: 0.0, kappa: 0.0 };
    let about = "a database with room to spare: from some pool on nothing waits and nothing changes";
    Preset {
        // One value just beyond the plateau's left end: there the answer is, not in its middle.
        values: [30, 50, 80, 130, 200],
        ..base("plateau", about, "recommend", load, service(free, 25.0))
    }
}

fn thread_bound() -> Preset {
    let load = PresetLoad::Closed { users: 150, think: (ms(10), ms(30)) };
    let law = Contention::Usl { sigma: 0.0, kappa: 0.0 };
    let threads = Settings { threads_max: 40, app_ms: 12.0, ..service(law, 18.0) };
    let about = "too few worker threads: requests wait before the pool, whatever its size";
    Preset { values: [12, 20, 40, 60, 80], ..base("thread-bound", about, "thread_bound", load, threads) }
}

fn underloaded() -> Preset {
    let load = PresetLoad::Open { rate_per_s: 800.0 };
    let calm = Settings { threads_max: 200, demand_cv: 0.3, ..service(Contention::Usl { sigma: 0.0, kappa: 0.0 }, 30.0) };
    let about = "so little to do that every pool tried is large enough";
    Preset { values: [50, 75, 100, 150, 200], ..base("underloaded", about, "underloaded", load, calm) }
}

fn cpu_bound() -> Preset {
    let load = PresetLoad::Closed { users: 80, think: (ms(0), ms(0)) };
    let pages = Settings {
        threads_max: 100,
        demand_cv: 1.0,
        cpu_cores: 2.0,
        cpu_outside_ms: 1.1,
        cpu_inside_ms: 0.3,
        ..service(Contention::Usl { sigma: 0.0, kappa: 0.0 }, 4.0)
    };
    let about = "pages rendered by the service itself: its cores limit, whoever waits for a connection would wait for a core instead";
    Preset { values: [6, 10, 16, 28, 40], ..base("cpu-bound", about, "recommend", load, pages) }
}

/// All presets, the default first.
#[must_use]
pub fn all() -> Vec<Preset> {
    vec![ticketing(), locks(), plateau(), thread_bound(), underloaded(), cpu_bound()]
}

/// The preset of this name.
pub fn find(name: &str) -> Result<Preset, LabError> {
    let all = all();
    let known = all.iter().map(|preset| preset.name).collect::<Vec<_>>().join(", ");
    all.into_iter().find(|preset| preset.name == name).ok_or_else(|| LabError::UnknownPreset { name: name.to_owned(), known })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_found_by_its_name_and_has_sound_settings() {
        for preset in all() {
            assert_eq!(find(preset.name).unwrap(), preset);
            assert!(preset.service.clone().checked().is_ok(), "{}", preset.name);
            assert!(preset.values.is_sorted());
        }
        assert_eq!(all()[0].name, "ticketing", "the default");
    }

    #[test]
    fn an_unknown_preset_is_told_the_known() {
        let message = find("tickets").unwrap_err().to_string();
        assert!(message.contains("`tickets`") && message.contains("ticketing, locks"), "{message}");
    }

    #[test]
    fn callers_are_more_patient_than_the_pool() {
        for preset in all() {
            assert!(preset.timeout.as_secs_f64() * 1e3 > preset.service.pool_connection_timeout_ms, "{}", preset.name);
        }
    }
}
