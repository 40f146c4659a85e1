//! The program in a real terminal: start, first data, quit, sizes, signals, a panic, and no terminal at all.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

mod support;

use support::plain::{run, signal};
use support::pty::Pty;

const WIDE: (u16, u16) = (120, 40);

fn home() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// A demo whose measuring has begun.
fn demo(folder: &tempfile::TempDir, size: (u16, u16), env: &[(&str, &str)]) -> Pty {
    let pty = Pty::start(&["demo", "--preset", "plateau"], folder.path(), size, env);
    pty.wait_for("measuring");
    pty
}

#[track_caller]
fn assert_restored(pty: &Pty) {
    assert!(!pty.alternate(), "the alternate screen is left");
    assert!(!pty.cursor_hidden(), "the cursor is shown");
}

/// Exit code and screen after `q` was confirmed.
fn quit(pty: &mut Pty) -> u32 {
    pty.send("q");
    pty.wait_for("stop the experiment?");
    pty.send("y");
    pty.exit_code()
}

#[test]
fn first_data_then_quit_restores_the_terminal_and_says_what_was_found() {
    let folder = home();
    let mut pty = demo(&folder, WIDE, &[]);
    assert!(pty.alternate() && pty.cursor_hidden());
    for panel in ["plan", "requests", "threads", "queue", "connections", "database", "latency", "what happened"] {
        pty.wait_for(panel);
    }
    assert_eq!(quit(&mut pty), 130);
    assert_restored(&pty);
    pty.wait_for("recorded in");
    let recordings = std::fs::read_dir(folder.path().join("plimsoll")).unwrap().count();
    assert_eq!(recordings, 1, "one file is left");
}

#[test]
fn home_opens_and_leaves() {
    let folder = home();
    let mut pty = Pty::start(&[], folder.path(), (80, 24), &[]);
    pty.wait_for("ticketing");
    pty.send("?");
    pty.wait_for("help");
    pty.send("\u{1b}");
    std::thread::sleep(std::time::Duration::from_millis(200));
    pty.send("q");
    assert_eq!(pty.exit_code(), 0);
    assert_restored(&pty);
}

#[test]
fn too_small_says_so_and_comes_back() {
    let folder = home();
    let mut pty = demo(&folder, (80, 24), &[]);
    pty.resize((10, 3));
    pty.wait_until("the size it needs", |s| s.contains("60") || s.contains("small"));
    pty.resize(WIDE);
    pty.wait_for("what happened");
    assert_eq!(quit(&mut pty), 130);
    assert_restored(&pty);
}

#[test]
fn ctrl_c_and_sigterm_end_in_order() {
    for by_key in [true, false] {
        let folder = home();
        let mut pty = demo(&folder, (80, 24), &[]);
        if by_key {
            pty.send("\u{3}");
        } else {
            signal(pty.pid(), "TERM");
        }
        assert_eq!(pty.exit_code(), 130, "by key: {by_key}");
        assert_restored(&pty);
        pty.wait_for("recorded in");
    }
}

#[test]
fn a_panic_gives_the_terminal_back_before_its_message() {
    let folder = home();
    let mut pty = Pty::start(&["demo", "--preset", "plateau"], folder.path(), WIDE, &[("PLIMSOLL_FAULT", "panic-in-measure")]);
    assert_eq!(pty.exit_code(), 5);
    assert_restored(&pty);
    pty.wait_for("injected");
    let raw = String::from_utf8_lossy(&pty.raw()).into_owned();
    assert!(raw.rfind("\u{1b}[?1049l").unwrap() < raw.rfind("injected").unwrap(), "the message comes after the alternate screen");
}

#[test]
fn no_color_draws_without_colours_and_the_default_with() {
    for (env, colors) in [(vec![("NO_COLOR", "1")], false), (vec![], true)] {
        let folder = home();
        let mut pty = Pty::start(&[], folder.path(), (80, 24), &env);
        pty.wait_for("ticketing");
        assert_eq!(pty.has_colors(), colors, "{env:?}");
        pty.send("q");
        pty.exit_code();
    }
}

#[test]
fn without_a_terminal_it_says_what_to_do() {
    let folder = home();
    for args in [vec!["demo"], vec![]] {
        let output = run(&args, folder.path());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let said = String::from_utf8_lossy(&output.stderr).to_string();
        assert!(said.contains("terminal") && said.contains("--headless"), "{said}");
    }
    assert!(!folder.path().join("plimsoll").exists(), "nothing was begun");
}
