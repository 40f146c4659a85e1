//! The canonical signals: the only names that charts, analysis, guards and thresholds know. Every source is translated into them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What kind of figure a signal is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A level, sampled.
    Gauge,
    /// A count that only grows, until its process restarts.
    Counter,
    /// A sum of durations and their count, both growing.
    Timer,
    /// A distribution of durations.
    Histogram,
}

/// How figures of several instances become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Over {
    /// Added up.
    Sum,
    /// The largest: several observers of one thing.
    Max,
    /// Never joined: each stands alone.
    Each,
    /// Histograms are merged.
    Merge,
}

/// The unit of a signal's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unit {
    /// A plain count.
    One,
    /// Seconds.
    Seconds,
    /// Bytes.
    Bytes,
    /// Processor cores in use.
    Cores,
    /// Seconds since 1970.
    Since1970,
}

impl Unit {
    /// As written behind a number; empty for a plain count.
    #[must_use]
    pub const fn suffix(self) -> &'static str {
        match self {
            Self::One => "",
            Self::Seconds | Self::Since1970 => "s",
            Self::Bytes => "B",
            Self::Cores => "cores",
        }
    }
}

/// One row of the table below gives a signal's name, kind, unit and joining rule; nothing else in the code repeats them.
macro_rules! signals {
    ($($variant:ident = $name:literal, $kind:ident, $unit:ident, $over:ident, $what:literal;)*) => {
        /// A canonical signal.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Signal {
            $(#[doc = $what] $variant,)*
        }

        impl Signal {
            /// All signals, in the order of the contract.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The canonical name, as profiles and recordings write it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// What kind of figure it is.
            #[must_use]
            pub const fn kind(self) -> Kind {
                match self { $(Self::$variant => Kind::$kind),* }
            }

            /// The unit of its values.
            #[must_use]
            pub const fn unit(self) -> Unit {
                match self { $(Self::$variant => Unit::$unit),* }
            }

            /// How several instances become one.
            #[must_use]
            pub const fn over_instances(self) -> Over {
                match self { $(Self::$variant => Over::$over),* }
            }

            /// What it means, in a few words.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $what),* }
            }
        }
    };
}

signals! {
    ClientRequests = "client.requests", Counter, One, Sum, "requests finished, failed ones too";
    ClientFailed = "client.failed", Counter, One, Sum, "requests failed";
    ClientDropped = "client.dropped", Counter, One, Sum, "arrivals never sent";
    ClientLatency = "client.latency", Histogram, Seconds, Merge, "time from the intended start to the end of the answer";
    ClientServiceTime = "client.service_time", Histogram, Seconds, Merge, "time from the send to the end of the answer";
    ClientSendLag = "client.send_lag", Histogram, Seconds, Merge, "time from the intended start to the send";
    ClientInFlight = "client.in_flight", Gauge, One, Sum, "requests sent and not yet answered";
    ClientUsers = "client.users", Gauge, One, Sum, "virtual users at work";
    ClientConnectWait = "client.connect_wait", Histogram, Seconds, Merge, "time waited for an own connection";
    ClientIterationTime = "client.iteration_time", Histogram, Seconds, Merge, "time of a whole pass of a scenario";
    ClientIterations = "client.iterations", Counter, One, Sum, "passes of a scenario finished";
    ClientChecks = "client.checks", Counter, One, Sum, "checks, by passed and failed";
    ClientBytes = "client.bytes", Counter, Bytes, Sum, "bytes received";
    GeneratorClockOffset = "generator.clock_offset", Gauge, Seconds, Each, "clock of a load source against the coordinator";
    PoolActive = "pool.active", Gauge, One, Sum, "connections in use";
    PoolIdle = "pool.idle", Gauge, One, Sum, "connections open and free";
    PoolPending = "pool.pending", Gauge, One, Sum, "requests waiting for a connection";
    PoolMax = "pool.max", Gauge, One, Sum, "the pool's maximum";
    PoolTotal = "pool.total", Gauge, One, Sum, "connections open";
    PoolAcquire = "pool.acquire", Timer, Seconds, Sum, "wait W for a connection";
    PoolUsage = "pool.usage", Timer, Seconds, Sum, "hold H of a connection";
    PoolCreation = "pool.creation", Timer, Seconds, Sum, "time to open a connection";
    PoolTimeouts = "pool.timeouts", Counter, One, Sum, "waits for a connection that timed out";
    ThreadsBusy = "threads.busy", Gauge, One, Sum, "worker threads at work";
    ThreadsCurrent = "threads.current", Gauge, One, Sum, "worker threads created";
    ThreadsMax = "threads.max", Gauge, One, Sum, "the most worker threads there may be";
    ServerRequests = "server.requests", Timer, Seconds, Sum, "requests by the service's own count, its admin and metrics paths left out";
    ProcessCpu = "process.cpu", Gauge, Cores, Sum, "cores in use by the service";
    ProcessCpuLimit = "process.cpu_limit", Gauge, Cores, Sum, "cores the service may use";
    ProcessRss = "process.rss", Gauge, Bytes, Sum, "memory of the service";
    HeapUsed = "heap.used", Gauge, Bytes, Sum, "heap in use";
    HeapMax = "heap.max", Gauge, Bytes, Sum, "heap limit";
    ProcessStarted = "process.started", Gauge, Since1970, Each, "when the service's process began";
    GcPause = "gc.pause", Timer, Seconds, Sum, "pauses of the garbage collector";
    DbSessions = "db.sessions", Gauge, One, Max, "sessions at the database, by state";
    DbWaits = "db.waits", Gauge, One, Max, "sessions waiting at the database, by kind of wait";
    DbMaxConnections = "db.max_connections", Gauge, One, Max, "connections the database admits, less the reserved ones";
    DbCommits = "db.commits", Counter, One, Max, "transactions committed";
    DbRollbacks = "db.rollbacks", Counter, One, Max, "transactions rolled back";
    DbDeadlocks = "db.deadlocks", Counter, One, Max, "deadlocks";
    DbBlocksHit = "db.blocks_hit", Counter, One, Max, "blocks found in memory";
    DbBlocksRead = "db.blocks_read", Counter, One, Max, "blocks read from disk";
    DbIoTime = "db.io_time", Counter, Seconds, Max, "time spent on reading and writing blocks";
    DbCpu = "db.cpu", Gauge, Cores, Each, "cores in use at the database";
    HostCpu = "host.cpu", Gauge, Cores, Each, "cores in use on the machine the load comes from";
    GeneratorCpu = "generator.cpu", Gauge, Cores, Each, "cores in use by the load generator";
    HostMemory = "host.memory", Gauge, Bytes, Each, "memory in use on the machine the load comes from";
    HostPortsInUse = "host.ports_in_use", Gauge, One, Each, "local ports taken on the machine the load comes from";
    HostOpenFiles = "host.open_files", Gauge, One, Each, "files open in the load generator";
}

