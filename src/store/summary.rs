//! What a list of recordings shows of each, read without reading the recording.

use std::path::{Path, PathBuf};

use sqlx::sqlite::SqliteConnection;
use sqlx::{Connection as _, Row as _};

use super::EXTENSION;
use super::open::{open, read_error, unreadable};
use crate::model::event::{Event, Outcome};
use crate::model::units::{Elapsed, Span};
use crate::model::verdict::Kind;
use crate::ports::StoreError;

/// The head of a recording.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// What the experiment is called.
    pub name: String,
    /// Where the load went.
    pub target: String,
    /// Wall clock with zone, RFC 9557.
    pub started_at: String,
    /// How the session ended; none: it was cut off, or is under way.
    pub outcome: Option<Outcome>,
    /// The last verdict's kind, setting and value.
    pub verdict: Option<(Kind, Option<String>, Option<f64>)>,
    /// Steps planned.
    pub steps: u32,
    /// From the first event to the last.
    pub duration: Span,
}

/// One file of a folder of recordings.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// The file.
    pub path: PathBuf,
    /// Its head, or why it has none.
    pub summary: Result<Summary, StoreError>,
}

/// The head of a recording.
pub async fn summary(path: &Path) -> Result<Summary, StoreError> {
    let mut conn = open(path).await?;
    let found = gather(&mut conn).await.map_err(|e| unreadable(path, &e))?;
    conn.close().await.map_err(|e| unreadable(path, &e))?;
    found.ok_or_else(|| read_error(path, "the session in it never began"))
}

async fn gather(conn: &mut SqliteConnection) -> sqlx::Result<Option<Summary>> {
    let Some(Event::SessionStarted(head)) = one(conn, "SELECT body FROM event WHERE kind = 'session_started' ORDER BY seq LIMIT 1").await? else {
        return Ok(None);
    };
    let resumed = "SELECT body FROM event WHERE kind IN ('session_ended', 'session_resumed') ORDER BY seq DESC LIMIT 1";
    let outcome = match one(conn, resumed).await? {
        Some(Event::SessionEnded { outcome, .. }) => Some(outcome),
        _ => None,
    };
    let verdict = match one(conn, "SELECT body FROM event WHERE kind = 'judged' ORDER BY seq DESC LIMIT 1").await? {
        Some(Event::Judged(judged)) => Some((judged.verdict.verdict, judged.verdict.setting, judged.verdict.value)),
        _ => None,
    };
    let row = sqlx::query(
        "SELECT (SELECT count(*) FROM event WHERE kind = 'step_planned'), coalesce((SELECT at_us FROM event ORDER BY seq DESC LIMIT 1), 0)",
    )
    .fetch_one(conn)
    .await?;
    let last = Elapsed(row.try_get::<i64, _>(1)?.cast_unsigned());
    Ok(Some(Summary {
        name: head.plan.name,
        target: head.plan.target.url,
        started_at: head.started_at,
        outcome,
        verdict,
        steps: row.try_get(0)?,
        duration: last.since(Elapsed::ZERO),
    }))
}

async fn one(conn: &mut SqliteConnection, sql: &'static str) -> sqlx::Result<Option<Event>> {
    let row = sqlx::query(sql).fetch_optional(conn).await?;
    let body: Option<String> = row.map(|r| r.try_get(0)).transpose()?.flatten();
    Ok(body.and_then(|b| serde_json::from_str(&b).ok()))
}

/// All recordings of a folder, the newest file first. A folder that is not there holds none.
pub async fn list(folder: &Path) -> Result<Vec<Listed>, StoreError> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(read_error(folder, e)),
    };
    let mut files: Vec<(Option<std::time::SystemTime>, PathBuf)> = entries
        .filter_map(Result::ok)
        .map(|entry| (entry.metadata().and_then(|m| m.modified()).ok(), entry.path()))
        .filter(|(_, path)| path.extension().is_some_and(|e| e == EXTENSION))
        .collect();
    files.sort_by(|a, b| b.cmp(a));
    let mut out = Vec::with_capacity(files.len());
    for (_, path) in files {
        let summary = summary(&path).await;
        out.push(Listed { path, summary });
    }
    Ok(out)
}
