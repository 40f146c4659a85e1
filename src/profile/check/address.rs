//! Addresses as profiles write them: scheme, host, port, path. It imports nothing of the package; it must not resolve a name.

/// The parts of an address that a profile is judged by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Address<'a> {
    /// The host, without the brackets of an IPv6 address.
    pub(super) host: &'a str,
    /// The port: as written, or the scheme's own.
    pub(super) port: u16,
    /// Everything up to the path: what an address without a path is written as.
    pub(super) origin: &'a str,
    /// What follows the host and port; empty if nothing does.
    pub(super) path: &'a str,
}

impl<'a> Address<'a> {
    /// Reads an `http` or `https` address; the error says what is wrong with it.
    pub(super) fn parse(text: &'a str) -> Result<Self, &'static str> {
        let (rest, usual) = match text.split_once("://") {
            Some(("http", rest)) => (rest, 80),
            Some(("https", rest)) => (rest, 443),
            Some(_) => return Err("only http and https can be spoken here"),
            None => return Err("an address begins with http:// or https://"),
        };
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let place = authority.rsplit_once('@').map_or(authority, |(_, place)| place);
        let (host, port) = host_and_port(place)?;
        let port = port.map_or(Some(usual), |p| p.parse::<u16>().ok().filter(|p| *p > 0)).ok_or("the port is no number from 1 to 65535")?;
        if host.is_empty() {
            return Err("the host is missing");
        }
        if !host.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | ':')) {
            return Err("the host has a character that no host has");
        }
        let origin = text.get(..text.len() - path.len()).unwrap_or(text);
        Ok(Self { host, port, origin, path })
    }
}

fn host_and_port(place: &str) -> Result<(&str, Option<&str>), &'static str> {
    if let Some(inner) = place.strip_prefix('[') {
        let (host, after) = inner.split_once(']').ok_or("the bracket of the IPv6 address is not closed")?;
        return match after.strip_prefix(':') {
            Some(port) => Ok((host, Some(port))),
            None if after.is_empty() => Ok((host, None)),
            None => Err("something stands between the host and the port"),
        };
    }
    match place.split_once(':') {
        Some((_, port)) if port.contains(':') => Err("an IPv6 address stands in brackets, as http://[::1]:8080"),
        Some((host, port)) => Ok((host, Some(port))),
        None => Ok((place, None)),
    }
}

/// Whether a host is this machine itself.
pub(super) fn is_loopback(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost") || host.parse::<core::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts() {
        let a = Address::parse("http://127.0.0.1:8080/actuator?x=1").unwrap();
        assert_eq!((a.host, a.origin, a.path), ("127.0.0.1", "http://127.0.0.1:8080", "/actuator?x=1"));
        let a = Address::parse("https://me:pw@shop.example").unwrap();
        assert_eq!((a.host, a.origin, a.path), ("shop.example", "https://me:pw@shop.example", ""));
        assert_eq!(a.port, 443);
        assert_eq!(Address::parse("http://[::1]:8080/").map(|a| (a.host, a.port)), Ok(("::1", 8080)));
        assert_eq!(Address::parse("http://[::1]").unwrap().host, "::1");
    }

    #[test]
    fn what_is_no_address_says_why() {
        for (text, part) in [
            ("127.0.0.1:8080", "begins with"),
            ("ftp://h", "only http"),
            ("http://", "host is missing"),
            ("http://:80", "host is missing"),
            ("http://h:port", "port"),
            ("http://h:0", "port"),
            ("http://h:70000", "port"),
            ("http://::1", "brackets"),
            ("http://[::1", "bracket"),
            ("http://[::1]x", "between"),
            ("http://{pool}/x", "character"),
        ] {
            let error = Address::parse(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn loopback_is_told_from_the_rest() {
        for host in ["localhost", "LOCALHOST", "127.0.0.1", "127.9.9.9", "::1", "[::1]"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in ["10.0.0.1", "localhost.example", "128.0.0.1", ""] {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
