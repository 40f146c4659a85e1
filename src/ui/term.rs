//! The real terminal: entered and left by a guard on every path, panics included; crossterm's events as [`Input`]s.

use std::io::{self, BufWriter, Stdout};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::{Hide, Show};
use crossterm::event::{Event, EventStream, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::execute;
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use futures::{Stream, StreamExt as _};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

use super::message::{Input, Key, UiError};

/// The terminal that [`enter`] gives.
pub type RealTerminal = Terminal<CrosstermBackend<BufWriter<Stdout>>>;

/// Big enough that a whole frame is one write.
const FRAME_BYTES: usize = 1 << 16;

static ENTERED: AtomicBool = AtomicBool::new(false);
static HOOK: Once = Once::new();

/// While it lives the terminal is ours; when it goes the terminal is as it was.
#[derive(Debug)]
pub struct Guard(());

impl Drop for Guard {
    fn drop(&mut self) {
        leave();
    }
}

/// Takes the terminal: raw mode, alternate screen, no cursor. A panic of the thread that draws gives it back before its message is
/// printed; a panic elsewhere while the screen is up goes to the log.
pub fn enter() -> Result<(RealTerminal, Guard), UiError> {
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        let owner = std::thread::current().id();
        std::panic::set_hook(Box::new(move |info| {
            // Elsewhere a panic is caught and told by whoever ran there; its message must not be written across the screen.
            if ENTERED.load(Ordering::SeqCst) && std::thread::current().id() != owner {
                tracing::error!("{info}");
                return;
            }
            leave();
            before(info);
        }));
    });
    ENTERED.store(true, Ordering::SeqCst);
    let guard = Guard(());
    enable_raw_mode().map_err(|e| terminal_error(&e))?;
    execute!(io::stdout(), EnterAlternateScreen, Hide).map_err(|e| terminal_error(&e))?;
    let writer = BufWriter::with_capacity(FRAME_BYTES, io::stdout());
    let terminal = Terminal::new(CrosstermBackend::new(writer)).map_err(|e| terminal_error(&e))?;
    Ok((terminal, guard))
}

/// Gives the terminal back, once. What fails here can not be told anyone.
pub fn leave() {
    if ENTERED.swap(false, Ordering::SeqCst) {
        let _ = execute!(io::stdout(), Show, LeaveAlternateScreen);
        let _ = disable_raw_mode();
    }
}

fn terminal_error(error: &io::Error) -> UiError {
    UiError::Terminal { what: error.to_string() }
}

/// The terminal's events, as far as the screens care. Ends when the terminal is gone.
pub fn inputs() -> impl Stream<Item = Input> + Unpin {
    Box::pin(
        EventStream::new().take_while(|e| futures::future::ready(e.is_ok())).filter_map(|e| futures::future::ready(e.ok().and_then(|e| input(&e)))),
    )
}

fn input(event: &Event) -> Option<Input> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => key_of(*key).map(Input::Key),
        Event::Resize(..) => Some(Input::Resize),
        _ => None,
    }
}

fn key_of(event: KeyEvent) -> Option<Key> {
    let control = event.modifiers.contains(KeyModifiers::CONTROL);
    if event.modifiers.intersects(KeyModifiers::ALT | KeyModifiers::SUPER | KeyModifiers::META) {
        return None;
    }
    Some(match event.code {
        KeyCode::Char(c) if control => Key::Ctrl(c.to_ascii_lowercase()),
        KeyCode::Char(c) => Key::Char(c),
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Escape,
        KeyCode::Tab => Key::Tab,
        KeyCode::BackTab => Key::BackTab,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Delete => Key::Delete,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pressed(code: KeyCode, modifiers: KeyModifiers, kind: KeyEventKind) -> Option<Input> {
        input(&Event::Key(KeyEvent::new_with_kind(code, modifiers, kind)))
    }

    #[test]
    fn presses_and_repeats_count_releases_do_not() {
        let q = Some(Input::Key(Key::Char('q')));
        assert_eq!(pressed(KeyCode::Char('q'), KeyModifiers::NONE, KeyEventKind::Press), q);
        assert_eq!(pressed(KeyCode::Char('q'), KeyModifiers::NONE, KeyEventKind::Repeat), q);
        assert_eq!(pressed(KeyCode::Char('q'), KeyModifiers::NONE, KeyEventKind::Release), None);
    }

    #[test]
    fn control_keys_are_their_own() {
        let press = |code, modifiers| pressed(code, modifiers, KeyEventKind::Press);
        assert_eq!(press(KeyCode::Char('C'), KeyModifiers::CONTROL), Some(Input::Key(Key::Ctrl('c'))));
        assert_eq!(press(KeyCode::Char('c'), KeyModifiers::ALT), None);
        assert_eq!(press(KeyCode::Char('?'), KeyModifiers::SHIFT), Some(Input::Key(Key::Char('?'))));
        assert_eq!(press(KeyCode::F(1), KeyModifiers::NONE), None);
        assert_eq!(input(&Event::Resize(80, 24)), Some(Input::Resize));
        assert_eq!(input(&Event::FocusGained), None);
    }

    #[test]
    fn leaving_without_having_entered_does_nothing() {
        leave();
        assert!(!ENTERED.load(Ordering::SeqCst));
    }
}
