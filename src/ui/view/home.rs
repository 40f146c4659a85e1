//! The home screen: what can be run or looked at, in one list, with what is known of the selected line beside or below it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::{footer, split_bottom, split_left, split_top, status};
use crate::ui::look::{Look, Tone};
use crate::ui::message::{LibraryEntry, RecordingEntry};
use crate::ui::reading::curve::words;
use crate::ui::state::State;
use crate::ui::text::{cut, pad, put, put_all, put_centred, row, wrap};
use crate::ui::widget::gauge::sparkline;
use crate::ui::widget::panel::Frame;

/// Cells of a name in the list.
const NAME: usize = 26;

/// Draws it.
pub(super) fn render(state: &State, look: Look, area: Rect, buf: &mut Buffer) {
    let (head, rest) = split_top(area, if area.height >= 30 { 5 } else { 2 });
    let (rest, foot) = split_bottom(rest, 1);
    let (rest, line) = split_bottom(rest, 1);
    if head.height >= 5 {
        disc(look, head, buf);
    } else {
        title(look, head, buf);
    }
    let (list_area, detail_area) =
        if rest.width >= 160 { split_left(rest, rest.width * 3 / 5) } else { split_bottom(rest, if area.height >= 30 { 10 } else { 7 }) };
    list(state, look, list_area, buf);
    detail(state, look, detail_area, buf);
    status::render(state, look, line, buf);
    footer::render(state, look, foot, buf);
}

fn title(look: Look, area: Rect, buf: &mut Buffer) {
    let pieces =
        [(" ─⊖─ ", Tone::Line), ("Plimsoll", Tone::Title), ("   finds the load line of a service: where waiting and contention balance", Tone::Dim)];
    put_all(buf, area, area.x, area.y, &pieces.map(|(text, tone)| (text.to_owned(), look.style(tone))));
}

/// The mark on a ship's side, with what the program is for.
fn disc(look: Look, area: Rect, buf: &mut Buffer) {
    let lines = [
        ("      ╭───────╮", "", Tone::Title),
        ("  ━━━━┿━━━━━━━┿━━━━", "Plimsoll", Tone::Title),
        ("      ╰───────╯", "finds the load line of a service: the setting at which waiting and contention balance", Tone::Dim),
    ];
    for ((mark, text, tone), n) in lines.into_iter().zip(1..) {
        let line = row(area, n);
        put(buf, line, line.x, line.y, mark, look.style(Tone::Line));
        put(buf, line, line.x.saturating_add(23), line.y, text, look.style(tone));
    }
}

/// A line of the list: a heading, or an entry with its place among the entries.
enum Line<'a> {
    Heading(&'static str),
    Entry(usize, &'a LibraryEntry),
}

const fn heading(entry: &LibraryEntry) -> &'static str {
    match entry {
        LibraryEntry::Demo { .. } => "demo: a built-in service, no set-up",
        LibraryEntry::Profile { .. } => "profiles",
        LibraryEntry::Recording(_) => "recordings",
    }
}

fn list(state: &State, look: Look, area: Rect, buf: &mut Buffer) {
    let mut frame = Frame::named("what to open", true);
    if state.home.typing || !state.home.filter.is_empty() {
        frame = frame.with(format!("/{}{}", state.home.filter, if state.home.typing { "▏" } else { "" }), look.style(Tone::Focus));
    }
    let inner = frame.render(look, area, buf);
    let mut lines: Vec<Line<'_>> = Vec::new();
    for (i, entry) in state.visible_entries().enumerate() {
        if !lines.iter().rev().any(|l| matches!(l, Line::Heading(h) if *h == heading(entry))) {
            lines.push(Line::Heading(heading(entry)));
        }
        lines.push(Line::Entry(i, entry));
    }
    if lines.is_empty() {
        let text = match (&state.home.entries, state.home.filter.is_empty()) {
            (None, _) => "looking for profiles and recordings …",
            (Some(_), true) => "nothing here yet: d runs the demo, `plimsoll init` writes a profile",
            (Some(_), false) => "no line holds this; esc clears the filter",
        };
        put_centred(buf, inner, inner.y + inner.height / 2, text, look.style(Tone::Dim));
        return;
    }
    let selected = lines.iter().position(|l| matches!(l, Line::Entry(i, _) if *i == state.home.selected)).unwrap_or(0);
    let first = selected.saturating_sub(usize::from(inner.height.saturating_sub(2)));
    for (line, n) in lines.iter().skip(first).zip(0..inner.height) {
        let place = row(inner, n);
        match line {
            Line::Heading(text) => drop(put(buf, place, place.x, place.y, &format!(" {text}"), look.style(Tone::Dim))),
            Line::Entry(i, entry) => self::entry(entry, *i == state.home.selected, look, place, buf),
        }
    }
}

