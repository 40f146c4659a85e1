//! The binary in a real pseudo-terminal, its screen read back through a terminal emulator. Every wait has a deadline.

use std::io::{Read, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// How long anything may take before the test fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running terminal session.
pub(crate) struct Pty {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    writer: Arc<Mutex<Box<dyn Write + Send>>>,
    screen: Arc<Mutex<vt100::Parser>>,
    raw: Arc<Mutex<Vec<u8>>>,
}

impl Pty {
    /// Starts the binary with these arguments, its data in `home`.
    pub(crate) fn start(args: &[&str], home: &std::path::Path, (columns, rows): (u16, u16), env: &[(&str, &str)]) -> Self {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_plimsoll"));
        command.args(args);
        command.env_clear();
        command.cwd(home);
        for (name, value) in [("TERM", "xterm-256color"), ("LANG", "C.UTF-8"), ("HOME", &*home.to_string_lossy()), ("RUST_BACKTRACE", "0")] {
            command.env(name, value);
        }
        command.env("XDG_DATA_HOME", home);
        for (name, value) in env {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let writer = Arc::new(Mutex::new(pair.master.take_writer().unwrap()));
        let screen = Arc::new(Mutex::new(vt100::Parser::new(nonzero(rows), nonzero(columns), 0)));
        let raw = Arc::new(Mutex::new(Vec::new()));
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (to_screen, to_raw, answers) = (screen.clone(), raw.clone(), writer.clone());
        std::thread::spawn(move || {
            let mut buffer = [0_u8; 8192];
            while let Ok(n) = reader.read(&mut buffer) {
                if n == 0 {
                    return;
                }
                let bytes = &buffer[..n];
                to_screen.lock().unwrap().process(bytes);
                to_raw.lock().unwrap().extend_from_slice(bytes);
                answer(bytes, &answers);
            }
        });
        Self { child, master: pair.master, writer, screen, raw }
    }

    /// What the screen shows.
    pub(crate) fn text(&self) -> String {
        self.screen.lock().unwrap().screen().contents()
    }

    /// Whether the alternate screen is on.
    pub(crate) fn alternate(&self) -> bool {
        self.screen.lock().unwrap().screen().alternate_screen()
    }

    /// Whether the cursor is hidden.
    pub(crate) fn cursor_hidden(&self) -> bool {
        self.screen.lock().unwrap().screen().hide_cursor()
    }

    /// Whether any cell has a colour of its own.
    pub(crate) fn has_colors(&self) -> bool {
        let parser = self.screen.lock().unwrap();
        let (rows, columns) = parser.screen().size();
        (0..rows.get()).flat_map(|r| (0..columns.get()).map(move |c| (r, c))).any(|(r, c)| {
            parser.screen().cell(r, c).is_some_and(|cell| cell.fgcolor() != vt100::Color::Default || cell.bgcolor() != vt100::Color::Default)
        })
    }

    /// Everything the program wrote, as bytes.
    pub(crate) fn raw(&self) -> Vec<u8> {
        self.raw.lock().unwrap().clone()
    }

    /// Waits until the screen shows `text`.
    #[track_caller]
    pub(crate) fn wait_for(&self, text: &str) {
        self.wait_until(&format!("`{text}`"), |screen| screen.contains(text));
    }

    /// Waits until the screen is as wanted.
    #[track_caller]
    pub(crate) fn wait_until(&self, what: &str, wanted: impl Fn(&str) -> bool) {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            if wanted(&self.text()) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("the screen never showed {what}; it shows:\n{}", self.text());
    }

    /// Types.
    pub(crate) fn send(&self, keys: &str) {
        let mut writer = self.writer.lock().unwrap();
        writer.write_all(keys.as_bytes()).unwrap();
        writer.flush().unwrap();
    }

    /// Gives the terminal another size.
    pub(crate) fn resize(&self, (columns, rows): (u16, u16)) {
        self.screen.lock().unwrap().screen_mut().set_size(nonzero(rows), nonzero(columns));
        self.master.resize(PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }).unwrap();
    }

    /// The program's process id.
    pub(crate) fn pid(&self) -> u32 {
        self.child.process_id().unwrap()
    }

    /// Waits for the end; gives the exit code.
    #[track_caller]
    pub(crate) fn exit_code(&mut self) -> u32 {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            if let Some(status) = self.child.try_wait().unwrap() {
                // What was written last may still be on its way.
                std::thread::sleep(Duration::from_millis(100));
                return status.exit_code();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("the program did not end; the screen shows:\n{}", self.text());
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        let _gone = self.child.kill();
    }
}

fn nonzero(n: u16) -> std::num::NonZero<u16> {
    std::num::NonZero::new(n).unwrap()
}

/// Answers the two questions terminals are asked.
fn answer(bytes: &[u8], writer: &Arc<Mutex<Box<dyn Write + Send>>>) {
    let asked = |question: &[u8]| bytes.windows(question.len()).any(|w| w == question);
    for (question, reply) in [(b"\x1b[6n".as_slice(), "\x1b[1;1R"), (b"\x1b[c".as_slice(), "\x1b[?62;c")] {
        if asked(question) {
            let _gone = writer.lock().unwrap().write_all(reply.as_bytes());
        }
    }
}
