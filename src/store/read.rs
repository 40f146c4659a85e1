//! Rows into events, each exactly as it was recorded. Opens read-only; what a later version added is skipped and shows as
//! [`Event::Unknown`], so that the fold counts and says it.

use std::collections::HashMap;
use std::path::Path;

use futures::TryStreamExt as _;
use sqlx::sqlite::{SqliteConnection, SqliteRow};
use sqlx::{Connection as _, Row as _};
use tokio::sync::mpsc::UnboundedSender;

use super::code::{histogram, phase_of, value_of};
use super::open::{open, read_error, unreadable};
use crate::model::event::{Cohort, Event, Reading, RequestKey, Sample, Stamped, StepId, Tick, TickRow};
use crate::model::histogram::Histogram;
use crate::model::signal::Signal;
use crate::model::units::Elapsed;
use crate::ports::StoreError;

/// Events of the first part where a long recording is read in parts: few, so that something can be shown at once.
const FIRST_PART: i64 = 64;
/// Events of every other part.
const PART: i64 = 512;

/// Why a row is no event.
#[derive(Debug)]
enum Broken {
    Database(sqlx::Error),
    Figure(String),
}

impl From<sqlx::Error> for Broken {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error)
    }
}

fn told(path: &Path, broken: Broken) -> StoreError {
    match broken {
        Broken::Database(e) => unreadable(path, &e),
        Broken::Figure(why) => read_error(path, why),
    }
}

/// All events of a recording, in order; also of one whose writer was killed, or is at work.
pub async fn read(path: &Path) -> Result<Vec<Stamped>, StoreError> {
    let mut conn = open(path).await?;
    let events = Reader::start(&mut conn).await.map_err(|e| told(path, e))?.range(&mut conn, 0, i64::MAX).await;
    let events = events.map_err(|e| told(path, e))?;
    conn.close().await.map_err(|e| unreadable(path, &e))?;
    Ok(events)
}

/// As [`read`], in parts as they are read, so that the first can be shown while the rest follows. Ends early when nobody listens.
pub async fn read_in_parts(path: &Path, to: UnboundedSender<Vec<Stamped>>) -> Result<(), StoreError> {
    let mut conn = open(path).await?;
    let reader = Reader::start(&mut conn).await.map_err(|e| told(path, e))?;
    let mut from = 0;
    loop {
        let most = if from == 0 { FIRST_PART } else { PART };
        let Some(end) = reader.part_end(&mut conn, from, most).await.map_err(|e| told(path, e))? else { break };
        let part = reader.range(&mut conn, from, end).await.map_err(|e| told(path, e))?;
        if to.send(part).is_err() || end == i64::MAX {
            break;
        }
        from = end + 1;
    }
    conn.close().await.map_err(|e| unreadable(path, &e))
}

/// What rows refer to: requests and series by their numbers.
struct Reader {
    /// Where the outcomes' `stale` stands: files of the first schema have none.
    stale: &'static str,
    requests: HashMap<i64, RequestKey>,
    /// None: of a later version.
    series: HashMap<i64, Option<(Signal, Option<String>, String)>>,
}

impl Reader {
    /// Begins a reading transaction: everything read belongs to one moment, also while a writer is at work.
    async fn start(conn: &mut SqliteConnection) -> Result<Self, Broken> {
        sqlx::query("BEGIN").execute(&mut *conn).await?;
        let requests = sqlx::query("SELECT id, scenario, name, tags, load_phase FROM request").fetch_all(&mut *conn).await?;
        let series = sqlx::query("SELECT id, signal, part, kind FROM series").fetch_all(&mut *conn).await?;
        let schema: i64 = sqlx::query("PRAGMA user_version").fetch_one(&mut *conn).await?.try_get(0)?;
        Ok(Self {
            stale: if schema < 2 { "0" } else { "stale" },
            requests: requests.iter().map(request).collect::<Result<_, _>>()?,
            series: series.iter().map(one_series).collect::<Result<_, Broken>>()?,
        })
    }

