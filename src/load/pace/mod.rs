//! Waking users on time. tokio's timers count milliseconds and round up, which would put a millisecond into every latency that
//! is measured from the intended start. So a worker's waits stand in a queue of their own, and the earliest of them rings a bell:
//! the kernel's fine timer in the worker's own event loop where there is one, a thread that sleeps elsewhere. Neither ever spins.

#[cfg(target_os = "linux")]
mod kernel;
mod queue;
mod thread;

use std::future::poll_fn;
use std::io;
use std::sync::Arc;
use std::task::{Poll, Waker};

use tokio::time::Instant;

use queue::Wait;

/// Wakes the tasks of one worker at instants.
#[derive(Debug, Clone)]
pub(crate) struct Pacer(Bell);

#[derive(Debug, Clone)]
enum Bell {
    #[cfg(target_os = "linux")]
    Kernel(Arc<kernel::Bell>),
    Thread(Arc<thread::Bell>),
    #[cfg(test)]
    Virtual,
}

impl Pacer {
    /// For the runtime it is called in.
    #[cfg(target_os = "linux")]
    pub(crate) fn start(name: String) -> io::Result<Self> {
        kernel::Bell::start().map(|bell| Self(Bell::Kernel(bell))).or_else(|_no_timer| Self::with_thread(name))
    }

    /// For the runtime it is called in.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn start(name: String) -> io::Result<Self> {
        Self::with_thread(name)
    }

    fn with_thread(name: String) -> io::Result<Self> {
        thread::Bell::start(name).map(|bell| Self(Bell::Thread(Arc::new(bell))))
    }

    /// On tokio's own timers, which tests can advance.
    #[cfg(test)]
    pub(crate) const fn virtual_time() -> Self {
        Self(Bell::Virtual)
    }

    /// Returns once `due` has come, never before.
    pub(crate) async fn until(&self, due: Instant) {
        #[cfg(test)]
        if matches!(self.0, Bell::Virtual) {
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
                self.push(Wait { due, waker });
            }
            Poll::Pending
        })
        .await;
    }

    fn push(&self, wait: Wait) {
        match &self.0 {
            #[cfg(target_os = "linux")]
            Bell::Kernel(bell) => bell.push(wait),
            Bell::Thread(bell) => bell.push(wait),
            #[cfg(test)]
            Bell::Virtual => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn both() -> Vec<Pacer> {
        vec![Pacer::start("pace-test".to_owned()).unwrap(), Pacer::with_thread("pace-test".to_owned()).unwrap()]
    }

    #[tokio::test]
    async fn nobody_is_woken_early_and_everybody_in_order() {
        for pacer in both() {
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
    }

    #[tokio::test]
    async fn one_wait_after_another() {
        for pacer in both() {
            let begin = Instant::now();
            for n in 1..=20 {
                let due = begin + Duration::from_micros(n * 300);
                pacer.until(due).await;
                assert!(Instant::now() >= due);
            }
        }
    }

    #[tokio::test]
    async fn a_wait_given_up_disturbs_nobody() {
        for pacer in both() {
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
    }

    #[tokio::test(start_paused = true)]
    async fn virtual_waits_follow_the_paused_clock() {
        let begin = Instant::now();
        Pacer::virtual_time().until(begin + Duration::from_secs(3600)).await;
        assert_eq!(begin.elapsed(), Duration::from_secs(3600));
    }
}
