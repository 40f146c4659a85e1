//! Redirects: where an answer sends its request next, and what the request is then. Only to hosts that may be loaded; whatever leads
//! elsewhere is the answer.

use reqwest::Url;

use super::Worker;
use super::pool::Rested;
use super::send::{Cost, Errand, send, visit};
use crate::load::dial::Dial;
use crate::load::host::{Origin, Place};
use crate::load::http::Decoder;
use crate::load::jar::{self, Jar};
use crate::model::event::ErrorKind;

/// Lines that are meant for one host alone.
const PERSONAL: [&str; 3] = ["authorization", "cookie", "proxy-authorization"];

/// Whether a status sends on.
pub(super) const fn sends_on(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

/// Follows `first`, the answer of the `origin`th instance to the errand, as far as the plan lets it. The last answer counts; cookies are kept
/// and sent at every stop, so the errand is the one without them.
pub(super) async fn follow<D: Dial>(
    worker: &Worker<D>,
    own: &mut Option<Rested<D::Stream>>,
    jar: &mut Option<Box<Jar>>,
    origin: usize,
    errand: Errand<'_>,
    first: Decoder,
    cost: &mut Cost,
) -> Result<Decoder, ErrorKind> {
    let home = worker.job.origins.get(origin).map(Origin::root).unwrap_or_default();
    let (mut answer, mut wire) = (first, errand.wire.to_vec());
    let Some(mut here) = target(&wire).and_then(|path| Url::parse(&format!("{home}{path}")).ok()) else { return Ok(answer) };
    for _ in 0..worker.job.travel.http.redirects {
        let Some(hop) = Hop::of(&answer, &here, &wire) else { break };
        let Ok(place) = Place::read(hop.url.as_str(), &worker.job.travel.allow) else { break };
        let met = Origin::met(place);
        let filled = jar::fill(jar.as_deref(), Some(&met), &hop.wire);
        let wire_now = filled.as_deref().unwrap_or(&hop.wire);
        let errand = Errand { wire: wire_now, to_head: hop.wire.starts_with(b"HEAD "), safe: errand.safe || hop.wire.starts_with(b"GET "), ..errand };
        answer = if met.root() == home {
            send(worker, own, origin, errand, cost).await?
        } else {
            let known = worker.job.origins.iter().find(|o| o.root() == met.root());
            visit(worker, known.unwrap_or(&met), errand, cost).await?
        };
        jar::keep(jar, Some(&met), &hop.wire, &answer);
        (here, wire) = (hop.url, hop.wire);
    }
    Ok(answer)
}

/// What is asked for next.
#[derive(Debug, PartialEq, Eq)]
struct Hop {
    url: Url,
    wire: Vec<u8>,
}

impl Hop {
    /// As an answer to the request `wire` at `here` says; none if it says nothing that can be followed.
    fn of(answer: &Decoder, here: &Url, wire: &[u8]) -> Option<Self> {
        let status = answer.status();
        let location = answer.header("location").filter(|_| sends_on(status))?;
        let url = here.join(std::str::from_utf8(location).ok()?.trim()).ok()?;
        let as_get = match status {
            303 => !wire.starts_with(b"HEAD "),
            301 | 302 => wire.starts_with(b"POST "),
            _ => false,
        };
        let wire = rewritten(wire, &url, as_get, url.origin() == here.origin())?;
        Some(Self { url, wire })
    }
}

/// Path and query of a request.
fn target(wire: &[u8]) -> Option<&str> {
    let line = wire.split(|b| *b == b'\r').next()?;
    std::str::from_utf8(line).ok()?.split(' ').nth(1)
}

/// The request for another place; without its body if it becomes a GET, without what is meant for one host if it leaves it.
fn rewritten(wire: &[u8], to: &Url, as_get: bool, stays: bool) -> Option<Vec<u8>> {
    let end = wire.windows(4).position(|w| w == b"\r\n\r\n")?;
    let (head, body) = (wire.get(..end)?, wire.get(end + 4..)?);
    let mut lines = head.split(|b| *b == b'\n').map(<[u8]>::trim_ascii_end);
    let method = lines.next()?.split(|b| *b == b' ').next()?;
    let query = to.query().map_or_else(String::new, |q| format!("?{q}"));
    let host = to.port().map_or_else(|| to.host_str().map(str::to_owned), |port| Some(format!("{}:{port}", to.host_str()?)))?;
    let mut out = if as_get { b"GET".to_vec() } else { method.to_vec() };
    out.extend_from_slice(format!(" {}{query} HTTP/1.1\r\nHost: {host}\r\n", to.path()).as_bytes());
    for line in lines {
        let name = String::from_utf8_lossy(line.split(|b| *b == b':').next()?).to_ascii_lowercase();
        if name == "host" || as_get && name.starts_with("content-") || !stays && PERSONAL.contains(&name.as_str()) {
            continue;
        }
        out.extend_from_slice(line);
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(if as_get { &[] } else { body });
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::http::Keep;

    const ORDER: &[u8] =
        b"POST /v1/order?x=1 HTTP/1.1\r\nHost: shop:80\r\nCookie: a=1\r\nAccept: */*\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nhi";

    fn answer(status: u16, location: &str) -> Decoder {
        let mut decoder = Decoder::new(false, Keep { head: true, body: false });
        decoder.feed(format!("HTTP/1.1 {status} X\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n").as_bytes()).unwrap();
        decoder
    }

    fn hop(status: u16, location: &str) -> Option<(String, String)> {
        let here = Url::parse("http://shop:80/v1/order?x=1").unwrap();
        let hop = Hop::of(&answer(status, location), &here, ORDER)?;
        Some((hop.url.to_string(), String::from_utf8(hop.wire).unwrap()))
    }

    #[test]
    fn a_post_becomes_a_get_where_the_status_says() {
        for status in [301, 302, 303] {
            let (url, wire) = hop(status, "done?y=2").unwrap();
            assert_eq!(url, "http://shop/v1/done?y=2");
            assert_eq!(wire, "GET /v1/done?y=2 HTTP/1.1\r\nHost: shop\r\nCookie: a=1\r\nAccept: */*\r\n\r\n");
        }
        for status in [307, 308] {
            let (_, wire) = hop(status, "/again").unwrap();
            assert!(wire.starts_with("POST /again HTTP/1.1\r\n") && wire.ends_with("Content-Length: 2\r\n\r\nhi"), "{wire}");
        }
    }

    #[test]
    fn what_is_meant_for_one_host_does_not_leave_it() {
        let (url, wire) = hop(302, "https://other:8443/x").unwrap();
        assert_eq!(url, "https://other:8443/x");
        assert_eq!(wire, "GET /x HTTP/1.1\r\nHost: other:8443\r\nAccept: */*\r\n\r\n");
    }

    #[test]
    fn other_answers_stand_as_they_are() {
        assert_eq!(hop(200, "/x"), None);
        assert_eq!(hop(304, "/x"), None);
        assert_eq!(hop(302, "http://["), None);
        let mut bare = Decoder::new(false, Keep { head: true, body: false });
        bare.feed(b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n").unwrap();
        assert_eq!(Hop::of(&bare, &Url::parse("http://shop/").unwrap(), ORDER), None);
    }

    #[test]
    fn a_request_tells_its_own_path() {
        assert_eq!(target(ORDER), Some("/v1/order?x=1"));
        assert_eq!(target(b"nonsense"), None);
    }
}
