//! The lab's `/actuator/prometheus`: the families, labels and help texts of a Spring Boot 3 service with HikariCP, Tomcat's mbean registry
//! and the JVM binders, and beside them a PostgreSQL exporter's sessions by state.
//!
//! Imports the lab's own files only; pure.

use super::engine::Engine;
use super::host::Figures;
use super::jvm;
use super::meters::{RequestKey, Timer};
use super::page::{Page, TimerSeconds};
use super::station::Nanos;

const POOL: &[(&str, &str)] = &[("pool", "HikariPool-1")];
const SOURCE: &[(&str, &str)] = &[("name", "dataSource")];
const SERVER: (&str, &str) = ("server", "localhost:5432");
const TOMCAT: &[(&str, &str)] = &[("name", "http-nio-8080")];

/// The page for the service as it is now.
pub(super) fn page<T>(engine: &Engine<T>, host: &Figures) -> String {
    let mut page = Page::default();
    pool(&mut page, engine);
    data_source(&mut page, engine);
    threads(&mut page, engine);
    requests(&mut page, engine);
    process(&mut page, host);
    database(&mut page, engine);
    let served = engine.meters.usage.count;
    jvm::families(&mut page, served, engine.threads().1, seconds(engine.now()));
    page.text()
}

fn seconds(nanos: Nanos) -> f64 {
    nanos as f64 / 1e9
}

fn shown(timer: &Timer, now: Nanos) -> TimerSeconds {
    TimerSeconds { count: timer.count, sum: seconds(timer.sum), max: seconds(timer.max(now)) }
}

fn pool<T>(page: &mut Page, engine: &Engine<T>) {
    let pool = &engine.pool;
    let max = f64::from(pool.told_max());
    let gauges = [
        ("hikaricp_connections", "Total connections", f64::from(pool.total())),
        ("hikaricp_connections_active", "Active connections", f64::from(pool.in_use())),
        ("hikaricp_connections_idle", "Idle connections", f64::from(pool.idle())),
        ("hikaricp_connections_pending", "Pending threads", pool.pending() as f64),
        ("hikaricp_connections_max", "Max connections", max),
        ("hikaricp_connections_min", "Min connections", max),
    ];
    for (name, help, value) in gauges {
        page.gauge(name, help, POOL, value);
    }
    let meters = &engine.meters;
    let timers = [
        ("hikaricp_connections_acquire_seconds", "Connection acquire time", &meters.acquire),
        ("hikaricp_connections_usage_seconds", "Connection usage time", &meters.usage),
        ("hikaricp_connections_creation_seconds", "Connection creation time", &meters.creation),
    ];
    for (name, help, timer) in timers {
        page.timer(name, help, POOL, shown(timer, engine.now()));
    }
    let timeouts = meters.timeouts as f64;
    page.counter("hikaricp_connections_timeout_total", "Connection timeout total count", POOL, timeouts);
}

/// The same pool once more, as Spring Boot shows any data source.
fn data_source<T>(page: &mut Page, engine: &Engine<T>) {
    let pool = &engine.pool;
    let active = "Current number of active connections that have been allocated from the data source.";
    let most = "Maximum number of active connections that can be allocated at the same time.";
    let gauges = [
        ("jdbc_connections_active", active, pool.in_use()),
        ("jdbc_connections_idle", "Number of established but idle connections.", pool.idle()),
        ("jdbc_connections_max", most, pool.told_max()),
        ("jdbc_connections_min", "Minimum number of idle connections in the pool.", pool.told_max()),
    ];
    for (name, help, value) in gauges {
        page.gauge(name, help, SOURCE, f64::from(value));
    }
}

fn threads<T>(page: &mut Page, engine: &Engine<T>) {
    let (busy, created) = engine.threads();
    page.gauge("tomcat_threads_busy_threads", "", TOMCAT, f64::from(busy));
    page.gauge("tomcat_threads_current_threads", "", TOMCAT, f64::from(created));
    page.gauge("tomcat_threads_config_max_threads", "", TOMCAT, f64::from(engine.settings.threads_max));
}

fn requests<T>(page: &mut Page, engine: &Engine<T>) {
    for (RequestKey { uri, method, status }, timer) in &engine.meters.requests {
        let (outcome, exception) = match status {
            200..300 => ("SUCCESS", "none"),
            400..500 => ("CLIENT_ERROR", "none"),
            503 => ("SERVER_ERROR", "CannotGetJdbcConnectionException"),
            _ => ("SERVER_ERROR", "none"),
        };
        let status = status.to_string();
        let labels = [("error", exception), ("exception", exception), ("method", method), ("outcome", outcome), ("status", &status), ("uri", uri)];
        page.timer("http_server_requests_seconds", "", &labels, shown(timer, engine.now()));
    }
}

fn process(page: &mut Page, host: &Figures) {
    let usage = "The \"recent cpu usage\" for the Java Virtual Machine process";
    let count = "The number of processors available to the Java virtual machine";
    let time = "The \"cpu time\" used by the Java Virtual Machine process";
    page.counter("process_cpu_time_ns_total", time, &[], host.cpu_time_s * 1e9);
    let gauges = [
        ("process_cpu_usage", usage, host.cpu_share.or(Some(0.0))),
        ("system_cpu_count", count, Some(host.cores)),
        ("process_start_time_seconds", "Start time of the process since unix epoch.", Some(host.started_at_s)),
        ("process_uptime_seconds", "The uptime of the Java virtual machine", Some(host.uptime_s)),
        ("process_files_open_files", "The open file descriptor count", host.files_open.map(|open| open as f64)),
        ("process_files_max_files", "The maximum file descriptor count", host.files_max.map(|max| max as f64)),
    ];
    for (name, help, value) in gauges {
        if let Some(value) = value {
            page.gauge(name, help, &[], value);
        }
    }
}

fn database<T>(page: &mut Page, engine: &Engine<T>) {
    let active = engine.database_sessions();
    let states = [
        ("active", active),
        ("idle", engine.pool.idle()),
        ("idle in transaction", engine.pool.in_use().saturating_sub(active)),
        ("idle in transaction (aborted)", 0),
        ("fastpath function call", 0),
        ("disabled", 0),
    ];
    let here = states.map(|(state, sessions)| ("tickets", state, sessions));
    let templates = ["template0", "template1"].map(|name| (name, "active", 0));
    for (name, state, sessions) in here.into_iter().chain(templates) {
        let labels = [("datname", name), SERVER, ("state", state)];
        page.gauge("pg_stat_activity_count", "number of connections in this state", &labels, f64::from(sessions));
    }
    let commits = engine.meters.usage.count as f64;
    let labels = [("datid", "16384"), ("datname", "tickets"), SERVER];
    let counters = [
        ("pg_stat_database_xact_commit", "Number of transactions in this database that have been committed", commits),
        ("pg_stat_database_xact_rollback", "Number of transactions in this database that have been rolled back", 0.0),
        ("pg_stat_database_deadlocks", "Number of deadlocks detected in this database", 0.0),
    ];
    for (name, help, value) in counters {
        page.counter(name, help, &labels, value);
    }
    let most = "Server Parameter: max_connections";
    page.gauge("pg_settings_max_connections", most, &[SERVER], 500.0);
}