/// A name that is no signal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is no signal{}", nearest.map_or_else(String::new, |n| format!("; did you mean `{n}`?")))]
pub struct UnknownSignal {
    /// What was written.
    pub name: String,
    /// The closest known name.
    pub nearest: Option<&'static str>,
}

impl FromStr for Signal {
    type Err = UnknownSignal;

    fn from_str(name: &str) -> Result<Self, UnknownSignal> {
        Self::ALL.iter().copied().find(|s| s.name() == name).ok_or_else(|| {
            let known: Vec<&'static str> = Self::ALL.iter().map(|s| s.name()).collect();
            UnknownSignal { name: name.to_owned(), nearest: super::text::nearest(name, &known) }
        })
    }
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Signal {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Signal {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let name = std::borrow::Cow::<'de, str>::deserialize(from)?;
        name.parse().map_err(serde::de::Error::custom)
    }
}

/// One value of a signal, as it was scraped: counters and timers are cumulative.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Value {
    /// A level.
    Gauge(f64),
    /// A cumulative count.
    Counter(f64),
    /// A cumulative sum of seconds and its cumulative count.
    Timer {
        /// Seconds since the process began.
        sum: f64,
        /// Events since the process began.
        count: f64,
    },
}

impl Value {
    /// The figure of a gauge or counter; the count of a timer.
    #[must_use]
    pub const fn level(self) -> f64 {
        match self {
            Self::Gauge(v) | Self::Counter(v) => v,
            Self::Timer { count, .. } => count,
        }
    }
}

/// What a series is known by.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SeriesKey {
    /// The canonical signal.
    pub signal: Signal,
    /// Which part of it: a pool's name, a session state, a route.
    pub of: Option<String>,
    /// Which metrics source of the profile it came from (`app`, `db`, `host`).
    pub source: String,
    /// Which instance of a fleet.
    pub instance: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_come_back() {
        for s in Signal::ALL {
            assert_eq!(s.name().parse::<Signal>().as_ref(), Ok(s));
        }
        let mut names: Vec<_> = Signal::ALL.iter().map(|s| s.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Signal::ALL.len());
    }

    #[test]
    fn a_misspelt_name_is_told_the_nearest() {
        let error = "pool.maximum".parse::<Signal>().unwrap_err();
        assert_eq!(error.nearest, Some("pool.max"));
        assert!("zzzzzzzzzzzz".parse::<Signal>().unwrap_err().nearest.is_none());
    }

    #[test]
    fn kinds_and_joins_agree() {
        for s in Signal::ALL {
            assert_eq!(s.kind() == Kind::Histogram, s.over_instances() == Over::Merge, "{s}");
        }
    }
}
