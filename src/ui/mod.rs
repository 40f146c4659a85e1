//! The terminal screens: a fold of events and keys into frames. Knows nothing of sockets, files or the runner.
//!
//! News come in as [`Feed`], keys as [`Input`]; what the screens want done they ask for with [`Request`]. `State` is
//! changed by `update` and `receive` only, and drawn by `view`, which changes nothing.

pub mod action;
mod ascii;
mod library;
pub mod look;
mod message;
pub mod number;
mod reading;
mod receive;
mod run;
mod state;
pub mod term;
#[cfg(test)]
mod testkit;
#[cfg(test)]
mod tests;
mod text;
mod transport;
mod update;
mod view;
mod widget;

pub use look::{Colors, Look, Theme, colors_of};
pub use message::{Feed, Input, Key, LibraryEntry, RecordingEntry, Request, Start, UiEnd, UiError};
pub use run::{FRAME, run};
