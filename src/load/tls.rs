//! Whom to trust over TLS and how to prove oneself, from the plan's word and the files it names.
//!
//! May read those files. A key never leaves this place.

use std::path::Path;
use std::sync::Arc;

use rustls::client::Resumption;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokio_rustls::TlsConnector;

use crate::model::plan::{HttpVersion, TlsPlan};
use crate::ports::EngineError;

/// What makes TLS of connections. Every connection shakes hands in full: users are clients that never met the server.
pub(crate) fn connector(plan: &TlsPlan, version: HttpVersion, folder: &Path) -> Result<TlsConnector, EngineError> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions();
    let builder = builder.map_err(|e| wrong(&format!("no version of TLS to speak ({e})")))?;
    let trusting = if plan.insecure {
        builder.dangerous().with_custom_certificate_verifier(Arc::new(TrustsAnyone(provider)))
    } else {
        builder.with_root_certificates(roots(plan, folder)?)
    };
    let mut config = match (&plan.certificate, &plan.key) {
        (None, None) => trusting.with_no_client_auth(),
        (Some(chain), Some(key)) => trusting
            .with_client_auth_cert(certificates(folder, chain)?, private_key(folder, key)?)
            .map_err(|e| wrong(&format!("the client certificate `{chain}` and its key `{key}` do not go together ({e})")))?,
        _ => return Err(wrong("a client certificate needs its key and the key its certificate; name both files")),
    };
    config.resumption = Resumption::disabled();
    config.alpn_protocols = match version {
        HttpVersion::Auto => vec![b"h2".to_vec(), b"http/1.1".to_vec()],
        HttpVersion::Http1 => vec![b"http/1.1".to_vec()],
        HttpVersion::Http2 => vec![b"h2".to_vec()],
    };
    Ok(TlsConnector::from(Arc::new(config)))
}

fn wrong(what: &str) -> EngineError {
    EngineError::Failed { what: format!("TLS: {what}") }
}

/// The system's authorities, as far as they can be read, and the plan's own.
fn roots(plan: &TlsPlan, folder: &Path) -> Result<RootCertStore, EngineError> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(own) = &plan.ca {
        for certificate in certificates(folder, own)? {
            roots.add(certificate).map_err(|e| wrong(&format!("`{own}` holds no certificate of an authority ({e})")))?;
        }
    }
    Ok(roots)
}

fn certificates(folder: &Path, name: &str) -> Result<Vec<CertificateDer<'static>>, EngineError> {
    let text = read(folder, name)?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    let found = found.map_err(|e| wrong(&format!("`{name}` is no PEM file of certificates ({e})")))?;
    if found.is_empty() {
        Err(wrong(&format!("`{name}` holds no certificate; it should have lines `-----BEGIN CERTIFICATE-----`")))
    } else {
        Ok(found)
    }
}

fn private_key(folder: &Path, name: &str) -> Result<PrivateKeyDer<'static>, EngineError> {
    PrivateKeyDer::from_pem_slice(&read(folder, name)?).map_err(|_secret| wrong(&format!("`{name}` holds no private key in PEM without a password")))
}

fn read(folder: &Path, name: &str) -> Result<Vec<u8>, EngineError> {
    std::fs::read(folder.join(name)).map_err(|e| wrong(&format!("the file `{name}` can not be read ({e}); its place is beside the profile")))
}

/// Takes any certificate of anybody: what the profile asks for with `insecure`. Signatures are checked all the same, so that the work is
/// the same.
#[derive(Debug)]
struct TrustsAnyone(Arc<CryptoProvider>);

impl ServerCertVerifier for TrustsAnyone {
    fn verify_server_cert(
        &self,
        _end: &CertificateDer<'_>,
        _between: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        said: &[u8],
        by: &CertificateDer<'_>,
        proof: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(said, by, proof, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        said: &[u8],
        by: &CertificateDer<'_>,
        proof: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(said, by, proof, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(plan: &TlsPlan, folder: &Path) -> String {
        match connector(plan, HttpVersion::Auto, folder) {
            Err(EngineError::Failed { what }) => what,
            Err(other) => panic!("{other:?}"),
            Ok(_) => panic!("it was taken"),
        }
    }

    #[test]
    fn files_are_beside_the_profile_and_what_is_wrong_with_them_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let named = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        std::fs::write(folder.path().join("ca.pem"), named.cert.pem()).unwrap();
        std::fs::write(folder.path().join("key.pem"), named.signing_key.serialize_pem()).unwrap();
        std::fs::write(folder.path().join("text.pem"), "no PEM").unwrap();
        let name = |name: &str| Some(name.to_owned());
        let good = TlsPlan { ca: name("ca.pem"), certificate: name("ca.pem"), key: name("key.pem"), insecure: false };
        assert!(connector(&good, HttpVersion::Auto, folder.path()).is_ok());
        for (plan, words) in [
            (TlsPlan { ca: name("nowhere.pem"), ..good.clone() }, "`nowhere.pem` can not be read"),
            (TlsPlan { ca: name("text.pem"), ..good.clone() }, "`text.pem` holds no certificate"),
            (TlsPlan { key: name("text.pem"), ..good.clone() }, "`text.pem` holds no private key"),
            (TlsPlan { key: None, ..good.clone() }, "name both files"),
        ] {
            let what = said(&plan, folder.path());
            assert!(what.contains(words), "{what}");
        }
        let other = rcgen::KeyPair::generate().unwrap();
        std::fs::write(folder.path().join("other.pem"), other.serialize_pem()).unwrap();
        assert!(said(&TlsPlan { key: name("other.pem"), ..good }, folder.path()).contains("do not go together"));
    }

    #[test]
    fn versions_of_http_are_offered_as_the_plan_says() {
        for (version, offered) in
            [(HttpVersion::Auto, vec!["h2", "http/1.1"]), (HttpVersion::Http1, vec!["http/1.1"]), (HttpVersion::Http2, vec!["h2"])]
        {
            let made = connector(&TlsPlan::default(), version, Path::new("")).unwrap();
            let names: Vec<_> = made.config().alpn_protocols.iter().map(|p| String::from_utf8(p.clone()).unwrap()).collect();
            assert_eq!(names, offered);
        }
    }
}
