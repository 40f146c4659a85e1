//! What one load step showed, for `plimsoll load`: both latencies with their percentiles, errors by kind, achieved against planned, the
//! generator's own figures. As text and as `load-summary/1`; functions of the fold.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::figures::RunFigures;
use super::format::{count, duration, rate, rate_or, share, share_or, time, time_or};
use super::table::Table;
use super::{course, words};
use crate::model::event::ErrorKind;
use crate::model::histogram::Histogram;
use crate::model::plan::{LoadModel, Plan, Scenario};
use crate::model::session::{Session, StepState};
use crate::model::signal::Signal;
use crate::model::text::clean;
use crate::model::units::Span;

/// Percentiles with their names in the object and in the table, and the fewest requests one must be of.
const PERCENTILES: [(&str, &str, f64, u64); 6] = [
    ("p50", "p50", 0.5, 1),
    ("p90", "p90", 0.9, 1),
    ("p95", "p95", 0.95, 1),
    ("p99", "p99", 0.99, 1),
    ("p999", "p99.9", 0.999, 1_000),
    ("p9999", "p99.99", 0.9999, 10_000),
];
/// Processor time is counted in hundredths of a second: over less than this it says nothing.
const LEAST_CPU: Span = Span::from_millis(500);
/// Rows of the histogram, and the length of its longest bar.
const ROWS: u32 = 12;
const WIDTH: f64 = 40.0;

/// Everything that is told of one step. Each figure is none where it can not be known.
struct Figures {
    duration_s: Option<f64>,
    planned_rate: Option<f64>,
    rate: Option<f64>,
    requests: u64,
    failed: u64,
    dropped: Option<u64>,
    /// Of all requests, failed ones too.
    latency: Histogram,
    service_time: Histogram,
    send_lag: Histogram,
    connect_wait: Histogram,
    /// Sent once more because the service had closed the kept connection.
    stale: u64,
    errors: BTreeMap<ErrorKind, u64>,
    cpu_share: Option<f64>,
    bound: Option<String>,
    bound_known: bool,
    names: BTreeMap<String, (u64, u64, Histogram)>,
}

impl Figures {
    /// Of the last step that was measured. `workers` is how many cores the generator may keep busy.
    fn of(session: &Session, workers: usize) -> Self {
        let step = session.steps().iter().rev().find(|s| s.measured().is_some());
        let mut out = Self {
            duration_s: None,
            planned_rate: session
                .plan()
                .and_then(|p| if let LoadModel::Open { rate, .. } = p.load.model { Some(rate.as_per_second()) } else { None }),
            rate: None,
            requests: 0,
            failed: 0,
            dropped: None,
            latency: Histogram::default(),
            service_time: Histogram::default(),
            send_lag: Histogram::default(),
            connect_wait: Histogram::default(),
            stale: 0,
            errors: BTreeMap::new(),
            cpu_share: None,
            bound: None,
            bound_known: step.is_some(),
            names: BTreeMap::new(),
        };
        if let Some(step) = step {
            out.take(session, step, workers);
        }
        out
    }

    fn take(&mut self, session: &Session, step: &StepState, workers: usize) {
        for ((_, name), m) in step.by_request() {
            self.requests = self.requests.saturating_add(m.finished());
            self.failed = self.failed.saturating_add(m.failures());
            let all = Histogram::merged([&m.latency, &m.failed_latency]);
            self.latency.merge(&all);
            self.service_time.merge(&m.service_time);
            self.send_lag.merge(&m.send_lag);
            self.connect_wait.merge(&m.connect_wait);
            self.stale = self.stale.saturating_add(m.stale);
            let known = self.names.entry(name.to_owned()).or_default();
            *known = (known.0.saturating_add(m.finished()), known.1.saturating_add(m.failures()), Histogram::merged([&known.2, &all]));
        }
        self.errors = step.failed();
        self.dropped = Some(step.dropped());
        let run = RunFigures::of(session, step);
        self.duration_s = length(session, step).map(Span::as_secs_f64);
        let plainly = self.duration_s.filter(|s| *s > 0.0).map(|s| self.requests as f64 / s);
        let is_open = self.planned_rate.is_some();
        self.rate = if is_counted(session) || !is_open { plainly } else { ended_rate(session, step).or(plainly) };
        let enough = run.measured.is_some_and(|m| m >= LEAST_CPU);
        self.cpu_share = run.level(session, Signal::GeneratorCpu, None).filter(|_| enough).map(|cores| cores / workers.max(1) as f64);
        self.bound = step.generator_bound().map(clean);
    }
}

