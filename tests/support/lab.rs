//! A lab on a thread and a runtime of its own, and the plainest of callers.

use std::net::SocketAddr;

use plimsoll::lab::{LabConfig, Settings, serve};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::sync::oneshot;

/// A running lab; it ends when dropped.
pub(crate) struct Lab {
    pub(crate) address: SocketAddr,
    end: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Lab {
    pub(crate) fn start(settings: Settings) -> Self {
        let (tell, told) = std::sync::mpsc::channel();
        let (end, ended) = oneshot::channel::<()>();
        let thread = std::thread::spawn(move || {
            let runtime = Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async move {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                tell.send(listener.local_addr().unwrap()).unwrap();
                let until = async move {
                    let _dropped = ended.await;
                };
                serve(LabConfig { settings, seed: 5 }, listener, until).await.unwrap();
            });
        });
        let address = told.recv().unwrap();
        Self { address, end: Some(end), thread: Some(thread) }
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        drop(self.end.take());
        self.thread.take().unwrap().join().unwrap();
    }
}

/// An answer as it came.
pub(crate) struct Answer {
    /// The status line and the headers.
    pub(crate) head: String,
    /// What came after them.
    pub(crate) body: String,
}

impl Answer {
    /// The status in the first line.
    pub(crate) fn status(&self) -> &str {
        self.head.split_whitespace().nth(1).unwrap()
    }
}

/// Sends a request and reads the answer whole; `None` if the lab closed the connection instead.
pub(crate) async fn exchange(stream: &mut TcpStream, request: &[u8]) -> Option<Answer> {
    stream.write_all(request).await.unwrap();
    let mut bytes = Vec::new();
    loop {
        if stream.read_buf(&mut bytes).await.unwrap() == 0 {
            return None;
        }
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse::<usize>().ok());
        if body.len() >= length.unwrap_or(0) {
            return Some(Answer { head: head.to_owned(), body: body.to_owned() });
        }
    }
}

/// The text of a request.
pub(crate) fn request(method: &str, path: &str, body: &str) -> Vec<u8> {
    format!("{method} {path} HTTP/1.1\r\nHost: lab\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}
