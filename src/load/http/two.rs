//! HTTP/2 on one connection, by hyper's client: requests come as the bytes that HTTP/1.1 would send and answers go into the decoder that
//! HTTP/1.1's do, so that templates, checks and counts are the same for both.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::task::{Context, Poll};

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper::http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Uri, Version};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, timeout_at};

use super::head::MOST_HEADERS;
use super::{Broke, Decoder};

/// Lines that belong to one connection of HTTP/1.1, or say what HTTP/2 says otherwise.
const NOT_FOR_TWO: [&str; 5] = ["host", "connection", "keep-alive", "transfer-encoding", "upgrade"];

/// A handle to a connection; its copies share it.
#[derive(Debug, Clone)]
pub(crate) struct Http2 {
    send: SendRequest<Full<Bytes>>,
    secure: bool,
    facts: Arc<Facts>,
}

/// What is known of a connection by all that use it.
#[derive(Debug, Default)]
struct Facts {
    received: AtomicU64,
    streams: AtomicUsize,
    answered: AtomicBool,
    /// TLS under it broke. What hyper says of that is only that the stream did.
    tls_broke: AtomicBool,
}

impl Http2 {
    /// Begins to speak it. The connection lives as long as a handle to it, on the runtime that made it.
    pub(crate) async fn open<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(stream: S, secure: bool) -> io::Result<Self> {
        let facts = Arc::new(Facts::default());
        let io = TokioIo::new(Counted { stream, deaf: false, facts: Arc::clone(&facts) });
        let (send, mut connection) = Builder::new(TokioExecutor::new()).handshake(io).await.map_err(io::Error::other)?;
        facts.streams.store(connection.current_max_send_streams(), Ordering::Relaxed);
        let known = Arc::clone(&facts);
        tokio::spawn(poll_fn(move |cx| {
            let end = Pin::new(&mut connection).poll(cx);
            known.streams.store(connection.current_max_send_streams(), Ordering::Relaxed);
            // How it ended is told to every request that was on it.
            end.map(|_told| ())
        }));
        Ok(Self { send, secure, facts })
    }

    /// Whether requests may still be sent on it.
    pub(crate) fn is_open(&self) -> bool {
        !self.send.is_closed()
    }

    /// Whether it has brought an answer already.
    pub(crate) fn has_answered(&self) -> bool {
        self.facts.answered.load(Ordering::Relaxed)
    }

    /// How many requests the server takes at once.
    pub(crate) fn most_streams(&self) -> usize {
        self.facts.streams.load(Ordering::Relaxed)
    }

    /// Bytes received on the connection since this was asked last, by whichever handle.
    pub(crate) fn take_received(&self) -> u64 {
        self.facts.received.swap(0, Ordering::Relaxed)
    }

    /// Sends the request that HTTP/1.1 would send as `wire` and reads the answer, until `due` at the latest.
    pub(crate) async fn exchange(&mut self, wire: &[u8], decoder: &mut Decoder, due: Instant) -> Result<(), Broke> {
        let request = translate(wire, self.secure).ok_or(Broke::Malformed)?;
        timeout_at(due, self.talk(request, decoder)).await.unwrap_or(Err(Broke::TimedOut))
    }

    async fn talk(&mut self, request: Request<Full<Bytes>>, decoder: &mut Decoder) -> Result<(), Broke> {
        let answer = self.send.send_request(request).await.map_err(|e| self.broke(&e, false))?;
        let (parts, mut body) = answer.into_parts();
        let sets_cookie = parts.headers.contains_key("set-cookie");
        decoder.start(parts.status.as_u16(), sets_cookie, |to| write_head(parts.status.as_u16(), &parts.headers, to));
        while let Some(frame) = body.frame().await {
            if let Ok(data) = frame.map_err(|e| self.broke(&e, true))?.into_data() {
                decoder.take_body(&data);
            }
        }
        decoder.end();
        self.facts.answered.store(true, Ordering::Relaxed);
        Ok(())
    }

    fn broke(&self, error: &hyper::Error, headed: bool) -> Broke {
        if self.facts.tls_broke.load(Ordering::Relaxed) {
            let tls = io::Error::other(rustls::Error::General("broken under HTTP/2".to_owned()));
            return Broke::Lost { answered: headed, error: Some(tls) };
        }
        broke(error, headed)
    }
}

/// The head in HTTP/1.1's form, for those that look into heads.
fn write_head(status: u16, headers: &HeaderMap, to: &mut Vec<u8>) {
    to.extend_from_slice(format!("HTTP/1.1 {status} \r\n").as_bytes());
    for (name, value) in headers.iter().take(MOST_HEADERS) {
        to.extend_from_slice(name.as_str().as_bytes());
        to.extend_from_slice(b": ");
        to.extend_from_slice(value.as_bytes());
        to.extend_from_slice(b"\r\n");
    }
    to.extend_from_slice(b"\r\n");
}

