//! The panels of the live screen, one function each: what is drawn on which scale.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::chart::{self, Area, Chart, Series};
use super::{split_top, sweep};
use crate::model::event::ErrorKind;
use crate::model::session::{LogLevel, Session, TickPoint};
use crate::model::signal::Signal;
use crate::ui::look::{Look, Tone};
use crate::ui::number;
use crate::ui::reading::backlog::mend;
use crate::ui::reading::series::{self, Figures, Joined, Point};
use crate::ui::reading::timeline::Timeline;
use crate::ui::state::{Panel, State};
use crate::ui::text::{pad_left, put, put_centred, row, wrap};
use crate::ui::widget::panel::Frame;
use crate::ui::widget::plot::Texture;
use crate::ui::widget::scale::Scale;

/// What all panels are drawn from.
pub(super) struct Ground<'a> {
    /// Everything.
    pub state: &'a State,
    /// The session shown.
    pub session: &'a Session,
    /// The shared axis.
    pub timeline: &'a Timeline,
    /// The look.
    pub look: Look,
}

impl Ground<'_> {
    fn style(&self, tone: Tone) -> Style {
        self.look.style(tone)
    }

    fn points(&self, figures: &Figures, area: Rect, joined: Joined) -> Vec<Point> {
        series::columns(figures, self.timeline.x, chart::columns(area, self.look), series::reach(self.session), joined)
    }

    fn level(&self, signal: Signal, of: Option<&str>, area: Rect) -> Vec<Point> {
        self.points(&series::levels(self.session, signal, of), area, Joined::Mean)
    }

    fn chart(&self, y: Scale, mark: fn(f64) -> String, lines: Vec<Series>, empty: &str) -> Chart<'_> {
        Chart { timeline: self.timeline, y, mark, areas: Vec::new(), lines, empty: empty.to_owned() }
    }

    /// Draws a panel.
    pub(super) fn panel(&self, panel: Panel, area: Rect, buf: &mut Buffer) {
        match panel {
            Panel::Requests => self.requests(area, buf),
            Panel::Latency => self.latency(area, buf),
            Panel::Pool => self.pool(area, buf),
            Panel::Threads => self.threads(area, buf),
            Panel::Waits => self.waits(area, buf),
            Panel::Errors => self.errors(area, buf),
            Panel::SoFar => self.so_far(area, buf),
            Panel::Log => self.log(area, buf),
        }
    }

    fn frame(&self, panel: Panel, name: &str) -> Frame {
        Frame::named(name, self.state.live.focus == panel)
    }

    fn requests(&self, area: Rect, buf: &mut Buffer) {
        let mut frame = self.frame(Panel::Requests, "requests a second");
        frame.foot = error_line(self.session).map(|text| (text, self.style(Tone::Bad)));
        let inner = frame.render(self.look, area, buf);
        let done = self.points(&series::ticks(self.session, |t| per_second(t, t.finished)), inner, Joined::Mean);
        let mut failed = chart::series(
            self.points(&series::ticks(self.session, |t| per_second(t, t.failures())), inner, Joined::Mean),
            "fail",
            self.style(Tone::Bad),
            'x',
            number::rate,
        );
        if failed.points.iter().flatten().all(|p| p.1 <= 0.0) {
            failed.points.clear();
        }
        let planned =
            self.points(&series::ticks(self.session, |t| t.planned.filter(|_| t.seconds() > 0.0).map(|p| p / t.seconds())), inner, Joined::Mean);
        let y = Scale::up_to(series::largest([done.as_slice(), planned.as_slice()]));
        let mut lines = Vec::new();
        if planned.iter().any(Option::is_some) {
            lines.push(Series { dotted: true, ..chart::series(planned, "plan", self.style(Tone::Limit), '.', number::rate) });
        }
        lines.push(failed);
        lines.push(chart::series(done, "done", self.style(Tone::Main), '*', number::rate));
        self.chart(y, mark_rate, lines, "no requests yet").render(self.look, inner, buf);
    }

    fn latency(&self, area: Rect, buf: &mut Buffer) {
        let scale = if self.state.live.log_scale { "log" } else { "linear" };
        let mut frame = self.frame(Panel::Latency, &format!("latency from the intended start, {scale}"));
        frame.foot = sent_line(self.session).map(|text| (text, self.style(Tone::Dim)));
        let inner = frame.render(self.look, area, buf);
        let tones = [(0, "p50", Tone::P50, '5'), (1, "p90", Tone::P90, '9'), (2, "p95", Tone::P95, 'n'), (3, "p99", Tone::P99, 'N')];
        let mut lines: Vec<Series> = tones
            .into_iter()
            .map(|(which, name, tone, symbol)| {
                let points = self.points(&series::percentiles(self.session, which), inner, Joined::Middle);
                chart::series(points, name, self.style(tone), symbol, number::time)
            })
            .rev()
            .collect();
        let sent = self.points(&series::ticks(self.session, |t| t.service_time.map(|(_, p99)| p99.as_secs_f64())), inner, Joined::Middle);
        if sent.iter().any(Option::is_some) {
            lines.insert(0, Series { dotted: true, ..chart::series(sent, "sent", self.style(Tone::Dim), '.', number::time) });
        }
        let all = || lines.iter().map(|l| l.points.as_slice());
        let (low, high) = (series::smallest(all()), series::largest(all()));
        let y = if self.state.live.log_scale { Scale::around(low, high) } else { Scale::up_to(high) };
        self.chart(y, mark_time, lines, "no answers yet").render(self.look, inner, buf);
    }

    fn pool(&self, area: Rect, buf: &mut Buffer) {
        let inner = self.frame(Panel::Pool, "pool, connections").render(self.look, area, buf);
        let active = self.level(Signal::PoolActive, None, inner);
        let idle = self.level(Signal::PoolIdle, None, inner);
        let pending = self.level(Signal::PoolPending, None, inner);
        let most = self.level(Signal::PoolMax, None, inner);
        let areas = vec![
            Area { points: stacked(&active, &idle), texture: Texture::Sparse, style: self.style(Tone::Idle) },
            Area { points: active.iter().map(|p| p.map(|(x, v)| (x, 0.0, v))).collect(), texture: Texture::Dense, style: self.style(Tone::Hold) },
        ];
        let y = Scale::up_to(series::largest([active.as_slice(), pending.as_slice(), most.as_slice()]));
        let lines = vec![
            chart::series(idle.iter().map(|_| None).collect(), "idle", self.style(Tone::Idle), '.', number::count),
            Series { dotted: true, ..chart::series(most, "max", self.style(Tone::Limit), '-', number::count) },
            chart::series(active, "active", self.style(Tone::Hold), ':', number::count),
            chart::series(pending, "pending", self.style(Tone::Wait), '*', number::count),
        ];
        let lines =
            lines.into_iter().map(|l| if l.name == "idle" { Series { latest: series::last(&idle).map(number::count), ..l } } else { l }).collect();
        let chart = Chart { areas, ..self.chart(y, number::count, lines, &format!("pool: {}", mend(Signal::PoolActive))) };
        chart.render(self.look, inner, buf);
    }

    fn threads(&self, area: Rect, buf: &mut Buffer) {
        let inner = self.frame(Panel::Threads, "worker threads · database sessions").render(self.look, area, buf);
        let level = |signal, of| self.level(signal, of, inner);
        let lines = vec![
            Series { dotted: true, ..chart::series(level(Signal::ThreadsMax, None), "max", self.style(Tone::Limit), '-', number::count) },
            chart::series(level(Signal::ThreadsBusy, None), "busy", self.style(Tone::Main), '*', number::count),
            chart::series(level(Signal::DbSessions, Some("active")), "db", self.style(Tone::Database), 'd', number::count),
            chart::series(level(Signal::DbSessions, Some("lock_waiting")), "locks", self.style(Tone::Bad), 'l', number::count),
        ];
        let y = Scale::up_to(series::largest(lines.iter().map(|l| l.points.as_slice())));
        self.chart(y, number::count, lines, &format!("threads: {}", mend(Signal::ThreadsBusy))).render(self.look, inner, buf);
    }

    fn waits(&self, area: Rect, buf: &mut Buffer) {
        let inner = self.frame(Panel::Waits, "wait W for a connection · hold H of it").render(self.look, area, buf);
        let timer = |signal| self.points(&series::timer(self.session, signal), inner, Joined::Mean);
        let lines = vec![
            chart::series(timer(Signal::PoolUsage), "H", self.style(Tone::Hold), 'H', number::time),
            chart::series(timer(Signal::PoolAcquire), "W", self.style(Tone::Wait), 'W', number::time),
        ];
        let y = Scale::up_to(series::largest(lines.iter().map(|l| l.points.as_slice())));
        self.chart(y, mark_time, lines, &format!("W and H: {}", mend(Signal::PoolAcquire))).render(self.look, inner, buf);
    }

    fn errors(&self, area: Rect, buf: &mut Buffer) {
        let inner = self.frame(Panel::Errors, "errors by kind").render(self.look, area, buf);
        let kinds = errors(self.session);
        if kinds.is_empty() {
            put_centred(buf, inner, inner.y + inner.height / 2, "no request failed", self.style(Tone::Dim));
            return;
        }
        let rows = u16::try_from(kinds.len()).unwrap_or(u16::MAX);
        let (list, below) = if inner.height > rows.saturating_add(5) { split_top(inner, rows) } else { (inner, Rect::default()) };
        let all: u64 = self.session.ticks().iter().map(|t| t.finished).sum();
        for ((kind, n), line) in kinds.iter().zip(0..list.height) {
            let place = row(list, line);
            let share = if all > 0 { number::share(*n as f64 / all as f64) } else { number::UNKNOWN.to_owned() };
            let text = format!("{} requests  {} of all   {}", pad_left(&number::count(*n as f64), 9), pad_left(&share, 5), kind.name());
            put(buf, place, place.x, place.y, &text, self.style(Tone::Bad));
        }
        if below.height > 0 {
            let failed = self.points(&series::ticks(self.session, |t| per_second(t, t.failures())), below, Joined::Mean);
            let dropped = self.points(&series::ticks(self.session, |t| per_second(t, t.dropped)), below, Joined::Mean);
            let y = Scale::up_to(series::largest([failed.as_slice(), dropped.as_slice()]));
            let mut lines = vec![chart::series(failed, "fail", self.style(Tone::Bad), 'x', number::rate)];
            if dropped.iter().flatten().any(|p| p.1 > 0.0) {
                lines.push(chart::series(dropped, "unsent", self.style(Tone::Warn), 'u', number::rate));
            }
            self.chart(y, mark_rate, lines, "").render(self.look, below, buf);
        }
    }

    fn so_far(&self, area: Rect, buf: &mut Buffer) {
        let inner = self.frame(Panel::SoFar, &sweep::title(self.session)).render(self.look, area, buf);
        sweep::with_sentence(self.session, self.look, inner, buf);
    }

    fn log(&self, area: Rect, buf: &mut Buffer) {
        let inner = self.frame(Panel::Log, "what happened").render(self.look, area, buf);
        let room = usize::from(inner.width).saturating_sub(9);
        let mut lines: Vec<(String, String, Style)> = Vec::new();
        for entry in self.session.log().iter().rev().take(usize::from(inner.height)) {
            let style = self.style(tone_of(entry.level));
            let mut parts = wrap(&entry.text, room);
            while parts.len() > 1 {
                lines.push((String::new(), parts.pop().unwrap_or_default(), style));
            }
            lines.push((entry.at.to_string(), parts.pop().unwrap_or_default(), style));
        }
        let shown = lines.len().min(usize::from(inner.height));
        for ((clock, text, style), n) in lines.iter().take(shown).rev().zip(0..) {
            let place = row(inner, n);
            let x = put(buf, place, place.x, place.y, &format!("{} ", pad_left(clock, 8)), self.style(Tone::Dim));
            put(buf, place, x, place.y, text, *style);
        }
    }
}

