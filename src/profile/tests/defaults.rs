//! What a profile means where it says nothing, and what `compress` divides.

use super::{LEAST, plan, refusals, with};
use crate::model::plan::{Design, LoadModel, Order, Think};
use crate::model::units::Span;

#[test]
fn the_least_profile_is_a_whole_plan() {
    let plan = plan(LEAST);
    assert_eq!(plan.name, "shop", "the file's name");
    assert_eq!(plan.target.allow, ["127.0.0.1", "localhost", "::1"]);
    assert!(plan.settings.is_empty() && plan.sources.is_empty() && plan.guards.is_empty() && plan.thresholds.is_empty());
    let e = &plan.experiment;
    assert_eq!((e.design, e.order, e.repeats, e.refine, e.seed), (Design::Grid, Order::Blocked, 2, 4, 7));
    assert_eq!((e.warmup, e.tick, e.settle_max), (Span::from_secs(20), Span::from_secs(1), Span::from_secs(45)));
    assert_eq!((e.measure.min, e.measure.max), (Span::from_secs(60), Span::from_secs(180)));
    assert!((e.measure.precision - 0.01).abs() < 1e-12);
    assert_eq!(plan.load.timeout, Span::from_secs(60));
    assert_eq!(e.drain, plan.load.timeout, "as long as a request may take");
    assert_eq!(plan.load.model, LoadModel::Closed { users: 5 });
    assert_eq!(plan.objective.failure_cost, None);
    assert_eq!(plan.profile_text, LEAST);
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_are_borne() {
    let text = format!("\u{feff}{}", LEAST.replace('\n', "\r\n"));
    assert_eq!(plan(&text).load.model, LoadModel::Closed { users: 5 });
    let errors = super::attempt(&text.replace("users = 5", "users = 0")).unwrap_err();
    assert_eq!((errors.errors()[0].line, errors.errors()[0].column), (5, 9));
}

#[test]
fn a_request_is_named_by_method_and_path() {
    let plan = with("[[scenario.step]]\ndelete = \"/a/{load.users}\"\n[settings.\"load.users\"]\nvalues = [5]\n");
    let names: Vec<&str> = plan.scenarios[0].steps.iter().map(|s| s.request().unwrap().name.as_str()).collect();
    assert_eq!(names, ["GET /", "DELETE /a/{load.users}"]);
}

#[test]
fn an_end_of_the_measurement_that_is_not_written_gives_way() {
    let rule = |text: &str| with(&format!("[experiment]\nmeasure = {text}\n")).experiment.measure;
    assert_eq!(rule("{ min = \"10m\" }").max, Span::from_secs(600));
    assert_eq!(rule("{ max = \"5s\" }").min, Span::from_secs(5));
    assert_eq!(rule("{ min = \"2s\" }").max, Span::from_secs(180));
}

#[test]
fn compress_divides_lengths_and_leaves_rates_users_and_the_timeout() {
    let text = r#"
[[scenario.step]]
get = "/"
think = { normal = ["6s", "3s"] }
[metrics.app]
prometheus = "http://127.0.0.1:8080/m"
every = "6s"
[metrics.db]
prometheus = "http://127.0.0.1:8080/m"
[experiment]
compress = 60
warmup = "1m"
measure = { min = "2m", max = "4m" }
settle = { max = "3m" }
tick = "6s"
"#;
    let plan = with(text);
    let e = &plan.experiment;
    assert_eq!((e.warmup, e.settle_max, e.tick), (Span::from_secs(1), Span::from_secs(3), Span::from_millis(100)));
    assert_eq!((e.measure.min, e.measure.max), (Span::from_secs(2), Span::from_secs(4)));
    assert_eq!(plan.scenarios[0].steps[1].think, Some(Think::Normal(Span::from_millis(100), Span::from_millis(50))));
    assert_eq!(plan.sources[0].every, Span::from_millis(100));
    assert_eq!(plan.sources[1].every, e.tick, "by default a page is read on every tick");
    assert_eq!((plan.load.timeout, e.drain), (Span::from_secs(60), Span::from_secs(60)));
    assert_eq!(plan.load.model, LoadModel::Closed { users: 5 });
    assert_eq!(with("[experiment]\ncompress = 10\ndrain = \"10s\"\n").experiment.drain, Span::from_secs(1));
}

#[test]
fn a_tick_is_judged_after_compression() {
    let refused = refusals(&format!("{LEAST}[experiment]\ncompress = 500\n"));
    assert_eq!(refused, ["`experiment.compress`: a tick of 2ms, once divided by 500"]);
    let refused = refusals(&format!("{LEAST}[experiment]\ntick = \"90s\"\n"));
    assert_eq!(refused, ["`experiment.tick`: a tick of 90s is longer than the shortest measurement, 1m"]);
}

#[test]
fn nothing_is_measured_in_no_time() {
    let refused = refusals(&format!("{LEAST}[experiment]\nmeasure = {{ min = \"0s\" }}\n"));
    assert_eq!(refused, ["`experiment.measure.min`: nothing would be measured"]);
}
