//! Making connections: the one place that opens a socket. Tests put streams in memory in its place.
//!
//! May import tokio and `rustls`; knows nothing of requests.

use std::future::Future;
use std::io;
use std::net::SocketAddr;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use super::host::{Addresses, Origin};
use super::stream::Stream;
use crate::model::plan::HttpVersion;

/// Opens streams to an instance.
pub(crate) trait Dial: Send + Sync + 'static {
    /// What it opens.
    type Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static;

    /// Opens one.
    fn dial(&self, origin: &Origin) -> impl Future<Output = Result<Self::Stream, Missed>> + Send;

    /// Whether HTTP/2 is spoken on a stream it opened.
    fn is_http2(&self, _stream: &Self::Stream) -> bool {
        false
    }
}

/// Why there is no connection.
#[derive(Debug)]
pub(crate) enum Missed {
    /// The name was not found, and why.
    Name(String),
    /// The connection was made, but TLS was not, and why.
    Tls(String),
    /// What the system said.
    Io(io::Error),
}

impl From<io::Error> for Missed {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// TCP without delay, and TLS over it where the instance wants that.
#[derive(Clone)]
pub(crate) struct Net {
    tls: Option<TlsConnector>,
    version: HttpVersion,
}

impl Net {
    /// Without a connector only plain connections can be made.
    pub(crate) const fn new(tls: Option<TlsConnector>, version: HttpVersion) -> Self {
        Self { tls, version }
    }

    async fn secure(&self, stream: TcpStream, origin: &Origin) -> Result<Stream, Missed> {
        let (Some(tls), Some(name)) = (&self.tls, &origin.secure) else {
            return Err(Missed::Tls("it was not prepared".to_owned()));
        };
        let shaken = tls.connect(name.clone(), stream).await;
        let stream = shaken.map_err(|error| if is_tls(&error) { Missed::Tls(error.to_string()) } else { Missed::Io(error) })?;
        let stream = Stream::Tls(Box::new(stream));
        // A server that knows nothing of the choice speaks 1.1, which is then not what was asked for.
        if self.version == HttpVersion::Http2 && !stream.chose_http2() {
            return Err(Missed::Tls("the server does not speak HTTP/2".to_owned()));
        }
        Ok(stream)
    }
}

impl Dial for Net {
    type Stream = Stream;

    async fn dial(&self, origin: &Origin) -> Result<Stream, Missed> {
        let stream = match origin.addresses() {
            Addresses::Known(known) => connect(known.iter(), |at| known.answered(at)).await?,
            Addresses::LookedUp(name, port) => {
                let found = tokio::net::lookup_host((name, port)).await.map_err(of_lookup)?;
                connect(found.enumerate(), |_| {}).await?
            }
        };
        stream.set_nodelay(true)?;
        if origin.secure.is_some() { self.secure(stream, origin).await } else { Ok(Stream::Plain(stream)) }
    }

    fn is_http2(&self, stream: &Stream) -> bool {
        match stream {
            Stream::Plain(_) => self.version == HttpVersion::Http2,
            Stream::Tls(_) => stream.chose_http2(),
        }
    }
}

/// The first address that answers.
async fn connect(addresses: impl Iterator<Item = (usize, SocketAddr)>, answered: impl Fn(usize)) -> Result<TcpStream, Missed> {
    let mut missed = Missed::Name("it has no address".to_owned());
    for (at, address) in addresses {
        match TcpStream::connect(address).await {
            Ok(stream) => {
                answered(at);
                return Ok(stream);
            }
            Err(error) => missed = Missed::Io(error),
        }
    }
    Err(missed)
}

/// A look-up that this machine could not make is its own fault, not the name's.
fn of_lookup(error: io::Error) -> Missed {
    if super::fault::is_own_limit(&error) { Missed::Io(error) } else { Missed::Name(error.to_string()) }
}

/// Whether a handshake failed as TLS: all but a connection that broke, or a limit of this machine. A server that hangs up in
/// the middle of one refuses it.
fn is_tls(error: &io::Error) -> bool {
    !matches!(error.kind(), io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe) && !super::fault::is_own_limit(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Net = Net::new(None, HttpVersion::Auto);

    async fn closed() -> SocketAddr {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        listener.local_addr().unwrap()
    }

    #[tokio::test]
    async fn it_goes_on_to_the_address_that_answers() {
        let open = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = Origin::new(String::new(), String::new(), vec![closed().await, open.local_addr().unwrap()]);
        let Stream::Plain(stream) = PLAIN.dial(&origin).await.unwrap() else { panic!("nobody asked for TLS") };
        assert!(stream.nodelay().unwrap());
        let Addresses::Known(known) = origin.addresses() else { panic!("they are known") };
        assert_eq!(known.iter().next().map(|a| a.0), Some(1));
    }

    #[tokio::test]
    async fn a_closed_port_refuses() {
        let origin = Origin::new(String::new(), String::new(), vec![closed().await]);
        assert!(matches!(PLAIN.dial(&origin).await, Err(Missed::Io(e)) if e.kind() == io::ErrorKind::ConnectionRefused));
    }

    #[tokio::test]
    async fn a_name_that_is_nowhere_is_not_found() {
        let origin = Origin::looked_up("nowhere.invalid", 80);
        assert!(matches!(PLAIN.dial(&origin).await, Err(Missed::Name(_))));
        assert!(matches!(PLAIN.dial(&Origin::new(String::new(), String::new(), Vec::new())).await, Err(Missed::Name(_))));
    }

    #[test]
    fn http2_is_spoken_on_plain_connections_only_by_the_plans_word() {
        for (version, is) in [(HttpVersion::Auto, false), (HttpVersion::Http1, false), (HttpVersion::Http2, true)] {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let open = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
                let origin = Origin::new(String::new(), String::new(), vec![open.local_addr().unwrap()]);
                let net = Net::new(None, version);
                let stream = net.dial(&origin).await.unwrap();
                assert_eq!(net.is_http2(&stream), is);
            });
        }
    }
}
