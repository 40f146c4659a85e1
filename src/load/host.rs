//! Where requests go: the target's URLs taken apart, held against the list of allowed hosts, and resolved once unless each connection
//! is to ask anew.
//!
//! May ask the resolver; sends nothing.

use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};

use reqwest::Url;
use rustls::pki_types::ServerName;

use crate::model::plan::{HttpPlan, Resolving, TargetPlan};
use crate::ports::EngineError;

/// One instance of the service.
#[derive(Debug)]
pub(crate) struct Origin {
    /// Value of the Host header.
    pub(crate) host: String,
    /// Path in front of every request's path; empty or beginning with a slash, without one at the end.
    pub(crate) base: String,
    /// Whom TLS must prove to speak with; none: no TLS.
    pub(crate) secure: Option<ServerName<'static>>,
    /// Header lines that each request to it carries, by what asks for them.
    lines: OwnLines,
    at: At,
}

/// Header lines that come from how requests are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct OwnLines {
    gzip: bool,
    close: bool,
}

#[derive(Debug)]
enum At {
    Known(Known),
    LookedUp(String, u16),
}

/// Where an instance is.
pub(crate) enum Addresses<'a> {
    /// Here.
    Known(&'a Known),
    /// Wherever its name and port lead to now.
    LookedUp(&'a str, u16),
}

/// Addresses found before the load.
#[derive(Debug)]
pub(crate) struct Known {
    all: Vec<SocketAddr>,
    good: AtomicUsize,
}

impl Known {
    /// Beginning with the one that answered last.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, SocketAddr)> + '_ {
        let (first, n) = (self.good.load(Ordering::Relaxed), self.all.len());
        (0..n).filter_map(move |i| {
            let at = (first + i) % n;
            self.all.get(at).map(|a| (at, *a))
        })
    }

    /// Remembers which address answered.
    pub(crate) fn answered(&self, at: usize) {
        self.good.store(at, Ordering::Relaxed);
    }
}

impl Origin {
    /// A plain instance at known addresses.
    #[cfg(test)]
    pub(crate) fn new(host: String, base: String, addresses: Vec<SocketAddr>) -> Self {
        let at = At::Known(Known { all: addresses, good: AtomicUsize::new(0) });
        Self { host, base, secure: None, lines: OwnLines::default(), at }
    }

    /// A plain instance whose name is looked up for each connection.
    #[cfg(test)]
    pub(crate) fn looked_up(name: &str, port: u16) -> Self {
        Self { at: At::LookedUp(name.to_owned(), port), ..Self::new(name.to_owned(), String::new(), Vec::new()) }
    }

    /// An instance that was not known before the load: where a redirect leads.
    pub(crate) fn met(place: Place) -> Self {
        Self { host: place.header, base: place.base, secure: place.secure, lines: OwnLines::default(), at: At::LookedUp(place.name, place.port) }
    }

    async fn find(place: Place, http: &HttpPlan) -> Result<Self, EngineError> {
        let lines = OwnLines { gzip: http.gzip, close: !http.keep_alive };
        if http.resolve == Resolving::EachConnection {
            return Ok(Self { lines, ..Self::met(place) });
        }
        let found = tokio::net::lookup_host((place.name.as_str(), place.port)).await;
        let all: Vec<SocketAddr> = found.map_err(|e| failed(format!("the host `{}` was not found ({e})", place.name)))?.collect();
        if all.is_empty() {
            return Err(failed(format!("the host `{}` has no address", place.name)));
        }
        let at = At::Known(Known { all, good: AtomicUsize::new(0) });
        Ok(Self { lines, at, ..Self::met(place) })
    }

    /// Where it is.
    pub(crate) fn addresses(&self) -> Addresses<'_> {
        match &self.at {
            At::Known(known) => Addresses::Known(known),
            At::LookedUp(name, port) => Addresses::LookedUp(name, *port),
        }
    }

    /// Header lines that come from how requests are sent, beside those the request is `given`.
    pub(crate) fn own_lines(&self, given: impl Fn(&str) -> bool) -> String {
        let gzip = if self.lines.gzip && !given("accept-encoding") { "Accept-Encoding: gzip\r\n" } else { "" };
        let close = if self.lines.close { "Connection: close\r\n" } else { "" };
        format!("{gzip}{close}")
    }

    /// Its address without a path, as a URL says it.
    pub(crate) fn root(&self) -> String {
        format!("{}://{}", if self.secure.is_some() { "https" } else { "http" }, self.host)
    }
}

