//! The laws of the fold, and the events they are tried on. The generators are shared with the tests of the recording.

mod cases;
pub(crate) mod events;
mod laws;
