//! Every verdict and every flag from a service that deserves it, and none of them from one that does not.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::analysis::testkit::{Callers, Service, read};
use crate::model::verdict::{Kind, PoolVerdict};

const POOLS: [u32; 5] = [10, 20, 40, 80, 160];

fn judged(service: &Service, pools: &[u32]) -> PoolVerdict {
    verdict(&service.sweep(pools, 2))
}

/// The verdict on the usual service after its file was changed.
fn changed(change: impl FnOnce(&mut Value)) -> PoolVerdict {
    let mut file = Service::default().json(&POOLS, 2);
    change(&mut file);
    verdict(&read(&file))
}

/// Changes a column of the steps of one pool, in one block or all.
fn column(file: &mut Value, pool: u32, rep: Option<u32>, name: &str, of: impl Fn(usize, f64) -> f64) {
    for step in file["steps"].as_array_mut().unwrap() {
        if step["pool"] == pool && rep.is_none_or(|r| step["rep"] == r) {
            for (i, cell) in step["series"][name].as_array_mut().unwrap().iter_mut().enumerate() {
                *cell = json!(of(i, cell.as_f64().unwrap()));
            }
        }
    }
}

fn open(rate: f64, unsent: f64) -> Service {
    Service { callers: Callers::Rate(rate, unsent), timeout_s: 3.0, ..Service::default() }
}

fn codes(v: &PoolVerdict) -> BTreeSet<&str> {
    v.flags.iter().map(|f| f.code.as_str()).collect()
}

#[track_caller]
fn flagged(v: &PoolVerdict, code: &str, word: &str) {
    let flag = v.flags.iter().find(|f| f.code == code);
    assert!(flag.is_some_and(|f| f.text.contains(word)), "no `{code}` with `{word}`: {:#?}", v.flags);
}

#[track_caller]
fn kind(v: &PoolVerdict, kind: Kind) {
    assert_eq!(v.verdict, kind, "{:#?} {:#?}", v.reasons, v.flags);
    let main = v.reasons.first().map(|r| r.code.as_str());
    assert_eq!(main, Some(if kind == Kind::Invalid { "too_few_values" } else { kind.name() }), "the first reason is the verdict's own");
}

#[test]
fn a_pool_between_waiting_and_contention_is_recommended() {
    let service = Service::default();
    let v = judged(&service, &POOLS);
    kind(&v, Kind::Recommend);
    let (best, value) = (f64::from(service.best(10..=160)), v.value.unwrap());
    assert!((value / best).ln().abs() < 0.1, "{value}, best {best}");
    let (low, high) = v.best_interval_90.unwrap();
    assert!(low <= best && best <= high, "{low} to {high}");
    assert!(v.expected_regret.unwrap() >= 0.02, "the choice itself was never measured");
    assert!(v.next.is_some(), "so that is what to measure");
    assert_eq!(codes(&v), BTreeSet::new(), "nothing casts doubt on it");
    assert!(v.reasons.iter().any(|r| r.code == "balance") && v.reasons.iter().any(|r| r.code == "costs"));
}

#[test]
fn measured_around_the_best_nothing_more_is_worth_a_run() {
    let v = verdict(&Service::default().sweep(&[20, 36, 43, 50, 58, 67, 100], 3));
    kind(&v, Kind::Recommend);
    assert!(v.expected_regret.unwrap() < 0.02, "{:?}", v.expected_regret);
    assert_eq!(v.next, None);
}

#[test]
fn a_loss_that_still_falls_at_the_end_asks_for_wider_values() {
    let service = Service { sigma: 0.0, kappa: 0.0, ..Service::default() };
    let v = judged(&service, &[5, 7, 10, 14]);
    kind(&v, Kind::EdgeHigh);
    assert_eq!(v.value, Some(14.0));
    let v = judged(&Service::default(), &[60, 80, 120, 160]);
    kind(&v, Kind::EdgeLow);
    assert_eq!(v.value, Some(60.0));
}

#[test]
fn where_nothing_waits_the_load_was_too_small() {
    let v = judged(&Service { callers: Callers::Users(30, 1.0), ..Service::default() }, &[20, 40, 80, 160]);
    kind(&v, Kind::Underloaded);
    assert_eq!(v.value, Some(20.0), "the smallest tried will do");
}

