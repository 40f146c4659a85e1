//! Figures of made-up steps whose truth is known.

use serde_json::json;

use super::*;
use crate::analysis::sweep::Sweep;

/// A steady step of `n` rows of `dt` seconds at 100 requests a second, 20 ms held, 30 ms waited, `fails` of them a second.
fn sweep(n: usize, dt: f64, fails: f64, uses: f64) -> Sweep {
    let rows = |v: f64| vec![v; n];
    let wobble: Vec<f64> = (0..n).map(|i| 100.0 * dt + f64::from(u32::try_from(i % 5).unwrap()) - 2.0).collect();
    let t: Vec<f64> = (1..=n).map(|i| i as f64 * dt).collect();
    Sweep::from_json(
        &json!({
            "schema": "pool-sweep/1", "model": "open", "load": {"rate": 100}, "client_timeout_s": 2, "by": "start",
            "steps": [{"pool": 4, "threads": 20, "duration_s": n as f64 * dt, "series": {
                "t": t, "ok": wobble, "err": rows(fails * dt), "lat_mean_ms": rows(60.0), "active": rows(2.0), "pending": rows(3.0), "threads_busy": rows(6.0),
                "acquire_mean_ms": rows(30.0 / uses), "usage_mean_ms": rows(20.0 / uses),
                "acquired": rows(100.0 * uses * dt), "server_done": rows(100.0 * dt), "conn_timeouts": rows(0.0)}}]
        })
        .to_string(),
    )
    .unwrap()
}

fn run_of(sweep: &Sweep) -> Run {
    measure(sweep, &sweep.steps[0]).unwrap()
}

#[test]
fn sub_second_rows_count_in_seconds() {
    let whole = run_of(&sweep(60, 1.0, 0.0, 1.0));
    let fine = run_of(&sweep(240, 0.25, 0.0, 1.0));
    for run in [&whole, &fine] {
        assert!((run.rate - 100.0).abs() < 2.0, "{}", run.rate);
        assert!((run.loss - 0.06).abs() < 1e-9);
        assert!((run.hold.unwrap() - 0.02).abs() < 1e-9 && (run.wait.unwrap() - 0.03).abs() < 1e-9);
        assert_eq!(run.batches, 12);
    }
}

#[test]
fn failures_cost_the_callers_patience() {
    let run = run_of(&sweep(60, 1.0, 10.0, 1.0));
    assert!((run.loss - (100.0 * 0.06 + 10.0 * 2.0) / 110.0).abs() < 1e-3, "{}", run.loss);
    assert!((run.failed - 10.0 / 110.0).abs() < 1e-3);
}

#[test]
fn several_uses_make_one_requests_waiting() {
    let run = run_of(&sweep(60, 1.0, 0.0, 3.0));
    assert!((run.uses - 3.0).abs() < 1e-9);
    assert!((run.wait_request().unwrap() - 0.03).abs() < 1e-9);
    assert!((run.hold_request().unwrap() - 0.02).abs() < 1e-9);
}

#[test]
fn littles_law_stands_in_for_timers() {
    let mut s = sweep(60, 1.0, 0.0, 1.0);
    for name in ["acquire_mean_ms", "usage_mean_ms"] {
        s.steps[0].series.0.remove(name);
    }
    let run = run_of(&s);
    assert!((run.hold.unwrap() - 0.02).abs() < 1e-9, "2 active at 100/s");
    assert!((run.wait.unwrap() - 0.03).abs() < 1e-9, "3 pending at 100/s");
    s.steps[0].series.0.remove("active");
    assert_eq!(run_of(&s).hold, None);
}

#[test]
fn a_cold_start_by_completion_is_cut() {
    let mut s = sweep(60, 1.0, 0.0, 1.0);
    s.by = crate::analysis::sweep::By::End;
    if let Some(c) = s.steps[0].series.0.get_mut("lat_mean_ms") {
        c.iter_mut().take(10).for_each(|v| *v = Some(500.0));
    }
    let run = run_of(&s);
    assert_eq!(run.rows, 50);
    assert!((run.loss - 0.06).abs() < 1e-9);
}

#[test]
fn a_growing_backlog_is_seen() {
    let mut s = sweep(60, 1.0, 0.0, 1.0);
    s.steps[0].series.0.insert("pending".into(), (0..60).map(|i| Some(f64::from(i))).collect());
    assert!(run_of(&s).growth.0 > 2.6 && run_of(&s).growth.1 > 0.05);
    assert!(run_of(&sweep(60, 1.0, 0.0, 1.0)).growth.0 < 2.6);
}

#[test]
fn too_little_is_said() {
    assert!(shortness(3, 5000.0).unwrap().contains("batches"));
    assert!(shortness(8, 800.0).unwrap().contains("100 requests"));
    assert_eq!(shortness(8, 4000.0), None);
    assert!(measure(&sweep(2, 1.0, 0.0, 1.0), &sweep(2, 1.0, 0.0, 1.0).steps[0]).is_some());
}
