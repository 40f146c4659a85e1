//! Keys become changes of [`State`] and [`Effect`]s. Pure: what has to be done outside is returned, never done.

use super::action::{Action, lookup, speed};
use super::message::{Key, LibraryEntry, Request, Start, UiEnd};
use super::state::{Origin, Overlay, Prompt, Question, Run, Screen, State, Wanted};
use super::transport::{Transport, parse_time};
use crate::control::Command;
use crate::model::session::Session;
use crate::model::units::Span;

/// What is to be done outside.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Effect {
    /// Ask the program.
    Ask(Request),
    /// Draw everything anew.
    Repaint,
    /// Leave.
    End(UiEnd),
}

/// The help is never longer than this.
const MOST_HELP: usize = 80;
/// The longest line that may be typed, in characters.
const LONGEST_LINE: usize = 200;

/// Takes in a key.
pub(super) fn press(state: &mut State, key: Key) -> Vec<Effect> {
    state.notice = None;
    if key == Key::Ctrl('c') {
        return act(state, Action::Interrupt);
    }
    match state.overlay.clone() {
        Some(Overlay::Prompt(prompt)) => type_into_prompt(state, prompt, key),
        Some(Overlay::Confirm(question)) => answer(state, question, key),
        Some(Overlay::Help(line)) => {
            state.overlay = leaf(line, key).map(Overlay::Help);
            Vec::new()
        }
        None if state.screen == Screen::Home && state.home.typing => type_into_filter(state, key),
        None => lookup(state.context(), key).map_or_else(Vec::new, |action| act(state, action)),
    }
}

/// Where the help is after a key; none: it is closed.
fn leaf(line: usize, key: Key) -> Option<usize> {
    let line = match key {
        Key::Down | Key::Char('j') => line + 1,
        Key::Up | Key::Char('k') => line.saturating_sub(1),
        Key::PageDown | Key::Char(' ') => line + 10,
        Key::PageUp => line.saturating_sub(10),
        _ => return None,
    };
    Some(line.min(MOST_HELP))
}

fn type_into_prompt(state: &mut State, mut prompt: Prompt, key: Key) -> Vec<Effect> {
    state.overlay = None;
    match key {
        Key::Escape => return Vec::new(),
        Key::Enter => return finish_prompt(state, &prompt),
        Key::Backspace => drop(prompt.text.pop()),
        Key::Char(c) if prompt.text.chars().count() < LONGEST_LINE => prompt.text.push(c),
        _ => {}
    }
    state.overlay = Some(Overlay::Prompt(prompt));
    Vec::new()
}

fn finish_prompt(state: &mut State, prompt: &Prompt) -> Vec<Effect> {
    let text = prompt.text.trim();
    match prompt.what {
        Wanted::Mark if text.is_empty() => Vec::new(),
        Wanted::Mark => control(state, Command::Mark(text.to_owned()), "marked"),
        Wanted::Time => {
            match parse_time(text) {
                Some(to) => move_to(state, |_| to),
                None => state.notice = Some(format!("`{text}` is not a time: type it as 1:23 or 83")),
            }
            Vec::new()
        }
    }
}

fn type_into_filter(state: &mut State, key: Key) -> Vec<Effect> {
    let home = &mut state.home;
    match key {
        Key::Enter => home.typing = false,
        Key::Escape => {
            home.typing = false;
            home.filter.clear();
        }
        Key::Backspace => drop(home.filter.pop()),
        Key::Char(c) if home.filter.chars().count() < LONGEST_LINE => home.filter.push(c),
        Key::Up => home.selected = home.selected.saturating_sub(1),
        Key::Down => home.selected = home.selected.saturating_add(1),
        _ => {}
    }
    keep_selection(state);
    Vec::new()
}

fn answer(state: &mut State, question: Question, key: Key) -> Vec<Effect> {
    match key {
        Key::Char('y' | 'Y') | Key::Enter => {}
        Key::Char('n' | 'N' | 'q') | Key::Escape => {
            state.overlay = None;
            return Vec::new();
        }
        _ => return Vec::new(),
    }
    state.overlay = None;
    match question {
        Question::Skip => control(state, Command::SkipStep, "skipping this step"),
        Question::Stop => stop(state),
    }
}

/// Asks the run to stop; asked a second time, leaves without waiting.
fn stop(state: &mut State) -> Vec<Effect> {
    match &mut state.origin {
        Origin::Run(run) if !run.over && !run.stopping => {
            run.stopping = true;
            vec![Effect::Ask(Request::Control(Command::Stop))]
        }
        Origin::Run(_) => vec![Effect::Ask(Request::Quit), Effect::End(UiEnd::Interrupted)],
        _ => vec![Effect::Ask(Request::Quit), Effect::End(UiEnd::Quit)],
    }
}