#[test]
fn full_threads_without_a_queue_at_the_pool_are_the_limit() {
    let service = Service { threads: 20, sigma: 0.0, kappa: 0.0, ..Service::default() };
    let v = judged(&service, &[10, 15, 25, 40, 80]);
    kind(&v, Kind::ThreadBound);
    assert_eq!(v.value, Some(20.0), "a pool of as many connections as threads");
    let v = judged(&Service { threads: 20, sigma: 0.0, kappa: 0.0, ..Service::default() }, &[4, 6, 8, 11]);
    assert_ne!(v.verdict, Kind::ThreadBound, "full because the pool is short");
}

#[test]
fn a_rate_that_no_pool_carries_is_an_overload() {
    let v = judged(&open(2000.0, 0.0), &POOLS);
    kind(&v, Kind::Overloaded);
    let most = (10..=160).map(|c| open(2000.0, 0.0).steady(c).rate).fold(0.0, f64::max);
    let said: f64 = v.reasons[0].text.rsplit(' ').next().unwrap().parse().unwrap();
    assert!((said / most - 1.0).abs() < 0.02, "{most} is the most: {}", v.reasons[0].text);
    kind(&judged(&open(400.0, 0.0), &[15, 25, 40, 60, 100]), Kind::Recommend);
}

#[test]
fn a_backlog_that_outlived_the_steps_is_not_taken_for_an_overload() {
    let mut file = open(400.0, 0.0).json(&[25, 40, 60, 80], 2);
    for pool in [25, 40, 60, 80] {
        column(&mut file, pool, None, "err", |_, _| 60.0);
        column(&mut file, pool, None, "ok", |_, _| 340.0);
    }
    let v = verdict(&read(&file));
    kind(&v, Kind::Repeat);
    assert!(v.reasons[0].text.contains("a backlog outlived the steps"), "{}", v.reasons[0].text);
}

#[test]
fn runs_that_differ_too_much_have_to_be_repeated() {
    let v = judged(&Service { apart: 0.5, ..Service::default() }, &POOLS);
    kind(&v, Kind::Repeat);
    assert!(v.next.is_some() && v.expected_regret.unwrap() > 0.06);
}

#[test]
fn arrivals_that_were_never_sent_are_the_generators() {
    let v = judged(&open(200.0, 0.2), &POOLS);
    kind(&v, Kind::GeneratorBound);
    assert!(v.reasons[0].text.contains("40 could not be sent"), "{}", v.reasons[0].text);
    assert_ne!(judged(&open(200.0, 0.0), &POOLS).verdict, Kind::GeneratorBound);
    assert_ne!(judged(&open(200.0, 0.02), &POOLS).verdict, Kind::GeneratorBound, "2% are no matter");
}

#[test]
fn two_values_can_not_be_judged() {
    kind(&judged(&Service::default(), &[10, 20]), Kind::Invalid);
    let v = changed(|f| {
        for step in f["steps"].as_array_mut().unwrap() {
            if step["pool"].as_u64().unwrap() > 20 {
                step["void"] = json!("the service restarted");
            }
        }
    });
    kind(&v, Kind::Invalid);
    assert!(v.reasons[0].text.contains("pool 80: the service restarted"), "{}", v.reasons[0].text);
    assert_eq!((v.value, v.next, v.steps.len()), (None, None, 2), "the figures are shown all the same");
}

#[test]
fn one_run_each_is_said() {
    flagged(&verdict(&Service::default().sweep(&POOLS, 1)), "single_run", "one run of each value");
}

#[test]
fn steps_too_short_to_count_are_said() {
    let v = judged(&Service { callers: Callers::Users(3, 0.5), ..Service::default() }, &POOLS);
    flagged(&v, "short_steps", "measure longer");
    assert!(!judged(&Service::default(), &POOLS).has_flag("short_steps"));
}

#[test]
fn steps_under_other_conditions_are_said() {
    flagged(&changed(|f| f["steps"][3]["threads"] = json!(350)), "threads_changed", "(350, 400)");
    flagged(&changed(|f| f["steps"][3]["void"] = json!("the service restarted")), "void_steps", "80 (the service restarted)");
    flagged(&changed(|f| f["client_timeout_s"] = Value::Null), "failure_cost_assumed", "30.00 s");
}

