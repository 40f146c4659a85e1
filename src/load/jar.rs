//! The cookies of one user: kept by the rules of domain, path, time and safety, and written into its later requests.
//!
//! Works on the bytes of a request, so that a user without cookies costs nothing.

use cookie_store::CookieStore;
use reqwest::Url;

use super::extract::set_cookies;
use super::host::Origin;
use super::http::Decoder;

/// A user's cookies.
#[derive(Debug, Default)]
pub(crate) struct Jar(CookieStore);

/// A request with the cookies that belong to it, if there are any.
pub(crate) fn fill(jar: Option<&Jar>, to: Option<&Origin>, request: &[u8]) -> Option<Vec<u8>> {
    jar?.written(&to?.root(), request)
}

/// Keeps the cookies that an answer to a request sets. The jar is made for the first of them.
pub(crate) fn keep(jar: &mut Option<Box<Jar>>, from: Option<&Origin>, request: &[u8], answer: &Decoder) {
    if answer.sets_cookie()
        && let Some(url) = from.and_then(|origin| url_of(&origin.root(), request))
    {
        jar.get_or_insert_default().keep(&url, answer.head());
    }
}

impl Jar {
    /// Keeps what an answer's head sets, the answer of a request to this URL. What the rules refuse is left out, as a browser does.
    fn keep(&mut self, url: &Url, head: &[u8]) {
        for line in set_cookies(head) {
            let _refused = self.0.parse(&line, url);
        }
    }

    /// A `Cookie` line of the request's own stays and gets the others behind its own, which stand above those of the same name.
    fn written(&self, root: &str, request: &[u8]) -> Option<Vec<u8>> {
        let url = url_of(root, request)?;
        let own = own_line(request);
        let names = own.map_or(Vec::new(), |line| names(line.text));
        let cookies = self.cookies(&url, &names);
        if cookies.is_empty() {
            return None;
        }
        let (at, before) = match own {
            Some(own) => (own.end, if own.text.trim_ascii().is_empty() { " " } else { "; " }),
            None => (line_end(request), "\r\nCookie: "),
        };
        let mut out = request.get(..at).unwrap_or_default().to_vec();
        out.extend_from_slice(before.as_bytes());
        out.extend(cookies.join("; ").bytes().filter(|b| *b >= b' ' && *b != 0x7f));
        out.extend_from_slice(request.get(at..).unwrap_or_default());
        Some(out)
    }

    /// Name and value of each that belongs to a URL: those of longer paths first, as the rules have it, and always in one order.
    fn cookies(&self, url: &Url, without: &[&[u8]]) -> Vec<String> {
        let mut all = self.0.matches(url);
        all.retain(|cookie| !without.contains(&cookie.name().as_bytes()));
        all.sort_by(|a, b| b.path.len().cmp(&a.path.len()).then_with(|| a.name().cmp(b.name())));
        all.iter().map(|cookie| format!("{}={}", cookie.name(), cookie.value())).collect()
    }
}

/// Where a request goes: scheme and host, and the path of its first line.
fn url_of(root: &str, request: &[u8]) -> Option<Url> {
    let path = request.get(..line_end(request))?.split(|b| *b == b' ').nth(1).filter(|path| path.starts_with(b"/"))?;
    Url::parse(&format!("{root}{}", std::str::from_utf8(path).ok()?)).ok()
}

/// A header line of the request's own.
#[derive(Clone, Copy)]
struct Line<'a> {
    /// Behind its colon.
    text: &'a [u8],
    /// Where it ends.
    end: usize,
}

fn own_line(request: &[u8]) -> Option<Line<'_>> {
    const NAME: &[u8] = b"cookie:";
    let mut at = 0;
    loop {
        let line = request.get(at..at + line_end(request.get(at..)?))?;
        if line.is_empty() {
            return None;
        }
        if line.get(..NAME.len()).is_some_and(|name| name.eq_ignore_ascii_case(NAME)) {
            return Some(Line { text: line.get(NAME.len()..)?, end: at + line.len() });
        }
        at += line.len() + 2;
    }
}

fn line_end(text: &[u8]) -> usize {
    text.windows(2).position(|w| w == b"\r\n").unwrap_or(text.len())
}

