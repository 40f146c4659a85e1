//! The recorder: a thread of its own that takes events from an unbounded queue and commits them in batches. Nobody waits for it,
//! and it drops nothing: when the disk is full it says so and keeps what was committed.

use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::Duration;

use async_trait::async_trait;
use sqlx::Executor as _;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;

use super::open;
use super::write::Writer;
use crate::model::event::Stamped;
use crate::ports::{Recorder, StoreError};

/// A batch is committed at the latest this long after its first event.
const BATCH_TIME: Duration = Duration::from_millis(500);
/// A batch is committed at the latest with so many events.
const BATCH_MOST: usize = 2048;
/// So many events waiting mean that the disk does not keep up.
const HIGH_WATER: usize = 2000;

/// Writes one session into one SQLite file.
pub struct SqliteRecorder {
    path: PathBuf,
    queue: UnboundedSender<Stamped>,
    failure: watch::Receiver<Option<StoreError>>,
    stop: Option<oneshot::Sender<()>>,
    done: Option<oneshot::Receiver<Result<(), StoreError>>>,
    thread: Option<JoinHandle<()>>,
}

impl std::fmt::Debug for SqliteRecorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteRecorder").field("path", &self.path).finish_non_exhaustive()
    }
}

impl SqliteRecorder {
    /// Makes a new recording. An existing file is refused; folders above it are made.
    pub async fn create(path: &Path) -> Result<Box<dyn Recorder>, StoreError> {
        let writer = Writer::new(open::create(path).await?);
        Ok(Box::new(Self::start(path, writer)?))
    }

    pub(super) fn start(path: &Path, writer: Writer) -> Result<Self, StoreError> {
        let (queue, events) = unbounded_channel();
        let (failed, failure) = watch::channel(None);
        let (stop, stopped) = oneshot::channel();
        let (finished, done) = oneshot::channel();
        let pump = Pump { path: path.to_owned(), writer, events, stopped: Some(stopped), failed };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().map_err(|e| open::write_error(path, e))?;
        let thread = std::thread::Builder::new()
            .name("recorder".to_owned())
            .spawn(move || {
                let result = runtime.block_on(pump.run());
                // Nobody may be left to be told.
                let _ = finished.send(result);
            })
            .map_err(|e| open::write_error(path, e))?;
        Ok(Self { path: path.to_owned(), queue, failure, stop: Some(stop), done: Some(done), thread: Some(thread) })
    }
}

#[async_trait]
impl Recorder for SqliteRecorder {
    fn queue(&self) -> UnboundedSender<Stamped> {
        self.queue.clone()
    }

    async fn failed(&mut self) -> StoreError {
        let failed = self.failure.wait_for(Option::is_some).await.ok().and_then(|f| f.clone());
        match failed {
            Some(error) => error,
            None => std::future::pending().await,
        }
    }

    async fn close(mut self: Box<Self>) -> Result<(), StoreError> {
        self.stop.take();
        let lost = || open::write_error(&self.path, "the recorder ended unexpectedly");
        match self.done.take() {
            Some(done) => done.await.unwrap_or_else(|_| Err(lost())),
            None => Err(lost()),
        }
    }
}

impl Drop for SqliteRecorder {
    /// However a session ends, what was queued is written before the recorder is gone.
    fn drop(&mut self) {
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What the thread runs.
struct Pump {
    path: PathBuf,
    writer: Writer,
    events: UnboundedReceiver<Stamped>,
    /// Resolves when the recorder is closed or dropped.
    stopped: Option<oneshot::Receiver<()>>,
    failed: watch::Sender<Option<StoreError>>,
}

impl Pump {
    async fn run(mut self) -> Result<(), StoreError> {
        let mut batch = Vec::new();
        loop {
            let more = self.gather(&mut batch).await;
            if let Err(e) = self.writer.commit(&batch).await {
                return Err(self.give_up(&e).await);
            }
            if self.events.len() > HIGH_WATER {
                tracing::warn!(waiting = self.events.len(), "the recording does not keep up with the session");
            }
            batch.clear();
            if !more {
                return self.finish().await;
            }
        }
    }

    /// Waits for a first event, then collects for one batch time. False: nothing more will come.
    async fn gather(&mut self, batch: &mut Vec<Stamped>) -> bool {
        if !self.receive(batch, None).await {
            return false;
        }
        let until = Instant::now() + BATCH_TIME;
        while batch.len() < BATCH_MOST && Instant::now() < until {
            if !self.receive(batch, Some(until)).await {
                return false;
            }
        }
        true
    }

    async fn receive(&mut self, batch: &mut Vec<Stamped>, until: Option<Instant>) -> bool {
        let room = BATCH_MOST.saturating_sub(batch.len()).max(1);
        loop {
            tokio::select! {
                biased;
                () = until_closed(self.stopped.as_mut()) => {
                    self.stopped = None;
                    self.events.close();
                }
                got = self.events.recv_many(batch, room) => return got > 0,
                () = sleep_until(until) => return true,
            }
        }
    }

    /// Writing is over for good: senders learn it by their closed queue, the session by `failed`.
    async fn give_up(mut self, error: &sqlx::Error) -> StoreError {
        let error = open::write_error(&self.path, error);
        tracing::error!(%error, "the recording can not be written");
        self.events.close();
        self.failed.send_replace(Some(error.clone()));
        // Closing may fail for the same reason; the last commit stays either way.
        let _ = self.writer.close().await;
        error
    }

    /// Everything into the single file.
    async fn finish(mut self) -> Result<(), StoreError> {
        // A reader at the file keeps it from becoming a single one; it is complete all the same.
        if let Err(error) = self.writer.conn().execute("PRAGMA journal_mode = DELETE").await {
            tracing::warn!(%error, "the recording stays in more than one file");
        }
        self.writer.close().await.map_err(|e| open::write_error(&self.path, e))
    }
}

async fn until_closed(stopped: Option<&mut oneshot::Receiver<()>>) {
    match stopped {
        Some(stopped) => {
            let _ = stopped.await;
        }
        None => std::future::pending().await,
    }
}

async fn sleep_until(until: Option<Instant>) {
    match until {
        Some(until) => tokio::time::sleep_until(until).await,
        None => std::future::pending().await,
    }
}
