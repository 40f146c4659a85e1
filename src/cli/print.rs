//! The only place that prints. A reader that went away (a closed pipe) is no failure; anything else that keeps data from being
//! written is, and is told at the program's end.

use std::io::{ErrorKind, Write as _};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::model::text::hide;

/// Why data on stdout was lost, the first time.
static LOST: OnceLock<String> = OnceLock::new();
/// What must not be told, whoever says it. Data on stdout comes from events, which hold none of it.
static SECRETS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// From now on this value is not shown.
pub(super) fn keep_secret(value: &str) {
    let mut known = SECRETS.lock().unwrap_or_else(PoisonError::into_inner);
    if !known.iter().any(|k| k == value) {
        known.push(value.to_owned());
    }
}

/// The values that are not shown.
pub(super) fn secrets() -> Vec<String> {
    SECRETS.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// One piece of data on stdout, with a line's end.
pub(super) fn out(text: &str) {
    let mut stdout = std::io::stdout().lock();
    if let Err(error) = writeln!(stdout, "{}", text.trim_end_matches('\n')).and_then(|()| stdout.flush())
        && error.kind() != ErrorKind::BrokenPipe
    {
        let _told_before = LOST.set(error.to_string());
    }
}

/// Why data on stdout was lost, if any was.
pub(super) fn lost() -> Option<&'static str> {
    LOST.get().map(String::as_str)
}

/// One line for a person on stderr.
pub(super) fn err(text: &str) {
    let _gone = writeln!(std::io::stderr().lock(), "{}", hide(text.trim_end_matches('\n'), &secrets()));
}
