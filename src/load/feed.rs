//! A feeder at work: rows that all workers share, dealt out one for each pass.
//!
//! Rows are read before the load begins and stay as they are; whoever asks for one gets it without a lock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rand::seq::SliceRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::fill::Value;
use crate::model::plan::FeedStrategy;
use crate::model::rows::Rows;

/// Rows and whose turn it is.
#[derive(Debug)]
pub(crate) struct Feed {
    rows: Vec<Arc<[Value]>>,
    strategy: FeedStrategy,
    next: AtomicU64,
    said: AtomicBool,
}

impl Feed {
    /// A feeder at its first row; `seed` is what a shuffled one is shuffled by.
    pub(crate) fn new(rows: Rows, strategy: FeedStrategy, seed: u64) -> Self {
        let mut rows: Vec<Arc<[Value]>> = rows.rows.into_iter().map(Arc::from).collect();
        if strategy == FeedStrategy::Shuffled {
            rows.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        }
        Self { rows, strategy, next: AtomicU64::new(0), said: AtomicBool::new(false) }
    }

    /// A row for a pass; none if the queue is at its end.
    pub(crate) fn draw(&self, rng: &mut impl Rng) -> Option<Arc<[Value]>> {
        let n = self.rows.len();
        let at = match self.strategy {
            _ if n == 0 => return None,
            FeedStrategy::Random => rng.random_range(0..n),
            FeedStrategy::Circular | FeedStrategy::Shuffled => self.turn(n as u64),
            // A queue at its end is asked again and again; its counter must not come round.
            FeedStrategy::Queue if self.is_dry() => return None,
            FeedStrategy::Queue => usize::try_from(self.next.fetch_add(1, Ordering::Relaxed)).unwrap_or(usize::MAX),
        };
        self.rows.get(at).cloned()
    }

    fn turn(&self, of: u64) -> usize {
        usize::try_from(self.next.fetch_add(1, Ordering::Relaxed) % of).unwrap_or(0)
    }

    /// Whether no pass gets a row any more.
    pub(crate) fn is_dry(&self) -> bool {
        self.strategy == FeedStrategy::Queue && self.next.load(Ordering::Relaxed) >= self.rows.len() as u64
    }

    /// How many rows there are, to whoever asks first.
    pub(crate) fn say_once(&self) -> Option<usize> {
        (!self.said.swap(true, Ordering::Relaxed)).then_some(self.rows.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed(n: usize, strategy: FeedStrategy) -> Feed {
        let lines: Vec<String> = (0..n).map(|i| i.to_string()).collect();
        Feed::new(Rows::csv(format!("n\n{}", lines.join("\n")).as_bytes()).unwrap(), strategy, 7)
    }

    fn drawn(feed: &Feed, times: usize) -> Vec<usize> {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        (0..times).map_while(|_| feed.draw(&mut rng)).map(|row| row[0].text.parse().unwrap()).collect()
    }

    #[test]
    fn circular_begins_again_after_the_last() {
        let feed = feed(3, FeedStrategy::Circular);
        assert_eq!(drawn(&feed, 7), [0, 1, 2, 0, 1, 2, 0]);
        assert!(!feed.is_dry());
    }

    #[test]
    fn shuffled_is_one_order_again_and_again() {
        let feed = feed(50, FeedStrategy::Shuffled);
        let (first, second) = (drawn(&feed, 50), drawn(&feed, 50));
        assert_eq!(first, second);
        assert_ne!(first, (0..50).collect::<Vec<_>>());
        let mut sorted = first;
        sorted.sort_unstable();
        assert_eq!(sorted, (0..50).collect::<Vec<_>>());
    }

    #[test]
    fn random_draws_every_row_about_as_often() {
        let mut counts = [0; 4];
        for n in drawn(&feed(4, FeedStrategy::Random), 4000) {
            counts[n] += 1;
        }
        assert!(counts.iter().all(|n| (850..1150).contains(n)), "{counts:?}");
    }

    #[test]
    fn a_queue_gives_each_row_once_and_says_so_once() {
        let feed = feed(3, FeedStrategy::Queue);
        assert_eq!(drawn(&feed, 2), [0, 1]);
        assert!(!feed.is_dry());
        assert_eq!(drawn(&feed, 5), [2]);
        assert!(feed.is_dry());
        assert_eq!(drawn(&feed, 5), Vec::<usize>::new());
        assert_eq!((feed.say_once(), feed.say_once()), (Some(3), None));
    }
}
