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
const TOMCAT: &[(&str, &str)] = &[("name", "http-nio-8080")];

/// The page for the service as it is now.
pub(super) fn page<T>(engine: &Engine<T>, host: &Figures) -> String {
    let mut page = Page::default();
    pool(&mut page, engine);
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
    TimerSeconds {
        count: timer.count,
        sum: seconds(timer.sum),
        max: seconds(timer.max(now)),
    }
}

fn pool<T>(page: &mut Page, engine: &Engine<T>) {
    let (pool, meters, now) = (&engine.pool, &engine.meters, engine.now());
    let [total, active, idle, max] =
        [pool.total(), pool.in_use(), pool.idle(), pool.told_max()].map(f64::from);
    page.gauge("hikaricp_connections", "Total connections", POOL, total);
    page.gauge(
        "hikaricp_connections_active",
        "Active connections",
        POOL,
        active,
    );
    page.gauge("hikaricp_connections_idle", "Idle connections", POOL, idle);
    page.gauge(
        "hikaricp_connections_pending",
        "Pending threads",
        POOL,
        pool.pending() as f64,
    );
    page.gauge("hikaricp_connections_max", "Max connections", POOL, max);
    page.gauge("hikaricp_connections_min", "Min connections", POOL, max);
    page.timer(
        "hikaricp_connections_acquire_seconds",
        "Connection acquire time",
        POOL,
        shown(&meters.acquire, now),
    );
    page.timer(
        "hikaricp_connections_usage_seconds",
        "Connection usage time",
        POOL,
        shown(&meters.usage, now),
    );
    page.timer(
        "hikaricp_connections_creation_seconds",
        "Connection creation time",
        POOL,
        shown(&meters.creation, now),
    );
    page.counter(
        "hikaricp_connections_timeout_total",
        "Connection timeout total count",
        POOL,
        meters.timeouts as f64,
    );
    page.gauge(
        "jdbc_connections_active",
        "Current number of active connections that have been allocated from the data source.",
        SOURCE,
        active,
    );
    page.gauge(
        "jdbc_connections_idle",
        "Number of established but idle connections.",
        SOURCE,
        idle,
    );
    page.gauge(
        "jdbc_connections_max",
        "Maximum number of active connections that can be allocated at the same time.",
        SOURCE,
        max,
    );
    page.gauge(
        "jdbc_connections_min",
        "Minimum number of idle connections in the pool.",
        SOURCE,
        max,
    );
}

fn threads<T>(page: &mut Page, engine: &Engine<T>) {
    let (busy, created) = engine.threads();
    page.gauge("tomcat_threads_busy_threads", "", TOMCAT, f64::from(busy));
    page.gauge(
        "tomcat_threads_current_threads",
        "",
        TOMCAT,
        f64::from(created),
    );
    page.gauge(
        "tomcat_threads_config_max_threads",
        "",
        TOMCAT,
        f64::from(engine.settings.threads_max),
    );
}

fn requests<T>(page: &mut Page, engine: &Engine<T>) {
    for (
        RequestKey {
            uri,
            method,
            status,
        },
        timer,
    ) in &engine.meters.requests
    {
        let (outcome, exception) = match status {
            200..300 => ("SUCCESS", "none"),
            400..500 => ("CLIENT_ERROR", "none"),
            503 => ("SERVER_ERROR", "CannotGetJdbcConnectionException"),
            _ => ("SERVER_ERROR", "none"),
        };
        let status = status.to_string();
        let labels = [
            ("error", exception),
            ("exception", exception),
            ("method", method),
            ("outcome", outcome),
            ("status", &status),
            ("uri", uri),
        ];
        page.timer(
            "http_server_requests_seconds",
            "",
            &labels,
            shown(timer, engine.now()),
        );
    }
}

fn process(page: &mut Page, host: &Figures) {
    page.gauge(
        "process_cpu_usage",
        "The \"recent cpu usage\" for the Java Virtual Machine process",
        &[],
        host.cpu_share.unwrap_or(0.0),
    );
    page.counter(
        "process_cpu_time_ns_total",
        "The \"cpu time\" used by the Java Virtual Machine process",
        &[],
        host.cpu_time_s * 1e9,
    );
    page.gauge(
        "system_cpu_count",
        "The number of processors available to the Java virtual machine",
        &[],
        host.cores,
    );
    page.gauge(
        "process_start_time_seconds",
        "Start time of the process since unix epoch.",
        &[],
        host.started_at_s,
    );
    page.gauge(
        "process_uptime_seconds",
        "The uptime of the Java virtual machine",
        &[],
        host.uptime_s,
    );
    if let Some(open) = host.files_open {
        page.gauge(
            "process_files_open_files",
            "The open file descriptor count",
            &[],
            open as f64,
        );
    }
    if let Some(max) = host.files_max {
        page.gauge(
            "process_files_max_files",
            "The maximum file descriptor count",
            &[],
            max as f64,
        );
    }
}

fn database<T>(page: &mut Page, engine: &Engine<T>) {
    let active = engine.database_sessions();
    let in_transaction = engine.pool.in_use().saturating_sub(active);
    let states = [
        ("active", f64::from(active)),
        ("idle", f64::from(engine.pool.idle())),
        ("idle in transaction", f64::from(in_transaction)),
        ("idle in transaction (aborted)", 0.0),
        ("fastpath function call", 0.0),
        ("disabled", 0.0),
    ];
    let server = ("server", "localhost:5432");
    for (state, sessions) in states {
        let labels = [("datname", "tickets"), server, ("state", state)];
        page.gauge(
            "pg_stat_activity_count",
            "number of connections in this state",
            &labels,
            sessions,
        );
    }
    for template in ["template0", "template1"] {
        let labels = [("datname", template), server, ("state", "active")];
        page.gauge(
            "pg_stat_activity_count",
            "number of connections in this state",
            &labels,
            0.0,
        );
    }
    page.gauge(
        "pg_settings_max_connections",
        "Sets the maximum number of concurrent connections.",
        &[server],
        500.0,
    );
}
