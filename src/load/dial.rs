//! Making connections: the one place that opens a socket. Tests put streams in memory in its place.

use std::future::Future;
use std::io;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use super::host::Origin;

/// Opens streams to an instance.
pub(crate) trait Dial: Send + Sync + 'static {
    /// What it opens.
    type Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static;

    /// Opens one.
    fn dial(&self, origin: &Origin) -> impl Future<Output = io::Result<Self::Stream>> + Send;
}

/// Plain TCP without delay.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tcp;

impl Dial for Tcp {
    type Stream = TcpStream;

    async fn dial(&self, origin: &Origin) -> io::Result<TcpStream> {
        let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
        for (at, address) in origin.addresses() {
            match TcpStream::connect(address).await {
                Ok(stream) => {
                    origin.answered(at);
                    stream.set_nodelay(true)?;
                    return Ok(stream);
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn it_goes_on_to_the_address_that_answers() {
        let open = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let closed = {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            listener.local_addr().unwrap()
        };
        let origin = Origin::new(String::new(), String::new(), vec![closed, open.local_addr().unwrap()]);
        let stream = Tcp.dial(&origin).await.unwrap();
        assert!(stream.nodelay().unwrap());
        assert_eq!(origin.addresses().next().map(|a| a.0), Some(1));
    }

    #[tokio::test]
    async fn a_closed_port_refuses() {
        let closed = {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            listener.local_addr().unwrap()
        };
        let origin = Origin::new(String::new(), String::new(), vec![closed]);
        assert_eq!(Tcp.dial(&origin).await.unwrap_err().kind(), io::ErrorKind::ConnectionRefused);
    }
}
