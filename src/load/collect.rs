//! Joins the workers' parts of an interval into one tick and sends it, on a thread of its own so that no user waits for it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Receiver;

use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

pub(crate) use super::book::Note;
use super::book::Part;
use super::watch::Watch;
use crate::model::event::{RequestKey, Tick, slot_begin};
use crate::model::units::Span;
use crate::ports::EngineReport;

/// Name of this source of load.
pub(crate) const SOURCE: &str = "local";

/// Joins parts.
#[derive(Debug)]
pub(crate) struct Collector {
    keys: Vec<RequestKey>,
    tick: Span,
    workers: usize,
    left: usize,
    number: Arc<AtomicU64>,
    parts: BTreeMap<u64, (usize, Part)>,
    reached: BTreeMap<u64, usize>,
    waiting: Vec<(u64, oneshot::Sender<()>)>,
    watch: Watch,
    reports: UnboundedSender<EngineReport>,
}

impl Collector {
    /// For so many workers; `number` is the number of the next tick and goes on after this collector.
    pub(crate) fn new(keys: Vec<RequestKey>, tick: Span, workers: usize, number: Arc<AtomicU64>, reports: UnboundedSender<EngineReport>) -> Self {
        Self {
            keys,
            tick,
            workers,
            left: 0,
            number,
            parts: BTreeMap::new(),
            reached: BTreeMap::new(),
            waiting: Vec::new(),
            watch: Watch::new(tick),
            reports,
        }
    }

    /// Until every worker has left.
    pub(crate) fn run(mut self, notes: &Receiver<Note>) {
        while let Ok(note) = notes.recv() {
            self.take(note);
            if self.left == self.workers {
                break;
            }
        }
    }

    fn take(&mut self, note: Note) {
        match note {
            Note::Part(part) => self.take_part(*part),
            Note::Warn(text) => self.send(EngineReport::Warning(text)),
            Note::Reached(point) => *self.reached.entry(point).or_default() += 1,
            Note::Await(point, done) => self.waiting.push((point, done)),
            Note::Left => self.left += 1,
        }
        let (reached, workers) = (&self.reached, self.workers);
        for (_, done) in self.waiting.extract_if(.., |w| reached.get(&w.0).is_some_and(|n| *n >= workers)) {
            // Whoever waited may have given up; nothing depends on it.
            let _ = done.send(());
        }
    }

    /// Each worker hands its intervals over in order, so they are complete in order.
    fn take_part(&mut self, part: Part) {
        let slot = part.slot;
        let whole = match self.parts.remove(&slot) {
            None => (1, part),
            Some((n, mut whole)) => {
                whole.merge(part);
                (n + 1, whole)
            }
        };
        if whole.0 < self.workers {
            self.parts.insert(slot, whole);
            return;
        }
        let part = whole.1;
        let said = self.watch.look(&part);
        let tick = self.tick_of(part);
        self.send(EngineReport::Tick(Box::new(tick)));
        for report in said {
            self.send(report);
        }
    }

    fn tick_of(&self, part: Part) -> Tick {
        let named = |row: super::book::Row| {
            let key = self.keys.get(row.key).cloned().unwrap_or_default();
            row.named(key)
        };
        Tick {
            source: SOURCE.to_owned(),
            number: self.number.fetch_add(1, Ordering::Relaxed),
            from: slot_begin(part.slot, self.tick),
            to: part.to,
            planned: part.planned,
            sent: part.sent,
            dropped: part.dropped,
            in_flight: part.in_flight,
            users: part.users,
            iterations: part.iterations,
            rows: part.rows.into_iter().map(named).collect(),
        }
    }

    /// Nobody listening means that the session is over; the load is being closed then.
    fn send(&self, report: EngineReport) {
        let _ = self.reports.send(report);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::units::Elapsed;
    use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

    fn collector(workers: usize) -> (Collector, UnboundedReceiver<EngineReport>) {
        let (reports, seen) = unbounded_channel();
        (Collector::new(Vec::new(), Span::from_secs(1), workers, Arc::new(AtomicU64::new(5)), reports), seen)
    }

    #[test]
    fn a_worker_without_time_left_is_told_beside_its_ticks() {
        let (mut collector, mut seen) = collector(1);
        for slot in 0..2 {
            let busy = Span::from_millis(950);
            collector.take(Note::Part(Box::new(Part { slot, busy, to: Elapsed((slot + 1) * 1_000_000), ..Part::default() })));
        }
        let mut told = Vec::new();
        while let Ok(report) = seen.try_recv() {
            if let EngineReport::Bound(bound) = report {
                told.push((bound.source, bound.to.as_micros(), bound.figure));
            }
        }
        assert_eq!(told, [(SOURCE.to_owned(), 1_000_000, 0.95), (SOURCE.to_owned(), 2_000_000, 0.95)]);
    }

    fn part(slot: u64, sent: u64) -> Note {
        Note::Part(Box::new(Part { slot, sent, to: Elapsed((slot + 1) * 1_000_000), ..Part::default() }))
    }

    fn ticks(seen: &mut UnboundedReceiver<EngineReport>) -> Vec<(u64, u64, u64)> {
        let mut out = Vec::new();
        while let Ok(report) = seen.try_recv() {
            if let EngineReport::Tick(t) = report {
                assert_eq!((t.source.as_str(), t.to.since(t.from)), (SOURCE, Span::from_secs(1)));
                out.push((t.number, t.from.as_micros() / 1_000_000, t.sent));
            }
        }
        out
    }

    #[test]
    fn a_tick_is_sent_when_every_worker_has_handed_it_over() {
        let (mut collector, mut seen) = collector(2);
        collector.take(part(7, 1));
        collector.take(part(8, 10));
        assert_eq!(ticks(&mut seen), []);
        collector.take(part(7, 2));
        collector.take(part(8, 20));
        assert_eq!(ticks(&mut seen), [(5, 7, 3), (6, 8, 30)]);
    }

    #[test]
    fn who_waits_is_told_when_all_have_come() {
        let (mut collector, _seen) = collector(2);
        let (done, mut told) = oneshot::channel();
        collector.take(Note::Reached(3));
        collector.take(Note::Await(3, done));
        assert!(told.try_recv().is_err());
        collector.take(Note::Reached(3));
        assert_eq!(told.try_recv(), Ok(()));
    }

    #[test]
    fn it_ends_with_the_last_worker() {
        let (collector, _seen) = collector(2);
        let (to, notes) = std::sync::mpsc::channel();
        to.send(Note::Left).unwrap();
        to.send(Note::Left).unwrap();
        collector.run(&notes);
        assert!(notes.try_recv().is_err());
    }
}