/// Sends a wish to the running experiment.
fn control(state: &mut State, command: Command, said: &str) -> Vec<Effect> {
    if !state.running() {
        state.notice = Some("no experiment is running".to_owned());
        return Vec::new();
    }
    state.notice = Some(said.to_owned());
    vec![Effect::Ask(Request::Control(command))]
}

/// Does what a key means.
fn act(state: &mut State, action: Action) -> Vec<Effect> {
    match action {
        Action::Quit => return leave(state),
        Action::Interrupt => return interrupt(state),
        Action::Help => state.overlay = Some(Overlay::Help(0)),
        Action::Redraw => return vec![Effect::Repaint],
        Action::Back => back(state),
        Action::Open => return open(state),
        Action::Demo => return start_demo(state, None),
        Action::Filter => state.home.typing = true,
        Action::Reload => return vec![Effect::Ask(Request::List)],
        Action::Pause | Action::Skip | Action::Repeat | Action::Mark | Action::MeasureNext => return steer(state, action),
        Action::Verdict | Action::Freeze | Action::Zoom | Action::NextPanel | Action::PreviousPanel | Action::Window | Action::Scale => {
            look(state, action);
        }
        Action::Up | Action::Down | Action::PageUp | Action::PageDown | Action::Top | Action::Bottom => scroll(state, action),
        Action::Play | Action::StepBack | Action::StepForward | Action::SecondBack | Action::SecondForward | Action::GoTo | Action::Speed(_) => {
            play(state, action);
        }
    }
    Vec::new()
}

fn leave(state: &mut State) -> Vec<Effect> {
    if state.running() {
        if matches!(&state.origin, Origin::Run(run) if run.stopping) {
            state.notice = Some("stopping: settings are being put back; ctrl-c leaves without waiting to see it".to_owned());
        } else {
            state.overlay = Some(Overlay::Confirm(Question::Stop));
        }
        return Vec::new();
    }
    if state.start == Start::Home && state.screen != Screen::Home {
        go_home(state);
        return vec![Effect::Ask(Request::List)];
    }
    let stopped = matches!(&state.origin, Origin::Run(run) if run.stopping);
    vec![Effect::Ask(Request::Quit), Effect::End(if stopped { UiEnd::Interrupted } else { UiEnd::Quit })]
}

fn interrupt(state: &mut State) -> Vec<Effect> {
    state.overlay = None;
    if state.running() { stop(state) } else { vec![Effect::Ask(Request::Quit), Effect::End(UiEnd::Interrupted)] }
}

fn go_home(state: &mut State) {
    state.screen = Screen::Home;
    state.origin = Origin::Nothing;
    state.session = Session::new();
    state.live = super::state::LiveState::default();
    state.scroll = 0;
}

fn back(state: &mut State) {
    match state.screen {
        Screen::Home => state.home.filter.clear(),
        Screen::Verdict => state.screen = Screen::Live,
        Screen::Live if state.live.zoom => state.live.zoom = false,
        Screen::Live => state.live.frozen = None,
    }
    keep_selection(state);
}

fn open(state: &mut State) -> Vec<Effect> {
    match state.selected_entry().cloned() {
        Some(LibraryEntry::Demo { preset, .. }) => start_demo(state, Some(preset)),
        Some(LibraryEntry::Profile { path, name: Ok(_), .. }) => {
            begin_run(state);
            vec![Effect::Ask(Request::StartProfile(path))]
        }
        Some(LibraryEntry::Profile { name: Err(error), .. }) => {
            state.notice = Some(format!("this profile can not run: {error}"));
            Vec::new()
        }
        Some(LibraryEntry::Recording(recording)) => vec![Effect::Ask(Request::Open(recording.path))],
        None => Vec::new(),
    }
}

/// Starts a demo: this preset, or the first there is.
fn start_demo(state: &mut State, preset: Option<String>) -> Vec<Effect> {
    let first = || {
        let mut entries = state.home.entries.iter().flatten();
        entries.find_map(|e| if let LibraryEntry::Demo { preset, .. } = e { Some(preset.clone()) } else { None })
    };
    let Some(preset) = preset.or_else(first) else {
        state.notice = Some("there is no demo to run".to_owned());
        return Vec::new();
    };
    begin_run(state);
    vec![Effect::Ask(Request::StartDemo { preset })]
}

