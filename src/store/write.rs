//! Events into rows. Knows the schema's tables and nothing of threads, queues or files.

use std::collections::HashMap;

use sqlx::sqlite::{SqliteArguments, SqliteConnection};
use sqlx::{Connection as _, Sqlite};

use super::code::{Number, StoredHistogram, kind_of, number, phase_name, step_of, value_parts};
use crate::model::event::{Event, RequestKey, Sample, Stamped, Tick, TickRow};
use crate::model::signal::Signal;

type Query<'q> = sqlx::query::Query<'q, Sqlite, SqliteArguments>;

/// Writes events through one connection; remembers which requests and series already have rows.
pub(super) struct Writer {
    conn: SqliteConnection,
    last_seq: Option<u64>,
    requests: HashMap<RequestKey, i64>,
    series: HashMap<(Signal, Option<String>, &'static str), i64>,
}

impl Writer {
    /// Of a recording that has no events yet.
    pub(super) fn new(conn: SqliteConnection) -> Self {
        Self { conn, last_seq: None, requests: HashMap::new(), series: HashMap::new() }
    }

    /// The connection, for what is not an event.
    pub(super) fn conn(&mut self) -> &mut SqliteConnection {
        &mut self.conn
    }

    /// Gives the connection back.
    pub(super) fn into_conn(self) -> SqliteConnection {
        self.conn
    }

    /// Writes a batch: all of it or nothing. A number already written is left out, as the fold leaves it out.
    pub(super) async fn commit(&mut self, batch: &[Stamped]) -> sqlx::Result<()> {
        sqlx::query("BEGIN").execute(&mut self.conn).await?;
        for stamped in batch {
            if let Err(error) = self.write(stamped).await {
                // What failed is reported; a rollback that fails too (the disk is full) leaves the last commit all the same.
                let _ = sqlx::query("ROLLBACK").execute(&mut self.conn).await;
                return Err(error);
            }
        }
        sqlx::query("COMMIT").execute(&mut self.conn).await?;
        Ok(())
    }

    async fn write(&mut self, stamped: &Stamped) -> sqlx::Result<()> {
        if self.last_seq.is_some_and(|last| stamped.seq <= last) {
            return Ok(());
        }
        self.last_seq = Some(stamped.seq);
        self.write_event(stamped).await?;
        match &stamped.event {
            Event::Tick(tick) => self.write_tick(stamped.seq, tick).await,
            Event::Sample(sample) => self.write_sample(stamped.seq, sample).await,
            _ => Ok(()),
        }
    }

    async fn write_event(&mut self, stamped: &Stamped) -> sqlx::Result<()> {
        let body = match &stamped.event {
            Event::Tick(_) | Event::Sample(_) => None,
            other => Some(serde_json::to_string(other).map_err(|e| sqlx::Error::Encode(Box::new(e)))?),
        };
        sqlx::query("INSERT INTO event (seq, at_us, kind, step, body) VALUES (?, ?, ?, ?, ?)")
            .bind(stamped.seq.cast_signed())
            .bind(stamped.at.as_micros().cast_signed())
            .bind(kind_of(&stamped.event))
            .bind(step_of(&stamped.event).map(|s| i64::from(s.0)))
            .bind(body)
            .execute(&mut self.conn)
            .await?;
        Ok(())
    }

