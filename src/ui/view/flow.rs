//! The flow line: five stations from the request to the database, each a gauge with its number, the widest backlog highlighted and
//! named underneath.
//!
//! ```text
//! requests ──────▶ threads ───────▶ queue ─────────▶ connections ───▶ database
//! ▕███████▉  ▏     ▕█████████▏      ▕██▎      ▏      ▕█████████▏      ▕██████  ▏
//! 98.2/s           187 of 200 busy  37 waiting       150 of 150 used  121 active
//! planned 100/s                     W 412 ms         H 1.31 s         44 wait for locks
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::model::session::Session;
use crate::ui::look::{Look, Tone};
use crate::ui::number;
use crate::ui::reading::backlog::{self, Flow, Place};
use crate::ui::state::State;
use crate::ui::text::{cut, put, row, width};
use crate::ui::widget::gauge::gauge;

/// One station of the flow.
struct Station {
    name: &'static str,
    share: Option<f64>,
    main: String,
    more: String,
    place: Option<Place>,
}

/// Draws it: on five lines, or on three where there is little room.
pub(super) fn render(state: &State, look: Look, area: Rect, buf: &mut Buffer) {
    let session = state.shown();
    let flow = backlog::flow(session);
    let over = session.ended().is_some();
    let (widest, sentence) = if over { (None, "the run is over; these are its last figures".to_owned()) } else { flow.widest() };
    let stations = stations(session, &flow);
    let cells = area.width / 5;
    for (station, x) in stations.iter().zip((area.x..area.right()).step_by(usize::from(cells.max(1)))) {
        let place = Rect { x, width: cells.min(area.right() - x), ..area };
        let hot = station.place.is_some() && station.place == widest;
        let last = x + cells + cells > area.right();
        if area.height >= 5 { tall(station, hot, last, look, place, buf) } else { short(station, hot, look, place, buf) }
    }
    let line = row(area, area.height.saturating_sub(1));
    let at = stations.iter().position(|s| s.place.is_some() && s.place == widest);
    let wanted = at.map_or(1, |i| usize::from(cells) * i + 1);
    let (text, tone) = if widest.is_some() { (format!("▲ {sentence}"), Tone::Hot) } else { (sentence, Tone::Dim) };
    let x = wanted.min(usize::from(area.width).saturating_sub(width(&text) + 1)).max(1);
    put(buf, line, area.x.saturating_add(u16::try_from(x).unwrap_or(1)), line.y, &text, look.style(tone));
}

fn share(part: Option<f64>, whole: Option<f64>) -> Option<f64> {
    part.zip(whole).and_then(|(p, w)| (w > 0.0).then(|| p / w))
}

fn of(part: Option<f64>, whole: Option<f64>, what: &str) -> String {
    match (part, whole) {
        (None, None) => number::UNKNOWN.to_owned(),
        (p, Some(w)) => format!("{} of {} {what}", number::count_or(p), number::count(w)),
        (p, None) => format!("{} {what}", number::count_or(p)),
    }
}

/// Worker threads without work, or requests that wait for one.
fn free(flow: &Flow) -> String {
    match (flow.busy.zip(flow.threads), flow.in_flight) {
        (Some((busy, threads)), Some(n)) if busy >= 0.97 * threads && n - busy >= 1.0 => format!("{} wait for one", number::count(n - busy)),
        (Some((busy, threads)), _) => format!("{} free", number::count((threads - busy).max(0.0))),
        (None, _) => String::new(),
    }
}

