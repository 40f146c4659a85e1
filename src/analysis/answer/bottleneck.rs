//! Where the queue of one value is, from its own figures and those of its neighbours.

use super::group::Group;

/// The share of its cores above which the service's CPU is the limit.
pub(super) const CPU_FULL: f64 = 0.9;

/// What is known beside the figures of the values.
#[derive(Debug, Clone, Copy)]
pub(super) struct Conditions {
    /// Planned requests a second.
    pub(super) target: Option<f64>,
    /// Cores of the service.
    pub(super) cores: Option<f64>,
    /// Least hold of a request among all values.
    pub(super) least_hold: Option<f64>,
}

/// The share of its cores that the service uses.
pub(super) fn cpu_share(group: &Group, cores: Option<f64>) -> Option<f64> {
    Some(group.process_cpu()? / cores.filter(|c| *c > 0.0)?)
}

/// The limit at this value, as a word.
pub(super) fn bottleneck(group: &Group, given: &Conditions) -> &'static str {
    let dropped = given.target.is_some_and(|t| group.dropped() > 0.03 * t);
    let pool = group.runs.first().map_or(group.value, |r| r.pool);
    let queue = group.pending().unwrap_or(0.0);
    let waits = group.wait().map_or(queue > 1.0, |w| w > 0.1 * group.loss());
    let saturated = group.active().is_some_and(|a| a >= 0.95 * pool);
    if dropped && group.is_quiet() {
        "generator"
    } else if cpu_share(group, given.cores).is_some_and(|s| s >= CPU_FULL) {
        "service CPU"
    } else if waits && (saturated || group.active().is_none()) {
        "pool"
    } else if group.full() > 0.9 {
        "threads"
    } else if group.hold().zip(given.least_hold).is_some_and(|(h, least)| h > 1.3 * least && h > 0.3 * group.loss()) {
        "database"
    } else if group.is_quiet() {
        "none"
    } else {
        "unknown"
    }
}