/// What ended while it was measured, a second: of an open load that the service can not carry less than what began. The intervals at
/// the edges count where their middle lies.
fn ended_rate(session: &Session, step: &StepState) -> Option<f64> {
    let measured = step.measured()?;
    let to = measured.to.unwrap_or(session.now());
    let seconds = to.since(measured.from).as_secs_f64();
    let within = |t: &&crate::model::session::TickPoint| t.to > measured.from && t.from.plus(t.to.since(t.from).times(0.5)) < to;
    let ended: u64 = session.ticks().iter().filter(within).map(|t| t.finished).sum();
    (seconds > 0.0).then(|| ended as f64 / seconds)
}

/// Whether the load ends with a number of requests, not with a time.
fn is_counted(session: &Session) -> bool {
    session.plan().is_some_and(|p| p.load.passes.is_some())
}

/// How long the load went on: the measure phase, or up to the interval in which the last of so many requests ended.
fn length(session: &Session, step: &StepState) -> Option<Span> {
    let measured = step.measured()?;
    let end = measured.to.unwrap_or(session.now());
    let last = || session.ticks().iter().rev().find(|t| t.finished > 0 && t.to > measured.from).map(|t| t.to.min(end));
    let end = if is_counted(session) { last().unwrap_or(end) } else { end };
    Some(end.since(measured.from))
}

/// What is about to be done, in a line.
#[must_use]
pub fn load_line(plan: &Plan) -> String {
    let long = plan.load.passes.map_or_else(|| format!("for {}", duration(plan.experiment.measure.max)), |n| format!("{} requests", count(n)));
    let what = plan.scenarios.iter().flat_map(Scenario::requests).next().map_or_else(String::new, |r| format!("{} at ", clean(&r.name)));
    format!("{what}{}, {}, {long}", clean(&plan.target.url), course::words(&plan.load))
}

/// `load-summary/1`.
#[must_use]
pub fn load_summary(session: &Session, workers: usize) -> Value {
    let f = Figures::of(session, workers);
    let name = |(name, (requests, failed, latency)): (&String, &(u64, u64, Histogram))| {
        (clean(name), json!({"requests": requests, "failed": failed, "latency_s": times(latency)}))
    };
    json!({
        "schema": "load-summary/1",
        "duration_s": f.duration_s,
        "planned_rate": f.planned_rate,
        "rate": f.rate,
        "requests": f.duration_s.map(|_| f.requests),
        "failed": f.duration_s.map(|_| f.failed),
        "dropped": f.dropped,
        "latency_s": times(&f.latency),
        "service_time_s": times(&f.service_time),
        "send_lag_s": times(&f.send_lag),
        "connect_wait_s": times(&f.connect_wait),
        "sent_again": f.duration_s.map(|_| f.stale),
        "errors": f.errors.iter().map(|(kind, n)| (kind.name().to_owned(), json!(n))).collect::<serde_json::Map<_, _>>(),
        "generator": {"cpu_share": f.cpu_share, "bound": f.bound_known.then_some(f.bound.is_some())},
        "by_name": f.names.iter().map(name).collect::<serde_json::Map<_, _>>(),
    })
}

fn times(h: &Histogram) -> Value {
    let mut out = serde_json::Map::new();
    out.insert("mean".to_owned(), json!(h.mean_s()));
    for (name, _, q, least) in PERCENTILES {
        out.insert(name.to_owned(), json!(percentile(h, q, least)));
    }
    out.insert("max".to_owned(), json!(h.max().map(Span::as_secs_f64)));
    Value::Object(out)
}

/// A percentile in seconds; none where too few requests lie beyond it to tell.
fn percentile(h: &Histogram, q: f64, least: u64) -> Option<f64> {
    h.quantile(q).filter(|_| h.count() >= least).map(Span::as_secs_f64)
}

/// The same for people.
#[must_use]
pub fn load_text(session: &Session, workers: usize, ascii: bool) -> String {
    let f = Figures::of(session, workers);
    let Some(duration_s) = f.duration_s else {
        return "nothing was measured".to_owned();
    };
    let mut lines = vec![format!("requests     {} in {}: {}", count(f.requests), time(duration_s), rate_or(f.rate))];
    lines.extend(planned(&f));
    lines.push(failed(&f));
    lines.extend(sent_again(&f));
    let mut out = vec![lines.join("\n")];
    if !f.latency.is_empty() {
        out.push(table(&f));
        out.push(histogram(&f.latency, ascii));
    }
    out.push(generator(&f));
    out.join("\n\n")
}

