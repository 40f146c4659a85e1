//! The law against the engine that it describes, in virtual time, and the presets against what they promise.

use std::sync::LazyLock;

use super::simulate::simulate;
use crate::lab::law::{Law, explain};
use crate::lab::preset::{Preset, PresetLoad};
use crate::lab::presets;
use crate::lab::settings::Settings;

/// All presets with their laws, computed once.
static LAWS: LazyLock<Vec<(Preset, Law)>> = LazyLock::new(|| {
    let explained = |preset: Preset| (preset.clone(), explain(&preset));
    presets::all().into_iter().map(explained).collect()
});

fn law(name: &str) -> &'static (Preset, Law) {
    LAWS.iter().find(|(preset, _)| preset.name == name).unwrap()
}

/// The loss at a value as a multiple of the least.
fn times_the_best(law: &Law, value: u32) -> f64 {
    law.at(value).unwrap().loss_s / law.at(law.best).unwrap().loss_s
}

#[track_caller]
fn assert_close(what: &str, seen: f64, law: f64, share: f64) {
    let off = (seen / law - 1.0).abs();
    assert!(off < share, "{what}: saw {seen}, the law says {law}");
}

#[test]
fn every_preset_behaves_as_its_law_says() {
    for (preset, law) in LAWS.iter() {
        let [least, .., most] = preset.values;
        for value in [least, law.best, most] {
            let service = Settings { pool_max: value, ..preset.service.clone() };
            let seen = simulate(&service, preset.load, 11, (1, 4));
            let point = law.at(value).unwrap();
            let what = format!("{} at {value}", preset.name);
            assert_eq!(seen.failed, 0, "{what}");
            assert_close(&what, seen.loss_s, point.loss_s, 0.03);
            assert_close(&what, seen.rate, point.rate, 0.03);
            // The usage timer loses half a millisecond of each hold, as HikariCP's does.
            assert_close(&what, seen.hold_s + 0.0005, point.hold_s, 0.03);
            let wait_off = (seen.wait_s - point.wait_s).abs();
            assert!(wait_off < 0.03 * point.loss_s, "{what}: {seen:?}");
        }
    }
}

#[test]
fn the_left_end_of_every_zone_is_inside_the_range() {
    for (preset, law) in LAWS.iter() {
        let smallest = f64::from(preset.values[0]);
        // Where no pool waits there is no left end to find.
        if preset.verdict != "underloaded" {
            assert!(f64::from(law.zone[0]) >= 1.15 * smallest, "{}: {:?}", preset.name, law.zone);
            assert!(times_the_best(law, preset.values[0]) > 1.06, "{}", preset.name);
        }
    }
}

#[test]
fn ticketing_has_a_best_pool_near_a_hundred_and_fifty() {
    let (preset, law) = law("ticketing");
    assert_eq!(preset.values, [30, 50, 100, 150, 200]);
    assert!((132..=168).contains(&law.best), "{}", law.best);
    assert!(times_the_best(law, 30) >= 1.5);
    assert!(times_the_best(law, 200) >= 1.11, "{}", times_the_best(law, 200));
    assert!((2..=60).contains(&(law.zone[1] - law.zone[0])), "{:?}", law.zone);
    assert!(law.zone[1] < 200);
}

#[test]
fn locks_have_a_narrow_zone_elsewhere() {
    let (preset, law) = law("locks");
    assert_eq!(preset.values, [30, 50, 100, 150, 200]);
    assert!((2..=60).contains(&(law.zone[1] - law.zone[0])), "{:?}", law.zone);
    assert!(law.zone[1] < 150, "the answer of ticketing would be wrong here");
}

#[test]
fn a_plateau_ends_only_with_the_range() {
    let (preset, law) = law("plateau");
    assert_eq!(law.zone[1], preset.values[4]);
    assert!(law.best < u32::midpoint(law.zone[0], law.zone[1]));
}

#[test]
fn thread_bound_fills_its_threads_and_not_its_pool() {
    let (preset, law) = law("thread-bound");
    let PresetLoad::Closed { users, .. } = preset.load else { panic!("thread-bound is a closed load") };
    let best = law.at(law.best).unwrap();
    let there = f64::from(users) - best.rate * preset.load.think_s();
    let threads = f64::from(preset.service.threads_max);
    assert!(there > 1.5 * threads, "{there} in the service");
    assert!(best.wait_s * best.rate < 0.02 * threads, "next to nobody waits for a connection");
}

#[test]
fn underloaded_never_waits_and_uses_few_threads() {
    let (preset, law) = law("underloaded");
    let threads = f64::from(preset.service.threads_max);
    for point in &law.curve {
        assert!(point.wait_s < 0.001 * point.loss_s, "{point:?}");
        assert!(point.rate * point.loss_s < 0.3 * threads, "{point:?}");
        assert!((times_the_best(law, point.value) - 1.0).abs() < 0.005, "{point:?}");
    }
}

#[test]
fn cpu_bound_gives_what_its_cores_give() {
    let (preset, law) = law("cpu-bound");
    let service = &preset.service;
    let most = service.cpu_cores * 1e3 / (service.cpu_outside_ms + service.cpu_inside_ms);
    assert!(law.best <= 16, "a small pool is enough");
    assert_close("rate", law.at(law.best).unwrap().rate, most, 0.01);
    let waits = law.at(law.best).unwrap();
    assert!(waits.wait_s > 0.2 * waits.loss_s, "requests wait at the pool, and yet it does not limit");
    assert!(law.at(40).unwrap().wait_s < 0.01 * waits.loss_s);
}

#[test]
fn every_whole_value_of_the_range_is_told() {
    for (preset, law) in LAWS.iter() {
        let values: Vec<u32> = law.curve.iter().map(|point| point.value).collect();
        assert_eq!(values, (preset.values[0]..=preset.values[4]).collect::<Vec<_>>());
    }
}

#[test]
fn a_step_has_thousands_of_requests_and_is_long_against_the_loss() {
    for (preset, law) in LAWS.iter() {
        let lengths = preset.lengths;
        for value in preset.values {
            let point = law.at(value).unwrap();
            let requests = point.rate * lengths.measure_min.as_secs_f64();
            assert!(requests > 8.0 * 300.0, "{} at {value}: {requests} requests", preset.name);
        }
        let best = law.at(law.best).unwrap().loss_s;
        assert!(lengths.warmup.as_secs_f64() > 8.0 * best, "{}", preset.name);
    }
}
