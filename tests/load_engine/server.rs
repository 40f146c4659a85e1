//! A small HTTP server that behaves as the path asks, and counts what it saw.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) requests: BTreeMap<String, u64>,
    pub(crate) bodies: Vec<String>,
    pub(crate) authorizations: Vec<String>,
    /// Methods and paths.
    pub(crate) lines: BTreeMap<String, u64>,
    pub(crate) connections: u64,
    pub(crate) open: i64,
    pub(crate) most_open: i64,
}

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) seen: Arc<Mutex<Seen>>,
    task: JoinHandle<()>,
}

impl Server {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Mutex::new(Seen::default()));
        let shared = Arc::clone(&seen);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                stream.set_nodelay(true).unwrap();
                shared.lock().unwrap().connections += 1;
                tokio::spawn(serve(stream, Arc::clone(&shared)));
            }
        });
        Self { address, seen, task }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn count(&self, path: &str) -> u64 {
        self.seen.lock().unwrap().requests.get(path).copied().unwrap_or(0)
    }

    pub(crate) fn total(&self) -> u64 {
        self.seen.lock().unwrap().requests.values().sum()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(mut stream: TcpStream, seen: Arc<Mutex<Seen>>) {
    let (mut buffer, mut nth) = (Vec::new(), 0);
    while let Some((head, body)) = request(&mut stream, &mut buffer).await {
        let path = head.split(' ').nth(1).unwrap_or("").to_owned();
        {
            let mut seen = seen.lock().unwrap();
            *seen.requests.entry(path.clone()).or_default() += 1;
            *seen.lines.entry(head.split(" HTTP").next().unwrap().to_owned()).or_default() += 1;
            seen.open += 1;
            seen.most_open = seen.most_open.max(seen.open);
            seen.bodies.extend((!body.is_empty()).then_some(body));
            seen.authorizations.extend(head.lines().find_map(|l| l.strip_prefix("Authorization: ")).map(str::to_owned));
        }
        let goes_on = answer(&mut stream, &head, &path, nth).await;
        nth += 1;
        seen.lock().unwrap().open -= 1;
        if !goes_on {
            return;
        }
    }
}

async fn request(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<(String, String)> {
    loop {
        if let Some(end) = buffer.windows(4).position(|w| w == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&buffer[..end]).into_owned();
            let length: usize = head.lines().find_map(|l| l.strip_prefix("Content-Length: ")).map_or(0, |n| n.parse().unwrap());
            if buffer.len() >= end + 4 + length {
                let body = String::from_utf8_lossy(&buffer[end + 4..end + 4 + length]).into_owned();
                buffer.drain(..end + 4 + length);
                return Some((head, body));
            }
        }
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    }
}

/// A body that is far smaller on the wire than unfolded.
fn zipped() -> Vec<u8> {
    let mut to = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    to.write_all(format!("{{\"pad\":\"{}\",\"id\":\"good\"}}", "x".repeat(5000)).as_bytes()).unwrap();
    let body = to.finish().unwrap();
    let head = format!("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n", body.len());
    [head.into_bytes(), body].concat()
}

/// Answers as the path says; whether the connection goes on.
async fn answer(stream: &mut TcpStream, head: &str, path: &str, nth: u32) -> bool {
    let (what, number) = path.trim_start_matches('/').split_once('/').unwrap_or((path.trim_start_matches('/'), ""));
    let text = match what {
        "slow" => {
            tokio::time::sleep(Duration::from_millis(number.parse().unwrap())).await;
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".to_owned()
        }
        "status" => format!("HTTP/1.1 {number} X\r\nContent-Length: 0\r\n\r\n"),
        // To another place: status, then where.
        "to" => {
            let (status, place) = number.split_once('/').unwrap();
            let place = if place.starts_with("http:") { place.to_owned() } else { format!("/{place}") };
            format!("HTTP/1.1 {status} X\r\nLocation: {place}\r\nContent-Length: 0\r\n\r\n")
        }
        "gzip" if head.contains("Accept-Encoding: gzip") => return stream.write_all(&zipped()).await.is_ok(),
        "hang" => std::future::pending().await,
        "half" => "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf".to_owned(),
        "garbage" => "what is this?\r\n\r\n".to_owned(),
        "token" => "HTTP/1.1 200 OK\r\nX-Session: s9\r\nContent-Length: 26\r\n\r\n{\"user\":{\"token\":\"abc d\"}}".to_owned(),
        "chunked" => "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n".to_owned(),
        "wordy" => {
            let words = "é à ".repeat(number.parse().unwrap());
            format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{words}", words.len())
        }
        "shut" => String::new(),
        "third" if nth == 2 => String::new(),
        _ => "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".to_owned(),
    };
    if stream.write_all(text.as_bytes()).await.is_err() {
        return false;
    }
    if head.contains("Connection: close") {
        return false;
    }
    !(matches!(what, "half" | "garbage" | "shut" | "once") || what == "third" && nth == 2)
}
