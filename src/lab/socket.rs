//! The lab's listening socket: connections that the service can cut without an answer, as Tomcat does with those beyond its queue.
//!
//! Imports nothing of the product; plain sockets, no HTTP.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

/// Cuts the connection it belongs to.
#[derive(Debug, Clone, Default)]
pub(super) struct Cutter(Arc<AtomicBool>);

impl Cutter {
    /// From now on nothing more is written; the connection closes.
    pub(super) fn cut(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A connection that can be cut.
#[derive(Debug)]
pub(super) struct Connection {
    stream: TcpStream,
    cutter: Cutter,
}

impl Connection {
    fn check(&self) -> io::Result<()> {
        if self.cutter.0.load(Ordering::Relaxed) { Err(io::ErrorKind::ConnectionAborted.into()) } else { Ok(()) }
    }
}

impl AsyncRead for Connection {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.check()?;
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(mut self: Pin<&mut Self>, cx: &mut Context<'_>, parts: &[io::IoSlice<'_>]) -> Poll<io::Result<usize>> {
        self.check()?;
        Pin::new(&mut self.stream).poll_write_vectored(cx, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.check()?;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// The listening socket.
#[derive(Debug)]
pub(super) struct Door(pub(super) TcpListener);

impl Listener for Door {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        loop {
            match self.0.accept().await {
                Ok((stream, address)) => {
                    // Small answers must leave at once; where that can not be set they leave a little later.
                    let _unset = stream.set_nodelay(true);
                    return (Connection { stream, cutter: Cutter::default() }, address);
                }
                // Out of files or a caller gone already: neither may end the service nor spin.
                Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

impl Connected<IncomingStream<'_, Door>> for Cutter {
    fn connect_info(stream: IncomingStream<'_, Door>) -> Self {
        stream.io().cutter.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    #[tokio::test]
    async fn a_cut_connection_ends_without_a_byte() {
        let mut door = Door(TcpListener::bind("127.0.0.1:0").await.unwrap());
        let mut caller = TcpStream::connect(door.local_addr().unwrap()).await.unwrap();
        let (mut connection, _) = door.accept().await;
        connection.write_all(b"a").await.unwrap();
        connection.cutter.clone().cut();
        assert_eq!(connection.write_all(b"b").await.unwrap_err().kind(), io::ErrorKind::ConnectionAborted);
        drop(connection);
        let mut got = Vec::new();
        caller.read_to_end(&mut got).await.unwrap();
        assert_eq!(got, b"a");
    }
}
