//! `plimsoll load` as people and scripts use it: the object it prints, exactly as many requests as asked, its exit codes.

#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper that fails fails its test")]

#[path = "support/secure.rs"]
#[expect(dead_code, reason = "each test binary uses its own part of these helpers")]
mod secure;
mod support;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use secure::{Papers, Secure};
use support::plain::{command, run, signal};
use support::pty::Pty;

/// A server that answers everything with `ok`, counts requests and keeps the first one's text.
struct Server {
    address: SocketAddr,
    seen: Arc<AtomicU64>,
    first: Arc<Mutex<String>>,
}

impl Server {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (seen, first) = (Arc::new(AtomicU64::new(0)), Arc::new(Mutex::new(String::new())));
        let (count, text) = (Arc::clone(&seen), Arc::clone(&first));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (count, text) = (Arc::clone(&count), Arc::clone(&text));
                std::thread::spawn(move || serve(stream, &count, &text));
            }
        });
        Self { address, seen, first }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    fn seen(&self) -> u64 {
        self.seen.load(Ordering::Relaxed)
    }
}

fn serve(mut stream: TcpStream, count: &AtomicU64, first: &Mutex<String>) {
    let _nodelay = stream.set_nodelay(true);
    let mut buffer = Vec::new();
    let mut piece = [0; 4096];
    while let Ok(n) = stream.read(&mut piece) {
        buffer.extend_from_slice(&piece[..n]);
        while let Some(end) = whole(&buffer) {
            let text = String::from_utf8_lossy(&buffer[..end]).into_owned();
            buffer.drain(..end);
            first.lock().unwrap().get_or_insert_text(text);
            count.fetch_add(1, Ordering::Relaxed);
            if stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").is_err() {
                return;
            }
        }
        if n == 0 {
            return;
        }
    }
}

/// Where the first request in a buffer ends, once it is whole.
fn whole(buffer: &[u8]) -> Option<usize> {
    let head = buffer.windows(4).position(|w| w == b"\r\n\r\n")? + 4;
    let text = String::from_utf8_lossy(&buffer[..head]).to_ascii_lowercase();
    let length = text.lines().find_map(|l| l.strip_prefix("content-length:")?.trim().parse::<usize>().ok()).unwrap_or(0);
    (buffer.len() >= head + length).then_some(head + length)
}

trait OnlyFirst {
    fn get_or_insert_text(&mut self, text: String);
}

impl OnlyFirst for String {
    fn get_or_insert_text(&mut self, text: String) {
        if self.is_empty() {
            *self = text;
        }
    }
}

#[track_caller]
fn json(stdout: &[u8]) -> serde_json::Value {
    let text = String::from_utf8_lossy(stdout);
    serde_json::from_str(text.trim()).unwrap_or_else(|e| panic!("{e}: {text}"))
}

fn load(args: &[&str]) -> std::process::Output {
    let folder = tempfile::tempdir().unwrap();
    let all: Vec<&str> = ["load"].into_iter().chain(args.iter().copied()).collect();
    run(&all, folder.path())
}

#[test]
fn exactly_as_many_requests_as_asked_are_sent() {
    let server = Server::start();
    let done = load(&[&server.url("/a?token=1"), "-n", "137", "-c", "7", "--json"]);
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
    let v = json(&done.stdout);
    assert_eq!((v["requests"].as_u64(), v["failed"].as_u64(), server.seen()), (Some(137), Some(0), 137), "{v}");
    assert_eq!(v["by_name"].as_object().unwrap().keys().collect::<Vec<_>>(), ["GET /a"], "the query is no part of a name");
    let open = Server::start();
    let done = load(&[&open.url("/"), "-n", "40", "-r", "400", "--json"]);
    let v = json(&done.stdout);
    assert_eq!((v["requests"].as_u64(), v["dropped"].as_u64(), open.seen(), v["planned_rate"].as_f64()), (Some(40), Some(0), 40, Some(400.0)), "{v}");
}

#[test]
fn the_object_has_every_key() {
    let server = Server::start();
    let done = load(&[&server.url("/"), "-c", "3", "-d", "1", "--json"]);
    let v = json(&done.stdout);
    for key in
        ["duration_s", "planned_rate", "rate", "requests", "failed", "dropped", "latency_s", "service_time_s", "send_lag_s", "errors", "generator"]
    {
        assert!(v.get(key).is_some(), "{key}: {v}");
    }
    assert!((0.9..1.5).contains(&v["duration_s"].as_f64().unwrap()), "{v}");
    assert!(v["rate"].as_f64().unwrap() > 10.0 && v["latency_s"]["p50"].as_f64().unwrap() > 0.0, "{v}");
    assert_eq!(v["requests"].as_u64(), Some(server.seen()));
    assert!(v["generator"]["cpu_share"].is_f64(), "{v}");
}

