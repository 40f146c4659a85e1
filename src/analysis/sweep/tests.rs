//! What is read, what is refused and with which words, and that a written sweep comes back.

use serde_json::json;

use super::*;

fn small() -> serde_json::Value {
    json!({
        "schema": "pool-sweep/1", "model": "closed", "load": {"users": 10, "think_s": 0.5}, "client_timeout_s": 5,
        "candidates": {"min": 2, "max": 8},
        "steps": [{"order": 0, "rep": 0, "pool": 4, "threads": 20, "start_s": 0, "duration_s": 3,
                   "series": {"t": [1, 2, 3], "ok": [5, 6, 7], "err": [0, 0, 1], "lat_mean_ms": [10.0, null, 12.5], "db_cpu": null}}]
    })
}

fn refusal(change: impl FnOnce(&mut serde_json::Value)) -> String {
    let mut value = small();
    change(&mut value);
    Sweep::from_json(&value.to_string()).unwrap_err().to_string()
}

#[test]
fn a_file_is_read_and_comes_back() {
    let sweep = Sweep::from_json(&small().to_string()).unwrap();
    assert_eq!((sweep.setting.as_str(), sweep.candidates.of("pool")), ("pool", Some((2.0, 8.0))));
    assert_eq!(sweep.steps[0].threads, Some(20.0));
    assert_eq!(sweep.steps[0].series.column("lat_mean_ms").unwrap()[1], None);
    assert_eq!(sweep.steps[0].series.column("db_cpu"), None);
    assert_eq!(sweep.steps[0].generator_bound, None);
    let text = serde_json::to_string(&sweep).unwrap();
    assert_eq!(Sweep::from_json(&text).unwrap(), sweep);
    assert_eq!(serde_json::from_str::<Sweep>(&text).unwrap(), sweep);
}

#[test]
fn values_by_name_are_read_too() {
    let mut value = small();
    value["settings"] = json!(["threads", "pool"]);
    value["setting"] = json!("threads");
    value["steps"][0]["values"] = json!({"pool": 4, "threads": 30});
    value["candidates"] = json!({"threads": {"min": 10, "max": 60}});
    let sweep = Sweep::from_json(&value.to_string()).unwrap();
    assert_eq!(sweep.steps[0].value("threads"), Some(30.0));
    assert_eq!(sweep.candidates.of("threads"), Some((10.0, 60.0)));
    assert_eq!(Sweep::from_json(&serde_json::to_string(&sweep).unwrap()).unwrap(), sweep);
}

#[test]
fn every_refusal_names_its_field() {
    assert!(Sweep::from_json("{").unwrap_err().to_string().starts_with("not JSON"));
    assert_eq!(refusal(|v| v["schema"] = json!("x/2")), "`schema` is \"x/2\", not \"pool-sweep/1\"");
    assert_eq!(refusal(|v| v["model"] = json!("half")), "`model` is not \"closed\" or \"open\"");
    assert_eq!(refusal(|v| v["steps"] = json!([])), "`steps` is missing: at least one step");
    assert_eq!(refusal(|v| v["load"] = json!({})), "`load.users` is missing: the number of users");
    assert_eq!(refusal(|v| v["steps"][0]["series"]["ok"] = json!([1, 2])), "`steps[0].series.ok` has 2 rows, `t` of the same step has 3");
    assert_eq!(refusal(|v| v["steps"][0]["series"]["err"] = json!([0, -1, 0])), "`steps[0].series.err[1]` is not a count of at least 0");
    assert_eq!(refusal(|v| v["steps"][0]["series"]["active"] = json!(["a", 1, 2])), "`steps[0].series.active[0]` is not a number or null");
    assert_eq!(refusal(|v| v["steps"][0]["pool"] = json!(0)), "`steps[0].pool` is not a number above 0");
    assert_eq!(refusal(|v| v["candidates"] = json!({"min": 9, "max": 3})), "`candidates` is not a range with `min` not above `max`");
    assert_eq!(refusal(|v| v["steps"][0]["series"] = json!({"ok": [1]})), "`steps[0].series.t` is missing: seconds, one a row");
    assert!(Sweep::from_json("[]").unwrap_err().to_string().contains("the file"));
}

#[test]
fn the_cost_of_a_failure_is_stated_or_assumed() {
    let mut sweep = Sweep::from_json(&small().to_string()).unwrap();
    assert_eq!(sweep.failure_cost_s(), (5.0, false));
    sweep.objective = Some(Goal { slo: vec![], failure_cost_s: Some(2.0) });
    assert_eq!(sweep.failure_cost_s(), (2.0, false));
    (sweep.objective, sweep.client_timeout_s, sweep.connection_timeout_s) = (None, None, Some(3.0));
    assert_eq!(sweep.failure_cost_s(), (3.0, true));
}
