//! What a scrape costs: reading a page of 100,000 series, and translating it. It may use the library's public face only.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use plimsoll::model::units::Elapsed;
use plimsoll::prometheus::{Dialects, Page, Translator, builtin};

/// 100,000 series as a Spring service with very many routes would write them.
fn big_page() -> String {
    let mut text = String::new();
    for series in 0..50_000 {
        let labels = format!("{{method=\"GET\",outcome=\"SUCCESS\",status=\"200\",uri=\"/api/{series}\"}}");
        let _ = writeln!(text, "http_server_requests_seconds_count{labels} {series}");
        let _ = writeln!(text, "http_server_requests_seconds_sum{labels} {series}.25");
    }
    text
}

fn exposition(criterion: &mut Criterion) {
    let text = big_page();
    criterion.bench_function("parse 100,000 series", |bencher| {
        bencher.iter(|| Page::parse(black_box(&text)).map(|page| page.rows().len()));
    });
    let (Ok(page), Ok(dialects)) = (Page::parse(&text), builtin(&[])) else { return };
    let mut translator = Translator::new(dialects, Dialects::Detected, BTreeMap::new());
    criterion.bench_function("translate 100,000 series, all of them wanted", |bencher| {
        bencher.iter(|| translator.translate(black_box(&page), Elapsed::ZERO).readings.len());
    });
}

criterion_group!(benches, exposition);
criterion_main!(benches);
