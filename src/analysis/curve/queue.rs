//! The queue in front of the pool: a birth-death chain whose station serves `m / H(m)` with `m = min(n, c, T)`.

use statrs::function::gamma::{checked_gamma_ur, ln_gamma};

use super::hold::HoldCurve;

/// What drives the queue.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::analysis) enum Arrivals {
    /// So many users with a mean think time.
    Closed {
        /// Users.
        users: f64,
        /// Think time in seconds.
        think_s: f64,
    },
    /// Requests a second, whatever the answers.
    Open {
        /// Requests a second.
        rate: f64,
    },
}

/// Everything but the contention curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::analysis) struct Queue {
    /// Users or arrivals.
    pub(in crate::analysis) arrivals: Arrivals,
    /// Time of a request that is neither waiting nor holding.
    pub(in crate::analysis) rest_s: f64,
    /// The longest a caller waits.
    pub(in crate::analysis) cap_s: f64,
    /// Worker threads: no more can be served at once.
    pub(in crate::analysis) threads: f64,
    /// Uses of a connection a request.
    pub(in crate::analysis) uses: f64,
    /// Open load: a pool that would be crushed when full was seen to hold out as long as a step.
    pub(in crate::analysis) holds_out: bool,
}

impl Queue {
    /// Mean loss at each pool size of `pools`.
    pub(in crate::analysis) fn losses(&self, hold: &HoldCurve, pools: &[f64]) -> Vec<f64> {
        let size = |c: f64| whole(c.min(self.threads)).max(1);
        let most = pools.iter().map(|c| size(*c)).max().unwrap_or(1);
        let service: Vec<f64> = (1..=most).map(|m| m as f64 / (self.uses * hold.at(m as f64)).max(1e-9)).collect();
        let head = match self.arrivals {
            Arrivals::Closed { users, think_s } => Head::closed(users, (think_s + self.rest_s).max(1e-6), &service),
            Arrivals::Open { rate } => Head::open(rate, &service),
        };
        pools.iter().map(|c| self.loss(&head, &service, size(*c))).collect()
    }

    fn loss(&self, head: &Head, service: &[f64], c: usize) -> f64 {
        let loss = match self.arrivals {
            Arrivals::Closed { users, think_s } => {
                let x = head.closed_rate(users, (think_s + self.rest_s).max(1e-6), service, c);
                users / x.max(1e-12) - think_s
            }
            Arrivals::Open { rate } => self.open_loss(head, service, c, rate),
        };
        if loss.is_finite() { loss.clamp(1e-4_f64.min(self.cap_s), self.cap_s) } else { self.cap_s }
    }

