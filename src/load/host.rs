//! Where requests go: the target's URLs taken apart, held against the list of allowed hosts, and resolved once.
//!
//! May ask the resolver; sends nothing.

use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};

use reqwest::Url;

use crate::model::plan::TargetPlan;
use crate::ports::EngineError;

/// One instance of the service.
#[derive(Debug)]
pub(crate) struct Origin {
    /// Value of the Host header.
    pub(crate) host: String,
    /// Path in front of every request's path; empty or beginning with a slash, without one at the end.
    pub(crate) base: String,
    addresses: Vec<SocketAddr>,
    good: AtomicUsize,
}

impl Origin {
    /// An instance at known addresses.
    pub(crate) const fn new(host: String, base: String, addresses: Vec<SocketAddr>) -> Self {
        Self { host, base, addresses, good: AtomicUsize::new(0) }
    }

    /// Its addresses, beginning with the one that answered last.
    pub(crate) fn addresses(&self) -> impl Iterator<Item = (usize, SocketAddr)> + '_ {
        let (first, n) = (self.good.load(Ordering::Relaxed), self.addresses.len());
        (0..n).filter_map(move |i| {
            let at = (first + i) % n;
            self.addresses.get(at).map(|a| (at, *a))
        })
    }

    /// Remembers which address answered.
    pub(crate) fn answered(&self, at: usize) {
        self.good.store(at, Ordering::Relaxed);
    }
}

/// The instances of a target, allowed and resolved.
pub(crate) async fn resolve(target: &TargetPlan) -> Result<Vec<Origin>, EngineError> {
    let urls = if target.instances.is_empty() { std::slice::from_ref(&target.url) } else { target.instances.as_slice() };
    let mut origins = Vec::with_capacity(urls.len());
    for url in urls {
        let place = Place::read(url, &target.allow)?;
        let found = tokio::net::lookup_host((place.name.as_str(), place.port)).await;
        let addresses: Vec<SocketAddr> = found.map_err(|e| failed(format!("the host `{}` was not found ({e})", place.name)))?.collect();
        if addresses.is_empty() {
            return Err(failed(format!("the host `{}` has no address", place.name)));
        }
        origins.push(Origin::new(place.header, place.base, addresses));
    }
    Ok(origins)
}

fn failed(what: String) -> EngineError {
    EngineError::Failed { what }
}

fn unsupported(what: String) -> EngineError {
    EngineError::Unsupported { what }
}

#[derive(Debug, PartialEq, Eq)]
struct Place {
    name: String,
    port: u16,
    header: String,
    base: String,
}

impl Place {
    fn read(text: &str, allow: &[String]) -> Result<Self, EngineError> {
        let url = Url::parse(text).map_err(|e| unsupported(format!("`{text}` is no URL ({e}); write it as http://127.0.0.1:8080")))?;
        match url.scheme() {
            "http" => {}
            "https" => {
                return Err(unsupported(format!(
                    "`{text}` needs TLS, and this engine speaks plain http only; load the service behind its TLS proxy"
                )));
            }
            other => return Err(unsupported(format!("`{text}` is `{other}`, not http"))),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(unsupported("a user in the target's URL; send an Authorization header in the scenario instead".to_owned()));
        }
        let Some(host) = url.host_str() else { return Err(unsupported(format!("`{text}` names no host"))) };
        let name = host.trim_matches(['[', ']']).to_owned();
        if !is_allowed(&name, allow) {
            return Err(EngineError::HostNotAllowed { host: name });
        }
        let port = url.port_or_known_default().unwrap_or(80);
        let header = url.port().map_or_else(|| host.to_owned(), |p| format!("{host}:{p}"));
        Ok(Self { name, port, header, base: url.path().trim_end_matches('/').to_owned() })
    }
}

/// This machine is always allowed; any other host must have been named.
fn is_allowed(name: &str, allow: &[String]) -> bool {
    let loopback = name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    loopback || allow.iter().any(|a| a.trim_matches(['[', ']']).eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(url: &str, allow: &[&str]) -> TargetPlan {
        TargetPlan { url: url.to_owned(), instances: Vec::new(), allow: allow.iter().map(|&a| a.to_owned()).collect(), ready: None, process: None }
    }

    #[test]
    fn urls_come_apart() {
        let place = Place::read("http://127.0.0.1:8080/app/", &[]).unwrap();
        assert_eq!((place.header.as_str(), place.base.as_str(), place.port), ("127.0.0.1:8080", "/app", 8080));
        let six = Place::read("http://[::1]:9/", &[]).unwrap();
        assert_eq!((six.name.as_str(), six.header.as_str(), six.base.as_str()), ("::1", "[::1]:9", ""));
        assert_eq!(Place::read("http://localhost", &[]).unwrap().port, 80);
    }

    #[test]
    fn only_this_machine_and_named_hosts_are_loaded() {
        assert_eq!(Place::read("http://shop.example/", &[]), Err(EngineError::HostNotAllowed { host: "shop.example".to_owned() }));
        assert_eq!(Place::read("http://10.0.0.7/", &["10.0.0.8".to_owned()]), Err(EngineError::HostNotAllowed { host: "10.0.0.7".to_owned() }));
        assert!(Place::read("http://Shop.Example/", &["shop.example".to_owned()]).is_ok());
        assert!(Place::read("http://127.8.9.1/", &[]).is_ok());
        assert!(Place::read("http://127.0.0.1.example.com/", &[]).is_err(), "a name that only looks like this machine");
    }

    #[test]
    fn what_it_can_not_do_is_said_clearly() {
        for (url, words) in [
            ("https://localhost/", "TLS"),
            ("ftp://localhost/", "ftp"),
            ("localhost:8080", "not http"),
            ("nonsense", "no URL"),
            ("http://a:b@localhost/", "Authorization"),
        ] {
            let Err(EngineError::Unsupported { what }) = Place::read(url, &[]) else { panic!("{url} was taken") };
            assert!(what.contains(words), "{what}");
        }
    }

    #[tokio::test]
    async fn instances_are_resolved_one_by_one() {
        let mut plan = target("http://127.0.0.1:1", &[]);
        plan.instances = vec!["http://127.0.0.1:81".to_owned(), "http://127.0.0.1:82".to_owned()];
        let origins = resolve(&plan).await.unwrap();
        assert_eq!(origins.iter().map(|o| o.host.as_str()).collect::<Vec<_>>(), ["127.0.0.1:81", "127.0.0.1:82"]);
    }

    #[test]
    fn the_address_that_answered_is_tried_first() {
        let origin = Origin::new(String::new(), String::new(), vec!["127.0.0.1:1".parse().unwrap(), "127.0.0.2:2".parse().unwrap()]);
        origin.answered(1);
        assert_eq!(origin.addresses().map(|(at, _)| at).collect::<Vec<_>>(), [1, 0]);
    }
}
