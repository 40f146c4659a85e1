//! Other settings that follow from the choice: threads, the pool's time-out, the bulkhead, the rate it carries.

use super::evidence::Evidence;
use crate::analysis::curve::Arrivals;
use crate::model::verdict::Derived;

/// HikariCP refuses a shorter connection time-out.
const LEAST_TIMEOUT_S: f64 = 0.25;

/// What follows from pool `c`.
pub(super) fn derived(evidence: &Evidence<'_>, c: f64) -> Derived {
    if !is_pool(&evidence.sweep.setting) {
        return Derived::default();
    }
    let group = evidence.nearest(c);
    // Threads that were all at work mostly waited for the pool: how many are needed can not be read off them.
    let busy = group.mean(|r| r.busy).filter(|_| group.full() < 0.5).unwrap_or(0.0);
    Derived {
        threads: whole((1.2 * busy).ceil().max(c + (2.0 * c.sqrt()).ceil())),
        connection_timeout_s: timeout(evidence, c),
        bulkhead: whole((0.93 * c).floor()),
        sustainable_rate: sustainable(evidence, c),
    }
}

/// Whether the setting is the size of a pool, by its name.
pub(super) fn is_pool(setting: &str) -> bool {
    let name = setting.to_lowercase();
    !["thread", "rate", "users", "worker"].iter().any(|other| name.contains(other))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the range just before")]
fn whole(x: f64) -> Option<u32> {
    (x >= 1.0).then(|| x.min(1e9) as u32)
}

/// 1.3 times the 99th percentile of the wait by the queue model, and short enough that a refusal reaches the caller before it leaves.
fn timeout(evidence: &Evidence<'_>, c: f64) -> Option<f64> {
    let rate = evidence.capacity(c)?;
    let waiting = waiting_99(evidence, c, rate)?;
    let hold = evidence.nearest(c).hold()?;
    let longest = evidence.sweep.failure_cost_s().0 - 2.0 * hold;
    let wanted = (1.3 * waiting / rate).max(LEAST_TIMEOUT_S);
    let rounded = (wanted * 20.0).ceil() / 20.0;
    (longest > LEAST_TIMEOUT_S).then(|| rounded.min(longest))
}

/// The 99th percentile of the requests in the pool's queue: about Poisson around its mean when users are many, geometric under open load.
fn waiting_99(evidence: &Evidence<'_>, c: f64, capacity: f64) -> Option<f64> {
    let p = &evidence.posterior;
    let hold = evidence.nearest(c).hold()?;
    let loss = p.loss(p.index(c));
    let wait = (loss - hold - evidence.question.queue.rest_s).max(0.0);
    Some(match evidence.question.queue.arrivals {
        Arrivals::Closed { .. } => {
            let queue = wait * capacity;
            queue + 2.33 * (queue + c).sqrt()
        }
        Arrivals::Open { rate } => {
            let rho = (rate / capacity).min(0.99);
            0.01_f64.ln() / rho.ln()
        }
    })
}

/// The largest open rate whose loss stays within twice that of an empty service, by bisection on the queue model.
fn sustainable(evidence: &Evidence<'_>, c: f64) -> Option<f64> {
    let hold = &evidence.posterior.members.first()?.fit.as_ref()?.curve;
    let capacity = evidence.capacity(c)?;
    let mut queue = evidence.question.queue;
    queue.cap_s = f64::INFINITY;
    let mut loss = |rate: f64| {
        queue.arrivals = Arrivals::Open { rate };
        queue.losses(hold, &[c]).first().copied()
    };
    let empty = loss(0.05 * capacity)?;
    let (mut low, mut high) = (0.0, capacity);
    for _ in 0..30 {
        let middle = f64::midpoint(low, high);
        if loss(middle)? <= 2.0 * empty { low = middle } else { high = middle }
    }
    (low > 0.0).then(|| (10.0 * low.min(0.93 * capacity)).round() / 10.0)
}
