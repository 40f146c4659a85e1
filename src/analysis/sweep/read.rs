//! Reading `pool-sweep/1`: every refusal names the field and what was expected there.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{By, Candidates, Column, Goal, LatencySlice, Load, LoadKind, SCHEMA, Series, Sweep, SweepStep};
use crate::model::histogram::Histogram;

/// Columns that count something: never negative.
const COUNTS: [&str; 8] = ["ok", "err", "dropped", "conn_timeouts", "server_done", "acquired", "done", "t"];
/// More rows than any sweep has; a file beyond is a mistake.
const MOST_ROWS: usize = 2_000_000;

/// Why a text is no sweep.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SweepError {
    /// Not JSON.
    #[error("not JSON: {0}")]
    NotJson(String),
    /// Another schema, or none.
    #[error("`schema` is {found}, not \"pool-sweep/1\"")]
    Schema {
        /// What was there.
        found: String,
    },
    /// A field that must be there is not.
    #[error("`{field}` is missing: {expected}")]
    Missing {
        /// Which.
        field: String,
        /// What belongs there.
        expected: &'static str,
    },
    /// A field that holds something else.
    #[error("`{field}` is not {expected}")]
    Wrong {
        /// Which.
        field: String,
        /// What belongs there.
        expected: &'static str,
    },
    /// Columns of one step that differ in length.
    #[error("`{field}` has {found} rows, `t` of the same step has {rows}")]
    Ragged {
        /// Which column.
        field: String,
        /// Its length.
        found: usize,
        /// The length of `t`.
        rows: usize,
    },
}

/// A JSON object with the way to it.
struct At<'a> {
    map: &'a Map<String, Value>,
    path: String,
}

impl<'a> At<'a> {
    fn new(value: &'a Value, path: &str) -> Result<Self, SweepError> {
        let map = value.as_object().ok_or_else(|| wrong(path, "an object"))?;
        Ok(Self { map, path: path.to_owned() })
    }

    fn field(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    fn get(&self, name: &str) -> Option<&'a Value> {
        self.map.get(name).filter(|v| !v.is_null())
    }

    fn must(&self, name: &str, expected: &'static str) -> Result<&'a Value, SweepError> {
        self.get(name).ok_or_else(|| SweepError::Missing { field: self.field(name), expected })
    }

    fn number(&self, name: &str) -> Result<Option<f64>, SweepError> {
        let read = |v: &Value| v.as_f64().filter(|x| x.is_finite()).ok_or_else(|| wrong(&self.field(name), "a number"));
        self.get(name).map(read).transpose()
    }

    /// A number that is at least zero.
    fn amount(&self, name: &str) -> Result<Option<f64>, SweepError> {
        match self.number(name)? {
            Some(x) if x < 0.0 => Err(wrong(&self.field(name), "a number of at least 0")),
            other => Ok(other),
        }
    }

    /// A number above zero.
    fn positive(&self, name: &str) -> Result<Option<f64>, SweepError> {
        match self.number(name)? {
            Some(x) if x <= 0.0 => Err(wrong(&self.field(name), "a number above 0")),
            other => Ok(other),
        }
    }

    fn text(&self, name: &str) -> Result<Option<String>, SweepError> {
        let read = |v: &Value| v.as_str().map(str::to_owned).ok_or_else(|| wrong(&self.field(name), "a text"));
        self.get(name).map(read).transpose()
    }

    fn count(&self, name: &str, or: usize) -> Result<u32, SweepError> {
        let read = |v: &Value| v.as_u64().and_then(|n| u32::try_from(n).ok()).ok_or_else(|| wrong(&self.field(name), "a whole number of at least 0"));
        self.get(name).map_or(Ok(u32::try_from(or).unwrap_or(u32::MAX)), read)
    }

    fn list(&self, name: &str) -> Result<&'a [Value], SweepError> {
        let read = |v: &'a Value| v.as_array().map(Vec::as_slice).ok_or_else(|| wrong(&self.field(name), "a list"));
        self.get(name).map_or(Ok(&[] as &[Value]), read)
    }
}

fn wrong(field: &str, expected: &'static str) -> SweepError {
    SweepError::Wrong { field: if field.is_empty() { "the file".to_owned() } else { field.to_owned() }, expected }
}

/// A sweep from its JSON text.
pub(super) fn sweep(text: &str) -> Result<Sweep, SweepError> {
    let value: Value = serde_json::from_str(text).map_err(|e| SweepError::NotJson(e.to_string()))?;
    of_value(&value)
}

