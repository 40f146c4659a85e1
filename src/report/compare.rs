//! A comparison of two sessions: as text for people, and as the object `compare/1`.

use serde_json::{Value, json};

use super::format::{UNKNOWN, rate_or, share, share_or, time_or};
use super::table::Table;
use crate::analysis::{Change, Comparison, Estimate, Metric, MetricChange};
use crate::model::text::clean;

/// The whole comparison as text: what differs in the plans, the answer, the table.
#[must_use]
pub fn comparison_text(comparison: &Comparison, base: &str, new: &str) -> String {
    let mut out = vec![format!("base  {}", clean(base)), format!("new   {}", clean(new)), String::new(), answer(comparison)];
    out.extend(comparison.notes.iter().map(|note| format!("note: {note}")));
    if !comparison.plan_differences.is_empty() {
        out.push(String::new());
        out.push("the plans differ:".to_owned());
        out.extend(comparison.plan_differences.iter().map(|d| format!("  {}", clean(d))));
    }
    if !comparison.metrics.is_empty() {
        out.push(String::new());
        out.push(table(&comparison.metrics));
    }
    out.join("\n")
}

/// The verdict in a sentence.
fn answer(comparison: &Comparison) -> String {
    let loss = comparison.metrics.first().and_then(|m| m.change);
    let by = |c: Estimate| format!("the mean loss {} ({})", moved(c.change), interval(Metric::Loss, &c));
    match (comparison.verdict, loss) {
        (Change::Regression, Some(c)) => format!("regression: {}", by(c)),
        (Change::Improvement, Some(c)) => format!("improvement: {}", by(c)),
        (Change::Same, Some(c)) => {
            let more = comparison.runs_needed.map_or_else(String::new, |n| format!("; {n} runs of each setting on each side would show 5%"));
            format!("no difference that this data can show: {}{more}", by(c))
        }
        _ => "the two can not be compared".to_owned(),
    }
}

fn moved(change: f64) -> String {
    let word = if change < 0.0 { "fell" } else { "rose" };
    format!("{word} by {}", share(change.abs()))
}

/// `95% interval -2% to 4%, p 0.31`.
fn interval(metric: Metric, change: &Estimate) -> String {
    let (low, high) = change.interval_95;
    format!("95% interval {} to {}, p {}", signed(metric, low), signed(metric, high), chance(change.p))
}

fn signed(metric: Metric, change: f64) -> String {
    let unit = if metric == Metric::Failed { " points" } else { "%" };
    format!("{:+.1}{unit}", 100.0 * change)
}

fn chance(p: f64) -> String {
    if p < 0.001 { "< 0.001".to_owned() } else { format!("{p:.3}") }
}

fn table(metrics: &[MetricChange]) -> String {
    let mut table = Table::new(["setting", "figure", "base", "new", "change", "95% interval", "p", "runs"]);
    for line in metrics {
        table.push(row(line));
    }
    table.text()
}

fn row(line: &MetricChange) -> Vec<String> {
    let figure = |value: Option<f64>| match line.metric {
        Metric::Rate => rate_or(value),
        Metric::Failed => share_or(value),
        Metric::Loss | Metric::P50 | Metric::P95 | Metric::P99 => time_or(value),
    };
    let change = |of: &dyn Fn(&Estimate) -> String| line.change.as_ref().map_or_else(|| UNKNOWN.to_owned(), of);
    let setting = line.setting.as_deref().unwrap_or("all");
    vec![
        if setting.is_empty() { "-".to_owned() } else { clean(setting) },
        line.metric.name().to_owned(),
        figure(line.base),
        figure(line.new),
        change(&|c| signed(line.metric, c.change)),
        change(&|c| format!("{} to {}", signed(line.metric, c.interval_95.0), signed(line.metric, c.interval_95.1))),
        change(&|c| chance(c.p)),
        format!("{}, {}", line.runs.0, line.runs.1),
    ]
}

/// The object `compare/1`.
#[must_use]
pub fn comparison_object(comparison: &Comparison) -> Value {
    json!({
        "schema": "compare/1",
        "verdict": comparison.verdict.name(),
        "metrics": comparison.metrics.iter().map(object).collect::<Vec<_>>(),
        "plan_differences": comparison.plan_differences,
        "runs_needed": comparison.runs_needed,
        "notes": comparison.notes,
    })
}

fn object(line: &MetricChange) -> Value {
    json!({
        "setting": line.setting,
        "metric": line.metric.name(),
        "unit": line.metric.unit(),
        "base": line.base,
        "new": line.new,
        "change": line.change.map(|c| c.change),
        "interval_95": line.change.map(|c| [c.interval_95.0, c.interval_95.1]),
        "p": line.change.map(|c| c.p),
        "runs": [line.runs.0, line.runs.1],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comparison(verdict: Change, change: f64, p: f64) -> Comparison {
        let estimate = Estimate { change, interval_95: (change - 0.02, change + 0.02), p };
        let line = |metric, base, new| MetricChange { setting: None, metric, base, new, change: Some(estimate), runs: (4, 4) };
        let part = MetricChange { setting: Some("pool 50".to_owned()), change: None, ..line(Metric::P99, None, Some(0.2)) };
        Comparison {
            verdict,
            metrics: vec![line(Metric::Loss, Some(0.1), Some(0.1 * (1.0 + change))), line(Metric::Failed, Some(0.0), Some(0.01)), part],
            plan_differences: vec!["load: 200 users → 300 users".to_owned()],
            runs_needed: Some(6),
            notes: Vec::new(),
        }
    }

    #[test]
    fn the_answer_comes_with_its_interval() {
        let text = comparison_text(&comparison(Change::Regression, 0.2, 0.0001), "before", "after");
        assert!(text.contains("regression: the mean loss rose by 20% (95% interval +18.0% to +22.0%, p < 0.001)"), "{text}");
        assert!(text.contains("load: 200 users → 300 users"), "{text}");
        let text = comparison_text(&comparison(Change::Same, -0.01, 0.4), "before", "after");
        assert!(text.contains("no difference that this data can show") && text.contains("6 runs of each setting"), "{text}");
        assert!(text.contains("pool 50") && text.contains('?'), "what is not known is not 0: {text}");
    }

    #[test]
    fn names_from_outside_are_cleaned() {
        let text = comparison_text(&comparison(Change::Same, 0.0, 1.0), "be\u{1b}[31mfore", "after");
        assert!(!text.contains('\u{1b}'), "{text:?}");
    }

    #[test]
    fn the_object_has_its_keys_and_null_for_the_unknown() {
        let object = comparison_object(&comparison(Change::Improvement, -0.2, 0.001));
        assert_eq!((object["schema"].as_str(), object["verdict"].as_str()), (Some("compare/1"), Some("improvement")));
        let part = &object["metrics"][2];
        assert_eq!(part["setting"], "pool 50");
        assert!(part["change"].is_null() && part["p"].is_null() && part["base"].is_null());
        assert_eq!(object["metrics"][1]["unit"], "share");
        assert_eq!(object["runs_needed"], 6);
    }
}
