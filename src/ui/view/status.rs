//! The line above the footer: what is typed, what was said, where a replay is; and the questions asked before something is done.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::{Clear, Widget as _};

use crate::model::session::{LogLevel, Session};
use crate::ui::look::{Look, Tone};
use crate::ui::message::Start;
use crate::ui::number;
use crate::ui::reading::{backlog, label};
use crate::ui::state::{Origin, Overlay, Question, State, Wanted};
use crate::ui::text::{cut, put, put_all, row, width, wrap};
use crate::ui::transport::Transport;
use crate::ui::widget::panel::Frame;

/// Draws the line.
pub(super) fn render(state: &State, look: Look, area: Rect, buf: &mut Buffer) {
    let (text, tone) = match (&state.overlay, &state.notice, &state.origin) {
        (Some(Overlay::Prompt(prompt)), ..) => {
            let what = match prompt.what {
                Wanted::Mark => "note",
                Wanted::Time => "go to time",
            };
            (format!("{what}: {}▏  (enter keeps it, esc leaves it)", prompt.text), Tone::Focus)
        }
        (_, Some(notice), _) => (notice.clone(), Tone::Focus),
        (_, _, Origin::Replay(transport)) => return play_line(state, transport, look, area, buf),
        (_, _, Origin::Run(run)) if run.failed.is_some() => (run.failed.clone().unwrap_or_default(), Tone::Bad),
        _ => said(state.shown()),
    };
    put(buf, area, area.x.saturating_add(1), area.y, &text, look.style(tone));
}

/// What a reader should know now: that the figures are not the service's, a silent source, a missing signal, the last warning of this step.
fn said(session: &Session) -> (String, Tone) {
    if let Some(bound) = session.generator_limit() {
        return (format!("⚠ the load generator is the limit: {bound}"), Tone::Bad);
    }
    if let Some(((source, _), reason)) = session.silent().iter().next() {
        return (format!("⚠ metrics of {source} are silent: {reason}"), Tone::Warn);
    }
    if let Some((signal, mend)) = backlog::flow(session).missing().into_iter().next().filter(|_| session.ticks().len() > 8) {
        return (format!("? {signal} is not known: {mend}"), Tone::Dim);
    }
    let loud = session.log().iter().rev().take(6).find(|l| l.level >= LogLevel::Warning);
    loud.map_or((String::new(), Tone::Dim), |l| (format!("⚠ {} {}", l.at, l.text), Tone::Warn))
}

/// `▶ 4×  ▕━━━━┷━━━━●──┴───▏ 01:23 of 02:10  step 4: pool 150`.
fn play_line(state: &State, transport: &Transport, look: Look, area: Rect, buf: &mut Buffer) {
    let symbol = if transport.playing { "▶" } else { "‖" };
    let session = &state.session;
    let head = format!(" {symbol} {:.0}×  ", transport.speed);
    let step = session
        .current()
        .map_or_else(String::new, |s| format!("  step {}: {}", s.planned().order + 1, label::parted(session, &s.planned().values).0));
    let end = if transport.at_end() && !session.judged().is_empty() { "  the end: v shows the verdict" } else { "" };
    let tail = format!("  {} of {}{step}{end} ", transport.position(), transport.end());
    let room = usize::from(area.width).saturating_sub(width(&head) + width(&tail) + 2);
    let mut pieces: Vec<(String, Style)> = vec![(head, look.style(Tone::Focus)), ("▕".to_owned(), look.style(Tone::Frame))];
    pieces.extend(track(transport, room, look));
    pieces.push(("▏".to_owned(), look.style(Tone::Frame)));
    pieces.push((tail, look.style(Tone::Text)));
    put_all(buf, area, area.x, area.y, &pieces);
}

/// The track of a replay: thick up to the position, a notch where a step begins.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a screen's width")]
fn track(transport: &Transport, cells: usize, look: Look) -> Vec<(String, Style)> {
    let whole = transport.end().as_secs_f64().max(1e-9);
    let place = |s: f64| ((s / whole * cells as f64) as usize).min(cells.saturating_sub(1));
    let here = place(transport.position().as_secs_f64());
    let notches: Vec<usize> = transport.chapters().iter().map(|c| place(c.as_secs_f64())).collect();
    let cell = |i: usize| match (i.cmp(&here), notches.contains(&i)) {
        (std::cmp::Ordering::Equal, _) => ("●", Tone::Focus),
        (std::cmp::Ordering::Less, true) => ("┷", Tone::Focus),
        (std::cmp::Ordering::Less, false) => ("━", Tone::Focus),
        (std::cmp::Ordering::Greater, true) => ("┴", Tone::Dim),
        (std::cmp::Ordering::Greater, false) => ("─", Tone::Frame),
    };
    (0..cells).map(cell).map(|(s, tone)| (s.to_owned(), look.style(tone))).collect()
}

/// A question, in the middle of the screen.
pub(super) fn ask(state: &State, question: Question, look: Look, area: Rect, buf: &mut Buffer) {
    let (name, text) = match question {
        Question::Stop => ("stop the experiment?", stop_text(&state.session, state.start != Start::Unrecorded)),
        Question::Skip => ("skip this step?", "The running step ends now and is not judged; the run goes on with the next one.".to_owned()),
    };
    let cells = area.width.saturating_sub(8).min(72);
    let lines = wrap(&text, usize::from(cells.saturating_sub(4)));
    let height = u16::try_from(lines.len()).unwrap_or(3).saturating_add(4).min(area.height);
    let window = Rect { x: area.x + (area.width - cells) / 2, y: area.y + (area.height - height) / 2, width: cells, height };
    Clear.render(window, buf);
    let inner = Frame::named(name, true).render(look, window, buf);
    for (text, n) in lines.iter().zip(0..inner.height) {
        let line = row(inner, n);
        put(buf, line, line.x.saturating_add(1), line.y, text, look.style(Tone::Text));
    }
    let keys = row(inner, inner.height.saturating_sub(1));
    let pieces = [("y", Tone::Key), (" yes   ", Tone::Text), ("n", Tone::Key), (" no, go on", Tone::Text)];
    put_all(buf, keys, keys.x.saturating_add(1), keys.y, &pieces.map(|(t, tone)| (t.to_owned(), look.style(tone))));
}

/// What stopping does, with what will be put back.
fn stop_text(session: &Session, recorded: bool) -> String {
    let settings = session.plan().map(|p| p.settings.as_slice()).unwrap_or_default();
    let back: Vec<String> = settings
        .iter()
        .filter(|s| !matches!(s.apply, crate::model::plan::Apply::Load))
        .map(|s| s.restore.map_or_else(|| format!("{} to what it was before the run", s.name), |v| format!("{} to {}", s.name, number::setting(v))))
        .collect();
    let back =
        if back.is_empty() { "Nothing was changed, so nothing is put back".to_owned() } else { format!("Put back: {}", cut(&back.join(", "), 160)) };
    let kept = if recorded { "The recording is completed and keeps all that was measured." } else { "What was measured is printed." };
    format!("No further step is run. {back}. {kept}")
}
