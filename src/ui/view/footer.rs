//! The last line: the keys of this screen, from the table of actions; what does not fit is left to the help.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::ui::action::{Action, Binding, bindings};
use crate::ui::look::{Look, Tone};
use crate::ui::message::Start;
use crate::ui::state::{Screen, State};
use crate::ui::text::{put, width};

/// Draws the line. Help and quit always fit.
pub(super) fn render(state: &State, look: Look, area: Rect, buf: &mut Buffer) {
    let all: Vec<(&Binding, String, &str)> =
        bindings(state.context()).filter(|b| !b.short.is_empty() && is_of_use(state, b.action)).map(|b| (b, key(b), word(state, b))).collect();
    let cells = |(_, key, word): &(&Binding, String, &str)| width(key) + width(word) + 3;
    let always = |b: &Binding| matches!(b.action, Action::Help | Action::Quit);
    let mut room = usize::from(area.width).saturating_sub(1 + all.iter().filter(|b| always(b.0)).map(cells).sum::<usize>());
    let mut x = area.x.saturating_add(1);
    for entry in &all {
        if !always(entry.0) {
            if cells(entry) > room {
                continue;
            }
            room -= cells(entry);
        }
        x = put(buf, area, x, area.y, &entry.1, look.style(Tone::Key));
        x = put(buf, area, x, area.y, &format!(" {}  ", entry.2), look.style(Tone::Dim));
    }
}

/// Whether a key would do anything now.
fn is_of_use(state: &State, action: Action) -> bool {
    let next = || state.session.judged().last().is_some_and(|j| j.verdict.next.is_some());
    match action {
        Action::MeasureNext => state.running() && next(),
        Action::Pause | Action::Skip | Action::Repeat | Action::Mark => state.running(),
        _ => true,
    }
}

/// The keys as shown: a pair of moves is shown as a pair.
fn key(binding: &Binding) -> String {
    match binding.action {
        Action::StepBack => "←/→".to_owned(),
        Action::SecondBack => ",/.".to_owned(),
        _ => binding.keys.first().map(|k| k.label()).unwrap_or_default(),
    }
}

fn word(state: &State, binding: &Binding) -> &'static str {
    match binding.action {
        Action::Pause if state.session.paused() => "go on",
        Action::Play if state.transport().is_some_and(|t| t.playing) => "hold",
        Action::Freeze if state.live.frozen.is_some() => "let go",
        Action::Quit if state.running() => "stop",
        Action::Quit if state.start == Start::Home && state.screen != Screen::Home => "home",
        Action::Verdict if state.screen == Screen::Verdict => "charts",
        _ => binding.short,
    }
}
