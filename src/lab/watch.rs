//! Ends the lab when the process that started it is gone, however that ended: the parent holds a pipe to the lab's input, and a pipe closes
//! with its holder.
//!
//! Imports nothing of the product; a thread of its own, because a read from standard input can not be called off and must not hold up the end.

use std::io::Read;
use std::time::Duration;

use tokio::sync::oneshot;

/// How often the parent's number is looked at, should the pipe have been inherited by somebody who lives on.
#[cfg(unix)]
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// A watch over the parent process.
#[derive(Debug)]
pub struct ParentWatch {
    gone: oneshot::Receiver<()>,
}

impl ParentWatch {
    /// Watches standard input, which the parent must hold open as a pipe, and (on Unix) who the parent is.
    #[must_use]
    pub fn stdin() -> Self {
        Self::over(std::io::stdin())
    }

    fn over(mut pipe: impl Read + Send + 'static) -> Self {
        let (end, gone) = oneshot::channel();
        let reading = move || {
            let mut buffer = [0_u8; 256];
            loop {
                match pipe.read(&mut buffer) {
                    Ok(read) if read > 0 => {}
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                    Ok(_) | Err(_) => break,
                }
            }
            let _nobody_waits = end.send(());
        };
        // Without its thread the watch reports the parent gone at once: no lab rather than one nobody ends.
        drop(std::thread::Builder::new().name("lab-parent-watch".into()).spawn(reading));
        Self { gone }
    }

    /// Waits until the parent is gone.
    pub async fn gone(self) {
        tokio::select! {
            _closed = self.gone => {}
            () = orphaned() => {}
        }
    }
}

#[cfg(unix)]
async fn orphaned() {
    let parent = std::os::unix::process::parent_id();
    let mut look = tokio::time::interval(LOOK_EVERY);
    while std::os::unix::process::parent_id() == parent {
        look.tick().await;
    }
}

#[cfg(not(unix))]
async fn orphaned() {
    std::future::pending().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_closed_pipe_means_gone() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        let watch = ParentWatch::over(reader);
        std::io::Write::write_all(&mut writer, b"still here").unwrap();
        let mut gone = Box::pin(watch.gone());
        assert!(futures::poll!(gone.as_mut()).is_pending());
        drop(writer);
        gone.await;
    }
}