#[test]
fn a_value_that_contradicts_the_others_is_named() {
    let pools = [10, 20, 30, 40, 60, 80, 160];
    for worse in [1.3, 1.6, 2.5] {
        let mut file = Service::default().json(&pools, 2);
        column(&mut file, 60, None, "lat_mean_ms", |_, x| worse * x);
        let v = verdict(&read(&file));
        flagged(&v, "off_curve", "60 does not fit");
        assert!(v.expected_regret.unwrap() >= 0.05, "with a contradiction beside it nothing better is claimed");
    }
    assert!(!judged(&Service::default(), &pools).has_flag("off_curve"));
}

/// The published sweep's 130 between a good 100 and a good 150.
#[test]
fn failures_between_two_good_values_are_a_contradiction_and_at_the_end_they_are_not() {
    let mut file = Service::default().json(&[10, 20, 30, 40, 60, 80, 160], 1);
    column(&mut file, 60, None, "err", |_, _| 40.0);
    flagged(&verdict(&read(&file)), "off_curve", "60 does not fit");
    let v = changed(|f| column(f, 160, None, "err", |_, _| 40.0));
    assert!(!v.has_flag("off_curve"), "{:#?}", v.flags);
}

#[test]
fn a_step_that_was_not_steady_is_named() {
    let v = changed(|f| column(f, 40, None, "pending", |i, x| x * (0.5 + i as f64 / 60.0)));
    flagged(&v, "growing_queue", "still growing at 40");
    let v = changed(|f| {
        for pool in POOLS {
            column(f, pool, None, "lat_mean_ms", |i, x| x * (1.0 + i as f64 / 10.0));
            column(f, pool, None, "ok", |i, x| x * (1.0 - i as f64 / 70.0));
        }
    });
    flagged(&v, "no_steady_state", "measure longer");
}

#[test]
fn a_run_that_something_else_disturbed_is_named() {
    let v = changed(|f| column(f, 20, Some(0), "usage_mean_ms", |_, x| 1.5 * x));
    flagged(&v, "disturbed", "20 (block 1)");
}

#[test]
fn holding_without_database_work_is_the_first_advice() {
    let of = |share| judged(&Service { db_share: Some(share), ..Service::default() }, &POOLS);
    flagged(&of(0.2), "non_db_hold", "80% of the time");
    assert!(!of(0.8).has_flag("non_db_hold"));
}

#[test]
fn a_best_that_may_lie_anywhere_is_said() {
    let service = Service { apart: 0.15, callers: Callers::Users(120, 0.5), kappa: 0.0, ..Service::default() };
    flagged(&judged(&service, &POOLS), "wide_interval", "may lie anywhere");
}

#[test]
fn the_services_own_cpu_is_named_where_it_is_the_limit() {
    let of = |cores| {
        let service = Service { callers: Callers::Users(60, 0.1), cpu: Some((1.0, cores)), sigma: 0.0, kappa: 0.0, ..Service::default() };
        judged(&service, &[8, 16, 32, 64])
    };
    flagged(&of(8.0), "other_bottleneck", "8 of 8 cores");
    assert!(of(8.0).steps.iter().all(|s| s.bottleneck.as_deref() == Some("service CPU")));
    assert!(!of(64.0).has_flag("other_bottleneck"));
}

#[test]
fn an_objective_that_rules_the_least_loss_out_binds() {
    let failing = |f: &mut Value| {
        for pool in [40, 80, 160] {
            column(f, pool, None, "err", |_, _| 4.0);
        }
    };
    let v = changed(|f| {
        failing(f);
        f["objective"] = json!({"slo": ["failed < 0.1%"]});
    });
    flagged(&v, "slo_binds", "an objective rules it out");
    assert!(v.value.unwrap() < 30.0 && v.unconstrained.unwrap() > 40.0, "{:?} {:?}", v.value, v.unconstrained);
    assert!(!changed(failing).has_flag("slo_binds"), "0.7% failed are within what nobody stated");
}

#[test]
fn objectives_that_nothing_meets_or_nobody_can_judge_are_said() {
    let with = |slo: Value| changed(|f| f["objective"] = json!({"slo": slo}));
    let v = with(json!(["mean < 1ms"]));
    flagged(&v, "slo_unmet", "least violation");
    assert_eq!(v.value, judged(&Service::default(), &POOLS).value, "the least mean is also the least loss here");
    flagged(&with(json!(["p95 < 1s"])), "slo_unknown", "p95 < 1s");
    assert_eq!(codes(&with(json!(["mean < 1s", "rate > 100/s"]))), BTreeSet::new());
}

