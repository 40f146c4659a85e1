//! The last words of a process: what it wrote is read to the end, so that it never blocks on a full pipe, and only the
//! end of it is kept; all of it goes to a log file where one is wanted.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::fs::File;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};

use crate::model::text::clean_short;

/// How much is kept: enough for a stack trace.
const KEPT_BYTES: usize = 16 << 10;
/// How much of it an error shows.
const SHOWN: usize = 240;

/// The end of what was written, by however many writers.
#[derive(Debug, Clone, Default)]
pub(super) struct Tail(Arc<Mutex<VecDeque<u8>>>);

impl Tail {
    fn push(&self, bytes: &[u8]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(bytes);
        let surplus = kept.len().saturating_sub(KEPT_BYTES);
        kept.drain(..surplus);
    }

    /// The last lines that tell something, short and fit to be shown; empty if nothing was written. Where there is no room for all
    /// of them the last stay: in a chain of causes the last is the one.
    pub(super) fn last_words(&self) -> String {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(kept.make_contiguous()).into_owned();
        drop(kept);
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty() && !is_frame(line)).collect();
        let mut room = SHOWN;
        let fits = |line: &&&str| {
            let first = room == SHOWN;
            room = room.saturating_sub(line.chars().count() + 3);
            first || room > 0
        };
        let mut last: Vec<&str> = lines.iter().rev().take(3).take_while(fits).copied().collect();
        last.reverse();
        clean_short(&last.join(" / "), SHOWN)
    }

    /// Reads a stream to its end in the background.
    pub(super) fn follow(&self, stream: Option<impl AsyncRead + Unpin + Send + 'static>, log: Option<&Path>) -> tokio::task::JoinHandle<()> {
        let tail = self.clone();
        let log = log.map(Path::to_owned);
        tokio::spawn(async move {
            let Some(mut stream) = stream else { return };
            let mut file = match &log {
                Some(path) => open(path).await,
                None => None,
            };
            let mut buffer = [0; 4_096];
            while let Ok(length @ 1..) = stream.read(&mut buffer).await {
                let bytes = buffer.get(..length).unwrap_or_default();
                tail.push(bytes);
                if let Some(log) = &mut file
                    && (log.write_all(bytes).await.is_err() || log.flush().await.is_err())
                {
                    // A full disk must not stop the service; its last words are still kept here.
                    file = None;
                }
            }
        })
    }
}

/// A place in a stack trace, as a JVM or Node writes it: there are dozens, and the causes stand between them.
fn is_frame(line: &str) -> bool {
    (line.starts_with("at ") && line.contains('(')) || (line.starts_with("... ") && (line.ends_with("omitted") || line.ends_with("more")))
}

/// The log is a help, not a condition: without it the run goes on.
async fn open(path: &Path) -> Option<File> {
    File::options().create(true).append(true).open(path).await.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_end_is_kept_and_shown() {
        let tail = Tail::default();
        let text = format!("{}\nlast but two\n\nlast but \u{1b}[1mone\nlast\n", "x".repeat(3 * KEPT_BYTES));
        tail.follow(Some(std::io::Cursor::new(text)), None).await.unwrap();
        assert_eq!(tail.last_words(), "last but two / last but one / last");
        assert_eq!(tail.0.lock().unwrap().len(), KEPT_BYTES);
    }

    #[test]
    fn of_a_stack_trace_the_last_causes_are_told() {
        let tail = Tail::default();
        let noise = "\tat org.example.Pool.open(Pool.java:118) ~[pool.jar!/:7]\n".repeat(30);
        let far = "x".repeat(200);
        tail.push(format!("Bad: {far}\n{noise}Caused by: Bad: no connection\n{noise}\t... 49 common frames omitted\n").as_bytes());
        tail.push(format!("Caused by: Fatal: no such database\n{noise}\t... 50 more\n\n").as_bytes());
        assert_eq!(tail.last_words(), "Caused by: Bad: no connection / Caused by: Fatal: no such database");
        tail.push(format!("at last {far}{far}\n").as_bytes());
        assert!(tail.last_words().starts_with("at last xxx"), "{}", tail.last_words());
    }

    #[tokio::test]
    async fn the_log_has_all_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("service.log");
        let tail = Tail::default();
        for word in ["one\n", "two\n"] {
            tail.follow(Some(std::io::Cursor::new(word)), Some(&log)).await.unwrap();
        }
        assert_eq!(std::fs::read_to_string(&log).unwrap(), "one\ntwo\n");
    }

    #[tokio::test]
    async fn a_log_that_can_not_be_written_costs_nothing() {
        let tail = Tail::default();
        let nowhere = Path::new("/nowhere/at/all.log");
        tail.follow(Some(std::io::Cursor::new("words")), Some(nowhere)).await.unwrap();
        assert_eq!(tail.last_words(), "words");
        assert_eq!(Tail::default().last_words(), "");
    }
}
