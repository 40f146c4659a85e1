//! Pages into signals, by the dialects that ship.

use proptest::prelude::*;

use super::*;
use crate::prometheus::dialect::{builtin, known};

const SPRING: &str = include_str!("../../../tests/exposition/spring-boot.txt");
const TWO_POOLS: &str = include_str!("../../../tests/exposition/two-pools.txt");
const POSTGRES_11: &str = include_str!("../../../tests/exposition/postgres-exporter-0.11.txt");
const POSTGRES_20: &str = include_str!("../../../tests/exposition/postgres-exporter-0.20.txt");

fn detecting(select: &[(&str, &str)]) -> Translator {
    let select = select.iter().map(|(word, value)| ((*word).to_owned(), (*value).to_owned())).collect();
    Translator::new(builtin(&[]).unwrap(), Dialects::Detected, select)
}

fn at(seconds: f64) -> Elapsed {
    Elapsed::from_secs_f64(seconds)
}

fn translate(page: &str, select: &[(&str, &str)]) -> Translation {
    detecting(select).translate(&Page::parse(page).unwrap(), at(0.0))
}

/// `signal{of} value` of every reading.
fn told(translation: &Translation) -> Vec<String> {
    let line = |reading: &Reading| {
        let of = reading.of.as_ref().map(|of| format!("{{{of}}}")).unwrap_or_default();
        match reading.value {
            Value::Gauge(value) | Value::Counter(value) => format!("{}{of} {value}", reading.signal),
            Value::Timer { sum, count } => format!("{}{of} {sum} s / {count}", reading.signal),
        }
    };
    translation.readings.iter().map(line).collect()
}

#[test]
fn a_spring_boot_page_in_canonical_words() {
    let translation = translate(SPRING, &[]);
    assert_eq!(
        told(&translation),
        [
            "pool.active{HikariPool-1} 8",
            "pool.idle{HikariPool-1} 2",
            "pool.pending{HikariPool-1} 17",
            "pool.max{HikariPool-1} 10",
            "pool.total{HikariPool-1} 10",
            "pool.acquire{HikariPool-1} 61.44 s / 5120",
            "pool.usage{HikariPool-1} 204.48 s / 5112",
            "pool.creation{HikariPool-1} 0.41 s / 10",
            "pool.timeouts{HikariPool-1} 3",
            "threads.busy{http-nio-8080} 26",
            "threads.current{http-nio-8080} 40",
            "threads.max{http-nio-8080} 200",
            "server.requests{/api/orders} 80 s / 1000",
            "server.requests{/api/reviews/{id}} 212 s / 4103",
            "process.cpu 1.5",
            "process.cpu_limit 2",
            "process.started 1764086400",
            "heap.used 54525952",
            "heap.max 4294967296",
            "gc.pause{G1 Evacuation Pause} 0.096 s / 12",
            "gc.pause{Metadata GC Threshold} 0.02 s / 2",
        ]
    );
    assert_eq!(translation.dialects, ["hikaricp-micrometer", "tomcat-micrometer", "spring-http-micrometer", "jvm-micrometer"]);
    assert_eq!((translation.missing, translation.undecided, translation.duplicates), (vec![], vec![], 0));
}

#[test]
fn the_values_fit_their_signals_kinds() {
    for page in [SPRING, POSTGRES_11] {
        for reading in translate(page, &[]).readings {
            let kind = match reading.value {
                Value::Gauge(_) => Kind::Gauge,
                Value::Counter(_) => Kind::Counter,
                Value::Timer { .. } => Kind::Timer,
            };
            assert_eq!(kind, reading.signal.kind(), "{}", reading.signal);
        }
    }
}

#[test]
fn the_same_pool_under_another_name_is_not_counted_again() {
    assert!(SPRING.contains("jdbc_connections_active"));
    let named: Vec<String> = vec!["jdbc-micrometer".into(), "hikaricp-micrometer".into()];
    let mut translator = Translator::new(builtin(&named).unwrap(), Dialects::Named, BTreeMap::new());
    let translation = translator.translate(&Page::parse(SPRING).unwrap(), at(0.0));
    assert_eq!(told(&translation)[0], "pool.active{HikariPool-1} 8");
    assert_eq!(translation.dialects, ["hikaricp-micrometer"]);
}

