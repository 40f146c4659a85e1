//! One line at a time: what is tolerated, and what each kind of breakage is called.

use proptest::prelude::*;

use super::*;

fn sample(line: &str) -> (String, Vec<(String, String)>, f64, Option<f64>) {
    let mut labels = Vec::new();
    let Ok(Line::Sample(sample)) = read(line, &mut labels) else { panic!("no sample: {line}") };
    let labels = labels.into_iter().map(|label| (label.name.into_owned(), label.value.into_owned())).collect();
    (sample.name.into_owned(), labels, sample.value, sample.timestamp)
}

#[track_caller]
fn error(line: &str) -> LineError {
    read(line, &mut Vec::new()).unwrap_err()
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn a_bare_sample() {
    assert_eq!(sample("up 1"), ("up".into(), vec![], 1.0, None));
    assert_eq!(sample("a:b_c9 -1.5e-3"), ("a:b_c9".into(), vec![], -0.0015, None));
}

#[test]
fn labels_and_time_stamp() {
    let (name, labels, value, stamp) = sample(r#"x{pool="HikariPool-1",state="idle"} 4.0 1395066363000"#);
    assert_eq!(name, "x");
    assert_eq!(labels, pairs(&[("pool", "HikariPool-1"), ("state", "idle")]));
    assert_eq!((value, stamp), (4.0, Some(1_395_066_363_000.0)));
}

#[test]
fn blanks_and_commas_are_tolerated_everywhere() {
    for line in ["x{a=\"1\",b=\"2\"} 3", "  x{a=\"1\",b=\"2\",} 3", "\tx { a = \"1\" , b = \"2\" , }\t3  ", "x{,a=\"1\",,b=\"2\"}3"] {
        assert_eq!(sample(line), ("x".into(), pairs(&[("a", "1"), ("b", "2")]), 3.0, None), "{line}");
    }
    assert_eq!(sample("x{} 3"), ("x".into(), vec![], 3.0, None));
}

#[test]
fn escapes_are_undone_once() {
    let (_, labels, ..) = sample(r#"x{path="C:\\dir\\n",msg="say \"hi\"\nnow",odd="\q\\"} 1"#);
    assert_eq!(labels, pairs(&[("path", r"C:\dir\n"), ("msg", "say \"hi\"\nnow"), ("odd", r"\q\")]));
}

#[test]
fn braces_and_hashes_inside_quotes_are_text() {
    let (_, labels, value, _) = sample(r#"x{uri="/a/{id}",note="a # b, c=\"d\"}"} 7"#);
    assert_eq!(labels, pairs(&[("uri", "/a/{id}"), ("note", "a # b, c=\"d\"}")]));
    assert!((value - 7.0).abs() < f64::EPSILON);
}

#[test]
fn numbers_beyond_numbers() {
    assert!(sample("x NaN").2.is_nan());
    let infinite = |line: &str| (sample(line).2.is_infinite(), sample(line).2 > 0.0);
    assert_eq!(infinite("x +Inf"), (true, true));
    assert_eq!(infinite("x -Inf"), (true, false));
    assert_eq!(infinite("x inf"), (true, true));
}

#[test]
fn exemplars_are_skipped() {
    let plain = sample(r#"x_bucket{le="0.1"} 8"#);
    assert_eq!(sample(r#"x_bucket{le="0.1"} 8 # {trace_id="KOO5S4vxi0o"} 0.67"#), plain);
    assert_eq!(sample(r#"x_bucket{le="0.1"} 8 # {trace_id="a b"} 9.8 1520879607.789"#), plain);
    assert_eq!(sample("x_total 8 1520879607.5 # {} 1").3, Some(1_520_879_607.5));
}

#[test]
fn a_quoted_metric_name_is_a_name() {
    let (name, labels, ..) = sample(r#"{"http.wait µs",route="/"} 2"#);
    assert_eq!((name.as_str(), labels), ("http.wait µs", pairs(&[("route", "/")])));
    assert_eq!(sample(r#"{"with space"} 2"#).0, "with space");
}

#[test]
fn comments_types_and_the_end() {
    let mut none = Vec::new();
    for line in ["", "   \t", "#", "# any words", "# HELP x what it is", "#HELP x", "# UNIT x seconds", "# EOF soon"] {
        assert_eq!(read(line, &mut none), Ok(Line::Nothing), "{line}");
    }
    assert_eq!(read("# TYPE x gauge", &mut none), Ok(Line::Type { family: "x".into(), kind: "gauge" }));
    assert_eq!(read("#\tTYPE  x\tgauge ", &mut none), Ok(Line::Type { family: "x".into(), kind: "gauge" }));
    assert_eq!(read("# TYPE \"a b\" counter", &mut none), Ok(Line::Type { family: "a b".into(), kind: "counter" }));
    assert_eq!(read("# EOF", &mut none), Ok(Line::End));
    assert!(none.is_empty());
}

#[test]
fn every_breakage_has_its_name() {
    assert_eq!(error("{a=\"1\"} 3"), LineError::NoName);
    assert_eq!(error("9lives 3"), LineError::NoName);
    assert_eq!(error("page.hits 3"), LineError::BadName { name: "page".into(), found: '.' });
    assert_eq!(error("Überlauf 3"), LineError::NoName);
    assert_eq!(error("x{a=\"1\""), LineError::OpenLabels);
    assert_eq!(error("x{a=1} 3"), LineError::LabelWithoutValue { label: "a".into() });
    assert_eq!(error("x{a} 3"), LineError::LabelWithoutValue { label: "a".into() });
    assert_eq!(error("x{a=\"1} 3"), LineError::OpenQuote);
    assert_eq!(error("x{a=\"1\\\"} 3"), LineError::OpenQuote);
    assert_eq!(error("x"), LineError::NoValue);
    assert_eq!(error("x{a=\"1\"}  "), LineError::NoValue);
    assert_eq!(error("x one"), LineError::BadValue { text: "one".into() });
    assert_eq!(error("x 1 soon"), LineError::BadTimestamp { text: "soon".into() });
    assert_eq!(error("x 1 NaN"), LineError::BadTimestamp { text: "NaN".into() });
    assert_eq!(error("x 1 2 3"), LineError::Surplus { text: "3".into() });
}

#[test]
fn errors_are_short_and_carry_no_control_sequences() {
    let text = format!("x \u{1b}[2J{}", "9z".repeat(400));
    let shown = error(&text).to_string();
    assert!(shown.chars().count() < 120 && !shown.contains('\u{1b}'), "{shown}");
}

proptest! {
    #[test]
    fn any_line_is_read_or_refused(line in "\\PC*|[a-z{}=\",\\\\ #0-9.\t]{0,60}") {
        let _ = read(&line, &mut Vec::new());
    }

    #[test]
    fn what_was_written_is_read(
        name in "[a-zA-Z_:][a-zA-Z0-9_:]{0,20}",
        label in "[a-zA-Z_][a-zA-Z0-9_]{0,10}",
        text in any::<String>(),
        value in any::<f64>().prop_filter("finite", |value| value.is_finite()),
    ) {
        let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        let line = format!("{name}{{{label}=\"{escaped}\"}} {value:e}");
        prop_assert_eq!(sample(&line), (name, vec![(label, text)], value, None));
    }
}