    async fn write_tick(&mut self, seq: u64, tick: &Tick) -> sqlx::Result<()> {
        let query = sqlx::query("INSERT INTO tick VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
            .bind(seq.cast_signed())
            .bind(tick.source.clone())
            .bind(tick.number.cast_signed())
            .bind(tick.from.as_micros().cast_signed())
            .bind(tick.to.as_micros().cast_signed());
        let query = bind_number(query, tick.planned)
            .bind(tick.sent.cast_signed())
            .bind(tick.dropped.cast_signed())
            .bind(tick.in_flight.cast_signed())
            .bind(tick.users.cast_signed());
        bind_histogram(query, StoredHistogram::from(&tick.iterations)).execute(&mut self.conn).await?;
        for row in &tick.rows {
            self.write_row(seq, row).await?;
        }
        Ok(())
    }

    async fn write_row(&mut self, seq: u64, row: &TickRow) -> sqlx::Result<()> {
        let request = self.request_id(&row.key).await?;
        let failed_by =
            (!row.failed.is_empty()).then(|| serde_json::to_string(&row.failed)).transpose().map_err(|e| sqlx::Error::Encode(Box::new(e)))?;
        let mut query =
            sqlx::query("INSERT INTO outcome VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
                .bind(seq.cast_signed())
                .bind(request)
                .bind(i64::from(row.cohort.step.0))
                .bind(phase_name(row.cohort.phase))
                .bind(row.cohort.slot.cast_signed())
                .bind(row.latency.count().cast_signed())
                .bind(row.failures().cast_signed())
                .bind(failed_by)
                .bind(row.checks_passed.cast_signed())
                .bind(row.checks_failed.cast_signed())
                .bind(row.bytes.cast_signed());
        for h in [&row.latency, &row.failed_latency, &row.service_time, &row.send_lag, &row.connect_wait] {
            query = bind_histogram(query, StoredHistogram::from(h));
        }
        query.bind(row.stale.cast_signed()).execute(&mut self.conn).await?;
        Ok(())
    }

    async fn request_id(&mut self, key: &RequestKey) -> sqlx::Result<i64> {
        if let Some(id) = self.requests.get(key) {
            return Ok(*id);
        }
        let tags = (!key.tags.is_empty()).then(|| serde_json::to_string(&key.tags)).transpose().map_err(|e| sqlx::Error::Encode(Box::new(e)))?;
        let done = sqlx::query("INSERT INTO request (scenario, name, tags, load_phase) VALUES (?, ?, ?, ?)")
            .bind(key.scenario.clone())
            .bind(key.name.clone())
            .bind(tags)
            .bind(key.load_phase.clone())
            .execute(&mut self.conn)
            .await?;
        self.requests.insert(key.clone(), done.last_insert_rowid());
        Ok(done.last_insert_rowid())
    }

    async fn write_sample(&mut self, seq: u64, sample: &Sample) -> sqlx::Result<()> {
        sqlx::query("INSERT INTO sample VALUES (?, ?, ?, ?, ?)")
            .bind(seq.cast_signed())
            .bind(sample.source.clone())
            .bind(sample.instance.clone())
            .bind(sample.asked.as_micros().cast_signed())
            .bind(sample.answered.as_micros().cast_signed())
            .execute(&mut self.conn)
            .await?;
        for (n, reading) in (0_i64..).zip(&sample.readings) {
            let (kind, value, count) = value_parts(reading.value);
            let series = self.series_id(reading.signal, reading.of.as_ref(), kind).await?;
            let query = sqlx::query("INSERT INTO reading VALUES (?, ?, ?, ?, ?)").bind(seq.cast_signed()).bind(n).bind(series);
            bind_number(bind_number(query, Some(value)), count).execute(&mut self.conn).await?;
        }
        Ok(())
    }

    async fn series_id(&mut self, signal: Signal, of: Option<&String>, kind: &'static str) -> sqlx::Result<i64> {
        let key = (signal, of.cloned(), kind);
        if let Some(id) = self.series.get(&key) {
            return Ok(*id);
        }
        let done = sqlx::query("INSERT INTO series (signal, part, kind) VALUES (?, ?, ?)")
            .bind(signal.name())
            .bind(of.cloned())
            .bind(kind)
            .execute(&mut self.conn)
            .await?;
        self.series.insert(key, done.last_insert_rowid());
        Ok(done.last_insert_rowid())
    }

    /// Closes the connection.
    pub(super) async fn close(self) -> sqlx::Result<()> {
        self.into_conn().close().await
    }
}

fn bind_number(query: Query<'_>, value: Option<f64>) -> Query<'_> {
    match value.map(number) {
        None => query.bind(None::<f64>),
        Some(Number::Whole(v)) => query.bind(v),
        Some(Number::Real(v)) => query.bind(v),
    }
}

fn bind_histogram(query: Query<'_>, h: StoredHistogram) -> Query<'_> {
    query.bind(h.blob).bind(h.sum_us).bind(h.max_us)
}