#[test]
fn another_pool_speaks_through_the_data_source() {
    let page: String = SPRING.split_inclusive('\n').filter(|line| !line.contains("hikaricp")).collect();
    let translation = translate(&page, &[]);
    assert_eq!(told(&translation)[..3], ["pool.active{dataSource} 8", "pool.idle{dataSource} 2", "pool.max{dataSource} 10"]);
    let missing = translation.missing.iter().find(|missing| missing.signal == Signal::PoolPending).unwrap();
    assert!(missing.hint.contains("hikaricp_connections_pending"), "{}", missing.hint);
}

#[test]
fn of_several_pools_one_must_be_named() {
    let translation = translate(TWO_POOLS, &[]);
    assert_eq!(told(&translation), [""; 0]);
    assert_eq!(translation.undecided[0].to_string(), "the page has 2 pools (orders, reports); name one: select = { pool = \"orders\" }");
    assert!(translation.missing.iter().all(|missing| missing.signal != Signal::PoolActive));

    let chosen = translate(TWO_POOLS, &[("pool", "reports")]);
    assert_eq!(chosen.undecided, []);
    assert_eq!(
        told(&chosen),
        ["pool.active{reports} 1", "pool.idle{reports} 3", "pool.pending{reports} 0", "pool.max{reports} 5", "pool.total{reports} 4",]
    );
}

#[test]
fn a_pool_that_is_not_there_is_said() {
    let translation = translate(TWO_POOLS, &[("pool", "invoices")]);
    assert_eq!(told(&translation), [""; 0]);
    assert_eq!(translation.undecided[0].to_string(), "no pool is called \"invoices\"; the page has orders, reports");
}

#[test]
fn a_missing_signal_says_what_turns_it_on() {
    let translation = translate(TWO_POOLS, &[("pool", "orders")]);
    let missing = translation.missing.iter().find(|missing| missing.signal == Signal::ThreadsBusy).unwrap();
    assert_eq!(missing.dialect, "tomcat-micrometer");
    assert_eq!(missing.hint, "set server.tomcat.mbeanregistry.enabled=true");
}

#[test]
fn sessions_of_all_databases_by_state() {
    let translation = translate(POSTGRES_11, &[]);
    assert_eq!(
        told(&translation),
        [
            "db.sessions{active} 7",
            "db.sessions{disabled} 0",
            "db.sessions{fastpath} 0",
            "db.sessions{idle} 3",
            "db.sessions{idle_in_transaction} 2",
            "db.sessions{idle_in_transaction_aborted} 0",
            "db.max_connections 97",
            "db.commits 5040",
            "db.rollbacks 12",
            "db.deadlocks 1",
            "db.blocks_hit 90700",
            "db.blocks_read 1290",
            "db.io_time 1.5205",
        ]
    );
    let one = translate(POSTGRES_11, &[("datname", "shop")]);
    assert!(told(&one).contains(&"db.sessions{active} 6".to_owned()));
    assert!(told(&one).contains(&"db.max_connections 97".to_owned()));
}

#[test]
fn the_servers_own_workers_are_no_sessions() {
    let sessions: Vec<String> = told(&translate(POSTGRES_20, &[])).into_iter().filter(|line| line.starts_with("db.sessions")).collect();
    assert_eq!(sessions, ["db.sessions{active} 9", "db.sessions{disabled} 0", "db.sessions{idle} 7", "db.sessions{idle_in_transaction} 2",]);
}

