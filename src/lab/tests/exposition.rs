//! The page against the service that it shows, in virtual time.

use super::simulate::route;
use crate::lab::engine::Engine;
use crate::lab::exposition::page;
use crate::lab::host::Figures;
use crate::lab::presets;
use crate::lab::settings::Settings;

/// Two connections, five requests of ten milliseconds, looked at after five.
fn shown(settings: Settings) -> String {
    let mut engine: Engine<()> = Engine::new(settings, 1);
    for _ in 0..5 {
        engine.arrive(route(), ()).unwrap();
    }
    engine.run_to(5_000_000);
    let host = Figures { cores: 4.0, cpu_share: Some(0.25), started_at_s: 1.7e9, ..Figures::default() };
    page(&engine, &host)
}

fn two() -> Settings {
    let plateau = presets::find("plateau").unwrap().service;
    Settings { pool_max: 2, demand_cv: 0.0, db_demand_ms: 10.0, ..plateau }
}

#[track_caller]
fn has(page: &str, line: &str) {
    assert!(page.lines().any(|found| found == line), "no line `{line}` in\n{page}");
}

#[test]
fn the_pool_is_shown_as_hikari_and_again_as_a_data_source() {
    let page = shown(two());
    for (name, value) in [("", "2.0"), ("_active", "2.0"), ("_idle", "0.0"), ("_pending", "3.0"), ("_max", "2.0"), ("_min", "2.0")] {
        has(&page, &format!(r#"hikaricp_connections{name}{{pool="HikariPool-1"}} {value}"#));
    }
    has(&page, r#"jdbc_connections_active{name="dataSource"} 2.0"#);
    has(&page, r#"hikaricp_connections_acquire_seconds_count{pool="HikariPool-1"} 2"#);
    has(&page, r#"hikaricp_connections_usage_seconds_count{pool="HikariPool-1"} 0"#);
    has(&page, "# TYPE hikaricp_connections_acquire_seconds summary");
    has(&page, "# TYPE hikaricp_connections_acquire_seconds_max gauge");
    has(&page, "# TYPE hikaricp_connections_timeout_total counter");
}

#[test]
fn threads_and_sessions_are_those_of_the_service() {
    let page = shown(two());
    has(&page, r#"tomcat_threads_busy_threads{name="http-nio-8080"} 5.0"#);
    has(&page, r#"pg_stat_activity_count{datname="tickets",server="localhost:5432",state="active"} 2.0"#);
    has(&page, r#"pg_stat_activity_count{datname="template1",server="localhost:5432",state="active"} 0.0"#);
    let computing = shown(Settings { cpu_inside_ms: 9.0, db_demand_ms: 1.0, ..two() });
    has(&computing, r#"pg_stat_activity_count{datname="tickets",server="localhost:5432",state="idle in transaction"} 2.0"#);
}

#[test]
fn the_process_has_a_share_of_all_its_cores() {
    let page = shown(two());
    has(&page, "process_cpu_usage 0.25");
    has(&page, "system_cpu_count 4.0");
    has(&page, "process_start_time_seconds 1700000000.0");
    assert!(!page.contains("process_files_open_files"), "what is not known is not shown");
}

#[test]
fn every_family_says_what_it_is_before_its_samples() {
    let page = shown(two());
    let mut declared = "";
    for line in page.lines() {
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            declared = rest.split(' ').next().unwrap();
        } else if !line.starts_with('#') {
            assert!(line.starts_with(declared), "{line} stands under {declared}");
        }
    }
}
