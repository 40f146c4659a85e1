//! A service that fails on purpose, in one way and as often as told, and counts how often it did; and places that fail by what they are.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::JoinHandle;

/// How it fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Resets the connection when a request has come.
    ResetBefore,
    /// Resets it in the middle of the answer.
    ResetAmid,
    /// Ends it in the middle of the answer.
    EndAmid,
    /// Says nothing.
    Silent,
    /// Answers that it is out of order.
    Status,
    /// Answers in another protocol.
    NotHttp,
    /// Answers in chunks that are none.
    BadChunk,
    /// Answers in JSON that is none.
    BadJson,
    /// Answers in gzip that is none.
    BadGzip,
    /// Answers without the word that is waited for.
    Wrong,
    /// Ends a kept connection without a word when its next request comes.
    Stale,
    /// Ends each connection after an answer without having said so.
    Ends,
}

/// The service.
pub(crate) struct Faulty {
    pub(crate) address: SocketAddr,
    seen: Arc<Seen>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct Seen {
    requests: AtomicU64,
    made: AtomicU64,
    connections: AtomicU64,
}

impl Faulty {
    /// One that fails every `every`th request.
    pub(crate) async fn start(fault: Fault, every: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Seen::default());
        let shared = Arc::clone(&seen);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                stream.set_nodelay(true).unwrap();
                shared.connections.fetch_add(1, Ordering::Relaxed);
                tokio::spawn(serve(stream, fault, every, Arc::clone(&shared)));
            }
        });
        Self { address, seen, task }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Requests that came.
    pub(crate) fn requests(&self) -> u64 {
        self.seen.requests.load(Ordering::Relaxed)
    }

    /// Failures it made.
    pub(crate) fn made(&self) -> u64 {
        self.seen.made.load(Ordering::Relaxed)
    }

    /// Connections that were made to it.
    pub(crate) fn connections(&self) -> u64 {
        self.seen.connections.load(Ordering::Relaxed)
    }
}

impl Drop for Faulty {
    fn drop(&mut self) {
        self.task.abort();
    }
}

const GOOD: &str = "HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n{\"id\":\"good\"}";

async fn serve(mut stream: TcpStream, fault: Fault, every: u64, seen: Arc<Seen>) {
    let (mut buffer, mut answered) = (Vec::new(), false);
    while let Some(head) = request(&mut stream, &mut buffer).await {
        let nth = seen.requests.fetch_add(1, Ordering::Relaxed) + 1;
        let turn = nth.is_multiple_of(every) && (answered || fault != Fault::Stale);
        let goes_on = if turn {
            seen.made.fetch_add(1, Ordering::Relaxed);
            fail(&mut stream, fault).await
        } else {
            stream.write_all(GOOD.as_bytes()).await.is_ok() && !head.to_ascii_lowercase().contains("connection: close")
        };
        if !goes_on {
            return;
        }
        answered = true;
    }
}

/// Head of the next request; its body is passed over.
async fn request(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<String> {
    loop {
        if let Some(end) = buffer.windows(4).position(|w| w == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&buffer[..end]).into_owned();
            let length: usize = head.lines().find_map(|l| l.strip_prefix("Content-Length: ")).map_or(0, |n| n.parse().unwrap());
            if buffer.len() >= end + 4 + length {
                buffer.drain(..end + 4 + length);
                return Some(head);
            }
        }
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    }
}

/// Fails; whether the connection goes on.
async fn fail(stream: &mut TcpStream, fault: Fault) -> bool {
    let text = match fault {
        Fault::Silent => std::future::pending().await,
        Fault::ResetBefore | Fault::Stale => "",
        Fault::ResetAmid | Fault::EndAmid => "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
        Fault::Status => "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n",
        Fault::NotHttp => "220 mail.example ESMTP\r\n",
        Fault::BadChunk => "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfive\r\nhello\r\n0\r\n\r\n",
        Fault::BadJson => "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n{\"id\":\"good\"",
        Fault::BadGzip => "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 13\r\n\r\n{\"id\":\"good\"}",
        Fault::Wrong => "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n{\"id\":\"bad\"}",
        Fault::Ends => GOOD,
    };
    let written = stream.write_all(text.as_bytes()).await.is_ok();
    if matches!(fault, Fault::ResetBefore | Fault::ResetAmid) {
        // So that what was written is read before the reset comes.
        tokio::time::sleep(Duration::from_millis(5)).await;
        stream.set_zero_linger().unwrap();
        return false;
    }
    written && matches!(fault, Fault::Status | Fault::BadJson | Fault::BadGzip | Fault::Wrong)
}

/// A service that knows one answer only, whatever it hears; and how many connections it took.
pub(crate) async fn deaf(says: &'static str) -> (SocketAddr, Arc<AtomicU64>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let taken = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&taken);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            count.fetch_add(1, Ordering::Relaxed);
            tokio::spawn(async move {
                let mut heard = [0; 1024];
                let mut first = true;
                while stream.read(&mut heard).await.is_ok_and(|n| n > 0) {
                    if std::mem::take(&mut first) && stream.write_all(says.as_bytes()).await.is_err() {
                        return;
                    }
                }
            });
        }
    });
    (address, taken)
}

/// A port of this machine where nobody listens.
pub(crate) async fn closed() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap()
}

/// A port of this machine that answers to no new connection: its queue is as short as can be and full.
pub(crate) struct Full {
    pub(crate) address: SocketAddr,
    _listener: TcpListener,
    _waiting: Vec<TcpStream>,
}

impl Full {
    pub(crate) async fn start() -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let listener = socket.listen(0).unwrap();
        let address = listener.local_addr().unwrap();
        let mut waiting = Vec::new();
        while let Ok(stream) = tokio::time::timeout(Duration::from_millis(300), TcpStream::connect(address)).await {
            waiting.push(stream.unwrap());
            assert!(waiting.len() < 100, "the queue does not fill");
        }
        Self { address, _listener: listener, _waiting: waiting }
    }
}
