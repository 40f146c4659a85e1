//! How the program ends: one error type for all commands, the exit codes, and the sentence with its hint.

use std::fmt;
use std::process::ExitCode;

use crate::ports::StoreError;

/// Documented in `--help`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    /// Done.
    Done,
    /// A guard stopped the run, a threshold failed, or no value meets the objectives.
    Failed,
    /// Bad usage, profile or input file.
    Usage,
    /// Target or source unreachable, a setting refused or not restored.
    Unreachable,
    /// No answer.
    NoAnswer,
    /// Our own failure.
    Internal,
    /// Interrupted.
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Unreachable => 3,
            Exit::NoAnswer => 4,
            Exit::Internal => 5,
            Exit::Interrupted => 130,
        })
    }
}

/// Why a command could not do what was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CliError {
    /// The exit code it leads to.
    pub(super) exit: Exit,
    text: String,
    hint: Option<String>,
}

impl CliError {
    /// An error of this exit code.
    pub(super) fn new(exit: Exit, text: impl Into<String>) -> Self {
        Self { exit, text: text.into(), hint: None }
    }

    /// Bad usage or input: exit code 2.
    pub(super) fn usage(text: impl Into<String>) -> Self {
        Self::new(Exit::Usage, text)
    }

    /// With what to try.
    #[must_use]
    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text.trim_end())?;
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl From<StoreError> for CliError {
    fn from(error: StoreError) -> Self {
        let exit = match error {
            StoreError::Write { .. } => Exit::Internal,
            StoreError::Exists { .. } | StoreError::Read { .. } | StoreError::Foreign { .. } => Exit::Usage,
        };
        Self::new(exit, error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_stands_on_its_own_line() {
        let error = CliError::usage("no such file\n").hint("look again");
        assert_eq!(error.to_string(), "no such file\nhint: look again");
    }

    #[test]
    fn a_foreign_file_is_bad_input_and_a_full_disk_our_failure() {
        let foreign = StoreError::Foreign { path: "x".into(), why: "y".into() };
        assert_eq!(CliError::from(foreign).exit, Exit::Usage);
        let full = StoreError::Write { path: "x".into(), why: "disk full".into() };
        assert_eq!(CliError::from(full).exit, Exit::Internal);
    }
}
