//! Writes Prometheus' text form as Micrometer's registry does: families in order of their names, each with its help and type, label values
//! escaped.
//!
//! Imports nothing of the product; pure.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A page of metric families.
#[derive(Debug, Default)]
pub(super) struct Page {
    families: BTreeMap<String, Family>,
}

#[derive(Debug)]
struct Family {
    kind: &'static str,
    help: &'static str,
    samples: String,
}

/// Labels of a sample, in the order to write them.
pub(super) type Labels<'a> = &'a [(&'a str, &'a str)];

impl Page {
    /// A gauge.
    pub(super) fn gauge(&mut self, name: &str, help: &'static str, labels: Labels<'_>, value: f64) {
        self.sample(name, "", "gauge", help, labels, &format!("{value:?}"));
    }

    /// A counter; its name ends in `_total` already.
    pub(super) fn counter(&mut self, name: &str, help: &'static str, labels: Labels<'_>, value: f64) {
        self.sample(name, "", "counter", help, labels, &format!("{value:?}"));
    }

    /// A timer: a summary without quantiles, and its decaying maximum as a gauge of its own.
    pub(super) fn timer(&mut self, name: &str, help: &'static str, labels: Labels<'_>, timer: TimerSeconds) {
        self.sample(name, "_count", "summary", help, labels, &timer.count.to_string());
        self.sample(name, "_sum", "summary", help, labels, &format!("{:?}", timer.sum));
        self.gauge(&format!("{name}_max"), help, labels, timer.max);
    }

    fn sample(&mut self, family: &str, suffix: &str, kind: &'static str, help: &'static str, labels: Labels<'_>, value: &str) {
        if !self.families.contains_key(family) {
            self.families.insert(family.to_owned(), Family { kind, help, samples: String::new() });
        }
        let Some(Family { samples, .. }) = self.families.get_mut(family) else {
            return;
        };
        samples.push_str(family);
        samples.push_str(suffix);
        for (index, (name, text)) in labels.iter().enumerate() {
            samples.push(if index == 0 { '{' } else { ',' });
            samples.push_str(name);
            samples.push_str("=\"");
            escape_into(samples, text);
            samples.push('"');
        }
        if !labels.is_empty() {
            samples.push('}');
        }
        samples.push(' ');
        samples.push_str(value);
        samples.push('\n');
    }

    /// The page as text.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for (name, Family { kind, help, samples }) in &self.families {
            // Micrometer writes a blank where a meter has no description. Writing to a string can not fail.
            let _infallible = write!(text, "# HELP {name} {}\n# TYPE {name} {kind}\n{samples}", if help.is_empty() { " " } else { help });
        }
        text
    }
}

/// What a timer shows.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimerSeconds {
    pub(super) count: u64,
    pub(super) sum: f64,
    pub(super) max: f64,
}

fn escape_into(out: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '\\' => out.push_str("\\\\"),
            '"' => out.push_str("\\\""),
            '\n' => out.push_str("\\n"),
            other => out.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_in_order_and_written_once() {
        let mut page = Page::default();
        page.gauge("b", "Second", &[("pool", "p")], 1.0);
        page.counter("a_total", "", &[], 2.0);
        page.gauge("b", "Second", &[("pool", "q")], 0.5);
        assert_eq!(
            page.text(),
            "# HELP a_total  \n# TYPE a_total counter\na_total 2.0\n\
             # HELP b Second\n# TYPE b gauge\nb{pool=\"p\"} 1.0\nb{pool=\"q\"} 0.5\n"
        );
    }

    #[test]
    fn a_timer_is_a_summary_and_a_gauge_of_its_own() {
        let mut page = Page::default();
        page.timer("t_seconds", "Took", &[], TimerSeconds { count: 3, sum: 0.25, max: 0.1 });
        assert_eq!(
            page.text(),
            "# HELP t_seconds Took\n# TYPE t_seconds summary\nt_seconds_count 3\nt_seconds_sum 0.25\n\
             # HELP t_seconds_max Took\n# TYPE t_seconds_max gauge\nt_seconds_max 0.1\n"
        );
    }

    #[test]
    fn label_values_are_escaped() {
        let mut page = Page::default();
        page.gauge("g", "", &[("uri", "a\"b\\c\nd")], 0.0);
        assert!(page.text().contains(r#"g{uri="a\"b\\c\nd"} 0.0"#), "{}", page.text());
    }
}
