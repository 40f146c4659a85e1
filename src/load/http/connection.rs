//! One connection: a request is written, its answer read through the decoder, all within one time-out.
//!
//! Generic over the stream, so that tests cut the bytes where they like and TLS can be put in between.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Instant;

use super::{Alarm, Decoder};

/// Size of a new connection's buffer. It doubles when a read fills it: users are many and most answers are short.
const ROOM: usize = 4 * 1024;
/// Most it grows to, and so the longest head.
const MOST_ROOM: usize = 64 * 1024;

/// Why an exchange did not come to its end.
#[derive(Debug)]
pub(crate) enum Broke {
    /// Its time was up.
    TimedOut,
    /// The connection ended or failed; `answered` says whether any byte of the answer had come.
    Lost {
        /// Whether any byte of the answer had come.
        answered: bool,
        /// What the system said; none for an end.
        error: Option<io::Error>,
    },
    /// The server said that it has done nothing with the request.
    Refused,
    /// The answer was not HTTP.
    Malformed,
}

/// A connection and its read buffer.
#[derive(Debug)]
pub(crate) struct Connection<S> {
    stream: S,
    room: Vec<u8>,
    /// Bytes read and not yet understood: `begin..end` of the room.
    begin: usize,
    end: usize,
    alarm: Alarm,
    received: u64,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<S> {
    /// A new connection whose first request is due at `due`.
    pub(crate) fn new(stream: S, due: Instant) -> Self {
        Self { stream, room: vec![0; ROOM], begin: 0, end: 0, alarm: Alarm::new(due), received: 0 }
    }

    /// Bytes received since this was asked last.
    pub(crate) fn take_received(&mut self) -> u64 {
        std::mem::take(&mut self.received)
    }

    /// Whether a kept connection still stands: not closed, and nothing came that nobody asked for.
    pub(crate) async fn is_open(&mut self) -> bool {
        poll_fn(|cx| {
            let mut probe = [0_u8; 1];
            let mut buf = ReadBuf::new(&mut probe);
            Poll::Ready(Pin::new(&mut self.stream).poll_read(cx, &mut buf).is_pending())
        })
        .await
    }

    /// Writes the request and reads the answer, until `due` at the latest.
    pub(crate) async fn exchange(&mut self, wire: &[u8], decoder: &mut Decoder, due: Instant) -> Result<(), Broke> {
        (self.begin, self.end) = (0, 0);
        // A server may answer before it has read the whole request and close: its answer counts, so a failed write is no end.
        let written = self.write(wire, due).await;
        if let Err(Broke::TimedOut) = written {
            return Err(Broke::TimedOut);
        }
        match self.read(decoder, due).await {
            Err(Broke::Lost { answered: false, error }) => Err(match written {
                Err(lost) => lost,
                Ok(()) => Broke::Lost { answered: false, error },
            }),
            other => other,
        }
    }

    /// Whether the answer left nothing behind, so that the next one begins at the next byte.
    pub(crate) const fn is_clean(&self) -> bool {
        self.begin == self.end
    }

    async fn write(&mut self, mut wire: &[u8], due: Instant) -> Result<(), Broke> {
        while !wire.is_empty() {
            let (stream, alarm) = (&mut self.stream, &mut self.alarm);
            let wrote = poll_fn(|cx| match Pin::new(&mut *stream).poll_write(cx, wire) {
                Poll::Pending => alarm.poll(cx, due).map(|()| None),
                Poll::Ready(result) => Poll::Ready(Some(result)),
            });
            match wrote.await {
                None => return Err(Broke::TimedOut),
                Some(Ok(0)) => return Err(Broke::Lost { answered: false, error: None }),
                Some(Ok(n)) => wire = wire.get(n..).unwrap_or_default(),
                Some(Err(error)) => return Err(Broke::Lost { answered: false, error: Some(error) }),
            }
        }
        self.flush(due).await
    }

    /// TLS may have taken bytes that it has not passed on yet.
    async fn flush(&mut self, due: Instant) -> Result<(), Broke> {
        let (stream, alarm) = (&mut self.stream, &mut self.alarm);
        let flushed = poll_fn(|cx| match Pin::new(&mut *stream).poll_flush(cx) {
            Poll::Pending => alarm.poll(cx, due).map(|()| None),
            Poll::Ready(result) => Poll::Ready(Some(result)),
        });
        match flushed.await {
            None => Err(Broke::TimedOut),
            Some(Ok(())) => Ok(()),
            Some(Err(error)) => Err(Broke::Lost { answered: false, error: Some(error) }),
        }
    }

    async fn read(&mut self, decoder: &mut Decoder, due: Instant) -> Result<(), Broke> {
        let mut answered = false;
        loop {
            let n = match poll_fn(|cx| self.poll_fill(cx, due)).await {
                None => return Err(Broke::TimedOut),
                Some(Ok(n)) => n,
                Some(Err(error)) => return Err(Broke::Lost { answered, error: Some(error) }),
            };
            if n == 0 {
                return if decoder.end() { Ok(()) } else { Err(Broke::Lost { answered, error: None }) };
            }
            answered = true;
            self.received += n as u64;
            let unread = self.room.get(self.begin..self.end).unwrap_or_default();
            self.begin += decoder.feed(unread).map_err(|_why| Broke::Malformed)?;
            if decoder.is_done() {
                return Ok(());
            }
            self.make_room()?;
        }
    }

    fn poll_fill(&mut self, cx: &mut Context<'_>, due: Instant) -> Poll<Option<io::Result<usize>>> {
        let mut buf = ReadBuf::new(self.room.get_mut(self.end..).unwrap_or_default());
        match Pin::new(&mut self.stream).poll_read(cx, &mut buf) {
            Poll::Ready(Ok(())) => {
                let n = buf.filled().len();
                self.end += n;
                Poll::Ready(Some(Ok(n)))
            }
            Poll::Ready(Err(error)) => Poll::Ready(Some(Err(error))),
            Poll::Pending => self.alarm.poll(cx, due).map(|()| None),
        }
    }

    /// Only an unfinished head or nothing is left here; it moves to the front.
    fn make_room(&mut self) -> Result<(), Broke> {
        if self.end == self.room.len() && self.end < MOST_ROOM {
            self.room.resize(self.end * 2, 0);
        }
        if self.begin > 0 {
            self.room.copy_within(self.begin..self.end, 0);
            (self.begin, self.end) = (0, self.end - self.begin);
        }
        if self.end == self.room.len() { Err(Broke::Malformed) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Keep;
    use super::*;
    use std::time::Duration;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

    const ALL: Keep = Keep { head: true, body: true };

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(10)
    }

    async fn answered(parts: Vec<Vec<u8>>, close: bool) -> (Result<(), Broke>, Decoder, Connection<DuplexStream>) {
        let (ours, mut theirs) = duplex(64);
        let server = tokio::spawn(async move {
            let mut request = [0; 64];
            let _ = theirs.read(&mut request).await;
            for part in parts {
                theirs.write_all(&part).await.ok();
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            if !close {
                tokio::time::sleep(Duration::from_secs(3600)).await;
            }
        });
        let mut connection = Connection::new(ours, soon());
        let mut decoder = Decoder::new(false, ALL);
        let result = connection.exchange(b"GET / HTTP/1.1\r\n\r\n", &mut decoder, soon()).await;
        server.abort();
        (result, decoder, connection)
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_in_single_bytes_is_read() {
        let text = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
        let (result, decoder, mut connection) = answered(text.iter().map(|b| vec![*b]).collect(), false).await;
        assert!(result.is_ok());
        assert_eq!((decoder.status(), decoder.body()), (200, &b"abc"[..]));
        assert!(decoder.is_reusable() && connection.is_clean());
        assert_eq!(connection.take_received(), text.len() as u64);
    }

    #[tokio::test(start_paused = true)]
    async fn silence_ends_in_a_time_out() {
        let begin = Instant::now();
        let (result, ..) = answered(vec![b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc".to_vec()], false).await;
        assert!(matches!(result, Err(Broke::TimedOut)));
        assert_eq!(begin.elapsed(), Duration::from_secs(10));
    }

    #[tokio::test(start_paused = true)]
    async fn an_end_tells_whether_anything_had_come() {
        let (result, ..) = answered(vec![], true).await;
        assert!(matches!(result, Err(Broke::Lost { answered: false, .. })));
        let (result, ..) = answered(vec![b"HTTP/1.1 200".to_vec()], true).await;
        assert!(matches!(result, Err(Broke::Lost { answered: true, .. })));
    }

    #[tokio::test(start_paused = true)]
    async fn a_head_without_end_is_refused() {
        let endless = [b"HTTP/1.1 200 OK\r\nx: ".to_vec(), vec![b'y'; MOST_ROOM]].concat();
        let (result, ..) = answered(vec![endless], false).await;
        assert!(matches!(result, Err(Broke::Malformed)));
    }

    #[tokio::test(start_paused = true)]
    async fn bytes_nobody_asked_for_spoil_the_connection() {
        let (result, decoder, connection) = answered(vec![b"HTTP/1.1 204 No Content\r\n\r\nextra".to_vec()], false).await;
        assert!(result.is_ok() && decoder.is_reusable());
        assert!(!connection.is_clean());
    }

    #[tokio::test(start_paused = true)]
    async fn a_kept_connection_is_looked_at_before_use() {
        let (ours, mut theirs) = duplex(64);
        let mut connection = Connection::new(ours, soon());
        assert!(connection.is_open().await);
        theirs.write_all(b"HTTP/1.1 408 Request Timeout\r\n\r\n").await.unwrap();
        assert!(!connection.is_open().await);
        let (ours, theirs) = duplex(64);
        let mut connection = Connection::new(ours, soon());
        drop(theirs);
        assert!(!connection.is_open().await);
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_larger_than_the_room_flows_through() {
        let body = vec![b'z'; 3 * MOST_ROOM + 7];
        let text = [format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len()).into_bytes(), body.clone()].concat();
        let (result, decoder, connection) = answered(vec![text], false).await;
        assert!(result.is_ok() && connection.is_clean());
        assert_eq!(decoder.body(), body);
    }

    #[tokio::test(start_paused = true)]
    async fn a_long_head_is_read_in_a_growing_room() {
        let text = format!("HTTP/1.1 200 OK\r\nx: {}\r\nContent-Length: 2\r\n\r\nok", "y".repeat(5 * ROOM)).into_bytes();
        let (result, decoder, _) = answered(vec![text], false).await;
        assert!(result.is_ok());
        assert_eq!(decoder.body(), b"ok");
    }
}
