//! How much the database slows down as more sessions work at once: the one property of the lab that makes an optimum exist.
//!
//! Pure arithmetic, shared by the running model and by the exact law, so that both speak of the same service. Imports nothing of the
//! product; no clock, no I/O.

use serde::{Deserialize, Serialize};

/// The law by which `n` sessions at work slow each other down.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Contention {
    /// Gunther's universal scalability law: queueing for one shared thing (sigma) and keeping each other consistent (kappa).
    Usl {
        /// Share of the work that only one session can do at a time.
        sigma: f64,
        /// Cost of agreement between every pair of sessions.
        kappa: f64,
    },
    /// A database with a number of cores, sessions that need one only part of the time, and locks that waste core time.
    Locks {
        /// Cores of the database.
        cores: f64,
        /// Share of an undisturbed session's time that needs a core; the rest waits for disk and network.
        cpu_share: f64,
        /// Core time wasted on locks, as a share of the useful, for each further session.
        lock: f64,
    },
}

impl Contention {
    /// How many times longer a session's work takes with `sessions` at work than alone: 1 or more.
    #[must_use]
    pub fn slowdown(&self, sessions: u32) -> f64 {
        if sessions <= 1 {
            return 1.0;
        }
        let n = f64::from(sessions);
        match *self {
            Self::Usl { sigma, kappa } => 1.0 + (n - 1.0) * (sigma + kappa * n),
            Self::Locks { cores, cpu_share, lock } => {
                let turns = (n * cpu_share / cores).max(1.0);
                (1.0 - cpu_share) + cpu_share * turns * (1.0 + lock * (n - 1.0))
            }
        }
    }

    /// What is wrong with the parameters, if anything: the field and the range it must lie in.
    #[must_use]
    pub fn fault(&self) -> Option<(&'static str, &'static str)> {
        let within = |value: f64, low: f64, high: f64| value.is_finite() && value >= low && value <= high;
        match *self {
            Self::Usl { sigma, .. } if !within(sigma, 0.0, 1.0) => Some(("db_law.sigma", "0 to 1")),
            Self::Usl { kappa, .. } if !within(kappa, 0.0, 1.0) => Some(("db_law.kappa", "0 to 1")),
            Self::Locks { cores, .. } if !within(cores, 0.1, 10_000.0) => Some(("db_law.cores", "0.1 to 10000")),
            Self::Locks { cpu_share, .. } if !within(cpu_share, 0.0, 1.0) => Some(("db_law.cpu_share", "0 to 1")),
            Self::Locks { lock, .. } if !within(lock, 0.0, 10.0) => Some(("db_law.lock", "0 to 10")),
            Self::Usl { .. } | Self::Locks { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USL: Contention = Contention::Usl { sigma: 0.01, kappa: 0.0001 };
    const LOCKS: Contention = Contention::Locks { cores: 8.0, cpu_share: 0.2, lock: 0.01 };

    #[test]
    fn a_session_alone_is_not_slowed() {
        for law in [USL, LOCKS] {
            assert!((law.slowdown(1) - 1.0).abs() < 1e-12);
            assert!((law.slowdown(0) - 1.0).abs() < 1e-12, "an empty database has no speed to lose");
        }
    }

    #[test]
    fn more_sessions_are_never_faster_each() {
        for law in [USL, LOCKS] {
            for n in 1..400 {
                assert!(law.slowdown(n + 1) >= law.slowdown(n), "{law:?} at {n}");
            }
        }
    }

    #[test]
    fn the_usl_peaks_where_gunther_says() {
        let peak = (1..400).max_by(|a, b| {
            let rate = |n: &u32| f64::from(*n) / USL.slowdown(*n);
            rate(a).total_cmp(&rate(b))
        });
        let said = ((1.0_f64 - 0.01) / 0.0001).sqrt().round();
        assert!((f64::from(peak.unwrap()) - said).abs() <= 1.0, "{peak:?} against {said}");
    }

    #[test]
    fn cores_bind_only_from_their_knee_on() {
        let free = Contention::Locks { cores: 8.0, cpu_share: 0.2, lock: 0.0 };
        assert!((free.slowdown(40) - 1.0).abs() < 1e-12, "40 x 0.2 sessions fit 8 cores");
        assert!((free.slowdown(80) - (0.8 + 0.2 * 2.0)).abs() < 1e-12);
    }

    #[test]
    fn bad_parameters_are_named() {
        assert_eq!(USL.fault(), None);
        assert_eq!(Contention::Usl { sigma: -1.0, kappa: 0.0 }.fault().unwrap().0, "db_law.sigma");
        assert_eq!(Contention::Usl { sigma: 0.0, kappa: f64::NAN }.fault().unwrap().0, "db_law.kappa");
        assert_eq!(Contention::Locks { cores: 0.0, cpu_share: 0.1, lock: 0.0 }.fault().unwrap().0, "db_law.cores");
        assert_eq!(Contention::Locks { cores: 1.0, cpu_share: 2.0, lock: 0.0 }.fault().unwrap().0, "db_law.cpu_share");
        assert_eq!(Contention::Locks { cores: 1.0, cpu_share: 0.5, lock: -0.1 }.fault().unwrap().0, "db_law.lock");
    }
}