/// The same request in HTTP/2's terms; none if it can not be said in them.
fn translate(wire: &[u8], secure: bool) -> Option<Request<Full<Bytes>>> {
    let mut room = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut read = httparse::Request::new(&mut room);
    let httparse::Status::Complete(len) = read.parse(wire).ok()? else { return None };
    let host = read.headers.iter().find(|h| h.name.eq_ignore_ascii_case("host"))?.value;
    let uri = Uri::builder().scheme(if secure { "https" } else { "http" }).authority(host).path_and_query(read.path?);
    let body = Bytes::copy_from_slice(wire.get(len..)?);
    let mut request = Request::new(Full::new(body));
    *request.method_mut() = Method::from_bytes(read.method?.as_bytes()).ok()?;
    *request.uri_mut() = uri.build().ok()?;
    *request.version_mut() = Version::HTTP_2;
    for header in read.headers.iter().filter(|h| !NOT_FOR_TWO.iter().any(|n| h.name.eq_ignore_ascii_case(n))) {
        request.headers_mut().append(HeaderName::from_bytes(header.name.as_bytes()).ok()?, HeaderValue::from_bytes(header.value).ok()?);
    }
    Some(request)
}

/// What became of a request, from what hyper says. `headed` tells whether the head of its answer had come.
fn broke(error: &hyper::Error, headed: bool) -> Broke {
    let source = std::error::Error::source(error).and_then(|e| e.downcast_ref::<h2::Error>());
    let Some(error) = source else { return Broke::Lost { answered: headed, error: None } };
    if let Some(io) = error.get_io() {
        return Broke::Lost { answered: headed, error: Some(io::Error::from(io.kind())) };
    }
    let left_alone = error.is_reset() && error.reason() == Some(h2::Reason::REFUSED_STREAM);
    let turned_away = error.is_go_away() && error.reason() == Some(h2::Reason::NO_ERROR);
    if error.is_remote() && (left_alone || turned_away) {
        return Broke::Refused;
    }
    // A server that ends a stream has read its request, so that this is no matter of a connection that was closed before.
    if error.is_library() { Broke::Malformed } else { Broke::Lost { answered: true, error: None } }
}

/// A stream whose received bytes are counted, and that tells of its end only by reading: what can not be written any more may have a
/// reason that is still to be read.
struct Counted<S> {
    stream: S,
    deaf: bool,
    facts: Arc<Facts>,
}

impl<S> Counted<S> {
    fn unless_deaf<T>(&mut self, written: Poll<io::Result<T>>, swallowed: T) -> Poll<io::Result<T>> {
        self.deaf |= matches!(written, Poll::Ready(Err(_)));
        if self.deaf { Poll::Ready(Ok(swallowed)) } else { written }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Counted<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buf);
        self.facts.received.fetch_add((buf.filled().len() - before) as u64, Ordering::Relaxed);
        if matches!(&read, Poll::Ready(Err(error)) if matches!(error.get_ref(), Some(inner) if inner.is::<rustls::Error>())) {
            self.facts.tls_broke.store(true, Ordering::Relaxed);
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Counted<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = if self.deaf { Poll::Pending } else { Pin::new(&mut self.stream).poll_write(cx, bytes) };
        self.unless_deaf(written, bytes.len())
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = if self.deaf { Poll::Pending } else { Pin::new(&mut self.stream).poll_flush(cx) };
        self.unless_deaf(flushed, ())
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_said_in_http2s_terms() {
        let wire = b"POST /a?b=1 HTTP/1.1\r\nHost: shop:80\r\nConnection: close\r\nX-A: 1\r\nX-A: 2\r\nContent-Length: 2\r\n\r\nhi";
        let request = translate(wire, true).unwrap();
        assert_eq!(request.uri().to_string(), "https://shop:80/a?b=1");
        assert_eq!(request.method(), Method::POST);
        let names: Vec<_> = request.headers().iter().map(|(n, v)| format!("{n}={}", v.to_str().unwrap())).collect();
        assert_eq!(names, ["x-a=1", "x-a=2", "content-length=2"]);
        assert!(translate(b"GET / HTTP/1.1\r\n\r\n", false).is_none(), "nobody to send it to");
        assert!(translate(b"GET / HTTP/1.1\r\nHost: a\r\n", false).is_none(), "half a head");
    }

    #[test]
    fn a_head_reads_like_one_of_http11() {
        let (mut headers, mut text) = (HeaderMap::new(), Vec::new());
        headers.append("set-cookie", HeaderValue::from_static("a=1"));
        headers.append("set-cookie", HeaderValue::from_static("b=2"));
        write_head(302, &headers, &mut text);
        assert_eq!(super::super::head::header(&text, "Set-Cookie"), Some(&b"a=1"[..]));
    }
}