#[test]
fn a_level_is_made_of_a_counters_growth() {
    let mut translator = detecting(&[]);
    let mut cpu = |nanoseconds: f64, seconds: f64| {
        let page = format!("process_cpu_time_ns_total {nanoseconds}\n");
        told(&translator.translate(&Page::parse(&page).unwrap(), at(seconds)))
    };
    assert_eq!(cpu(4e9, 10.0), [""; 0]);
    assert_eq!(cpu(7e9, 12.0), ["process.cpu 1.5"]);
    assert_eq!(cpu(1e9, 13.0), [""; 0], "the process was restarted");
    assert_eq!(cpu(2e9, 14.0), ["process.cpu 1"]);
}

#[test]
fn a_share_of_all_cores_needs_the_cores() {
    let cpu = |page: &str| told(&translate(page, &[]));
    assert_eq!(cpu("process_cpu_usage 0.5\nsystem_cpu_count 4\n")[0], "process.cpu 2");
    assert_eq!(cpu("process_cpu_usage 0.5\n"), [""; 0]);
    assert_eq!(cpu("process_cpu_usage -1\nsystem_cpu_count 4\n"), ["process.cpu_limit 4"]);
}

#[test]
fn figures_that_are_none_are_left_out() {
    let translation = translate("tomcat_threads_busy_threads NaN\ntomcat_threads_config_max_threads -1.0\n", &[]);
    assert_eq!(told(&translation), [""; 0]);
    let missing: Vec<Signal> = translation.missing.iter().map(|missing| missing.signal).collect();
    assert_eq!(missing, [Signal::ThreadsCurrent], "a family that is there needs no turning on");
}

#[test]
fn finite_rows_that_add_up_to_no_figure_are_left_out() {
    let page = "pg_stat_database_deadlocks{datname=\"a\"} 1e308\npg_stat_database_deadlocks{datname=\"b\"} 1e308\npg_stat_activity_count 1\n";
    assert_eq!(told(&translate(page, &[])), ["db.sessions 1"]);
}

#[test]
fn a_page_of_strangers_speaks_no_dialect() {
    let translation = translate("up 1\nsome_total 3\n", &[]);
    assert_eq!(translation, Translation::default());
}

#[test]
fn named_dialects_say_what_they_miss_even_unseen() {
    let named: Vec<String> = vec!["tomcat-micrometer".into()];
    let mut translator = Translator::new(builtin(&named).unwrap(), Dialects::Named, BTreeMap::new());
    let translation = translator.translate(&Page::parse("up 1\n").unwrap(), at(0.0));
    assert_eq!(translation.missing.len(), 3);
    assert!(known().contains(&"tomcat-micrometer"));
}

proptest! {
    #[test]
    fn whatever_a_page_says_readings_are_figures(
        changes in prop::collection::vec((any::<prop::sample::Index>(), "[-0-9.eE+NaIinf \\x22{},=_a-z#\n]"), 0..40),
        select in prop::option::of("[a-z]{1,4}"),
    ) {
        let mut chars: Vec<char> = SPRING.chars().collect();
        for (place, replacement) in &changes {
            let at = place.index(chars.len());
            chars[at] = replacement.chars().next().unwrap_or(' ');
        }
        let damaged: String = chars.into_iter().collect();
        let select: Vec<(&str, &str)> = select.iter().map(|value| ("pool", value.as_str())).collect();
        let mut translator = detecting(&select);
        for (text, seconds) in [(SPRING, 1.0), (damaged.as_str(), 2.0), (SPRING, 2.0)] {
            let Ok(page) = Page::parse(text) else { continue };
            for reading in translator.translate(&page, at(seconds)).readings {
                let figures = match reading.value {
                    Value::Gauge(value) | Value::Counter(value) => [value, 0.0],
                    Value::Timer { sum, count } => [sum, count],
                };
                prop_assert!(figures.iter().all(|figure| figure.is_finite() && *figure >= 0.0), "{reading:?}");
            }
        }
    }

    #[test]
    fn any_text_is_a_dialect_or_refused(text in "(name|about|found_by|signal|from|\\[\\[signal\\]\\]|=|\x22[a-z.]{0,6}\x22|\\[|\\]|\n| ){0,30}") {
        let _ = Dialect::parse("d", &text);
    }
}
