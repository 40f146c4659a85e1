//! Everything about the lab that can be changed while it runs, its ranges, and the partial change that `POST /admin/settings` carries.
//!
//! Two stages: serde takes the JSON apart and refuses unknown fields, then the values are checked against their ranges before anything is
//! touched, so that a change is applied whole or not at all. Imports the lab's own files only; no I/O.

use serde::{Deserialize, Serialize};

use super::contention::Contention;
use super::error::LabError;

/// What the pool does with a changed maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Behaviour {
    /// Surplus connections are closed, the idle at once and the busy when they come back.
    Evict,
    /// A lowered maximum reads back, but the surplus connections stay in use: HikariCP lowered at run time without eviction.
    Keep,
    /// The new maximum reads back everywhere, and the pool goes on with the old one.
    Echo,
}

/// The lab's settings, as `GET /admin/settings` shows them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Settings {
    /// Most connections of the pool.
    pub pool_max: u32,
    /// How long a request waits for a connection before it is answered 503.
    pub pool_connection_timeout_ms: f64,
    /// How long opening one connection takes; they are opened one after the other.
    pub pool_connect_ms: f64,
    /// What the pool does with a changed maximum.
    pub behaviour: Behaviour,
    /// Most worker threads.
    pub threads_max: u32,
    /// Requests that may wait for a thread; one more and its connection is closed.
    pub accept_count: u32,
    /// The law of the database.
    pub db_law: Contention,
    /// Mean work of a request in an undisturbed database.
    pub db_demand_ms: f64,
    /// Coefficient of variation of all demands (0 all alike, 1 exponential).
    pub demand_cv: f64,
    /// Mean delay on the thread before the connection is asked for, which needs no core (calls to others).
    pub app_ms: f64,
    /// Cores of the service that its modelled work shares.
    pub cpu_cores: f64,
    /// Mean core time on the thread before the connection is asked for.
    pub cpu_outside_ms: f64,
    /// Mean core time while the connection is held, after the database has answered.
    pub cpu_inside_ms: f64,
}

/// Some settings to change; what is absent stays.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SettingsChange {
    pool_max: Option<u32>,
    pool_connection_timeout_ms: Option<f64>,
    pool_connect_ms: Option<f64>,
    behaviour: Option<Behaviour>,
    threads_max: Option<u32>,
    accept_count: Option<u32>,
    db_law: Option<Contention>,
    db_demand_ms: Option<f64>,
    demand_cv: Option<f64>,
    app_ms: Option<f64>,
    cpu_cores: Option<f64>,
    cpu_outside_ms: Option<f64>,
    cpu_inside_ms: Option<f64>,
}

impl SettingsChange {
    /// Reads a change from JSON text.
    pub fn parse(text: &[u8]) -> Result<Self, LabError> {
        serde_json::from_slice(text).map_err(|error| LabError::Unreadable { why: error.to_string() })
    }

    /// The settings after this change, if every value is in its range.
    pub fn applied_to(&self, old: &Settings) -> Result<Settings, LabError> {
        let new = Settings {
            pool_max: self.pool_max.unwrap_or(old.pool_max),
            pool_connection_timeout_ms: self.pool_connection_timeout_ms.unwrap_or(old.pool_connection_timeout_ms),
            pool_connect_ms: self.pool_connect_ms.unwrap_or(old.pool_connect_ms),
            behaviour: self.behaviour.unwrap_or(old.behaviour),
            threads_max: self.threads_max.unwrap_or(old.threads_max),
            accept_count: self.accept_count.unwrap_or(old.accept_count),
            db_law: self.db_law.unwrap_or(old.db_law),
            db_demand_ms: self.db_demand_ms.unwrap_or(old.db_demand_ms),
            demand_cv: self.demand_cv.unwrap_or(old.demand_cv),
            app_ms: self.app_ms.unwrap_or(old.app_ms),
            cpu_cores: self.cpu_cores.unwrap_or(old.cpu_cores),
            cpu_outside_ms: self.cpu_outside_ms.unwrap_or(old.cpu_outside_ms),
            cpu_inside_ms: self.cpu_inside_ms.unwrap_or(old.cpu_inside_ms),
        };
        new.checked()
    }
}

