//! What a worker, or somebody who waits for one, tells the collector. Beside the book that writes most of it, so that the book need not know
//! who reads.

use tokio::sync::oneshot;

use super::Part;

/// What the collector is told.
#[derive(Debug)]
pub(crate) enum Note {
    /// A worker's interval is over.
    Part(Box<Part>),
    /// Something a reader must know.
    Warn(String),
    /// A worker has come to a point that somebody may wait for.
    Reached(u64),
    /// Somebody waits until all workers have come to a point.
    Await(u64, oneshot::Sender<()>),
    /// A worker ends; after the last one so does the collector.
    Left,
}