/// A sweep from parsed JSON.
pub(super) fn of_value(value: &Value) -> Result<Sweep, SweepError> {
    let at = At::new(value, "")?;
    if at.get("schema").and_then(Value::as_str) != Some(SCHEMA) {
        let found = at.get("schema").map_or_else(|| "missing".to_owned(), ToString::to_string);
        return Err(SweepError::Schema { found: found.chars().take(60).collect() });
    }
    let model = match at.must("model", "\"closed\" or \"open\"")?.as_str() {
        Some("closed") => LoadKind::Closed,
        Some("open") => LoadKind::Open,
        _ => return Err(wrong("model", "\"closed\" or \"open\"")),
    };
    let (setting, settings) = settings_of(&at)?;
    let steps = at.list("steps")?.iter().enumerate().map(|(i, v)| step(v, i, &setting)).collect::<Result<Vec<_>, _>>()?;
    if steps.is_empty() {
        return Err(SweepError::Missing { field: "steps".to_owned(), expected: "at least one step" });
    }
    Ok(Sweep {
        schema: SCHEMA.to_owned(),
        case: at.text("case")?,
        model,
        load: load(&at, model)?,
        client_timeout_s: at.positive("client_timeout_s")?,
        connection_timeout_s: at.positive("connection_timeout_s")?,
        accept_count: at.amount("accept_count")?,
        db_cores: at.positive("db_cores")?,
        process_cores: at.positive("process_cores")?,
        candidates: candidates(&at, &setting, &steps)?,
        settings,
        has_timers: match at.get("has_timers") {
            Some(v) => v.as_bool().ok_or_else(|| wrong("has_timers", "true or false"))?,
            None => true,
        },
        scrape_s: at.positive("scrape_s")?,
        by: match at.text("by")?.as_deref() {
            None | Some("end") => By::End,
            Some("start") => By::Start,
            Some(_) => return Err(wrong("by", "\"end\" or \"start\"")),
        },
        objective: at.get("objective").map(goal).transpose()?,
        setting,
        steps,
    })
}

fn settings_of(at: &At<'_>) -> Result<(String, Vec<String>), SweepError> {
    let names = at.list("settings")?.iter().map(|v| v.as_str().map(str::to_owned).ok_or_else(|| wrong("settings", "a list of names")));
    let settings = names.collect::<Result<Vec<_>, _>>()?;
    let setting = at.text("setting")?.or_else(|| settings.first().cloned()).unwrap_or_else(|| "pool".to_owned());
    Ok((setting, settings))
}

fn load(at: &At<'_>, model: LoadKind) -> Result<Load, SweepError> {
    let inner = At::new(at.must("load", "users and think_s, or rate")?, "load")?;
    let load = Load {
        users: inner.positive("users")?,
        think_s: inner.amount("think_s")?,
        rate: inner.positive("rate")?,
        requests_per_arrival: inner.positive("requests_per_arrival")?.unwrap_or(1.0),
    };
    match model {
        LoadKind::Closed if load.users.is_none() => Err(SweepError::Missing { field: "load.users".to_owned(), expected: "the number of users" }),
        LoadKind::Open if load.rate.is_none() => Err(SweepError::Missing { field: "load.rate".to_owned(), expected: "arrivals a second" }),
        _ => Ok(load),
    }
}

fn candidates(at: &At<'_>, setting: &str, steps: &[SweepStep]) -> Result<Candidates, SweepError> {
    let range = |at: &At<'_>| -> Result<(f64, f64), SweepError> {
        let (min, max) = (at.positive("min")?, at.positive("max")?);
        match min.zip(max) {
            Some((lo, hi)) if lo <= hi => Ok((lo, hi)),
            _ => Err(wrong(&at.path, "a range with `min` not above `max`")),
        }
    };
    let Some(value) = at.get("candidates") else {
        let values: Vec<f64> = steps.iter().filter_map(|s| s.value(setting)).collect();
        let (lo, hi) = values.iter().fold((f64::INFINITY, 0.0_f64), |(lo, hi), v| (lo.min(*v), hi.max(*v)));
        return Ok(Candidates(BTreeMap::from([(setting.to_owned(), (lo, hi))])));
    };
    let inner = At::new(value, "candidates")?;
    if inner.get("min").is_some_and(Value::is_number) || inner.get("max").is_some_and(Value::is_number) {
        return Ok(Candidates(BTreeMap::from([(setting.to_owned(), range(&inner)?)])));
    }
    let each = inner.map.iter().map(|(name, v)| Ok((name.clone(), range(&At::new(v, &format!("candidates.{name}"))?)?)));
    Ok(Candidates(each.collect::<Result<_, SweepError>>()?))
}

