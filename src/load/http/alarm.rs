//! A time-out that costs nothing while it does not happen: one timer for each connection's life, moved only when it rings.
//!
//! A request that ends in time leaves the timer where it is; when it rings for a request long answered it is set to the one
//! under way. So a connection touches the timer wheel about once a time-out, not twice a request.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::time::{Instant, Sleep, sleep_until};

/// Rings when the request under way has had its time.
#[derive(Debug)]
pub(crate) struct Alarm {
    sleep: Pin<Box<Sleep>>,
}

impl Alarm {
    /// Set to `due`.
    pub(crate) fn new(due: Instant) -> Self {
        Self { sleep: Box::pin(sleep_until(due)) }
    }

    /// Ready once `due` has passed, never before.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>, due: Instant) -> Poll<()> {
        if self.sleep.deadline() > due {
            self.sleep.as_mut().reset(due);
        }
        loop {
            ready!(self.sleep.as_mut().poll(cx));
            if Instant::now() >= due {
                return Poll::Ready(());
            }
            self.sleep.as_mut().reset(due);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;
    use std::time::Duration;

    #[tokio::test(start_paused = true)]
    async fn it_rings_at_the_due_time_of_the_request_under_way() {
        let begin = Instant::now();
        let mut alarm = Alarm::new(begin + Duration::from_millis(10));
        let later = begin + Duration::from_millis(35);
        poll_fn(|cx| alarm.poll(cx, later)).await;
        assert_eq!(Instant::now(), later);
    }

    #[tokio::test(start_paused = true)]
    async fn an_earlier_due_time_moves_it_forward() {
        let begin = Instant::now();
        let mut alarm = Alarm::new(begin + Duration::from_secs(60));
        let soon = begin + Duration::from_millis(5);
        poll_fn(|cx| alarm.poll(cx, soon)).await;
        assert_eq!(Instant::now(), soon);
    }

    #[tokio::test(start_paused = true)]
    async fn it_can_ring_again() {
        let begin = Instant::now();
        let mut alarm = Alarm::new(begin);
        for ms in [5, 10, 15] {
            let due = begin + Duration::from_millis(ms);
            poll_fn(|cx| alarm.poll(cx, due)).await;
            assert_eq!(Instant::now(), due);
        }
    }
}