fn begin_run(state: &mut State) {
    go_home(state);
    state.screen = Screen::Live;
    state.origin = Origin::Run(Run::default());
}

fn steer(state: &mut State, action: Action) -> Vec<Effect> {
    match action {
        Action::Skip if state.running() => state.overlay = Some(Overlay::Confirm(Question::Skip)),
        Action::Mark if state.running() => state.overlay = Some(Overlay::Prompt(Prompt { what: Wanted::Mark, text: String::new() })),
        Action::Pause if state.session.paused() => return control(state, Command::GoOn, "going on"),
        Action::Pause => return control(state, Command::Pause, "holding before the next step"),
        Action::Repeat => match state.session.current().or_else(|| state.session.steps().iter().rev().find(|s| s.ended().is_some())) {
            Some(step) => {
                let step = step.planned().step;
                return control(state, Command::RepeatStep(step), &format!("step {step} will run once more"));
            }
            None => state.notice = Some("no step has begun yet".to_owned()),
        },
        Action::MeasureNext => return measure_next(state),
        _ => state.notice = Some("no experiment is running".to_owned()),
    }
    Vec::new()
}

/// One more step at what the judge would measure next, the other settings as they are.
fn measure_next(state: &mut State) -> Vec<Effect> {
    let Some(verdict) = state.session.judged().last().map(|j| &j.verdict) else {
        state.notice = Some("the judge has not spoken yet".to_owned());
        return Vec::new();
    };
    let (Some(next), Some(setting)) = (&verdict.next, &verdict.setting) else {
        state.notice = Some("the judge asks for nothing more".to_owned());
        return Vec::new();
    };
    let mut values = state.session.steps().last().map(|s| s.planned().values.clone()).unwrap_or_default().with(setting, next.value);
    values.0.extend(next.values.clone());
    let said = format!("{setting} {} will be measured once more", super::number::setting(next.value));
    control(state, Command::AddStep(values), &said)
}

fn look(state: &mut State, action: Action) {
    match action {
        Action::Verdict if state.screen == Screen::Verdict => state.screen = Screen::Live,
        Action::Verdict => state.screen = Screen::Verdict,
        Action::Freeze => state.live.frozen = if state.live.frozen.is_some() { None } else { Some(Box::new(state.session.clone())) },
        Action::Zoom => state.live.zoom = !state.live.zoom,
        Action::NextPanel => state.live.focus = state.live.focus.turned(1),
        Action::PreviousPanel => state.live.focus = state.live.focus.turned(-1),
        Action::Window => {
            state.live.window = state.live.window.next();
            state.notice = Some(format!("charts show: {}", state.live.window.name()));
        }
        Action::Scale => state.live.log_scale = !state.live.log_scale,
        _ => {}
    }
}

fn scroll(state: &mut State, action: Action) {
    let place = if state.screen == Screen::Home { &mut state.home.selected } else { &mut state.scroll };
    *place = match action {
        Action::Up => place.saturating_sub(1),
        Action::Down => place.saturating_add(1),
        Action::PageUp => place.saturating_sub(10),
        Action::PageDown => place.saturating_add(10),
        Action::Top => 0,
        _ => usize::MAX,
    };
    keep_selection(state);
    let rows = state.session.judged().last().map_or(0, |j| j.verdict.steps.len());
    state.scroll = state.scroll.min(rows.saturating_sub(1));
}

pub(super) fn keep_selection(state: &mut State) {
    let lines = state.visible_entries().count();
    state.home.selected = state.home.selected.min(lines.saturating_sub(1));
}

fn play(state: &mut State, action: Action) {
    match action {
        Action::Play => {
            if let Origin::Replay(transport) = &mut state.origin {
                transport.toggle(&mut state.session);
            }
        }
        Action::StepBack => move_to(state, Transport::previous_chapter),
        Action::StepForward => move_to(state, Transport::next_chapter),
        Action::SecondBack => move_to(state, |t| t.position().minus(Span::from_secs(1))),
        Action::SecondForward => move_to(state, |t| t.position().plus(Span::from_secs(1))),
        Action::GoTo => state.overlay = Some(Overlay::Prompt(Prompt { what: Wanted::Time, text: String::new() })),
        Action::Speed(key) => {
            if let Origin::Replay(transport) = &mut state.origin {
                transport.speed = speed(key);
            }
        }
        _ => {}
    }
}

fn move_to(state: &mut State, to: impl FnOnce(&Transport) -> crate::model::units::Elapsed) {
    if let Origin::Replay(transport) = &mut state.origin {
        let to = to(transport);
        transport.seek(to, &mut state.session);
    }
}