#[test]
fn what_is_typed_is_what_is_sent_and_secrets_are_not_shown() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let recording = folder.path().join("r.plim").to_string_lossy().into_owned();
    let url = server.url("/x/{y}?q=1");
    let args = [
        "load",
        &url,
        "-n",
        "3",
        "-c",
        "1",
        "-m",
        "put",
        "-H",
        "X-Token: ${LOAD_TEST_TOKEN}",
        "-H",
        "Authorization: Bearer s3cret",
        "-b",
        "{\"a\":1}",
        "-o",
        &recording,
    ];
    let done = command(&args, folder.path()).env("LOAD_TEST_TOKEN", "from-env").output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&done.stdout).into_owned(), String::from_utf8_lossy(&done.stderr).into_owned());
    assert_eq!(done.status.code(), Some(0), "{err}");
    let first = server.first.lock().unwrap().clone();
    assert!(first.starts_with("PUT /x/") && first.contains("?q=1 HTTP/1.1\r\n") && first.ends_with("{\"a\":1}"), "{first}");
    assert!(first.to_ascii_lowercase().contains("x-token: from-env\r\n") && first.contains("Bearer s3cret"), "{first}");
    assert!(out.contains("requests     3 in ") && out.contains("service time") && out.contains("send lag"), "{out}");
    let shown = run(&["export", &recording, "--format", "json"], folder.path());
    let kept = std::fs::read(&recording).unwrap();
    for secret in ["s3cret", "from-env"] {
        assert!(!out.contains(secret) && !err.contains(secret) && !String::from_utf8_lossy(&shown.stdout).contains(secret), "{secret}");
        assert!(!kept.windows(secret.len()).any(|w| w == secret.as_bytes()), "{secret} is in the recording");
    }
    let junit = run(&["export", &recording, "--format", "junit"], folder.path());
    assert!(String::from_utf8_lossy(&junit.stdout).contains("<testsuite name=\"verdict\""), "a load has a report too");
}

#[test]
fn nobody_there_is_3_and_bad_usage_is_2() {
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let done = load(&[&format!("http://{nobody}/"), "-d", "1", "--json"]);
    assert_eq!(done.status.code(), Some(3), "{}", String::from_utf8_lossy(&done.stderr));
    assert!(String::from_utf8_lossy(&done.stderr).contains("connecting to 127.0.0.1"));
    let server = Server::start();
    let url = server.url("/");
    for wrong in [&["ftp://x"][..], &["no-scheme"], &[&url, "-d", "soon"], &[&url, "-c", "1", "-r", "2"], &[&url, "-H", "broken"], &[]] {
        assert_eq!(load(wrong).status.code(), Some(2), "{wrong:?}");
    }
    assert_eq!(server.seen(), 0, "nothing was touched");
    let help = load(&["--help"]);
    let text = String::from_utf8_lossy(&help.stdout).into_owned();
    for flag in [
        "-c",
        "-r",
        "-d",
        "-n",
        "--max-in-flight",
        "-m",
        "-H",
        "-b",
        "-t",
        "--http2",
        "--insecure",
        "--disable-keepalive",
        "--headless",
        "--json",
        "-o",
    ] {
        assert!(text.contains(flag), "{flag}");
    }
}

#[test]
fn interrupted_it_prints_the_object_all_the_same() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let url = server.url("/");
    let mut command = command(&["load", &url, "-c", "2", "-d", "60", "--json"], folder.path());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    stderr.read_line(&mut line).unwrap();
    assert!(line.starts_with("load: GET /"), "{line}");
    while server.seen() < 20 {
        std::thread::yield_now();
    }
    signal(child.id(), "INT");
    let done = child.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(130));
    let v = json(&done.stdout);
    assert!(v["schema"] == "load-summary/1" && v["requests"].as_u64().is_some_and(|n| n >= 20), "{v}");
}

#[test]
fn on_a_terminal_it_is_the_live_screen_and_q_ends_it_with_the_figures() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let url = server.url("/");
    let mut pty = Pty::start(&["load", &url, "-c", "2", "-d", "60"], folder.path(), (120, 40), &[]);
    pty.wait_for("measuring");
    assert!(pty.alternate());
    pty.wait_for("not recorded");
    pty.wait_for("from the send");
    if let Ok(path) = std::env::var("SHOW") {
        std::fs::write(path, pty.text()).unwrap();
    }
    pty.send("q");
    pty.wait_for("stop the experiment?");
    pty.send("y");
    assert_eq!(pty.exit_code(), 130);
    pty.wait_for("service time");
    assert!(!pty.alternate(), "the figures stand on the terminal itself");
}

#[test]
fn tls_and_http2_are_spoken_when_asked() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let papers = Papers::of("localhost");
    let (tls, plain) = runtime.block_on(async { (Secure::start(&papers, &["h2", "http/1.1"], false).await, Secure::plain(100).await) });
    let url = format!("{}/", tls.url("https", "localhost"));
    let done = load(&[&url, "-n", "20", "-c", "2", "--insecure", "--json"]);
    let v = json(&done.stdout);
    assert_eq!((done.status.code(), v["requests"].as_u64(), v["failed"].as_u64()), (Some(0), Some(20), Some(0)), "{v}");
    let strict = json(&load(&[&url, "-n", "2", "-c", "1", "--json"]).stdout);
    assert_eq!(strict["errors"]["TLS"].as_u64(), Some(2), "a certificate of nobody known is refused: {strict}");
    let before = plain.requests("h2");
    let v = json(&load(&[&format!("{}/", plain.url("http", "127.0.0.1")), "-n", "15", "-c", "3", "--http2", "--json"]).stdout);
    assert_eq!((v["failed"].as_u64(), plain.requests("h2") - before), (Some(0), 15), "{v}");
}
