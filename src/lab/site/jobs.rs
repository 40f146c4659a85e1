//! Jobs that the service does for itself, one of each kind at a time: while one runs it keeps taking connections of the pool that everybody
//! uses, and holds each for about a second.
//!
//! Imports the lab's own files only; reads the clock to know when a job is over.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Asked, Reply, Site};
use crate::lab::demand::Work;

/// What jobs there are.
const KINDS: [&str; 2] = ["reviews", "books"];

/// Connections a job uses at once, and how long it goes on, unless it is told.
const CONNECTIONS: u64 = 5;
const SECONDS: f64 = 10.0;

/// How long each of its pieces holds a connection while it waits for another service, in milliseconds.
const PIECE_MS: (f64, f64) = (800.0, 1_200.0);

/// Which jobs are running.
#[derive(Debug, Default)]
pub(super) struct Jobs([AtomicBool; KINDS.len()]);

/// How a job is done.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Plan {
    connections: u64,
    seconds: f64,
}

impl Plan {
    /// As the body says: `{"connections": 5, "seconds": 10}`.
    fn read(body: &Value) -> Option<Self> {
        let connections = body.get("connections").map_or(Some(CONNECTIONS), Value::as_u64)?;
        let seconds = body.get("seconds").map_or(Some(SECONDS), Value::as_f64)?;
        ((1..=100).contains(&connections) && (0.0..=3_600.0).contains(&seconds)).then_some(Self { connections, seconds })
    }
}

/// Begins a job, unless one of its kind is running.
pub(super) fn start(site: &Arc<Site>, kind: usize, asked: &Asked<'_>) -> Reply {
    let name = KINDS.get(kind).copied().unwrap_or_default();
    let Some(plan) = Plan::read(&asked.json()) else {
        return Reply::refused(400, "connections are 1 to 100, seconds 0 to 3600");
    };
    let running = site.jobs.0.get(kind).is_none_or(|running| running.swap(true, Ordering::Relaxed));
    if running {
        return Reply::refused(409, &format!("the job `{name}` is running"));
    }
    tokio::spawn(run(Arc::clone(site), kind, plan));
    Reply::new(202, json!({"job": name, "status": "started"}), 0.2)
}

async fn run(site: Arc<Site>, kind: usize, plan: Plan) {
    let until = Instant::now() + Duration::from_secs_f64(plan.seconds);
    let hands: Vec<_> = (0..plan.connections).map(|_| tokio::spawn(piece_by_piece(Arc::clone(&site), until))).collect();
    for hand in hands {
        let _ended_with_the_lab = hand.await;
    }
    if let Some(running) = site.jobs.0.get(kind) {
        running.store(false, Ordering::Relaxed);
    }
}

/// One piece after the other, each with a connection of its own; a piece that gets none in time is tried anew.
async fn piece_by_piece(site: Arc<Site>, until: Instant) {
    while Instant::now() < until {
        let _served_or_not = site.front.service.background(Work { held_ms: Some(PIECE_MS), ..Work::USUAL }).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_as_long_as_it_is_told() {
        let read = |text: &str| Plan::read(&serde_json::from_str(text).unwrap());
        assert_eq!(read("{}"), Some(Plan { connections: CONNECTIONS, seconds: SECONDS }));
        assert_eq!(Plan::read(&Value::Null), read("{}"), "a body is not needed");
        assert_eq!(read(r#"{"connections": 2, "seconds": 0.5}"#), Some(Plan { connections: 2, seconds: 0.5 }));
        for wrong in [r#"{"connections": 0}"#, r#"{"connections": 101}"#, r#"{"seconds": -1}"#, r#"{"seconds": "5"}"#] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