#[test]
fn a_judgement_is_the_same_every_time() {
    let sweep = Service::default().sweep(&POOLS, 2);
    let text = |v: &PoolVerdict| serde_json::to_string(v).unwrap();
    assert_eq!(text(&verdict(&sweep)), text(&verdict(&sweep)));
}

#[test]
fn what_follows_from_the_choice_is_consistent() {
    let v = judged(&Service::default(), &POOLS);
    let (pool, derived) = (v.value.unwrap(), v.derived);
    assert!(f64::from(derived.threads.unwrap()) > pool, "all connections can be used");
    assert!((f64::from(derived.bulkhead.unwrap()) - (0.93 * pool).floor()).abs() < 0.5);
    let timeout = derived.connection_timeout_s.unwrap();
    assert!((0.25..10.0).contains(&timeout), "above HikariCP's least, below the caller's patience: {timeout}");
    let most = (10..=160).map(|c| open(2000.0, 0.0).steady(c).rate).fold(0.0, f64::max);
    assert!(derived.sustainable_rate.unwrap() < most, "{derived:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Whatever the figures are, there is a verdict or a refusal, and no number that is none.
    #[test]
    fn no_figures_bring_it_down(
        rows in 1_usize..30,
        pools in prop::collection::vec(1_u32..500, 1..7),
        cells in prop::collection::vec(prop_oneof![Just(None), (0.0..1e7_f64).prop_map(Some), Just(Some(0.0)), Just(Some(1e-9))], 30),
        is_open: bool,
    ) {
        let at = |shift: usize| (0..rows).map(|i| cells[(i * 7 + shift) % cells.len()]).collect::<Vec<_>>();
        let counts = |shift: usize| at(shift).into_iter().map(|c| c.unwrap_or(0.0)).collect::<Vec<f64>>();
        let steps: Vec<Value> = pools.iter().enumerate().map(|(n, pool)| json!({
            "pool": pool, "rep": n % 2, "order": n, "threads": cells[n].map(|x| x + 1.0), "start_s": n, "duration_s": rows,
            "series": {
                "t": (1..=rows).collect::<Vec<_>>(), "ok": counts(n), "err": counts(n + 1), "lat_mean_ms": at(n + 2), "active": at(n + 3), "pending": at(n + 4),
                "acquire_mean_ms": at(n + 5), "usage_mean_ms": at(n + 6), "server_done": at(n + 8), "acquired": at(n + 9), "threads_busy": at(n + 10),
                "dropped": at(n + 11), "process_cpu": at(n + 12), "db_active": at(n + 13), "conn_timeouts": at(n + 14)
            }
        })).collect();
        let (model, load) = if is_open { ("open", json!({"rate": 50})) } else { ("closed", json!({"users": 20, "think_s": 0.1})) };
        let v = verdict(&read(&json!({"schema": "pool-sweep/1", "model": model, "load": load, "steps": steps})));
        prop_assert_eq!(v.value.is_none(), v.verdict == Kind::Invalid);
        prop_assert!(v.value.is_none_or(f64::is_finite) && v.expected_regret.is_none_or(|r| (0.0..=1.0).contains(&r)));
        prop_assert!(!v.reasons.is_empty());
    }
}

/// The usual service, with the share of the time in which the load generator was the limit in runs of a pool.
fn bound(share: impl Fn(u64) -> f64) -> PoolVerdict {
    changed(|file| {
        for step in file["steps"].as_array_mut().unwrap() {
            let pool = step["pool"].as_u64().unwrap();
            step["generator_bound"] = json!(share(pool));
        }
    })
}

#[test]
fn a_generator_at_its_limit_in_the_best_runs_leaves_no_answer() {
    let v = bound(|_| 0.8);
    kind(&v, Kind::GeneratorBound);
    assert!(v.reasons[0].text.contains("at least 80%"), "{:?}", v.reasons);
}

#[test]
fn a_generator_at_its_limit_for_a_while_is_a_doubt() {
    let v = bound(|pool| if pool == 20 { 0.2 } else { 0.05 });
    kind(&v, Kind::Recommend);
    flagged(&v, "generator_bound", "20 (20% of its time)");
}
