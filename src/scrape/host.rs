//! The machine the load comes from, and this process on it: whether the generator itself was the limit is asked of these
//! figures. Read on a thread for blocking work, never on those that serve the run.

use std::time::Instant;

use async_trait::async_trait;
use sysinfo::{MemoryRefreshKind, Pid, ProcessRefreshKind, ProcessesToUpdate, System};

use super::error::ScrapeError;
use super::proc;
use crate::model::event::{Gap, Reading, Sample};
use crate::model::signal::{Signal, Value};
use crate::model::units::Span;
use crate::ports::{Clock, Scraped, Scraper};

/// The name under which this machine's figures are recorded.
const SOURCE: &str = "host";

/// Reads this machine's figures when asked.
#[derive(Debug)]
pub struct HostScraper {
    every: Span,
    /// Away while a reading is under way; made anew should that reading never have come back.
    probe: Option<Probe>,
}

impl HostScraper {
    /// To be asked as often as `every` says.
    #[must_use]
    pub fn new(every: Span) -> Self {
        Self { every, probe: None }
    }

    async fn read(&mut self) -> Result<Vec<Reading>, ScrapeError> {
        let probe = self.probe.take();
        let work = move || {
            let mut probe = match probe {
                Some(probe) => probe,
                None => Probe::new()?,
            };
            let readings = probe.read();
            Ok((probe, readings))
        };
        let done = tokio::task::spawn_blocking(work).await;
        let (probe, readings) = done.unwrap_or_else(|error| Err(ScrapeError::Host { why: error.to_string() }))?;
        self.probe = Some(probe);
        Ok(readings)
    }
}

#[async_trait]
impl Scraper for HostScraper {
    fn source(&self) -> &str {
        SOURCE
    }

    fn every(&self) -> Span {
        self.every
    }

    async fn scrape(&mut self, clock: &dyn Clock) -> Scraped {
        let asked = clock.now();
        let (source, instance) = (SOURCE.to_owned(), None);
        match self.read().await {
            Ok(readings) => Scraped::Sample(Box::new(Sample { source, instance, asked, answered: clock.now(), readings })),
            Err(error) => Scraped::Gap(Gap { source, instance, asked, reason: error.to_string() }),
        }
    }
}

/// The figures themselves. Shares of processor time are growth since the reading before, so the first has none.
#[derive(Debug)]
struct Probe {
    system: System,
    own: Pid,
    /// When this process had used how many milliseconds of processor time.
    before: Option<(Instant, u64)>,
    /// Whether the machine's own processor figures have a beginning to be counted from.
    warm: bool,
}

impl Probe {
    fn new() -> Result<Self, ScrapeError> {
        let why = |why: String| ScrapeError::Host { why };
        let system = System::new().map_err(|error| why(format!("{error:?}")))?;
        let own = sysinfo::get_current_pid().map_err(|error| why(format!("{error:?}")))?;
        Ok(Self { system, own, before: None, warm: false })
    }

    fn read(&mut self) -> Vec<Reading> {
        let figures = [
            (Signal::GeneratorCpu, self.own_cores()),
            (Signal::HostCpu, self.cores_in_use()),
            (Signal::HostMemory, self.memory()),
            (Signal::HostOpenFiles, proc::open_files().map(|files| files as f64)),
            (Signal::HostPortsInUse, proc::ports_in_use().map(|ports| ports as f64)),
        ];
        let reading = |(signal, value): (Signal, Option<f64>)| Some(Reading { signal, of: None, value: Value::Gauge(value?) });
        figures.into_iter().filter_map(reading).collect()
    }

    fn own_cores(&mut self) -> Option<f64> {
        let what = ProcessRefreshKind::nothing().with_cpu();
        self.system.refresh_processes_specifics(ProcessesToUpdate::Some(&[self.own]), false, what);
        let used_ms = self.system.process(self.own)?.accumulated_cpu_time();
        let now = Instant::now();
        let (then, used_before_ms) = self.before.replace((now, used_ms))?;
        let passed = now.duration_since(then).as_secs_f64();
        let used = used_ms.checked_sub(used_before_ms)? as f64 / 1_000.0;
        (passed > 0.0).then(|| used / passed)
    }

    fn cores_in_use(&mut self) -> Option<f64> {
        self.system.refresh_cpu_usage();
        let cores = self.system.cpus().len() as f64;
        let share = f64::from(self.system.global_cpu_usage()) / 100.0;
        let warm = std::mem::replace(&mut self.warm, true);
        (warm && cores > 0.0 && share.is_finite()).then_some(share * cores)
    }

    fn memory(&mut self) -> Option<f64> {
        self.system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
        let used = self.system.used_memory();
        (used > 0).then_some(used as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(readings: &[Reading], signal: Signal) -> Option<f64> {
        readings.iter().find(|reading| reading.signal == signal).map(|reading| reading.value.level())
    }

    #[test]
    fn the_first_reading_has_no_growth_and_the_second_does() {
        let mut probe = Probe::new().unwrap();
        let first = probe.read();
        assert_eq!(figure(&first, Signal::GeneratorCpu), None);
        assert_eq!(figure(&first, Signal::HostCpu), None);
        assert!(figure(&first, Signal::HostMemory).unwrap() > 1e6);
        // As if the process had done nothing for a second, then used three seconds of a core in the next.
        let used = probe.before.unwrap().1;
        probe.before = Some((Instant::now().checked_sub(std::time::Duration::from_secs(2)).unwrap(), used - used.min(1)));
        let second = probe.read();
        let cores = figure(&second, Signal::GeneratorCpu).unwrap();
        assert!((0.0..64.0).contains(&cores), "{cores}");
        assert!(figure(&second, Signal::HostCpu).is_some());
    }

    #[test]
    fn a_counter_that_went_back_is_unknown() {
        let mut probe = Probe::new().unwrap();
        probe.before = Some((Instant::now(), u64::MAX));
        assert_eq!(probe.own_cores(), None);
    }

    #[tokio::test]
    async fn a_probe_that_never_came_back_is_made_anew() {
        let mut scraper = HostScraper::new(Span::from_secs(1));
        assert_eq!((scraper.source(), scraper.every()), ("host", Span::from_secs(1)));
        scraper.read().await.unwrap();
        scraper.probe = None;
        assert!(!scraper.read().await.unwrap().is_empty());
    }
}
