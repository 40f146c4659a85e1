//! What can go wrong in the lab, in words that name the thing to change. Imports nothing of the product.

use thiserror::Error;

/// Why the lab could not do what was asked.
#[derive(Debug, Error)]
pub enum LabError {
    /// No preset has this name.
    #[error("the lab has no preset `{name}`; there are {known}")]
    UnknownPreset {
        /// The name asked for.
        name: String,
        /// The names there are, separated by commas.
        known: String,
    },
    /// The settings sent are not JSON of the right form.
    #[error("settings not understood: {why}")]
    Unreadable {
        /// What the parser said.
        why: String,
    },
    /// A setting's value is out of its range.
    #[error("`{field}` must be {range}, not {found}")]
    OutOfRange {
        /// The setting.
        field: &'static str,
        /// What it may be.
        range: &'static str,
        /// What was sent.
        found: String,
    },
    /// The socket failed.
    #[error("the lab's socket failed while {doing}: {source}")]
    Socket {
        /// The operation.
        doing: &'static str,
        /// The operating system's reason.
        source: std::io::Error,
    },
    /// The thread that keeps the model's time could not be started.
    #[error("the lab's timekeeper thread could not be started: {source}; too many threads?")]
    Timekeeper {
        /// The operating system's reason.
        source: std::io::Error,
    },
}
