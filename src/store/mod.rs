//! The recording: one SQLite file a session, ending in `.plim`, that any SQLite tool can read.
//!
//! Written by a thread of its own in batches, so that nobody ever waits for a disk; read back event by event, each exactly as it
//! was. May import the model and the ports; knows neither the engine nor the screen, and judges nothing.

mod code;
mod open;
mod read;
mod recorder;
mod summary;
#[cfg(test)]
mod tests;
mod write;

pub use read::{read, read_in_parts};
pub use recorder::SqliteRecorder;
pub use summary::{Listed, Summary, list, summary};

/// What the file's name ends in.
pub const EXTENSION: &str = "plim";

/// The schema this version writes, and the newest it reads.
pub const SCHEMA: i64 = 2;
