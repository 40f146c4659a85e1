//! A step's series as the columns the judge needs, cut to the rows that count.

use crate::analysis::sweep::SweepStep;

/// The columns of a step.
pub(in crate::analysis) struct Rows<'a> {
    step: &'a SweepStep,
    /// Seconds from row to row.
    pub(in crate::analysis) dt: f64,
    /// Successes by row.
    pub(in crate::analysis) ok: Vec<f64>,
    /// Failures by row.
    pub(in crate::analysis) err: Vec<f64>,
    /// Sum of the losses by row.
    pub(in crate::analysis) cost: Vec<f64>,
    /// All that ended by row.
    pub(in crate::analysis) done: Vec<f64>,
    latency: Vec<Option<f64>>,
}

impl<'a> Rows<'a> {
    /// The columns, with a failure costing `cap_s`.
    pub(in crate::analysis) fn new(step: &'a SweepStep, cap_s: f64) -> Self {
        let n = step.series.rows();
        let counts = |name: &str| step.series.column(name).map_or_else(|| vec![0.0; n], |c| c.iter().map(|v| v.unwrap_or(0.0)).collect::<Vec<f64>>());
        let (ok, err) = (counts("ok"), counts("err"));
        let latency: Vec<Option<f64>> =
            step.series.column("lat_mean_ms").map_or_else(|| vec![None; n], |c| c.iter().map(|v| v.map(|ms| ms / 1e3)).collect());
        let cost = ok.iter().zip(&err).zip(&latency).map(|((ok, err), lat)| ok * lat.unwrap_or(0.0).clamp(0.0, cap_s) + err * cap_s).collect();
        let ended: Vec<f64> = ok.iter().zip(&err).map(|(a, b)| a + b).collect();
        let done = match step.series.column("done") {
            Some(c) => c.iter().zip(&ended).map(|(d, e)| d.unwrap_or(*e)).collect(),
            None => ended,
        };
        Self { step, dt: spacing(step), ok, err, cost, done, latency }
    }

    /// How many rows.
    pub(in crate::analysis) fn len(&self) -> usize {
        self.ok.len()
    }

    /// A column's cells from row `from` on.
    pub(in crate::analysis) fn tail(&self, name: &str, from: usize) -> Option<&'a [Option<f64>]> {
        self.step.series.column(name).and_then(|c| c.get(from..)).filter(|c| c.iter().any(Option::is_some))
    }

    /// Requests that belong to a row (ended or intended there).
    pub(in crate::analysis) fn requests(&self, row: usize) -> f64 {
        self.ok.get(row).copied().unwrap_or(0.0) + self.err.get(row).copied().unwrap_or(0.0)
    }

    /// Mean loss by row; rows without any carry the greatest seen, so that silence is not taken for speed.
    pub(in crate::analysis) fn losses(&self, cap_s: f64) -> Vec<f64> {
        let loss = |row: usize| (self.requests(row) > 0.0).then(|| self.cost.get(row).copied().unwrap_or(0.0) / self.requests(row));
        let all: Vec<Option<f64>> = (0..self.len()).map(loss).collect();
        let worst = all.iter().flatten().copied().reduce(f64::max).unwrap_or(cap_s);
        all.into_iter().map(|l| l.unwrap_or(worst)).collect()
    }

    /// Mean latency of the successes from row `from` on, in seconds.
    pub(in crate::analysis) fn latency(&self, from: usize) -> Option<f64> {
        let rows = self.ok.iter().zip(&self.latency).skip(from).filter_map(|(n, l)| l.map(|l| (n * l, *n)));
        let (sum, n) = rows.fold((0.0, 0.0), |(s, n), (a, b)| (s + a, n + b));
        (n > 0.0).then(|| sum / n)
    }

    /// Connections obtained by row from `from` on: by the pool's count, else the service's requests, else the client's, less what timed out.
    pub(in crate::analysis) fn obtained(&self, from: usize) -> Vec<f64> {
        let timeouts = self.tail("conn_timeouts", from);
        let late = |i: usize| timeouts.and_then(|c| c.get(i).copied().flatten()).unwrap_or(0.0);
        let acquired = self.tail("acquired", from);
        let server = self.tail("server_done", from);
        let cell = |c: Option<&[Option<f64>]>, i: usize| c.and_then(|c| c.get(i).copied().flatten());
        let done = |i: usize| self.done.get(from + i).copied().unwrap_or(0.0);
        (0..self.len().saturating_sub(from))
            .map(|i| cell(acquired, i).unwrap_or_else(|| (cell(server, i).unwrap_or_else(|| done(i)) - late(i)).max(0.0)))
            .collect()
    }
}

/// The usual distance of neighbouring rows in seconds; a step of one row takes its whole length.
fn spacing(step: &SweepStep) -> f64 {
    let times: Vec<f64> = step.series.column("t").unwrap_or_default().iter().flatten().copied().collect();
    let apart: Vec<f64> = times.windows(2).filter_map(|w| if let [a, b] = w { Some(b - a) } else { None }).filter(|d| *d > 0.0).collect();
    crate::analysis::numeric::median(&apart).unwrap_or(if step.duration_s > 0.0 { step.duration_s } else { 1.0 })
}

/// The mean of the cells that are known.
pub(super) fn known_mean(cells: Option<&[Option<f64>]>) -> Option<f64> {
    crate::analysis::numeric::mean(cells?.iter().flatten().copied())
}

/// The mean of the cells that are known, each counting as often as `weights` says.
pub(super) fn weighted(cells: Option<&[Option<f64>]>, weights: &[f64]) -> Option<f64> {
    let pairs = cells?.iter().zip(weights).filter_map(|(c, w)| c.map(|c| (c * w, *w)));
    let (sum, n) = pairs.fold((0.0, 0.0), |(s, n), (a, b)| (s + a, n + b));
    (n > 0.0).then(|| sum / n)
}