    /// The number of the last event of the part that begins at `from`; none: there is nothing more.
    async fn part_end(&self, conn: &mut SqliteConnection, from: i64, most: i64) -> Result<Option<i64>, Broken> {
        let row = sqlx::query("SELECT max(seq) FROM (SELECT seq FROM event WHERE seq >= ? ORDER BY seq LIMIT ?)")
            .bind(from)
            .bind(most)
            .fetch_one(conn)
            .await?;
        Ok(row.try_get(0)?)
    }

    /// The events numbered `from` to `to`, both included.
    async fn range(&self, conn: &mut SqliteConnection, from: i64, to: i64) -> Result<Vec<Stamped>, Broken> {
        let mut ticks = self.ticks(conn, from, to).await?;
        let mut samples = self.samples(conn, from, to).await?;
        let mut out = Vec::new();
        let mut rows = sqlx::query("SELECT seq, at_us, kind, body FROM event WHERE seq BETWEEN ? AND ? ORDER BY seq").bind(from).bind(to).fetch(conn);
        while let Some(row) = rows.try_next().await? {
            let seq: i64 = row.try_get(0)?;
            let event = match row.try_get::<&str, _>(2)? {
                "tick" => ticks.remove(&seq).flatten().map(|t| Event::Tick(Box::new(t))),
                "sample" => samples.remove(&seq).map(|s| Event::Sample(Box::new(s))),
                _ => row.try_get::<Option<&str>, _>(3)?.and_then(|body| serde_json::from_str(body).ok()),
            };
            out.push(Stamped { seq: seq.cast_unsigned(), at: elapsed(&row, 1)?, event: event.unwrap_or(Event::Unknown) });
        }
        Ok(out)
    }

    /// Ticks by their event; none where a row is of a later version.
    async fn ticks(&self, conn: &mut SqliteConnection, from: i64, to: i64) -> Result<HashMap<i64, Option<Tick>>, Broken> {
        let mut out = HashMap::new();
        let sql = "SELECT seq, source, number, from_us, to_us, planned, sent, dropped, in_flight, users, iterations, iterations_sum_us, iterations_max_us \
                   FROM tick WHERE seq BETWEEN ? AND ? ORDER BY seq";
        let mut rows = sqlx::query(sql).bind(from).bind(to).fetch(&mut *conn);
        while let Some(row) = rows.try_next().await? {
            out.insert(row.try_get(0)?, Some(tick(&row)?));
        }
        drop(rows);
        let sql = format!(
            "SELECT seq, request, step, phase, slot, failed_by, checks_passed, checks_failed, bytes, \
                   latency, latency_sum_us, latency_max_us, failed_latency, failed_latency_sum_us, failed_latency_max_us, \
                   service_time, service_time_sum_us, service_time_max_us, send_lag, send_lag_sum_us, send_lag_max_us, \
                   connect_wait, connect_wait_sum_us, connect_wait_max_us, {} \
                   FROM outcome WHERE seq BETWEEN ? AND ? ORDER BY id",
            self.stale
        );
        let mut rows = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(from).bind(to).fetch(conn);
        while let Some(row) = rows.try_next().await? {
            let Some(place) = out.get_mut(&row.try_get::<i64, _>(0)?) else { continue };
            match (self.outcome(&row)?, place.as_mut()) {
                (Some(outcome), Some(tick)) => tick.rows.push(outcome),
                _ => *place = None,
            }
        }
        Ok(out)
    }

    fn outcome(&self, row: &SqliteRow) -> Result<Option<TickRow>, Broken> {
        let failed = row.try_get::<Option<&str>, _>(5)?.map_or_else(|| Some(std::collections::BTreeMap::new()), |t| serde_json::from_str(t).ok());
        let (Some(key), Some(phase), Some(failed)) = (self.requests.get(&row.try_get(1)?), phase_of(row.try_get(3)?), failed) else {
            return Ok(None);
        };
        Ok(Some(TickRow {
            key: key.clone(),
            cohort: Cohort { step: StepId(row.try_get(2)?), phase, slot: count(row, 4)? },
            failed,
            stale: count(row, 24)?,
            checks_passed: count(row, 6)?,
            checks_failed: count(row, 7)?,
            bytes: count(row, 8)?,
            latency: distribution(row, 9)?,
            failed_latency: distribution(row, 12)?,
            service_time: distribution(row, 15)?,
            send_lag: distribution(row, 18)?,
            connect_wait: distribution(row, 21)?,
        }))
    }