fn entry(entry: &LibraryEntry, selected: bool, look: Look, area: Rect, buf: &mut Buffer) {
    let (name, rest, tone) = match entry {
        LibraryEntry::Demo { preset, about } => (preset.clone(), about.clone(), Tone::Dim),
        LibraryEntry::Profile { name: Ok(name), about, .. } => (name.clone(), about.clone(), Tone::Dim),
        LibraryEntry::Profile { path, name: Err(error), .. } => (file_name(path), format!("✗ {error}"), Tone::Bad),
        LibraryEntry::Recording(r) => (r.name.clone(), recording_line(r), Tone::Dim),
    };
    let mark = if selected { " ▶ " } else { "   " };
    let text: Style = look.style(if selected { Tone::Selected } else { Tone::Text });
    let room = usize::from(area.width);
    let name_cells = NAME.min(room.saturating_sub(3));
    let x = put(buf, area, area.x, area.y, &format!("{mark}{} ", pad(&name, name_cells)), text);
    let left = usize::from(area.right().saturating_sub(x));
    put(buf, area, x, area.y, &pad(&format!(" {rest}"), left), if selected { text } else { look.style(tone) });
}

fn file_name(path: &std::path::Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn recording_line(r: &RecordingEntry) -> String {
    let answer = r.answer.clone().or_else(|| r.verdict.map(|v| words(v).to_owned())).unwrap_or_else(|| "no verdict".to_owned());
    let date = r.date.get(..16).unwrap_or(&r.date).replace('T', " ");
    format!("{}  {}  {} {}", pad(&date, 16), pad(&answer, 22), sparkline(&r.losses), r.target)
}

fn detail(state: &State, look: Look, area: Rect, buf: &mut Buffer) {
    let inner = Frame::named("selected", false).render(look, area, buf);
    let Some(entry) = state.selected_entry() else { return };
    let facts = match entry {
        LibraryEntry::Demo { preset, about } => vec![
            ("demo", preset.clone()),
            ("", about.clone()),
            ("enter", "starts the service on a free local port, sweeps its pool, judges, records; under 2 minutes".to_owned()),
        ],
        LibraryEntry::Profile { path, name: Ok(name), about } => {
            vec![("profile", name.clone()), ("file", path.display().to_string()), ("", about.clone()), ("enter", "runs it".to_owned())]
        }
        LibraryEntry::Profile { path, name: Err(error), .. } => vec![("file", path.display().to_string()), ("error", error.clone())],
        LibraryEntry::Recording(r) => recording_facts(r),
    };
    let mut n = 0;
    for (head, text) in facts {
        for (i, part) in wrap(&text, usize::from(inner.width).saturating_sub(12)).iter().enumerate() {
            let line = row(inner, n);
            n += 1;
            let x = put(buf, line, line.x, line.y, &format!(" {}", pad(if i == 0 { head } else { "" }, 10)), look.style(Tone::Dim));
            put(buf, line, x, line.y, &cut(part, usize::from(inner.width)), look.style(if head == "error" { Tone::Bad } else { Tone::Text }));
        }
    }
}

fn recording_facts(r: &RecordingEntry) -> Vec<(&'static str, String)> {
    let verdict = match (r.verdict, &r.answer) {
        (Some(kind), Some(answer)) => format!("{}: {answer}", words(kind)),
        (Some(kind), None) => words(kind).to_owned(),
        (None, _) => "none was given".to_owned(),
    };
    let outcome = r.outcome.map_or("cut short: complete up to its last second", crate::model::event::Outcome::name);
    vec![
        ("recording", r.name.clone()),
        ("verdict", verdict),
        ("target", r.target.clone()),
        ("began", r.date.clone()),
        ("outcome", outcome.to_owned()),
        ("loss", sparkline(&r.losses)),
        ("file", r.path.display().to_string()),
        ("enter", "replays it".to_owned()),
    ]
}
