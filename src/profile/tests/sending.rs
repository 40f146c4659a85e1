//! How requests are sent: versions, connections, TLS.

use super::{LEAST, attempt, plan, refusals};
use crate::model::plan::{Connections, HttpPlan, HttpVersion, Resolving, TlsPlan};
use crate::model::units::Span;

fn sent(http: &str) -> String {
    format!("{LEAST}{http}")
}

#[test]
fn nothing_written_is_the_usual_way() {
    assert_eq!(plan(LEAST).load.http, HttpPlan::default());
    assert_eq!(plan(&sent("[load.http]\n[load.tls]\n")).load.http, HttpPlan::default());
    assert_eq!(plan(&sent("[load.http]\nversion = \"auto\"\nconnections = \"per-user\"\nresolve = \"once\"\n")).load.http, HttpPlan::default());
}

#[test]
fn every_key_of_sending() {
    let text = "[load.http]\nversion = \"2\"\nconnections = { shared = 16 }\nresolve = \"each-connection\"\nidle = \"20s\"\ngzip = true\nredirects = 3\n\
                [load.tls]\nca = \"ca.pem\"\ncertificate = \"client.pem\"\nkey = \"client-key.pem\"\ninsecure = false\n";
    let file = |name: &str| Some(name.to_owned());
    assert_eq!(
        plan(&sent(text)).load.http,
        HttpPlan {
            version: HttpVersion::Http2,
            tls: TlsPlan { ca: file("ca.pem"), certificate: file("client.pem"), key: file("client-key.pem"), insecure: false },
            connections: Connections::Shared(16),
            resolve: Resolving::EachConnection,
            keep_alive: true,
            idle: Some(Span::from_secs(20)),
            gzip: true,
            redirects: 3,
        }
    );
    let closing = plan(&sent("[load.http]\nversion = \"1.1\"\nkeep_alive = false\n")).load.http;
    assert_eq!((closing.version, closing.keep_alive), (HttpVersion::Http1, false));
    assert!(plan(&sent("[load.tls]\ninsecure = true\n")).load.http.tls.insecure);
}

#[test]
fn bounds_of_sending() {
    for (text, said) in [
        ("redirects = 21", "`load.http.redirects`: `21` redirects in a row"),
        ("redirects = -1", "`load.http.redirects`: `-1` is out of bounds"),
        ("idle = \"0s\"", "`load.http.idle`: a connection that may not rest"),
        ("idle = 5", "`load.http.idle`: `5` has no unit"),
        ("connections = { shared = 0 }", "`load.http.connections`: `0` connections carry nothing"),
        ("connections = {}", "`load.http.connections`: `shared` is missing"),
        ("connections = { shared = 2 }\nkeep_alive = false", "`load.http.connections`: connections can not be shared when none is kept"),
        ("version = 2", "`load.http.version`: expected text, found a whole number"),
        ("gzip = \"yes\"", "`load.http.gzip`: expected true or false, found text"),
    ] {
        assert_eq!(refusals(&sent(&format!("[load.http]\n{text}\n"))), [said], "{text}");
    }
    assert_eq!(plan(&sent("[load.http]\nredirects = 20\n")).load.http.redirects, 20);
}

#[test]
fn a_client_proves_itself_with_both_or_neither() {
    let key = sent("[load.tls]\nkey = \"client-key.pem\"\n");
    assert_eq!(refusals(&key), ["`load.tls.key`: a client proves itself by a certificate and its key, and `certificate` is missing"]);
    let both = sent("[load.tls]\nca = \"ca.pem\"\ninsecure = true\n");
    assert_eq!(refusals(&both), ["`load.tls.ca`: an authority to trust, and `insecure` trusts anybody"]);
    assert_eq!(refusals(&sent("[load.tls]\nca = \"photo.jpg\"\n")), ["`load.tls.ca`: `photo.jpg` is no PEM file"]);
    assert!(attempt(&sent("[load.tls]\nca = \"nowhere.pem\"\n")).unwrap_err().to_string().contains("reading `nowhere.pem`: there is no such file"));
}
