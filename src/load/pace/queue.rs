//! Who waits until when, earliest first.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::task::Waker;

use tokio::time::Instant;

/// Somebody who waits.
#[derive(Debug)]
pub(super) struct Wait {
    pub(super) due: Instant,
    pub(super) waker: Waker,
}

impl PartialEq for Wait {
    fn eq(&self, other: &Self) -> bool {
        self.due == other.due
    }
}

impl Eq for Wait {}

impl PartialOrd for Wait {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Wait {
    fn cmp(&self, other: &Self) -> Ordering {
        self.due.cmp(&other.due)
    }
}

/// All who wait.
#[derive(Debug, Default)]
pub(super) struct Queue {
    waits: BinaryHeap<Reverse<Wait>>,
    /// What the bell is set to.
    set: Option<Instant>,
}

impl Queue {
    /// Adds a wait; whether the bell must be set to it.
    pub(super) fn push(&mut self, wait: Wait) -> bool {
        let earlier = self.set.is_none_or(|set| wait.due < set);
        if earlier {
            self.set = Some(wait.due);
        }
        self.waits.push(Reverse(wait));
        earlier
    }

    /// The bell rang: takes out who is due, and sets it to the earliest of the rest.
    pub(super) fn ring(&mut self, now: Instant, due: &mut Vec<Waker>) -> Option<Instant> {
        while self.waits.peek().is_some_and(|w| w.0.due <= now) {
            due.extend(self.waits.pop().map(|w| w.0.waker));
        }
        self.set = self.waits.peek().map(|w| w.0.due);
        self.set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_bell_is_set_to_the_earliest() {
        let (mut queue, begin, mut due) = (Queue::default(), Instant::now(), Vec::new());
        let at = |ms| begin + Duration::from_millis(ms);
        let wait = |ms| Wait { due: at(ms), waker: Waker::noop().clone() };
        assert!(queue.push(wait(20)));
        assert!(!queue.push(wait(30)));
        assert!(queue.push(wait(10)));
        assert_eq!(queue.ring(at(20), &mut due), Some(at(30)));
        assert_eq!(due.len(), 2);
        assert!(!queue.push(wait(40)));
        assert_eq!(queue.ring(at(50), &mut due), None);
        assert_eq!(due.len(), 4);
        assert!(queue.push(wait(60)));
    }
}
