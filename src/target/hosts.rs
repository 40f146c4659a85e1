//! Which hosts may be touched. A typing error in a profile must not change a stranger's service: this machine is always
//! allowed, any other host only by its name in `target.allow`. No names are looked up here.

use std::net::IpAddr;

use reqwest::Url;

use crate::model::text::clean_short;
use crate::ports::TargetError;

/// The hosts named in the profile.
#[derive(Debug, Clone, Default)]
pub(super) struct Allowed(Vec<String>);

impl Allowed {
    pub(super) fn new(names: &[String]) -> Self {
        Self(names.iter().map(|name| name.trim().to_ascii_lowercase()).collect())
    }

    /// Reads an address and refuses it unless its host is allowed.
    pub(super) fn address(&self, doing: &str, text: &str) -> Result<Url, TargetError> {
        let refuse = |answer: String| TargetError::Refused { doing: doing.to_owned(), answer };
        let url = Url::parse(text).map_err(|error| refuse(format!("`{}` is no address: {error}; write http://host:port", shown_text(text))))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(refuse(format!("`{}:` can not be asked; write http://host:port", url.scheme())));
        }
        self.check(doing, &url)?;
        Ok(url)
    }

    /// Refuses an address whose host is not allowed.
    pub(super) fn check(&self, doing: &str, url: &Url) -> Result<(), TargetError> {
        let host = url.host_str().unwrap_or_default().to_ascii_lowercase();
        let with_port = url.port_or_known_default().map(|port| format!("{host}:{port}"));
        let bare = bare(&host);
        let named = |name: &String| *name == host || name == bare || Some(name) == with_port.as_ref();
        if is_this_machine(bare) || self.0.iter().any(named) {
            return Ok(());
        }
        Err(TargetError::HostNotAllowed { doing: doing.to_owned(), host: clean_short(&host, 120) })
    }
}

/// An IPv6 address without its brackets.
fn bare(host: &str) -> &str {
    host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
}

fn is_this_machine(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// An address as it may be shown: its user part and query may be secrets.
pub(super) fn shown(url: &Url) -> String {
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{}{port}{}", url.scheme(), url.host_str().unwrap_or_default(), clean_short(url.path(), 160))
}

fn shown_text(text: &str) -> String {
    let plain = text.split(['?', '#']).next().unwrap_or_default();
    clean_short(plain.rsplit('@').next().unwrap_or_default(), 120)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(names: &[&str]) -> Allowed {
        Allowed::new(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn this_machine_needs_no_name() {
        for url in ["http://127.0.0.1:8080", "http://localhost/", "http://LOCALHOST:1", "http://[::1]:8080", "http://127.8.9.1"] {
            assert!(allowed(&[]).address("x", url).is_ok(), "{url}");
        }
    }

    #[test]
    fn any_other_host_does() {
        let error = allowed(&["localhost"]).address("setting pool to 5", "http://db.example:80/x").unwrap_err();
        assert_eq!(error, TargetError::HostNotAllowed { doing: "setting pool to 5".into(), host: "db.example".into() });
        for url in ["http://10.0.0.5/", "http://localhost.evil.example/", "http://[2001:db8::1]/", "http://0.0.0.0:80/"] {
            assert!(allowed(&["127.0.0.1"]).address("x", url).is_err(), "{url}");
        }
    }

    #[test]
    fn a_name_allows_its_host_or_just_one_port_of_it() {
        assert!(allowed(&["DB.example"]).address("x", "http://db.example:81/").is_ok());
        assert!(allowed(&["db.example:81"]).address("x", "http://db.example:81/").is_ok());
        assert!(allowed(&["db.example:80"]).address("x", "http://db.example/").is_ok());
        assert!(allowed(&["db.example:81"]).address("x", "http://db.example/").is_err());
        assert!(allowed(&["2001:db8::1"]).address("x", "http://[2001:db8::1]:9/").is_ok());
    }

    #[test]
    fn what_stands_before_the_host_does_not_count() {
        assert!(allowed(&[]).address("x", "http://localhost@db.example/").is_err());
        assert!(allowed(&[]).address("x", "http://localhost:80@db.example/").is_err());
    }

    #[test]
    fn texts_that_are_no_address_are_refused_without_their_secrets() {
        for text in ["", "localhost:8080", "file:///etc/passwd", "http:// space"] {
            assert!(allowed(&[]).address("x", text).is_err(), "{text}");
        }
        let error = allowed(&[]).address("x", "me:geheim@host?token=geheim").unwrap_err().to_string();
        assert!(!error.contains("geheim"), "{error}");
        let url = Url::parse("http://me:geheim@h:81/p?q=geheim").unwrap();
        assert_eq!(shown(&url), "http://h:81/p");
    }
}
