//! The bell as a timer of the kernel inside the worker's own event loop: exact to microseconds, and no other thread is woken.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use rustix::time::{Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime};
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio::time::Instant;

use super::queue::{Queue, Wait};

/// A timer and who waits for it.
#[derive(Debug)]
pub(super) struct Bell {
    timer: OwnedFd,
    queue: Mutex<Queue>,
}

impl Bell {
    /// In the runtime it is called in, where a task listens to it until the bell is dropped.
    pub(super) fn start() -> io::Result<Arc<Self>> {
        let timer = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC)?;
        // To the event loop a timer is a thing that can be read, as a pipe is: the one kind of bare descriptor it takes without unsafe code.
        let rings = Receiver::from_owned_fd_unchecked(timer.try_clone()?)?;
        let bell = Arc::new(Self { timer, queue: Mutex::default() });
        tokio::spawn(listen(rings, Arc::downgrade(&bell)));
        Ok(bell)
    }

    pub(super) fn push(&self, wait: Wait) {
        let due = wait.due;
        let is_earliest = self.queue.lock().unwrap_or_else(PoisonError::into_inner).push(wait);
        if is_earliest {
            self.set(due);
        }
    }

    /// A time in the past rings at once; a timer set to nothing would never ring.
    fn set(&self, due: Instant) {
        let left = due.saturating_duration_since(Instant::now()).max(Duration::from_nanos(1));
        let once = Timespec { tv_sec: 0, tv_nsec: 0 };
        let Ok(value) = Timespec::try_from(left) else { return };
        // The arguments are in range and the timer is ours, so this can not fail.
        let _ = timerfd_settime(&self.timer, TimerfdTimerFlags::empty(), &Itimerspec { it_interval: once, it_value: value });
    }

    fn ring(&self) {
        let mut due = Vec::new();
        let next = self.queue.lock().unwrap_or_else(PoisonError::into_inner).ring(Instant::now(), &mut due);
        due.into_iter().for_each(std::task::Waker::wake);
        if let Some(next) = next {
            self.set(next);
        }
    }
}

impl Drop for Bell {
    /// Rings once more, so that the listener sees that nobody is left.
    fn drop(&mut self) {
        self.set(Instant::now());
    }
}

/// A read takes eight bytes and leaves room in the buffer, which tells the event loop to wait for the next event.
async fn listen(mut rings: Receiver, bell: Weak<Bell>) {
    let mut count = [0_u8; 16];
    while rings.read(&mut count).await.is_ok() {
        match bell.upgrade() {
            Some(bell) => bell.ring(),
            None => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_listener_ends_with_the_bell() {
        let metrics = tokio::runtime::Handle::current().metrics();
        let before = metrics.num_alive_tasks();
        let bell = Bell::start().unwrap();
        tokio::task::yield_now().await;
        assert_eq!(metrics.num_alive_tasks(), before + 1);
        drop(bell);
        while metrics.num_alive_tasks() > before {
            tokio::task::yield_now().await;
        }
    }
}
