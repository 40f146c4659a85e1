//! The posterior against services whose loss is known everywhere.

use super::*;
use crate::analysis::run::{Run, measure};
use crate::analysis::sweep::Sweep;
use crate::analysis::testkit::{Callers, Service};

fn runs(sweep: &Sweep) -> Vec<Run> {
    let mut runs: Vec<Run> = sweep.steps.iter().filter_map(|s| measure(sweep, s)).collect();
    fill_doubts(&mut runs);
    runs
}

fn question(service: &Service, range: (f64, f64)) -> Question {
    let arrivals = match service.callers {
        Callers::Users(users, think_s) => Arrivals::Closed { users: f64::from(users), think_s },
        Callers::Rate(rate, _) => Arrivals::Open { rate },
    };
    let queue =
        Queue { arrivals, rest_s: service.rest_s, cap_s: service.timeout_s, threads: f64::from(service.threads), uses: 1.0, holds_out: false };
    Question { queue, cores: None, range }
}

#[test]
fn between_the_measured_values_the_loss_is_known_within_its_error() {
    let service = Service::default();
    let sweep = service.sweep(&[10, 20, 40, 80, 160], 2);
    let p = Posterior::given(&runs(&sweep), &question(&service, (10.0, 160.0))).unwrap();
    for pool in [14_u32, 28, 55, 110] {
        let i = p.index(f64::from(pool));
        let truth = (service.steady(pool).latency_s + p.shift).ln();
        let off = (p.mean[i] - truth).abs();
        assert!(off < 3.0 * p.sd[i].max(0.005), "pool {pool}: off by {off}, sd {}", p.sd[i]);
    }
}

#[test]
fn it_is_less_sure_where_nothing_was_measured() {
    let service = Service::default();
    let sweep = service.sweep(&[10, 20, 30, 40], 2);
    let p = Posterior::given(&runs(&sweep), &question(&service, (10.0, 160.0))).unwrap();
    let sd = |pool: f64| p.sd[p.index(pool)];
    assert!(sd(160.0) > 3.0 * sd(30.0), "{} against {}", sd(160.0), sd(30.0));
}

#[test]
fn wide_ranges_are_thinned_and_narrow_ones_are_whole() {
    let grid = question(&Service::default(), (2.0, 5.0)).grid();
    assert_eq!(grid, [2.0, 3.0, 4.0, 5.0]);
    let grid = question(&Service::default(), (1.0, 50_000.0)).grid();
    assert!(grid.len() <= 400 && grid.first() == Some(&1.0) && grid.last() == Some(&50_000.0), "{} candidates", grid.len());
    assert!(grid.windows(2).all(|w| w[0] < w[1]));
}

#[test]
fn only_a_replicate_or_its_own_quiet_part_can_make_a_run_doubtful() {
    let service = Service::default();
    let mut file = service.json(&[10, 20, 40], 2);
    let usage = file["steps"][0]["series"]["usage_mean_ms"].as_array().unwrap().clone();
    let slowed: Vec<f64> = usage.iter().map(|v| 1.4 * v.as_f64().unwrap()).collect();
    file["steps"][0]["series"]["usage_mean_ms"] = serde_json::json!(slowed);
    let doubted = runs(&crate::analysis::testkit::read(&file));
    assert!(doubted[0].doubt > 0.2, "far above the other run of the same pool: {}", doubted[0].doubt);
    assert!(doubted.iter().skip(1).all(|r| r.doubt < 0.05), "{:?}", doubted.iter().map(|r| r.doubt).collect::<Vec<_>>());
}
