//! The bell as a thread that sleeps until the earliest wait: for systems without a timer in the event loop.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::thread;

use tokio::time::Instant;

use super::queue::{Queue, Wait};

/// A thread and who waits for it; it ends with the bell.
#[derive(Debug)]
pub(super) struct Bell(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<(Queue, Life)>,
    earlier: Condvar,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Life {
    #[default]
    On,
    Over,
}

impl Bell {
    pub(super) fn start(name: String) -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let own = Arc::clone(&shared);
        thread::Builder::new().name(name).spawn(move || own.run())?;
        Ok(Self(shared))
    }

    pub(super) fn push(&self, wait: Wait) {
        let is_earliest = self.0.lock().0.push(wait);
        if is_earliest {
            self.0.earlier.notify_one();
        }
    }
}

impl Drop for Bell {
    fn drop(&mut self) {
        self.0.lock().1 = Life::Over;
        self.0.earlier.notify_one();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, (Queue, Life)> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        let mut queue = self.lock();
        while queue.1 == Life::On {
            let (now, mut due) = (Instant::now(), Vec::new());
            let next = queue.0.ring(now, &mut due);
            if !due.is_empty() {
                drop(queue);
                due.into_iter().for_each(Waker::wake);
                queue = self.lock();
                continue;
            }
            queue = match next {
                None => self.earlier.wait(queue).unwrap_or_else(PoisonError::into_inner),
                Some(at) => self.earlier.wait_timeout(queue, at.duration_since(now)).unwrap_or_else(PoisonError::into_inner).0,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thread_ends_with_the_bell() {
        let bell = Bell::start("pace-test".to_owned()).unwrap();
        let shared = Arc::downgrade(&bell.0);
        drop(bell);
        while shared.upgrade().is_some() {
            thread::yield_now();
        }
    }
}