    fn open_loss(&self, head: &Head, service: &[f64], c: usize, rate: f64) -> f64 {
        let beyond_peak = service.get(..c).unwrap_or_default().iter().any(|mu| service.get(c - 1).is_some_and(|last| *last < 0.98 * mu));
        if self.holds_out && beyond_peak {
            return head.until_collapse(rate, service, c).map_or(self.cap_s, |(inside, _)| inside + self.rest_s);
        }
        match (head.open_loss(rate, service, c), head.until_collapse(rate, service, c)) {
            (Some(inside), _) => inside + self.rest_s,
            (None, Some((inside, lost))) => (1.0 - lost) * (inside + self.rest_s) + lost * self.cap_s,
            (None, None) => self.cap_s,
        }
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to what fits just before")]
fn whole(x: f64) -> usize {
    x.round().clamp(0.0, 100_000.0) as usize
}

/// The chain up to `n` in the system, which is the same for every pool of at least `n`: log p, and running log sums of p, p mu and p n.
struct Head {
    log_p: Vec<f64>,
    mass: Vec<f64>,
    served: Vec<f64>,
    length: Vec<f64>,
}

impl Head {
    fn closed(users: f64, away_s: f64, service: &[f64]) -> Self {
        Self::build(service, |n| ((users - n as f64).max(0.0) / away_s).ln())
    }

    fn open(rate: f64, service: &[f64]) -> Self {
        Self::build(service, |_| rate.max(1e-12).ln())
    }

    /// `birth(n)` is the log of the rate from n to n + 1.
    fn build(service: &[f64], birth: impl Fn(usize) -> f64) -> Self {
        let mut head = Self { log_p: vec![0.0], mass: vec![0.0], served: vec![f64::NEG_INFINITY], length: vec![f64::NEG_INFINITY] };
        let (mut lp, mut mass, mut served, mut length) = (0.0, 0.0, f64::NEG_INFINITY, f64::NEG_INFINITY);
        for (i, mu) in service.iter().enumerate() {
            lp += birth(i) - mu.ln();
            mass = log_add(mass, lp);
            served = log_add(served, lp + mu.ln());
            length = log_add(length, lp + ((i + 1) as f64).ln());
            head.log_p.push(lp);
            head.mass.push(mass);
            head.served.push(served);
            head.length.push(length);
        }
        head
    }

    /// Completions a second with pool `c`. Beyond `c` the number thinking is Poisson, cut at the users left: a closed form.
    fn closed_rate(&self, users: f64, away_s: f64, service: &[f64], c: usize) -> f64 {
        let (Some(mu), Some(lp), Some(mass), Some(served)) = (service.get(c - 1), self.log_p.get(c), self.mass.get(c), self.served.get(c)) else {
            return 0.0;
        };
        let left = users - c as f64;
        let tail = if left < 1.0 { f64::NEG_INFINITY } else { lp + log_tail(left, away_s * mu) };
        let (all, done) = (log_add(*mass, tail), log_add(*served, tail + mu.ln()));
        (done - all).exp()
    }

    /// Mean time in the station with pool `c`; none if it can not carry the load.
    fn open_loss(&self, rate: f64, service: &[f64], c: usize) -> Option<f64> {
        let (mu, lp, mass, length) = (service.get(c - 1)?, self.log_p.get(c)?, self.mass.get(c)?, self.length.get(c)?);
        let rho = rate / mu;
        if rho >= 0.999 {
            return None;
        }
        let tail = (lp - mass).exp() * rho / (1.0 - rho);
        let within = (length - mass).exp();
        Some((within + tail * (c as f64 + 1.0 / (1.0 - rho))) / (1.0 + tail) / rate)
    }

    /// Where a full pool could not carry the load but a less full one can: mean time in the station before a burst tips it over,
    /// and the share of time lost to that. None if no level carries the load.
    fn until_collapse(&self, rate: f64, service: &[f64], c: usize) -> Option<(f64, f64)> {
        let tip = (1..=c).rev().find(|n| service.get(n - 1).is_some_and(|mu| *mu > rate))?;
        let (lp, mass, length) = (self.log_p.get(tip)?, self.mass.get(tip)?, self.length.get(tip)?);
        let tipped = rate * (lp - mass).exp() * HOLD_OUT_S;
        let lost = if tipped < 1e-6 { 0.5 * tipped } else { 1.0 - (1.0 - (-tipped).exp()) / tipped };
        Some(((length - mass).exp() / rate, lost))
    }
}

/// How long a service is expected to hold out, in seconds: longer than a step, as long as a busy hour's worst quarter.
const HOLD_OUT_S: f64 = 600.0;

/// `ln sum_{j=1..left} left!/(left-j)! a^-j`.
fn log_tail(left: f64, a: f64) -> f64 {
    let upper = checked_gamma_ur(left, a).unwrap_or(0.0);
    if upper > 1e-280 { ln_gamma(left + 1.0) - left * a.ln() + a + upper.ln() } else { (left / a).ln() }
}

fn log_add(a: f64, b: f64) -> f64 {
    let (high, low) = if a > b { (a, b) } else { (b, a) };
    if low == f64::NEG_INFINITY || high == f64::INFINITY { high } else { high + (low - high).exp().ln_1p() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat(h: f64) -> HoldCurve {
        HoldCurve { terms: [h, 0.0, 0.0, 0.0, 0.0], knee: None }
    }

    fn usl(h: f64, sigma: f64, kappa: f64) -> HoldCurve {
        HoldCurve { terms: [h * (1.0 - sigma), h * (sigma - kappa), h * kappa, 0.0, 0.0], knee: None }
    }

    /// The chain summed state by state.
    fn by_states(users: usize, away: f64, c: usize, hold: &HoldCurve) -> f64 {
        let mu = |n: usize| n.min(c) as f64 / hold.at(n.min(c) as f64);
        let mut lp = vec![0.0];
        for n in 1..=users {
            lp.push(lp[n - 1] + ((users - n + 1) as f64 / away).ln() - mu(n).ln());
        }
        let top = lp.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let p: Vec<f64> = lp.iter().map(|x| (x - top).exp()).collect();
        (1..=users).map(|n| p[n] * mu(n)).sum::<f64>() / p.iter().sum::<f64>()
    }

    fn closed(users: f64, think_s: f64) -> Queue {
        Queue { arrivals: Arrivals::Closed { users, think_s }, rest_s: 0.0, cap_s: 1e9, threads: 1e9, uses: 1.0, holds_out: false }
    }

    #[test]
    fn the_closed_chain_equals_the_sum_over_its_states() {
        let hold = usl(0.05, 0.02, 0.0004);
        let pools = [1.0, 5.0, 10.0, 40.0, 80.0, 200.0, 400.0];
        for (c, loss) in pools.iter().zip(closed(200.0, 1.0).losses(&hold, &pools)) {
            let x = by_states(200, 1.0, whole(*c), &hold);
            assert!((loss / (200.0 / x - 1.0) - 1.0).abs() < 1e-6, "pool {c}: {loss} against {}", 200.0 / x - 1.0);
        }
    }

    /// Machine repair, one repairman, 4 machines, mean up-time 10, repair 1: the textbook's idle probability 0.6470.
    #[test]
    fn machine_repair() {
        let loss = closed(4.0, 10.0).losses(&flat(1.0), &[1.0])[0];
        let idle = 1.0 / (1.0 + 0.4 + 0.12 + 0.024 + 0.0024);
        let x = 1.0 - idle;
        assert!((idle - 0.6467_f64).abs() < 1e-3);
        assert!((loss - (4.0 / x - 10.0)).abs() < 1e-9, "{loss}");
    }

    /// M/M/c: Erlang's C for c = 2, load 1.5 Erlang is 0.6429; for c = 5, 4 Erlang it is 0.5541.
    #[test]
    fn erlang_c() {
        for (c, erlangs, waits) in [(2.0, 1.5, 0.6429), (5.0, 4.0, 0.5541), (1.0, 0.5, 0.5)] {
            let queue = Queue { arrivals: Arrivals::Open { rate: erlangs }, rest_s: 0.0, cap_s: 1e9, threads: 1e9, uses: 1.0, holds_out: false };
            let wait = queue.losses(&flat(1.0), &[c])[0] - 1.0;
            assert!((wait - waits / (c - erlangs)).abs() < 2e-4, "c {c}: {wait}");
        }
    }

    #[test]
    fn an_overloaded_pool_costs_the_cap() {
        let queue = Queue { arrivals: Arrivals::Open { rate: 100.0 }, rest_s: 0.01, cap_s: 5.0, threads: 1e9, uses: 2.0, holds_out: false };
        assert!((queue.losses(&flat(0.1), &[15.0])[0] - 5.0).abs() < 1e-12);
        assert!(queue.losses(&flat(0.1), &[30.0])[0] < 0.3, "two uses of 0.1 s need 20 connections");
    }

    /// A pool so large that it would be crushed when full holds out as long as no burst fills it.
    #[test]
    fn a_retrograde_pool_may_hold_out() {
        let open = |rate| Queue { arrivals: Arrivals::Open { rate }, rest_s: 0.0, cap_s: 10.0, threads: 1e9, uses: 1.0, holds_out: false };
        let hold = usl(0.1, 0.0, 0.001);
        assert!(200.0 / hold.at(200.0) < 80.0, "full, it can not carry 80/s");
        assert!(open(80.0).losses(&hold, &[200.0])[0] < 0.12, "it is never full");
        assert!(open(155.0).losses(&hold, &[200.0])[0] > 5.0, "close to the peak it soon is");
        assert!((open(200.0).losses(&hold, &[200.0])[0] - 10.0).abs() < 1e-9, "beyond the peak it always is");
    }

    #[test]
    fn more_threads_than_connections_do_not_matter_and_fewer_do() {
        let mut queue = closed(300.0, 0.5);
        let free = queue.losses(&usl(0.05, 0.01, 0.0), &[40.0]);
        queue.threads = 40.0;
        assert_eq!(queue.losses(&usl(0.05, 0.01, 0.0), &[40.0]), free);
        assert_eq!(queue.losses(&usl(0.05, 0.01, 0.0), &[80.0]), free, "threads cap the pool");
    }
}
