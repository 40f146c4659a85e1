//! Objectives, thresholds and guards.

use super::{LEAST, refusals, with};
use crate::model::plan::{Abort, Comparison, Quantity, Threshold};
use crate::model::units::Span;

#[test]
fn objectives_have_a_figure_a_side_and_a_bound() {
    let plan = with(
        "[objective]\nminimise = \"loss\"\nfailure_cost = \"30s\"\nslo = [\"p99.9<=1.5s\", \"mean < 200ms\", \"failed < 1%\", \"rate >= 4800/m\"]\n",
    );
    let read: Vec<_> = plan.objective.slo.iter().map(|s| (s.quantity, s.comparison, s.bound)).collect();
    let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
    assert!(matches!(read[0], (Quantity::Percentile(p), Comparison::AtMost, b) if close(p, 0.999) && close(b, 1.5)), "{read:?}");
    assert!(matches!(read[1], (Quantity::Mean, Comparison::Below, b) if close(b, 0.2)), "{read:?}");
    assert!(matches!(read[2], (Quantity::Failed, Comparison::Below, b) if close(b, 0.01)), "{read:?}");
    assert!(matches!(read[3], (Quantity::Rate, Comparison::AtLeast, b) if close(b, 80.0)), "{read:?}");
    assert_eq!(plan.objective.slo[0].text, "p99.9<=1.5s");
    assert_eq!(plan.objective.failure_cost, Some(Span::from_secs(30)));
}

#[test]
fn odd_objectives_are_refused() {
    let refused = |slo: &str| refusals(&format!("{LEAST}[objective]\nslo = [\"{slo}\"]\n"))[0].clone();
    for wrong in ["p0 < 1s", "p100 < 1s", "pp < 1s", "< 1s", "p-5 < 1s", "pNaN < 1s"] {
        assert_eq!(refused(wrong), format!("`objective.slo`: `{wrong}` bounds no figure known here"));
    }
    assert!(refused("rate < 5/s").contains("asks for the bad side"));
    assert!(refused("failed < 120%").contains("without its unit"));
    assert_eq!(
        refusals(&format!("{LEAST}[objective]\nminimise = \"cost\"\nfailure_cost = \"0s\"\n"))[0],
        "`objective.minimise`: \"cost\" is not known here"
    );
    assert_eq!(refusals(&format!("{LEAST}[objective]\nfailure_cost = \"0s\"\n"))[0], "`objective.failure_cost`: a failure that costs nothing");
}

#[test]
fn thresholds_are_kept_as_text_once_they_mean_something() {
    let text = "[[threshold]]\nmetric = \"http_req_duration{name:GET /}\"\npass = \"p(95) < 800ms\"\nabort = { on_fail = true, after = \"10s\" }\n";
    let plan = with(text);
    let wanted = Threshold { abort: Some(Abort { after: Span::from_secs(10) }), ..Threshold::new("http_req_duration{name:GET /}", "p(95) < 800ms") };
    assert_eq!(plan.thresholds, [wanted]);
    let calm = with(&text.replace("true, after = \"10s\"", "false"));
    assert_eq!(calm.thresholds[0].abort, None);
}

#[test]
fn odd_thresholds_are_refused_at_the_part_that_is_wrong() {
    let refused = |metric: &str, pass: &str| refusals(&format!("{LEAST}[[threshold]]\nmetric = \"{metric}\"\npass = \"{pass}\"\n"))[0].clone();
    assert_eq!(refused("http_req_dur", "avg < 1s"), "`threshold.metric`: `http_req_dur` is no metric known here");
    assert_eq!(refused("checks", "avg < 1s"), "`threshold.pass`: checks has no `avg`");
    assert_eq!(refused("http_reqs", "count"), "`threshold.pass`: `count` compares nothing");
    let text = format!("{LEAST}[[threshold]]\nmetric = \"http_reqs{{name}}\"\npass = \"count > 1\"\n");
    let errors = crate::profile::tests::attempt(&text).unwrap_err();
    let shown = errors.to_string();
    let (line, carets) = (shown.lines().nth(1).unwrap(), shown.lines().nth(2).unwrap());
    assert_eq!(&line[carets.find('^').unwrap()..=carets.rfind('^').unwrap()], "name", "{shown}");
    let no_word = refusals(&format!("{LEAST}[[threshold]]\nmetric = \"checks\"\npass = \"rate > 0.9\"\nabort = {{ after = \"1s\" }}\n"));
    assert!(no_word[0].contains("on_fail"), "{no_word:?}");
}

#[test]
fn guards_count_in_the_unit_of_what_they_watch() {
    let text = r#"
[guard]
failed = "> 50% for 10s"
"db.sessions{active}" = ">= 400 for 5s"
pool.pending = "> 100 for 500ms"
process.cpu = "> 1.5 cores for 1m"
heap.used = "> 2GiB for 10s"
pool.idle = "< 1 for 10s"
"#;
    let guards = with(text).guards;
    let read: Vec<(&str, Comparison, f64, Span)> = guards.iter().map(|g| (g.watch.as_str(), g.comparison, g.bound, g.holds)).collect();
    assert_eq!(read[0], ("failed", Comparison::Above, 0.5, Span::from_secs(10)));
    assert_eq!(read[1], ("db.sessions{active}", Comparison::AtLeast, 400.0, Span::from_secs(5)));
    assert_eq!(read[2], ("pool.pending", Comparison::Above, 100.0, Span::from_millis(500)));
    assert_eq!(read[3], ("process.cpu", Comparison::Above, 1.5, Span::from_secs(60)));
    assert_eq!(read[4], ("heap.used", Comparison::Above, 2_147_483_648.0, Span::from_secs(10)));
    assert_eq!(read[5].1, Comparison::Below);
    assert_eq!(guards[1].text, ">= 400 for 5s");
}

#[test]
fn odd_guards_are_refused() {
    let text = r#"
[guard]
"db.sessions{}" = "> 4 for 5s"
client.requests = "> 4 for 5s"
heap.used = "> 4 for 5s"
pool.idle = "x > 4 for 5s"
failed = 5
"#;
    let refused = refusals(&format!("{LEAST}{text}"));
    assert_eq!(refused, ["`guard.failed`: expected text, found a whole number"]);
    let refused = refusals(&format!("{LEAST}{}", text.replace("failed = 5", "failed = \"> 1.5 for 5s\"")));
    assert_eq!(
        refused,
        [
            "`guard.\"db.sessions{}\"`: `db.sessions{}` names no part",
            "`guard.client.requests`: `client.requests` is not a level",
            "`guard.heap.used`: `> 4 for 5s` has a bound that is not an amount of memory",
            "`guard.pool.idle`: `x > 4 for 5s` is no guard",
            "`guard.failed`: `> 1.5 for 5s` has a bound that is not a share",
        ]
    );
}
