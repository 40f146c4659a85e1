//! The session's clock over tokio's: the same in a live run and, paused, in tests.

use std::time::Instant;

use async_trait::async_trait;

use crate::model::units::{Elapsed, Span};
use crate::ports::Clock;

/// The system's monotonic clock, begun when it is made.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock {
    epoch: tokio::time::Instant,
}

impl SystemClock {
    /// A clock that begins now.
    #[must_use]
    pub fn start() -> Self {
        Self { epoch: tokio::time::Instant::now() }
    }
}

#[async_trait]
impl Clock for SystemClock {
    fn now(&self) -> Elapsed {
        Elapsed::ZERO.plus(Span::from(self.epoch.elapsed()))
    }

    fn epoch(&self) -> Instant {
        self.epoch.into_std()
    }

    fn wall(&self) -> String {
        jiff::ZonedDateTime::now().round(jiff::Unit::Second).map_or_else(|_| jiff::ZonedDateTime::now().to_string(), |z| z.to_string())
    }

    async fn sleep_until(&self, at: Elapsed) {
        tokio::time::sleep_until(self.epoch + std::time::Duration::from_micros(at.as_micros())).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn sleeping_moves_the_session_time() {
        let clock = SystemClock::start();
        clock.sleep_until(Elapsed(1_500_000)).await;
        assert!(clock.now() >= Elapsed(1_500_000) && clock.now() < Elapsed(1_510_000));
        clock.sleep_until(Elapsed(1)).await;
        assert!(clock.now() < Elapsed(1_510_000), "the past is over at once");
    }

    #[test]
    fn the_wall_clock_names_its_zone() {
        let text = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async { SystemClock::start().wall() });
        assert!(text.contains('[') && text.parse::<jiff::ZonedDateTime>().is_ok(), "{text}");
    }
}