fn goal(value: &Value) -> Result<Goal, SweepError> {
    let at = At::new(value, "objective")?;
    let slo = at.list("slo")?.iter().map(|v| v.as_str().map(str::to_owned).ok_or_else(|| wrong("objective.slo", "a list of texts")));
    Ok(Goal { slo: slo.collect::<Result<_, _>>()?, failure_cost_s: at.positive("failure_cost_s")? })
}

fn step(value: &Value, index: usize, setting: &str) -> Result<SweepStep, SweepError> {
    let at = At::new(value, &format!("steps[{index}]"))?;
    let mut values = BTreeMap::new();
    if let Some(inner) = at.get("values") {
        let inner = At::new(inner, &at.field("values"))?;
        for name in inner.map.keys() {
            if let Some(v) = inner.amount(name)? {
                values.insert(name.clone(), v);
            }
        }
    }
    for name in ["pool", "threads"] {
        if let (Some(v), false) = (at.positive(name)?, values.contains_key(name)) {
            values.insert(name.to_owned(), v);
        }
    }
    if values.get(setting).is_none_or(|v| *v <= 0.0) {
        return Err(SweepError::Missing { field: at.field(setting), expected: "the value of the swept setting, above 0" });
    }
    let threads = values.get("threads").copied();
    if setting != "threads" && at.get("values").and_then(|v| v.get("threads")).is_none() {
        values.remove("threads");
    }
    let series = series(&at)?;
    let slices = at.list("slices")?.iter().enumerate().map(|(i, v)| slice(v, &at.field(&format!("slices[{i}]")))).collect::<Result<_, _>>()?;
    Ok(SweepStep {
        order: at.count("order", index)?,
        rep: at.count("rep", 0)?,
        values,
        threads,
        start_s: at.number("start_s")?.unwrap_or(index as f64),
        duration_s: at.amount("duration_s")?.unwrap_or(series.rows() as f64),
        void: at.text("void")?,
        proof: at.text("proof")?,
        generator_bound: at.amount("generator_bound")?,
        series,
        slices,
    })
}

fn slice(value: &Value, path: &str) -> Result<LatencySlice, SweepError> {
    let at = At::new(value, path)?;
    let need = |name: &str| at.number(name)?.ok_or_else(|| SweepError::Missing { field: at.field(name), expected: "seconds" });
    let hdr = at.text("latency_hdr")?.ok_or_else(|| SweepError::Missing { field: at.field("latency_hdr"), expected: "a base64 HdrHistogram" })?;
    let latency = Histogram::from_base64(&hdr).map_err(|_what| wrong(&at.field("latency_hdr"), "a base64 HdrHistogram (V2, compressed)"))?;
    Ok(LatencySlice { from_s: need("from_s")?, to_s: need("to_s")?, latency })
}

fn series(at: &At<'_>) -> Result<Series, SweepError> {
    let inner = At::new(at.must("series", "columns by name")?, &at.field("series"))?;
    let mut out = BTreeMap::new();
    for (name, value) in inner.map {
        let cells = match value {
            Value::Null => continue,
            Value::Array(cells) => cells,
            _ => return Err(wrong(&inner.field(name), "a list of numbers")),
        };
        out.insert(name.clone(), column(cells, &inner.field(name), COUNTS.contains(&name.as_str()))?);
    }
    let rows = out.get("t").map(Vec::len).ok_or_else(|| SweepError::Missing { field: inner.field("t"), expected: "seconds, one a row" })?;
    for name in ["t", "ok"] {
        if out.get(name).is_none_or(|c: &Column| c.iter().any(Option::is_none)) {
            return Err(SweepError::Missing { field: inner.field(name), expected: "a number in every row" });
        }
    }
    if rows > MOST_ROWS {
        return Err(wrong(&inner.field("t"), "of at most 2,000,000 rows"));
    }
    if let Some((name, found)) = out.iter().find(|(_, c)| c.len() != rows).map(|(n, c)| (n, c.len())) {
        return Err(SweepError::Ragged { field: inner.field(name), found, rows });
    }
    Ok(Series(out))
}

fn column(cells: &[Value], path: &str, counts: bool) -> Result<Column, SweepError> {
    let cell = |(i, v): (usize, &Value)| match v {
        Value::Null => Ok(None),
        other => match other.as_f64() {
            Some(x) if x.is_finite() && !(counts && x < 0.0) => Ok(Some(x)),
            Some(_) if counts => Err(wrong(&format!("{path}[{i}]"), "a count of at least 0")),
            _ => Err(wrong(&format!("{path}[{i}]"), "a number or null")),
        },
    };
    cells.iter().enumerate().map(cell).collect()
}
