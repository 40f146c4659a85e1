//! Services that speak TLS and HTTP/2, with papers made when the test runs.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hyper::body::Bytes;
use hyper::http::{Request, Response, StatusCode};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

/// An authority of its own and what it has signed, also as files.
pub(crate) struct Papers {
    pub(crate) folder: tempfile::TempDir,
    authority: CertifiedIssuer<'static, KeyPair>,
    service: (CertificateDer<'static>, PrivateKeyDer<'static>),
}

impl Papers {
    /// For a service that is known as `name`. Beside it `ca.pem`, and `me.pem` with `key.pem` for a client.
    pub(crate) fn of(name: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let signed = |name: &str| {
            let key = KeyPair::generate().unwrap();
            (CertificateParams::new(vec![name.to_owned()]).unwrap().signed_by(&key, &authority).unwrap(), key)
        };
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        let (me, key) = signed("me");
        write("ca.pem", &authority.pem());
        write("me.pem", &me.pem());
        write("key.pem", &key.serialize_pem());
        let (service, key) = signed(name);
        let service = (service.der().clone(), PrivateKeyDer::try_from(key.serialize_der()).unwrap());
        Self { folder, authority, service }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// What the service shows, and whether it wants to see the client's.
    fn config(&self, protocols: &[&str], asks: bool) -> ServerConfig {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions().unwrap();
        let builder = if asks {
            let mut roots = RootCertStore::empty();
            roots.add(self.authority.der().clone()).unwrap();
            builder.with_client_cert_verifier(WebPkiClientVerifier::builder_with_provider(roots.into(), provider).build().unwrap())
        } else {
            builder.with_no_client_auth()
        };
        let (chain, key) = (vec![self.service.0.clone()], self.service.1.clone_key());
        let mut config = builder.with_single_cert(chain, key).unwrap();
        config.alpn_protocols = protocols.iter().map(|p| p.as_bytes().to_vec()).collect();
        config
    }
}

/// What a service saw.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) connections: u64,
    pub(crate) failed_handshakes: u64,
    pub(crate) names: Vec<String>,
    pub(crate) clients: u64,
    /// By protocol.
    pub(crate) requests: BTreeMap<&'static str, u64>,
    pub(crate) bodies: Vec<String>,
    /// Failures that were made.
    pub(crate) made: u64,
    pub(crate) open: u64,
    pub(crate) most_open: u64,
}

/// A service.
pub(crate) struct Secure {
    pub(crate) address: SocketAddr,
    pub(crate) seen: Arc<Mutex<Seen>>,
    task: JoinHandle<()>,
}

impl Secure {
    /// Over TLS.
    pub(crate) async fn start(papers: &Papers, protocols: &[&str], asks: bool) -> Self {
        Self::listen(Some(TlsAcceptor::from(Arc::new(papers.config(protocols, asks)))), 100).await
    }

    /// HTTP/2 without TLS, for those that know; it takes so many requests at once on a connection.
    pub(crate) async fn plain(most_streams: u32) -> Self {
        Self::listen(None, most_streams).await
    }

    async fn listen(acceptor: Option<TlsAcceptor>, most_streams: u32) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Mutex::new(Seen::default()));
        let shared = Arc::clone(&seen);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                stream.set_nodelay(true).unwrap();
                shared.lock().unwrap().connections += 1;
                let (seen, acceptor) = (Arc::clone(&shared), acceptor.clone());
                tokio::spawn(async move {
                    let Some(acceptor) = acceptor else { return two(stream, most_streams, seen).await };
                    let Ok(stream) = acceptor.accept(stream).await else {
                        seen.lock().unwrap().failed_handshakes += 1;
                        return;
                    };
                    let tls = stream.get_ref().1;
                    let is_two = tls.alpn_protocol() == Some(b"h2");
                    {
                        let mut seen = seen.lock().unwrap();
                        seen.names.extend(tls.server_name().map(str::to_owned));
                        seen.clients += u64::from(tls.peer_certificates().is_some());
                    }
                    if is_two { two(stream, most_streams, seen).await } else { one(stream, seen).await }
                });
            }
        });
        Self { address, seen, task }
    }

    pub(crate) fn url(&self, scheme: &str, name: &str) -> String {
        format!("{scheme}://{name}:{}", self.address.port())
    }

    /// How many requests came in a protocol.
    pub(crate) fn requests(&self, protocol: &str) -> u64 {
        self.seen.lock().unwrap().requests.get(protocol).copied().unwrap_or(0)
    }
}