fn planned(f: &Figures) -> Option<String> {
    let planned = f.planned_rate?;
    // What began, whenever it ended: a slow service does not make the generator late.
    let begun = f.duration_s.filter(|s| *s > 0.0).map(|s| f.requests as f64 / s);
    let achieved = begun.filter(|_| planned > 0.0).map(|r| r / planned);
    Some(format!("planned      {}: {} achieved, {} dropped", rate(planned), share_or(achieved), count(f.dropped.unwrap_or(0))))
}

fn failed(f: &Figures) -> String {
    if f.failed == 0 {
        return "failed       none".to_owned();
    }
    let part = f.failed as f64 / f.requests.max(1) as f64;
    let cut: u64 = [ErrorKind::Timeout, ErrorKind::ConnectTimeout, ErrorKind::Unfinished].iter().filter_map(|k| f.errors.get(k)).sum();
    let censored =
        if cut > 0 { format!("\n             the times of {} of them are lower bounds: they were cut off", count(cut)) } else { String::new() };
    format!("failed       {} ({}): {}{censored}", count(f.failed), share(part), words::failures(&f.errors))
}

fn sent_again(f: &Figures) -> Option<String> {
    (f.stale > 0).then(|| format!("sent again   {}: the service had closed the kept connection; no failures of its own", count(f.stale)))
}

fn table(f: &Figures) -> String {
    let names = PERCENTILES.map(|(_, name, ..)| name);
    let mut table = Table::new(["", "mean"].into_iter().chain(names).chain(["max"]));
    for (name, h) in [("latency", &f.latency), ("service time", &f.service_time), ("send lag", &f.send_lag), ("connection wait", &f.connect_wait)] {
        let cells = PERCENTILES.map(|(_, _, q, least)| percentile(h, q, least).map_or_else(|| "too few".to_owned(), time));
        let ends = [time_or(h.mean_s()), time_or(h.max().map(Span::as_secs_f64))];
        let [mean, max] = ends;
        table.push([name.to_owned(), mean].into_iter().chain(cells).chain([max]).collect());
    }
    let what = "latency: from the intended start; service time: from the send; send lag: between the two;\nconnection wait: part of the service time. All requests, failed ones too.";
    format!("{}\n{what}", table.text())
}

/// Bars of equal steps on a logarithmic scale from the shortest latency to the longest.
fn histogram(h: &Histogram, ascii: bool) -> String {
    let (Some(low), Some(high)) = (h.quantile(0.0), h.max()) else { return String::new() };
    let (low, high) = (low.as_micros().max(1) as f64, high.as_micros().max(1) as f64);
    let edges: Vec<f64> = (1..=ROWS).map(|n| low * (high / low).powf(f64::from(n) / f64::from(ROWS))).collect();
    let mut counts = vec![0_u64; edges.len()];
    for (lowest, highest, n) in h.buckets() {
        let middle = u64::midpoint(lowest, highest) as f64;
        let at = edges.partition_point(|e| *e < middle.min(high)).min(edges.len() - 1);
        if let Some(cell) = counts.get_mut(at) {
            *cell = cell.saturating_add(n);
        }
    }
    let most = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    let cells: Vec<(String, u64)> = edges.iter().map(|e| time(e / 1e6)).zip(counts).collect();
    let wide = cells.iter().map(|(edge, _)| edge.chars().count()).max().unwrap_or(0);
    let line = |(edge, n): &(String, u64)| {
        let share_of = share(*n as f64 / h.count().max(1) as f64);
        let bar = bar(*n as f64 / most, ascii);
        format!("up to {edge:>wide$}  {bar}{}{} ({share_of})", if bar.is_empty() { "" } else { " " }, count(*n))
    };
    format!("latency\n{}", cells.iter().map(line).collect::<Vec<_>>().join("\n"))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a short bar")]
fn bar(share: f64, ascii: bool) -> String {
    let full = (share.clamp(0.0, 1.0) * WIDTH).round() as usize;
    let cells = if share > 0.0 { full.max(1) } else { 0 };
    if ascii { "#" } else { "█" }.repeat(cells)
}

fn generator(f: &Figures) -> String {
    let cpu = f.cpu_share.map_or_else(|| "its CPU is not known".to_owned(), |s| format!("{} of the CPU its workers may use", share(s)));
    let verdict = f.bound.as_ref().map_or_else(|| "not the limit".to_owned(), |why| format!("THE LIMIT, so these figures are partly its own: {why}"));
    format!("generator    {cpu}; {verdict}")
}