/// The instances of a target, allowed and resolved.
pub(crate) async fn resolve(target: &TargetPlan, http: &HttpPlan) -> Result<Vec<Origin>, EngineError> {
    let urls = if target.instances.is_empty() { std::slice::from_ref(&target.url) } else { target.instances.as_slice() };
    let mut origins = Vec::with_capacity(urls.len());
    for url in urls {
        origins.push(Origin::find(Place::read(url, &target.allow)?, http).await?);
    }
    Ok(origins)
}

fn failed(what: String) -> EngineError {
    EngineError::Failed { what }
}

fn unsupported(what: String) -> EngineError {
    EngineError::Unsupported { what }
}

/// A URL taken apart, its host allowed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Place {
    name: String,
    port: u16,
    header: String,
    base: String,
    secure: Option<ServerName<'static>>,
}

impl Place {
    /// Takes it apart.
    pub(crate) fn read(text: &str, allow: &[String]) -> Result<Self, EngineError> {
        let url = Url::parse(text).map_err(|e| unsupported(format!("`{text}` is no URL ({e}); write it as http://127.0.0.1:8080")))?;
        match url.scheme() {
            "http" | "https" => {}
            other => return Err(unsupported(format!("`{text}` is `{other}`, not http or https"))),
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
        let secure = (url.scheme() == "https")
            .then(|| ServerName::try_from(name.clone()).map_err(|e| unsupported(format!("`{name}` is no name that TLS can prove ({e})"))))
            .transpose()?;
        Ok(Self { name, port, header, base: url.path().trim_end_matches('/').to_owned(), secure })
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
        let tls = Place::read("https://localhost/x", &[]).unwrap();
        assert_eq!((tls.port, tls.secure.is_some()), (443, true));
        let place = Place::read("https://127.0.0.1:8443/x", &[]).unwrap();
        assert_eq!(Origin::met(place).root(), "https://127.0.0.1:8443");
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
        for (url, words) in
            [("ftp://localhost/", "ftp"), ("localhost:8080", "not http"), ("nonsense", "no URL"), ("http://a:b@localhost/", "Authorization")]
        {
            let Err(EngineError::Unsupported { what }) = Place::read(url, &[]) else { panic!("{url} was taken") };
            assert!(what.contains(words), "{what}");
        }
    }

    #[tokio::test]
    async fn instances_are_resolved_one_by_one() {
        let mut plan = target("http://127.0.0.1:1", &[]);
        plan.instances = vec!["http://127.0.0.1:81".to_owned(), "http://127.0.0.1:82".to_owned()];
        let origins = resolve(&plan, &HttpPlan::default()).await.unwrap();
        assert_eq!(origins.iter().map(|o| o.host.as_str()).collect::<Vec<_>>(), ["127.0.0.1:81", "127.0.0.1:82"]);
    }

    #[test]
    fn the_address_that_answered_is_tried_first() {
        let known = Known { all: vec!["127.0.0.1:1".parse().unwrap(), "127.0.0.2:2".parse().unwrap()], good: AtomicUsize::new(0) };
        known.answered(1);
        assert_eq!(known.iter().map(|(at, _)| at).collect::<Vec<_>>(), [1, 0]);
    }

    #[tokio::test]
    async fn a_name_is_looked_up_when_the_plan_says() {
        let plan = target("http://nowhere.invalid", &["nowhere.invalid"]);
        let Err(EngineError::Failed { what }) = resolve(&plan, &HttpPlan::default()).await else { panic!("it was found") };
        assert!(what.contains("nowhere.invalid"), "{what}");
        let later = HttpPlan { resolve: Resolving::EachConnection, ..HttpPlan::default() };
        let origins = resolve(&plan, &later).await.unwrap();
        assert!(matches!(origins[0].addresses(), Addresses::LookedUp("nowhere.invalid", 80)));
    }

    #[tokio::test]
    async fn how_requests_are_sent_shows_in_their_lines() {
        let lines = |http: HttpPlan, given: &'static str| async move {
            resolve(&target("http://127.0.0.1:1", &[]), &http).await.unwrap().remove(0).own_lines(|name| name == given)
        };
        assert_eq!(lines(HttpPlan::default(), "").await, "");
        let both = HttpPlan { gzip: true, keep_alive: false, ..HttpPlan::default() };
        assert_eq!(lines(both.clone(), "").await, "Accept-Encoding: gzip\r\nConnection: close\r\n");
        assert_eq!(lines(both, "accept-encoding").await, "Connection: close\r\n");
    }
}