impl Settings {
    /// The settings themselves if every value is in its range.
    pub fn checked(self) -> Result<Self, LabError> {
        whole("pool_max", self.pool_max, 1, "1 to 10000")?;
        whole("threads_max", self.threads_max, 1, "1 to 10000")?;
        whole("accept_count", self.accept_count, 0, "0 to 10000")?;
        real("pool_connection_timeout_ms", self.pool_connection_timeout_ms, 1.0, 600_000.0, "1 to 600000 (ms)")?;
        real("pool_connect_ms", self.pool_connect_ms, 0.0, 60_000.0, "0 to 60000 (ms)")?;
        real("db_demand_ms", self.db_demand_ms, 0.01, 60_000.0, "0.01 to 60000 (ms)")?;
        real("demand_cv", self.demand_cv, 0.0, 5.0, "0 to 5")?;
        real("app_ms", self.app_ms, 0.0, 60_000.0, "0 to 60000 (ms)")?;
        real("cpu_cores", self.cpu_cores, 0.1, 10_000.0, "0.1 to 10000")?;
        real("cpu_outside_ms", self.cpu_outside_ms, 0.0, 60_000.0, "0 to 60000 (ms)")?;
        real("cpu_inside_ms", self.cpu_inside_ms, 0.0, 60_000.0, "0 to 60000 (ms)")?;
        match self.db_law.fault() {
            Some((field, range)) => Err(LabError::OutOfRange { field, range, found: format!("{:?}", self.db_law) }),
            None => Ok(self),
        }
    }

    /// Whether the service's own cores are part of the model.
    #[must_use]
    pub fn models_cpu(&self) -> bool {
        self.cpu_outside_ms > 0.0 || self.cpu_inside_ms > 0.0
    }
}

fn whole(field: &'static str, value: u32, least: u32, range: &'static str) -> Result<(), LabError> {
    if (least..=10_000).contains(&value) { Ok(()) } else { Err(LabError::OutOfRange { field, range, found: value.to_string() }) }
}

fn real(field: &'static str, value: f64, least: f64, most: f64, range: &'static str) -> Result<(), LabError> {
    if value >= least && value <= most { Ok(()) } else { Err(LabError::OutOfRange { field, range, found: value.to_string() }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::presets;

    fn settings() -> Settings {
        presets::find("ticketing").unwrap().service
    }

    fn refused(json: &str) -> String {
        SettingsChange::parse(json.as_bytes()).and_then(|change| change.applied_to(&settings())).unwrap_err().to_string()
    }

    #[test]
    fn a_partial_change_leaves_the_rest_alone() {
        let change = SettingsChange::parse(br#"{"pool_max": 77}"#).unwrap();
        let new = change.applied_to(&settings()).unwrap();
        assert_eq!(new, Settings { pool_max: 77, ..settings() });
    }

    #[test]
    fn what_is_shown_can_be_sent_back() {
        let text = serde_json::to_vec(&settings()).unwrap();
        assert_eq!(SettingsChange::parse(&text).unwrap().applied_to(&settings()).unwrap(), settings());
    }

    #[test]
    fn unknown_fields_are_named() {
        assert!(refused(r#"{"poolmax": 7}"#).contains("unknown field `poolmax`"));
        assert!(refused(r#"{"db_law": {"kind": "usl", "sigma": 0.1, "kappa": 0.1, "tau": 1}}"#).contains("tau"));
    }

    #[test]
    fn bad_values_are_named_with_their_range() {
        assert_eq!(refused(r#"{"pool_max": 0}"#), "`pool_max` must be 1 to 10000, not 0");
        assert!(refused(r#"{"pool_max": -3}"#).contains("-3"));
        assert!(refused(r#"{"threads_max": 20000}"#).contains("`threads_max` must be 1 to 10000"));
        assert!(refused(r#"{"db_demand_ms": 0}"#).contains("`db_demand_ms`"));
        assert!(refused(r#"{"behaviour": "shrink"}"#).contains("evict"));
        assert!(refused(r#"{"db_law": {"kind": "usl", "sigma": 7, "kappa": 0.1}}"#).contains("db_law.sigma"));
        assert!(refused("pool_max=7").contains("not understood"));
    }

    #[test]
    fn behaviours_have_their_written_names() {
        for (name, behaviour) in [("evict", Behaviour::Evict), ("keep", Behaviour::Keep), ("echo", Behaviour::Echo)] {
            let change = SettingsChange::parse(format!(r#"{{"behaviour": "{name}"}}"#).as_bytes()).unwrap();
            assert_eq!(change.applied_to(&settings()).unwrap().behaviour, behaviour);
        }
    }

    #[test]
    fn the_cores_count_only_when_work_needs_them() {
        assert!(!Settings { cpu_outside_ms: 0.0, cpu_inside_ms: 0.0, ..settings() }.models_cpu());
        assert!(Settings { cpu_inside_ms: 0.5, ..settings() }.models_cpu());
    }
}
