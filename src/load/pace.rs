//! Waking users on time. tokio's timers count milliseconds and round up, which would put a millisecond into every latency that
//! is measured from the intended start; so waits end by a thread of their own that sleeps in the kernel's fine timer.
//!
//! The thread sleeps until the earliest wake-up and costs nothing in between; it never spins.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::future::poll_fn;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::thread;

use tokio::time::Instant;

/// Wakes tasks at instants.
#[derive(Debug, Clone)]
pub(crate) struct Pacer {
    shared: Arc<Shared>,
    owner: Option<Arc<Owner>>,
}

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<Queue>,
    earlier: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    waits: BinaryHeap<Reverse<Wait>>,
    closed: bool,
}

#[derive(Debug)]
struct Wait {
    due: Instant,
    waker: Waker,
}

impl PartialEq for Wait {
    fn eq(&self, other: &Self) -> bool {
        self.due == other.due
    }
}

impl Eq for Wait {}

impl PartialOrd for Wait {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Wait {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.due.cmp(&other.due)
    }
}

/// Ends the thread when the last pacer is gone.
#[derive(Debug)]
struct Owner(Arc<Shared>);

impl Drop for Owner {
    fn drop(&mut self) {
        self.0.lock().closed = true;
        self.0.earlier.notify_one();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, wait: Wait) {
        let mut queue = self.lock();
        let is_earliest = queue.waits.peek().is_none_or(|first| wait.due < first.0.due);
        queue.waits.push(Reverse(wait));
        drop(queue);
        if is_earliest {
            self.earlier.notify_one();
        }
    }

    fn run(&self) {
        let mut queue = self.lock();
        while !queue.closed {
            let now = Instant::now();
            let mut due = Vec::new();
            while queue.waits.peek().is_some_and(|w| w.0.due <= now) {
                due.extend(queue.waits.pop().map(|w| w.0.waker));
            }
            if !due.is_empty() {
                drop(queue);
                due.into_iter().for_each(Waker::wake);
                queue = self.lock();
                continue;
            }
            queue = match queue.waits.peek().map(|w| w.0.due.duration_since(now)) {
                None => self.earlier.wait(queue).unwrap_or_else(PoisonError::into_inner),
                Some(left) => self.earlier.wait_timeout(queue, left).unwrap_or_else(PoisonError::into_inner).0,
            };
        }
    }
}

impl Pacer {
    /// With its thread.
    pub(crate) fn start(name: String) -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let owner = Arc::new(Owner(Arc::clone(&shared)));
        let own = Arc::clone(&shared);
        thread::Builder::new().name(name).spawn(move || own.run())?;
        Ok(Self { shared, owner: Some(owner) })
    }

    /// On tokio's own timers, which tests can advance.
    #[cfg(test)]
    pub(crate) fn virtual_time() -> Self {
        Self { shared: Arc::new(Shared::default()), owner: None }
    }

    /// Returns once `due` has come, never before.
    pub(crate) async fn until(&self, due: Instant) {
        if self.owner.is_none() {
            return tokio::time::sleep_until(due).await;
        }
        let mut asked: Option<Waker> = None;
        poll_fn(|cx| {
            if Instant::now() >= due {
                return Poll::Ready(());
            }
            if !asked.as_ref().is_some_and(|w| w.will_wake(cx.waker())) {
                let waker = cx.waker().clone();
                asked = Some(waker.clone());
                self.shared.push(Wait { due, waker });
            }
            Poll::Pending
        })
        .await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test]
    async fn nobody_is_woken_early_and_everybody_in_order() {
        let pacer = Pacer::start("pace-test".to_owned()).unwrap();
        let begin = Instant::now();
        let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
        for ms in [9_u64, 3, 6, 0] {
            let (pacer, tell) = (pacer.clone(), tell.clone());
            tokio::spawn(async move {
                let due = begin + Duration::from_millis(ms);
                pacer.until(due).await;
                assert!(Instant::now() >= due);
                tell.send(ms).unwrap();
            });
        }
        let mut order = Vec::new();
        for _ in 0..4 {
            order.extend(told.recv().await);
        }
        assert_eq!(order, [0, 3, 6, 9]);
    }

    #[tokio::test]
    async fn a_wait_given_up_disturbs_nobody() {
        let pacer = Pacer::start("pace-test".to_owned()).unwrap();
        let far = Instant::now() + Duration::from_millis(5);
        let given_up = tokio::spawn({
            let pacer = pacer.clone();
            async move { pacer.until(far).await }
        });
        tokio::task::yield_now().await;
        given_up.abort();
        pacer.until(far + Duration::from_millis(5)).await;
        assert!(given_up.await.unwrap_err().is_cancelled());
    }

    #[tokio::test(start_paused = true)]
    async fn virtual_waits_follow_the_paused_clock() {
        let begin = Instant::now();
        Pacer::virtual_time().until(begin + Duration::from_secs(3600)).await;
        assert_eq!(begin.elapsed(), Duration::from_secs(3600));
    }
}
