//! Where the queue is: the figures of the flow line and the sentence that names the widest backlog.

use super::series::recent;
use crate::model::session::Session;
use crate::model::signal::Signal;
use crate::model::units::Span;
use crate::ui::number;

/// Where most requests wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    /// In the generator: arrivals that could not begin.
    Generator,
    /// Before the worker threads.
    Threads,
    /// For a connection.
    Pool,
    /// For locks, inside the database.
    Database,
}

/// The flow line's figures, over about the last second. Each is missing where its signal is.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Flow {
    /// Requests that ended a second.
    pub rate: Option<f64>,
    /// Arrivals planned a second.
    pub planned: Option<f64>,
    /// Arrivals that could not begin, a second.
    pub dropped: Option<f64>,
    /// Requests under way.
    pub in_flight: Option<f64>,
    /// Worker threads at work.
    pub busy: Option<f64>,
    /// The most there may be.
    pub threads: Option<f64>,
    /// Requests waiting for a connection.
    pub pending: Option<f64>,
    /// Wait W, in seconds.
    pub wait_s: Option<f64>,
    /// Connections in use.
    pub active: Option<f64>,
    /// The pool's maximum.
    pub pool: Option<f64>,
    /// Hold H, in seconds.
    pub hold_s: Option<f64>,
    /// Sessions at work at the database.
    pub sessions: Option<f64>,
    /// Sessions waiting for a lock.
    pub locks: Option<f64>,
}

/// The figures now.
#[must_use]
pub(crate) fn flow(session: &Session) -> Flow {
    let known = session.flow();
    let span = session.tick().times(4.0).max(Span::from_secs(1));
    let last = session.ticks().last();
    let recent_ticks = || session.ticks().iter().rev().take_while(|t| last.is_some_and(|l| t.to.plus(span) > l.to));
    let seconds: f64 = recent_ticks().map(crate::model::session::TickPoint::seconds).sum();
    let dropped: u64 = recent_ticks().map(|t| t.dropped).sum();
    let of = |signal| recent(session, signal, None);
    let state = |name| recent(session, Signal::DbSessions, Some(name));
    Flow {
        rate: known.rate,
        planned: known.planned,
        dropped: (seconds > 0.0).then(|| dropped as f64 / seconds),
        in_flight: last.map(|t| t.in_flight as f64),
        busy: of(Signal::ThreadsBusy),
        threads: known.threads_max,
        pending: of(Signal::PoolPending),
        wait_s: known.wait_s,
        active: of(Signal::PoolActive),
        pool: known.pool_max,
        hold_s: known.hold_s,
        sessions: state("active"),
        locks: state("lock_waiting"),
    }
}

impl Flow {
    /// Requests that wait before the worker threads, if the threads are all at work.
    fn before_threads(&self) -> Option<f64> {
        let (busy, threads, in_flight) = (self.busy?, self.threads?, self.in_flight?);
        (threads > 0.0 && busy >= 0.97 * threads).then(|| (in_flight - busy).max(0.0))
    }

    /// The widest backlog, if any is worth naming, and the sentence that says so.
    #[must_use]
    pub(crate) fn widest(&self) -> (Option<Place>, String) {
        let waiting = [
            (Place::Generator, self.dropped.filter(|d| *d > 0.5)),
            (Place::Threads, self.before_threads()),
            (Place::Pool, self.pending),
            (Place::Database, self.locks),
        ];
        let widest = waiting.into_iter().filter_map(|(place, n)| n.map(|n| (place, n))).filter(|(_, n)| *n >= 1.0).max_by(|a, b| a.1.total_cmp(&b.1));
        match widest {
            Some((place, n)) => (Some(place), self.sentence(place, n)),
            None => (None, self.no_queue()),
        }
    }

    fn sentence(&self, place: Place, n: f64) -> String {
        let n = number::count(n);
        match place {
            Place::Generator => format!("the load is not all sent: {n} arrivals a second could not begin, too many requests are under way"),
            Place::Threads => {
                let threads = number::count_or(self.threads);
                format!("the queue is before the threads: {n} requests wait for one of {threads} worker threads")
            }
            Place::Pool => match self.wait_s {
                Some(w) => format!("the queue is at the pool: {n} requests wait {} for a connection", number::time(w)),
                None => format!("the queue is at the pool: {n} requests wait for a connection"),
            },
            Place::Database => {
                let sessions = self.sessions.map_or_else(String::new, |s| format!(" of {}", number::count(s)));
                format!("the queue is inside the database: {n}{sessions} sessions wait for locks")
            }
        }
    }