/// How loud a line of the log looks.
pub(super) const fn tone_of(level: LogLevel) -> Tone {
    match level {
        LogLevel::Info => Tone::Text,
        LogLevel::Mark => Tone::Focus,
        LogLevel::Verdict => Tone::Good,
        LogLevel::Warning => Tone::Warn,
        LogLevel::Error => Tone::Bad,
    }
}

/// The idle connections on top of the active ones.
fn stacked(active: &[Point], idle: &[Point]) -> Vec<Option<(f64, f64, f64)>> {
    active.iter().zip(idle).map(|(a, i)| a.zip(*i).map(|((x, a), (_, i))| (x, a, a + i))).collect()
}

/// A count of one interval of load as a rate.
fn per_second(tick: &TickPoint, count: u64) -> Option<f64> {
    (tick.seconds() > 0.0).then(|| count as f64 / tick.seconds())
}

/// All failures of the session by kind, the most first.
fn errors(session: &Session) -> Vec<(ErrorKind, u64)> {
    let mut all = std::collections::BTreeMap::new();
    for (kind, n) in session.ticks().iter().flat_map(|t| &t.failed) {
        *all.entry(*kind).or_insert(0) += n;
    }
    let mut kinds: Vec<_> = all.into_iter().collect();
    kinds.sort_by_key(|(kind, n)| (std::cmp::Reverse(*n), *kind));
    kinds
}

/// The other latency, of what ended last: from the send.
fn sent_line(session: &Session) -> Option<String> {
    let (p50, p99) = session.ticks().iter().rev().take(8).find_map(|t| t.service_time)?;
    Some(format!("from the send: p50 {} p99 {}", number::time(p50.as_secs_f64()), number::time(p99.as_secs_f64())))
}

/// `failed so far: 12 time-out · 3 unexpected status`.
fn error_line(session: &Session) -> Option<String> {
    let parts: Vec<String> = errors(session).iter().map(|(kind, n)| format!("{} {}", number::count(*n as f64), kind.name())).collect();
    (!parts.is_empty()).then(|| format!("failed so far: {}", parts.join(" · ")))
}

fn mark_rate(value: f64) -> String {
    format!("{}/s", if value < 1.0 && value > 0.0 { format!("{value:.1}") } else { number::count(value) })
}

/// A round time without needless digits.
pub(super) fn mark_time(seconds: f64) -> String {
    if seconds == 0.0 {
        return "0 ms".to_owned();
    }
    let text = number::time(seconds);
    let Some((digits, unit)) = text.split_once(' ') else { return text };
    let digits = if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits };
    format!("{digits} {unit}")
}