fn names(line: &[u8]) -> Vec<&[u8]> {
    line.split(|b| *b == b';').filter_map(|pair| pair.split(|b| *b == b'=').next()).map(<[u8]>::trim_ascii).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jar(from: &str, cookies: &[&str]) -> Jar {
        let lines: Vec<String> = cookies.iter().map(|c| format!("Set-Cookie: {c}\r\n")).collect();
        let mut jar = Jar::default();
        jar.keep(&Url::parse(from).unwrap(), format!("HTTP/1.1 200 OK\r\n{}\r\n", lines.concat()).as_bytes());
        jar
    }

    /// The `Cookie` lines of a request to this path with these lines of its own.
    fn sent(jar: &Jar, root: &str, path: &str, lines: &str) -> Vec<String> {
        let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\n{lines}\r\nbody\r\nCookie: in the body");
        let out = jar.written(root, request.as_bytes()).unwrap_or_else(|| request.into_bytes());
        let text = String::from_utf8(out).unwrap();
        assert!(text.starts_with(&format!("GET {path} HTTP/1.1\r\n")) && text.ends_with("\r\n\r\nbody\r\nCookie: in the body"), "{text}");
        let head = text.split("\r\n\r\n").next().unwrap_or_default();
        head.lines().filter_map(|l| l.strip_prefix("Cookie: ").map(str::to_owned)).collect()
    }

    #[test]
    fn cookies_go_where_they_belong() {
        let jar =
            jar("http://shop.test/cart/add", &["sid=1; Path=/", "cart=2", "deep=3; Path=/cart/items", "safe=4; Secure; Path=/", "gone=5; Max-Age=0"]);
        assert_eq!(sent(&jar, "http://shop.test", "/other", ""), ["sid=1"]);
        assert_eq!(sent(&jar, "http://shop.test", "/cart/items/9?x=1", ""), ["deep=3; cart=2; sid=1"]);
        assert_eq!(sent(&jar, "https://shop.test", "/", ""), ["safe=4; sid=1"]);
        assert_eq!(sent(&jar, "http://other.test", "/cart", ""), Vec::<String>::new());
    }

    #[test]
    fn a_new_value_replaces_and_an_expired_one_removes() {
        let mut jar = jar("http://127.0.0.1:8080/", &["a=1", "b=1"]);
        let next = b"HTTP/1.1 200 OK\r\nSet-Cookie: a=2\r\nSet-Cookie: b=; Max-Age=0\r\n\r\n";
        jar.keep(&Url::parse("http://127.0.0.1:8080/").unwrap(), next);
        assert_eq!(sent(&jar, "http://127.0.0.1:8080", "/", ""), ["a=2"]);
    }

    #[test]
    fn an_own_line_is_joined_and_stands_above() {
        let jar = jar("http://x/", &["a=1", "b=2"]);
        assert_eq!(sent(&jar, "http://x", "/", "Cookie: a=mine; c=3\r\n"), ["a=mine; c=3; b=2"]);
        assert_eq!(sent(&jar, "http://x", "/", "X: y\r\nCookie: a=mine; b=mine\r\n"), ["a=mine; b=mine"]);
    }

    #[test]
    fn foreign_domains_are_refused() {
        let jar = jar("http://shop.test/", &["a=1; Domain=evil.test", "b=2; Domain=shop.test"]);
        assert_eq!(sent(&jar, "http://shop.test", "/", ""), ["b=2"]);
        assert_eq!(sent(&jar, "http://www.shop.test", "/", ""), ["b=2"]);
        assert_eq!(sent(&jar, "http://evil.test", "/", ""), Vec::<String>::new());
    }

    #[test]
    fn what_is_no_request_gets_no_cookie() {
        let jar = jar("http://x/", &["a=1"]);
        for request in [&b""[..], b"GET", b"GET \r\n", b"\r\n", b"GET \xff HTTP/1.1\r\n\r\n"] {
            assert_eq!(jar.written("http://x", request), None, "{request:?}");
        }
        assert_eq!(jar.written("no root", b"GET / HTTP/1.1\r\n\r\n"), None);
    }
}