    async fn samples(&self, conn: &mut SqliteConnection, from: i64, to: i64) -> Result<HashMap<i64, Sample>, Broken> {
        let mut out = HashMap::new();
        let sql = "SELECT seq, source, instance, asked_us, answered_us FROM sample WHERE seq BETWEEN ? AND ?";
        let mut rows = sqlx::query(sql).bind(from).bind(to).fetch(&mut *conn);
        while let Some(row) = rows.try_next().await? {
            let sample = Sample {
                source: row.try_get(1)?,
                instance: row.try_get(2)?,
                asked: elapsed(&row, 3)?,
                answered: elapsed(&row, 4)?,
                readings: Vec::new(),
            };
            out.insert(row.try_get::<i64, _>(0)?, sample);
        }
        drop(rows);
        let sql = "SELECT seq, series, value, count FROM reading WHERE seq BETWEEN ? AND ? ORDER BY seq, n";
        let mut rows = sqlx::query(sql).bind(from).bind(to).fetch(conn);
        while let Some(row) = rows.try_next().await? {
            if let Some((sample, reading)) = out.get_mut(&row.try_get::<i64, _>(0)?).zip(self.reading(&row)?) {
                sample.readings.push(reading);
            }
        }
        Ok(out)
    }

    fn reading(&self, row: &SqliteRow) -> Result<Option<Reading>, Broken> {
        let Some(Some((signal, of, kind))) = self.series.get(&row.try_get(1)?) else { return Ok(None) };
        let value = value_of(kind, float(row, 2)?.unwrap_or(f64::NAN), float(row, 3)?);
        Ok(value.map(|value| Reading { signal: *signal, of: of.clone(), value }))
    }
}

fn request(row: &SqliteRow) -> Result<(i64, RequestKey), Broken> {
    let tags = row.try_get::<Option<&str>, _>(3)?.map(serde_json::from_str).transpose();
    let tags = tags.map_err(|e| Broken::Figure(format!("a request's tags are broken ({e})")))?.unwrap_or_default();
    Ok((row.try_get(0)?, RequestKey { scenario: row.try_get(1)?, name: row.try_get(2)?, tags, load_phase: row.try_get(4)? }))
}

#[expect(clippy::type_complexity, reason = "one entry of the map it fills")]
fn one_series(row: &SqliteRow) -> Result<(i64, Option<(Signal, Option<String>, String)>), Broken> {
    let signal = row.try_get::<&str, _>(1)?.parse::<Signal>().ok();
    let (part, kind): (Option<String>, String) = (row.try_get(2)?, row.try_get(3)?);
    Ok((row.try_get(0)?, signal.map(|s| (s, part, kind))))
}

fn tick(row: &SqliteRow) -> Result<Tick, Broken> {
    Ok(Tick {
        source: row.try_get(1)?,
        number: count(row, 2)?,
        from: elapsed(row, 3)?,
        to: elapsed(row, 4)?,
        planned: float(row, 5)?,
        sent: count(row, 6)?,
        dropped: count(row, 7)?,
        in_flight: count(row, 8)?,
        users: count(row, 9)?,
        iterations: distribution(row, 10)?,
        rows: Vec::new(),
    })
}

fn count(row: &SqliteRow, at: usize) -> Result<u64, Broken> {
    Ok(row.try_get::<i64, _>(at)?.cast_unsigned())
}

fn elapsed(row: &SqliteRow, at: usize) -> Result<Elapsed, Broken> {
    count(row, at).map(Elapsed)
}

/// A float stored as itself or as a whole number.
fn float(row: &SqliteRow, at: usize) -> Result<Option<f64>, Broken> {
    Ok(row.try_get_unchecked(at)?)
}

fn distribution(row: &SqliteRow, at: usize) -> Result<Histogram, Broken> {
    histogram(row.try_get(at)?, row.try_get(at + 1)?, row.try_get(at + 2)?).map_err(|e| Broken::Figure(e.to_string()))
}
