//! What the lab's page says about its own process: real figures, read only when somebody looks.
//!
//! Imports nothing of the product; reads the operating system's tables and the clock.

use std::sync::{Mutex, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

/// The kernel counts processor time in hundredths of a second; a shorter window would show its steps.
const LEAST_WINDOW_S: f64 = 0.15;

/// The figures of one look.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Figures {
    pub(super) started_at_s: f64,
    pub(super) uptime_s: f64,
    pub(super) cores: f64,
    pub(super) cpu_time_s: f64,
    /// Share of all cores of late; unknown at the first look.
    pub(super) cpu_share: Option<f64>,
    pub(super) files_open: Option<usize>,
    pub(super) files_max: Option<usize>,
}

/// Core time used by modelled work, where the service's cores are modelled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ModelledCpu {
    pub(super) cores: f64,
    pub(super) used_s: f64,
}

/// A rate between looks; looks too close together to tell repeat what was said last.
#[derive(Debug, Default)]
struct Share {
    before: Option<(f64, f64)>,
    said: Option<f64>,
}

impl Share {
    fn look(&mut self, at_s: f64, used_s: f64, cores: f64) -> Option<f64> {
        match self.before {
            Some((before_s, _)) if at_s - before_s < LEAST_WINDOW_S => {}
            Some((before_s, was_s)) => {
                let share = (used_s - was_s) / (at_s - before_s) / cores;
                (self.before, self.said) = (Some((at_s, used_s)), Some(share.clamp(0.0, 1.0)));
            }
            None => self.before = Some((at_s, used_s)),
        }
        self.said
    }
}

/// The process the lab runs in.
#[derive(Debug)]
pub(super) struct Host {
    start: Instant,
    started_at_s: f64,
    pid: Option<Pid>,
    cores: f64,
    seen: Mutex<(Option<System>, Share)>,
}

impl Host {
    pub(super) fn new() -> Self {
        let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            start: Instant::now(),
            started_at_s: started.as_secs_f64(),
            pid: sysinfo::get_current_pid().ok(),
            cores: std::thread::available_parallelism().map_or(1.0, |cores| cores.get() as f64),
            seen: Mutex::new((System::new().ok(), Share::default())),
        }
    }

    /// Looks now; modelled work stands for the real where there is any.
    pub(super) fn look(&self, modelled: Option<ModelledCpu>) -> Figures {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let (system, share) = &mut *seen;
        let mut figures =
            Figures { started_at_s: self.started_at_s, uptime_s: self.start.elapsed().as_secs_f64(), cores: self.cores, ..Figures::default() };
        if let (Some(pid), Some(system)) = (self.pid, system) {
            let what = ProcessRefreshKind::nothing().with_cpu();
            system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), false, what);
            if let Some(process) = system.process(pid) {
                figures.cpu_time_s = process.accumulated_cpu_time() as f64 / 1e3;
                figures.files_open = process.open_files();
                figures.files_max = process.open_files_limit();
            }
        }
        if let Some(ModelledCpu { cores, used_s }) = modelled {
            (figures.cores, figures.cpu_time_s) = (cores, used_s);
        }
        figures.cpu_share = share.look(figures.uptime_s, figures.cpu_time_s, figures.cores);
        figures
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_process_knows_itself() {
        let host = Host::new();
        let first = host.look(None);
        assert!(first.cores >= 1.0);
        assert!(first.started_at_s > 1.6e9, "{}", first.started_at_s);
        let second = host.look(None);
        assert!(second.uptime_s >= first.uptime_s);
        assert!(second.cpu_time_s >= first.cpu_time_s);
    }

    #[test]
    fn modelled_work_stands_for_the_real() {
        let figures = Host::new().look(Some(ModelledCpu { cores: 2.0, used_s: 77.0 }));
        assert!((figures.cores - 2.0).abs() < 1e-12 && (figures.cpu_time_s - 77.0).abs() < 1e-12);
    }

    #[test]
    fn a_share_is_of_all_cores_between_two_looks() {
        let mut share = Share::default();
        assert_eq!(share.look(1.0, 10.0, 4.0), None, "one look has no rate");
        assert_eq!(share.look(2.0, 12.0, 4.0), Some(0.5));
        assert_eq!(share.look(2.01, 12.04, 4.0), Some(0.5), "too close to tell: what was said last");
        assert_eq!(share.look(3.0, 99.0, 4.0), Some(1.0), "never more than all");
    }
}