impl Drop for Secure {
    fn drop(&mut self) {
        self.task.abort();
    }
}

const GOOD: &str = "{\"id\":\"good\"}";

async fn one(mut stream: impl AsyncRead + AsyncWrite + Unpin, seen: Arc<Mutex<Seen>>) {
    let mut buffer = Vec::new();
    while stream.read_buf(&mut buffer).await.is_ok_and(|n| n > 0) {
        if buffer.ends_with(b"\r\n\r\n") {
            buffer.clear();
            *seen.lock().unwrap().requests.entry("http/1.1").or_default() += 1;
            let text = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{GOOD}", GOOD.len());
            if stream.write_all(text.as_bytes()).await.is_err() {
                return;
            }
        }
    }
}

/// Answers as the path says.
async fn two(stream: impl AsyncRead + AsyncWrite + Unpin, most_streams: u32, seen: Arc<Mutex<Seen>>) {
    let mut builder = h2::server::Builder::new();
    let Ok(mut connection) = builder.max_concurrent_streams(most_streams).handshake::<_, Bytes>(stream).await else { return };
    let mut here = 0;
    while let Some(Ok((request, respond))) = connection.accept().await {
        here += 1;
        let nth = {
            let mut seen = seen.lock().unwrap();
            let nth = seen.requests.entry("h2").or_default();
            *nth += 1;
            *nth
        };
        if request.uri().path() == "/away" && here == 3 {
            // Says that it has done nothing with this request, and ends once what it did is out.
            seen.lock().unwrap().made += 1;
            let mut respond = respond;
            respond.send_reset(h2::Reason::REFUSED_STREAM);
            connection.graceful_shutdown();
            continue;
        }
        tokio::spawn(answer(request, respond, nth, Arc::clone(&seen)));
    }
}

async fn answer(request: Request<h2::RecvStream>, mut respond: h2::server::SendResponse<Bytes>, nth: u64, seen: Arc<Mutex<Seen>>) {
    let path = request.uri().path().trim_start_matches('/').to_owned();
    {
        let mut seen = seen.lock().unwrap();
        seen.open += 1;
        seen.most_open = seen.most_open.max(seen.open);
    }
    let fails = nth.is_multiple_of(3) && ["refuse", "reset", "half", "hang", "status"].contains(&path.as_str());
    seen.lock().unwrap().made += u64::from(fails);
    let (what, number) = path.split_once('/').unwrap_or((&path, ""));
    if what == "slow" {
        tokio::time::sleep(Duration::from_millis(number.parse().unwrap())).await;
    }
    let mut body = request.into_body();
    let mut text = Vec::new();
    while let Some(Ok(data)) = body.data().await {
        text.extend_from_slice(&data);
        body.flow_control().release_capacity(data.len()).unwrap();
    }
    {
        let mut seen = seen.lock().unwrap();
        seen.bodies.extend((!text.is_empty()).then(|| String::from_utf8(text).unwrap()));
        seen.open -= 1;
    }
    let head = |status: StatusCode| Response::builder().status(status).header("x-way", "two").body(()).unwrap();
    match (what, fails) {
        ("refuse", true) => respond.send_reset(h2::Reason::REFUSED_STREAM),
        ("reset", true) => respond.send_reset(h2::Reason::INTERNAL_ERROR),
        ("hang", true) => std::future::pending().await,
        ("half", true) => {
            let Ok(mut stream) = respond.send_response(head(StatusCode::OK), false) else { return };
            stream.send_data(Bytes::from_static(b"{\"id\""), false).unwrap();
            tokio::time::sleep(Duration::from_millis(2)).await;
            stream.send_reset(h2::Reason::INTERNAL_ERROR);
        }
        _ => {
            let status = if fails { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK };
            let Ok(mut stream) = respond.send_response(head(status), false) else { return };
            // A client that gave up meanwhile takes nothing more.
            let _ = stream.send_data(Bytes::from_static(GOOD.as_bytes()), true);
        }
    }
}
