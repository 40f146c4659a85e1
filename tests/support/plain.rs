//! The binary without a terminal: run to its end, or started and watched.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The binary with its data in `home`.
pub(crate) fn command(args: &[&str], home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    command.args(args).env("XDG_DATA_HOME", home).env("HOME", home).env_remove("PLIMSOLL_FAULT").stdin(Stdio::null()).current_dir(home);
    command
}

/// Runs it to its end.
pub(crate) fn run(args: &[&str], home: &Path) -> Output {
    command(args, home).output().unwrap()
}

/// Runs it and reads the one JSON object it prints.
#[track_caller]
pub(crate) fn json(args: &[&str], home: &Path) -> serde_json::Value {
    let output = run(args, home);
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(text.trim()).unwrap_or_else(|e| panic!("{args:?}: {e}: `{text}`\n{}", String::from_utf8_lossy(&output.stderr)))
}

/// A lab of our own on a free port, ended with this value.
pub(crate) struct Lab {
    child: Child,
    pub(crate) url: String,
}

impl Lab {
    /// Starts one.
    pub(crate) fn start(preset: &str, home: &Path) -> Self {
        let mut command = command(&["lab", "--preset", preset, "--port", "0", "--until-stdin-closes"], home);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("listening on ").unwrap().to_owned();
        Self { child, url }
    }

    /// The lab's process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _gone = self.child.wait();
    }
}

/// Waits until `done` gives something, for at most `patience`.
#[track_caller]
pub(crate) fn wait_for<T>(what: &str, patience: Duration, mut done: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + patience;
    loop {
        if let Some(value) = done() {
            return value;
        }
        assert!(Instant::now() < end, "never happened: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Whether a process lives.
pub(crate) fn alive(pid: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

/// Sends a signal by the system's own tool.
pub(crate) fn signal(pid: u32, name: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).status().unwrap();
    assert!(sent.success(), "kill -{name} {pid}");
}

/// `GET` of a loopback address; the body.
pub(crate) fn get(url: &str, path: &str) -> String {
    use std::io::{Read as _, Write as _};
    let address = url.strip_prefix("http://").unwrap();
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split_once("\r\n\r\n").unwrap().1.to_owned()
}

/// One of the lab's settings, as it says itself.
pub(crate) fn lab_setting(url: &str, name: &str) -> f64 {
    let body = get(url, "/admin/settings");
    let start = body.find('{').unwrap_or_else(|| panic!("no settings in `{body}`"));
    let end = body.rfind('}').unwrap();
    let settings: serde_json::Value = serde_json::from_str(&body[start..=end]).unwrap();
    settings[name].as_f64().unwrap_or_else(|| panic!("no {name} in {settings}"))
}
