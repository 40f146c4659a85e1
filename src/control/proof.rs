//! Whether a setting acts, from what the service shows: the maximum reads back, the total keeps below it, and the total reaches it
//! while requests wait. Fed with one sighting a scrape; a pure state machine.

use std::collections::VecDeque;

use crate::model::event::Proof;
use crate::model::units::{Elapsed, Span};

/// Scrapes in a row in which the first two parts must hold before a step goes on.
const IN_A_ROW: u32 = 3;
/// Fewer scrapes than this under waiting requests refute nothing.
const LEAST_STUCK: usize = 3;

/// What one scrape shows of a setting. Unknown is none.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sighting {
    /// The maximum that reads back.
    pub max: Option<f64>,
    /// How many there are now.
    pub total: Option<f64>,
    /// How many requests wait for one.
    pub pending: Option<f64>,
}

/// The proof of one setting in one step.
#[derive(Debug, Clone, PartialEq)]
pub struct ProofWatch {
    want: f64,
    window: Span,
    in_a_row: u32,
    last: Sighting,
    reached: bool,
    waited: bool,
    recent: VecDeque<(Elapsed, bool)>,
}

impl ProofWatch {
    /// The proof that `want` acts. Under full load, scrapes over `window` that all show waiting requests and free room refute it.
    #[must_use]
    pub fn new(want: f64, window: Span) -> Self {
        Self { want, window, in_a_row: 0, last: Sighting::default(), reached: false, waited: false, recent: VecDeque::new() }
    }

    /// A scrape while settling. Returns whether the first two parts have held for three scrapes in a row.
    pub fn settle(&mut self, seen: Sighting) -> bool {
        self.last = seen;
        let within = seen.total.is_none_or(|t| t <= self.want + 0.5);
        if self.reads_back() && within {
            self.in_a_row += 1;
        } else {
            self.in_a_row = 0;
        }
        self.in_a_row >= IN_A_ROW
    }

    /// A scrape under full load.
    pub fn load(&mut self, at: Elapsed, seen: Sighting) {
        self.last = seen;
        let full = seen.total.is_some_and(|t| (t - self.want).abs() < 0.5);
        let waits = seen.pending.is_some_and(|p| p >= 1.0);
        self.reached |= full && self.reads_back();
        self.waited |= waits;
        let stuck = waits && seen.total.is_some_and(|t| t < self.want - 0.5);
        self.recent.push_back((at, stuck));
        let begin = at.minus(self.window);
        while self.recent.front().is_some_and(|(t, _)| *t < begin) {
            self.recent.pop_front();
        }
    }

    fn reads_back(&self) -> bool {
        self.last.max.is_some_and(|m| (m - self.want).abs() < 0.5)
    }

    /// The value that read back last.
    #[must_use]
    pub const fn seen(&self) -> Option<f64> {
        self.last.max
    }

    /// Why it did not settle, with the mend.
    #[must_use]
    pub fn unsettled(&self) -> String {
        match (self.last.max, self.last.total) {
            (None, _) => "the maximum does not read back: the signal is missing; look at the metrics source and `verify`".to_owned(),
            (Some(max), _) if !self.reads_back() => {
                format!("asked for {}, but {max} reads back: the apply endpoint did not take it, or the metric is bound to another pool", self.want)
            }
            (_, Some(total)) => format!(
                "the maximum reads {}, but {total} stay open: the surplus does not leave; lower a pool at run time with softEvictConnections, or restart the service",
                self.want
            ),
            (..) => format!("{} did not hold for {IN_A_ROW} scrapes in a row", self.want),
        }
    }

    /// What has been found so far, in one word and one sentence.
    #[must_use]
    pub fn finding(&self) -> (Proof, String) {
        let want = self.want;
        if self.reached {
            return (Proof::Acted, format!("{want} acts: reads back, and the total reached it"));
        }
        let stuck = self.recent.len() >= LEAST_STUCK && self.recent.iter().all(|(_, stuck)| *stuck);
        if stuck {
            let total = self.last.total.map_or_else(|| "?".to_owned(), |t| t.to_string());
            let text = format!(
                "{want} reads back but does not act: requests wait while only {total} are open; the read-back may be an echo, or the metric bound to another pool"
            );
            return (Proof::Refuted, text);
        }
        if self.waited {
            return (Proof::Unexercised, format!("{want} reads back; the total was not seen to reach it although requests waited at times"));
        }
        (Proof::Unexercised, format!("{want} reads back; nothing waited, so it could not be seen to act"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(max: f64, total: f64, pending: f64) -> Sighting {
        Sighting { max: Some(max), total: Some(total), pending: Some(pending) }
    }

    fn loaded(want: f64, sightings: &[Sighting]) -> ProofWatch {
        let mut watch = ProofWatch::new(want, Span::from_secs(5));
        for (i, s) in (1_u64..).zip(sightings) {
            watch.load(Elapsed(i * 1_000_000), *s);
        }
        watch
    }

    #[test]
    fn settling_takes_three_good_scrapes_in_a_row() {
        let mut watch = ProofWatch::new(10.0, Span::from_secs(5));
        let said: Vec<bool> =
            [seen(10.0, 10.0, 0.0), seen(10.0, 10.0, 0.0), seen(10.0, 12.0, 0.0), seen(10.0, 9.0, 0.0), seen(10.0, 10.0, 0.0), seen(10.0, 10.0, 0.0)]
                .map(|s| watch.settle(s))
                .to_vec();
        assert_eq!(said, [false, false, false, false, false, true]);
    }

    #[test]
    fn a_pool_lowered_without_eviction_is_told_its_mend() {
        let mut watch = ProofWatch::new(10.0, Span::from_secs(5));
        for _ in 0..20 {
            assert!(!watch.settle(seen(10.0, 40.0, 3.0)));
        }
        assert!(watch.unsettled().contains("softEvictConnections") && watch.unsettled().contains("40"), "{}", watch.unsettled());
    }

    #[test]
    fn a_value_that_does_not_read_back_is_named() {
        let mut watch = ProofWatch::new(50.0, Span::from_secs(5));
        assert!(!watch.settle(seen(30.0, 30.0, 0.0)));
        assert!(watch.unsettled().contains("30 reads back"), "{}", watch.unsettled());
        assert!(!watch.settle(Sighting::default()));
        assert!(watch.unsettled().contains("missing"), "{}", watch.unsettled());
    }

    #[test]
    fn reaching_the_maximum_once_is_proof() {
        let watch = loaded(30.0, &[seen(30.0, 17.0, 4.0), seen(30.0, 30.0, 2.0), seen(30.0, 26.0, 0.0)]);
        assert_eq!(watch.finding().0, Proof::Acted);
    }

    #[test]
    fn waiting_beside_free_room_refutes() {
        let watch = loaded(100.0, &[seen(100.0, 30.0, 40.0); 7]);
        let (proof, text) = watch.finding();
        assert_eq!(proof, Proof::Refuted);
        assert!(text.contains("echo"), "{text}");
    }

    #[test]
    fn growing_late_is_not_refuted() {
        let watch = loaded(30.0, &[seen(30.0, 17.0, 4.0), seen(30.0, 26.0, 4.0), seen(30.0, 28.0, 0.0)]);
        assert_eq!(watch.finding().0, Proof::Unexercised);
    }

    #[test]
    fn nothing_waiting_shows_nothing() {
        assert_eq!(loaded(30.0, &[seen(30.0, 12.0, 0.0); 7]).finding().0, Proof::Unexercised);
        assert_eq!(ProofWatch::new(30.0, Span::from_secs(5)).finding().0, Proof::Unexercised);
    }
}
