//! The only place that prints. A reader that went away (a closed pipe) is no failure.

use std::io::Write as _;

/// One piece of data on stdout, with a line's end.
pub(super) fn out(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let _gone = writeln!(stdout, "{}", text.trim_end_matches('\n')).and_then(|()| stdout.flush());
}

/// One line for a person on stderr.
pub(super) fn err(text: &str) {
    let _gone = writeln!(std::io::stderr().lock(), "{}", text.trim_end_matches('\n'));
}