    fn no_queue(&self) -> String {
        match (self.pending, self.rate) {
            (_, None) => "no load yet".to_owned(),
            (None, _) => "whether requests wait for a connection is not known: no source shows pool.pending".to_owned(),
            (Some(_), Some(_)) => "no queue: requests find a thread and a connection at once".to_owned(),
        }
    }

    /// Signals of the flow line that no source shows, with what would show them.
    #[must_use]
    pub(crate) fn missing(&self) -> Vec<(Signal, &'static str)> {
        let wanted = [
            (self.busy, Signal::ThreadsBusy),
            (self.threads, Signal::ThreadsMax),
            (self.pending, Signal::PoolPending),
            (self.active, Signal::PoolActive),
            (self.pool, Signal::PoolMax),
            (self.sessions, Signal::DbSessions),
        ];
        wanted.into_iter().filter(|(v, _)| v.is_none()).map(|(_, s)| (s, mend(s))).collect()
    }
}

/// What would make a service show a signal.
#[must_use]
pub(crate) const fn mend(signal: Signal) -> &'static str {
    match signal {
        Signal::ThreadsBusy | Signal::ThreadsMax | Signal::ThreadsCurrent => "server.tomcat.mbeanregistry.enabled=true turns it on",
        Signal::PoolActive | Signal::PoolIdle | Signal::PoolPending | Signal::PoolMax | Signal::PoolAcquire | Signal::PoolUsage => {
            "a metrics source with the pool's figures (Micrometer and /actuator/prometheus) shows it"
        }
        Signal::DbSessions | Signal::DbWaits => "a metrics source at the database shows it",
        _ => "no source of this profile shows it",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::testkit;

    fn full() -> Flow {
        Flow {
            rate: Some(98.0),
            dropped: Some(0.0),
            in_flight: Some(205.0),
            busy: Some(200.0),
            threads: Some(200.0),
            pending: Some(37.0),
            wait_s: Some(0.412),
            active: Some(150.0),
            pool: Some(150.0),
            sessions: Some(121.0),
            locks: Some(14.0),
            ..Flow::default()
        }
    }

    #[test]
    fn the_widest_is_named_with_its_figures() {
        assert_eq!(full().widest(), (Some(Place::Pool), "the queue is at the pool: 37 requests wait 412 ms for a connection".to_owned()));
        let threads = Flow { in_flight: Some(400.0), ..full() };
        assert_eq!(threads.widest().1, "the queue is before the threads: 200 requests wait for one of 200 worker threads");
        let locks = Flow { locks: Some(90.0), ..full() };
        assert_eq!(locks.widest().1, "the queue is inside the database: 90 of 121 sessions wait for locks");
        let drops = Flow { dropped: Some(300.0), ..full() };
        assert_eq!(drops.widest().0, Some(Place::Generator));
    }

    #[test]
    fn no_queue_and_not_known_are_different() {
        let quiet = Flow { pending: Some(0.2), locks: None, ..full() };
        assert_eq!(
            quiet.widest(),
            (Some(Place::Threads), "the queue is before the threads: 5 requests wait for one of 200 worker threads".to_owned())
        );
        let quiet = Flow { in_flight: Some(20.0), busy: Some(20.0), pending: Some(0.0), locks: None, ..full() };
        assert_eq!(quiet.widest().1, "no queue: requests find a thread and a connection at once");
        let blind = Flow { rate: Some(5.0), ..Flow::default() };
        assert!(blind.widest().1.contains("not known") && blind.missing().len() == 6);
        assert_eq!(Flow::default().widest().1, "no load yet");
    }

    #[test]
    fn figures_come_from_the_session() {
        let flow = flow(&testkit::middle());
        assert!(flow.rate.is_some() && flow.pending.is_some() && flow.missing().is_empty(), "{flow:?}");
    }
}