fn stations(session: &Session, flow: &Flow) -> [Station; 5] {
    let fastest = session.ticks().iter().filter_map(crate::model::session::TickPoint::rate).fold(0.0, f64::max);
    let most = flow.threads.or(flow.in_flight.filter(|n| *n > 0.0));
    let planned = flow.planned.map_or_else(
        || flow.in_flight.map_or_else(String::new, |n| format!("{} under way", number::count(n))),
        |p| format!("planned {}", number::rate(p)),
    );
    let dropped = flow.dropped.filter(|d| *d > 0.0).map(|d| format!("{} not sent", number::rate(d)));
    [
        Station {
            name: "requests",
            share: share(flow.rate, flow.planned.or(Some(fastest))),
            main: number::rate_or(flow.rate),
            more: dropped.unwrap_or(planned),
            place: Some(Place::Generator),
        },
        Station {
            name: "threads",
            share: share(flow.busy, flow.threads),
            main: of(flow.busy, flow.threads, "busy"),
            more: free(flow),
            place: Some(Place::Threads),
        },
        Station {
            name: "queue",
            share: share(flow.pending, most),
            main: flow.pending.map_or_else(|| number::UNKNOWN.to_owned(), |p| format!("{} waiting", number::count(p))),
            more: flow.wait_s.map_or_else(|| "W ?".to_owned(), |w| format!("W {}", number::time(w))),
            place: Some(Place::Pool),
        },
        Station {
            name: "connections",
            share: share(flow.active, flow.pool),
            main: of(flow.active, flow.pool, "in use"),
            more: flow.hold_s.map_or_else(|| "H ?".to_owned(), |h| format!("H {}", number::time(h))),
            place: None,
        },
        Station {
            name: "database",
            share: share(flow.sessions, flow.pool.or(flow.sessions)),
            main: flow.sessions.map_or_else(|| number::UNKNOWN.to_owned(), |s| format!("{} active", number::count(s))),
            more: flow.locks.map_or_else(String::new, |l| format!("{} wait for locks", number::count(l))),
            place: Some(Place::Database),
        },
    ]
}

fn tall(station: &Station, hot: bool, last: bool, look: Look, area: Rect, buf: &mut Buffer) {
    let tone = if hot { Tone::Hot } else { Tone::Text };
    let x = area.x.saturating_add(1);
    let room = usize::from(area.width).saturating_sub(2);
    let first = row(area, 0);
    let mut behind = put(buf, first, x, first.y, station.name, look.style(if hot { Tone::Hot } else { Tone::Title }));
    if !last {
        let dashes = usize::from(area.right().saturating_sub(behind)).saturating_sub(3);
        behind = put(buf, first, behind, first.y, " ", look.style(Tone::Text));
        put(buf, first, behind, first.y, &format!("{}▶", "─".repeat(dashes)), look.style(Tone::Frame));
    }
    let lines = [gauge(station.share, room), station.main.clone(), station.more.clone()];
    let tones = [if hot { Tone::Hot } else { Tone::Main }, tone, if hot { Tone::Hot } else { Tone::Dim }];
    for ((text, tone), n) in lines.iter().zip(tones).zip(1..) {
        let line = row(area, n);
        put(buf, line, x, line.y, &cut(text, room), look.style(tone));
    }
}

/// Two lines: the name with its number, the gauge with what goes with it.
fn short(station: &Station, hot: bool, look: Look, area: Rect, buf: &mut Buffer) {
    let tone = if hot { Tone::Hot } else { Tone::Text };
    let room = usize::from(area.width).saturating_sub(1);
    let (first, second) = (row(area, 0), row(area, 1));
    let number = station.main.replace(" of ", "/").replace(" in use", "").replace(" waiting", "").replace(" active", "").replace(" busy", "");
    let name = match station.name {
        "connections" => "conns",
        "requests" => "load",
        name => name,
    };
    let x = put(buf, first, area.x, first.y, " ", look.style(tone));
    let x = put(buf, first, x, first.y, &format!("{name} "), look.style(if hot { Tone::Hot } else { Tone::Dim }));
    put(buf, first, x, first.y, &number, look.style(tone));
    let more = station.more.replace(" wait for locks", " locks").replace("planned ", "of ").replace(" under way", "");
    let bar = if more.is_empty() || station.name == "requests" && !more.contains('/') {
        gauge(station.share, room)
    } else {
        gauge(station.share, room.saturating_sub(9).max(4))
    };
    let x = put(buf, second, area.x.saturating_add(1), second.y, &bar, look.style(if hot { Tone::Hot } else { Tone::Main }));
    if bar.chars().count() < room {
        put(buf, second, x, second.y, &more, look.style(if hot { Tone::Hot } else { Tone::Dim }));
    }
}
