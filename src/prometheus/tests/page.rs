//! Whole pages: the corpus under `tests/exposition/`, and damage of every kind.

use proptest::prelude::*;

use super::*;

const SPRING: &str = include_str!("../../../tests/exposition/spring-boot.txt");

/// What a page comes down to: name, labels, value of every row, as one comparable text each.
fn rows(page: &Page<'_>) -> Vec<String> {
    page.rows().map(|row| format!("{} {:?} {}", row.name, row.labels, row.value)).collect()
}

#[test]
fn a_spring_boot_page_is_read_whole() {
    let page = Page::parse(SPRING).unwrap();
    assert_eq!(page.skipped(), &Skipped::default());
    assert_eq!(page.format(), Format::Text);
    let active = page.rows().find(|row| row.name == "hikaricp_connections_active").unwrap();
    assert_eq!((active.label("pool"), active.value), (Some("HikariPool-1"), 8.0));
    assert_eq!(page.kind_of("hikaricp_connections_usage_seconds_sum"), FamilyKind::Summary);
    assert_eq!(page.kind_of("hikaricp_connections_timeout_total"), FamilyKind::Counter);
    assert_eq!(page.kind_of("hikaricp_connections_usage_seconds_max"), FamilyKind::Gauge);
    assert_eq!(page.kind_of("nothing_of_the_sort"), FamilyKind::Untyped);
}

#[test]
fn carriage_returns_and_a_byte_order_mark_change_nothing() {
    let plain = rows(&Page::parse(SPRING).unwrap());
    let windows = format!("\u{feff}{}", SPRING.replace('\n', "\r\n"));
    assert_eq!(rows(&Page::parse(&windows).unwrap()), plain);
    let indented = SPRING.replace('\n', "\n\t ");
    assert_eq!(rows(&Page::parse(&indented).unwrap()), plain);
    assert_eq!(rows(&Page::parse(SPRING.trim_end()).unwrap()), plain);
}

#[test]
fn a_bad_line_costs_itself_and_is_counted() {
    let page = Page::parse("a 1\nb{x=\"1\" 2\nc three\nd 4\n").unwrap();
    assert_eq!(rows(&page), ["a [] 1", "d [] 4"]);
    assert_eq!(page.skipped().lines, 2);
    let first = page.skipped().first.as_ref().unwrap();
    assert_eq!((first.number, first.text.as_str()), (2, "b{x=\"1\" 2"));
    assert_eq!(first.reason, LineError::LabelWithoutValue { label: String::new() });
}

#[test]
fn labels_of_a_bad_line_do_not_leak_into_the_next() {
    let page = Page::parse("a{x=\"1\"} oops\nb 2\nc{y=\"3\"} 3\n").unwrap();
    assert_eq!(page.rows().find(|row| row.name == "b").unwrap().labels, &[]);
    assert_eq!(page.rows().find(|row| row.name == "c").unwrap().label("y"), Some("3"));
}

#[test]
fn an_empty_label_is_an_absent_one() {
    let page = Page::parse("a{x=\"\"} 1\n").unwrap();
    assert_eq!(page.rows().next().unwrap().label("x"), None);
}

#[test]
fn open_metrics_ends_at_its_end_and_counts_in_seconds() {
    let page = Page::parse(include_str!("../../../tests/exposition/openmetrics.txt")).unwrap();
    assert_eq!(page.format(), Format::OpenMetrics);
    assert_eq!(page.skipped(), &Skipped::default());
    let total = page.rows().find(|row| row.name == "jobs_total").unwrap();
    assert_eq!(total.timestamp_ms, Some(1_520_879_607_789.0));
    assert_eq!(page.kind_of("jobs_total"), FamilyKind::Counter);
    assert_eq!(page.kind_of("jobs_created"), FamilyKind::Counter);
}

#[test]
fn an_end_in_the_middle_is_a_comment() {
    let page = Page::parse("a 1\n# EOF\nb 2\n").unwrap();
    assert_eq!(rows(&page), ["a [] 1", "b [] 2"]);
    assert_eq!(page.format(), Format::Text);
}

#[test]
fn pages_that_are_none_are_named() {
    assert_eq!(Page::parse("").unwrap_err(), PageError::Empty);
    assert_eq!(Page::parse(" \n\r\n").unwrap_err(), PageError::Empty);
    assert_eq!(Page::parse("# HELP a b\n# TYPE a gauge\n").unwrap_err(), PageError::NoSamples);
    let html = Page::parse("\n <!doctype html><title>Sign in</title>").unwrap_err();
    assert!(matches!(html, PageError::Markup { what: "HTML", .. }), "{html}");
    let json = Page::parse("{\"status\":404,\n\"error\":\"Not Found\"}").unwrap_err();
    let PageError::NotExposition { lines, first } = &json else { panic!("{json}") };
    assert_eq!((*lines, first.number), (2, 1));
    assert!(json.to_string().contains("/actuator/prometheus"), "{json}");
}

#[test]
fn every_page_of_the_corpus_gives_what_is_expected() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/exposition");
    let expected: BTreeMap<String, String> = toml::from_str(&std::fs::read_to_string(format!("{folder}/expected.toml")).unwrap()).unwrap();
    let mut told = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if name == "expected.toml" {
            continue;
        }
        let text = std::fs::read_to_string(entry.path()).unwrap();
        let outcome = match Page::parse(&text) {
            Ok(page) => format!("{} rows, {} bad", page.rows().len(), page.skipped().lines),
            Err(_) => "refused".to_owned(),
        };
        told.insert(name, outcome);
    }
    assert_eq!(told, expected);
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        let _ = Page::parse(&text);
    }

    #[test]
    fn a_damaged_page_loses_only_damaged_lines(
        cuts in prop::collection::vec((any::<prop::sample::Index>(), any::<char>()), 1..8),
    ) {
        let mut chars: Vec<char> = SPRING.chars().collect();
        for (place, replacement) in &cuts {
            let at = place.index(chars.len());
            chars[at] = if *replacement == '\n' { ' ' } else { *replacement };
        }
        let damaged: String = chars.into_iter().collect();
        let whole = Page::parse(SPRING).unwrap().rows().len();
        // A replaced line end joins two lines, so a hit may cost two samples.
        if let Ok(page) = Page::parse(&damaged) {
            prop_assert!(page.rows().len() + 2 * cuts.len() >= whole);
        }
    }
}
