//! A connection of either version of HTTP, so that whoever sends a request need not ask which.

use std::io;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::Instant;

use super::{Broke, Connection, Decoder, Http2};

/// A connection of either version.
#[derive(Debug)]
pub(crate) enum Link<S> {
    /// HTTP/1.1: one request at a time.
    One(Connection<S>),
    /// HTTP/2: as many as the server takes.
    Two(Http2),
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> Link<S> {
    /// A new connection of HTTP/1.1 whose first request is due at `due`.
    pub(crate) fn one(stream: S, due: Instant) -> Self {
        Self::One(Connection::new(stream, due))
    }

    /// A new connection of HTTP/2.
    pub(crate) async fn two(stream: S, secure: bool) -> io::Result<Self> {
        Http2::open(stream, secure).await.map(Self::Two)
    }

    /// Whether a kept connection still stands.
    pub(crate) async fn is_open(&mut self) -> bool {
        match self {
            Self::One(connection) => connection.is_open().await,
            Self::Two(http) => http.is_open(),
        }
    }

    /// Sends the request and reads the answer, until `due` at the latest.
    pub(crate) async fn exchange(&mut self, wire: &[u8], decoder: &mut Decoder, due: Instant) -> Result<(), Broke> {
        match self {
            Self::One(connection) => connection.exchange(wire, decoder, due).await,
            // Apart, so that users of HTTP/1.1 are not the larger for it.
            Self::Two(http) => Box::pin(http.exchange(wire, decoder, due)).await,
        }
    }

    /// Bytes received since this was asked last.
    pub(crate) fn take_received(&mut self) -> u64 {
        match self {
            Self::One(connection) => connection.take_received(),
            Self::Two(http) => http.take_received(),
        }
    }

    /// Whether it may be used again after an exchange that ended so.
    pub(crate) fn is_reusable(&self, result: &Result<(), Broke>, decoder: &Decoder) -> bool {
        match self {
            Self::One(connection) => result.is_ok() && decoder.is_reusable() && connection.is_clean(),
            Self::Two(http) => http.is_open(),
        }
    }
}
