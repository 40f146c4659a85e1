//! The head of an answer: status, how the body is delimited, whether the connection may be used again.
//!
//! Pure; the rules are those of RFC 9112 section 6. A head that could be read two ways is malformed, never guessed.

use std::mem::MaybeUninit;

use httparse::{Header, ParserConfig, Response, Status};

/// Most header lines of an answer.
pub(super) const MOST_HEADERS: usize = 96;

/// How the body ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    Empty,
    Length(u64),
    Chunked,
    UntilClose,
}

/// What a head says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) status: u16,
    pub(super) framing: Framing,
    pub(super) reusable: bool,
    /// Whether it sets a cookie.
    pub(super) sets_cookie: bool,
    /// Bytes it took.
    pub(super) len: usize,
}

/// Reads a head; `None` if it is not all there yet. `to_head` says whether the request was HEAD.
pub(super) fn read(input: &[u8], to_head: bool) -> Result<Option<Head>, &'static str> {
    let mut room = [const { MaybeUninit::<Header<'_>>::uninit() }; MOST_HEADERS];
    let mut answer = Response::new(&mut []);
    let len = match ParserConfig::default().parse_response_with_uninit_headers(&mut answer, input, &mut room) {
        Ok(Status::Complete(len)) => len,
        Ok(Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return Err("more header lines than are read"),
        Err(_) => return Err("not an HTTP answer"),
    };
    let status = answer.code.filter(|code| *code >= 100).ok_or("not an HTTP status")?;
    let facts = Facts::gather(answer.headers)?;
    let framing = facts.framing(status, to_head);
    let http11 = answer.version == Some(1);
    let reusable =
        !facts.close && (http11 || facts.keep_alive) && framing != Framing::UntilClose && !(facts.chunked.is_some() && facts.length.is_some());
    Ok(Some(Head { status, framing, reusable, sets_cookie: facts.sets_cookie, len }))
}

/// A header of a whole head; the first one if there are several.
pub(super) fn header<'a>(head: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let mut room = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut answer = Response::new(&mut room);
    answer.parse(head).ok()?;
    answer.headers.iter().find(|h| h.name.eq_ignore_ascii_case(name)).map(|h| h.value)
}

/// The few header lines that matter to framing.
#[derive(Default)]
struct Facts {
    length: Option<u64>,
    /// A transfer coding; true if the last one is `chunked`.
    chunked: Option<bool>,
    close: bool,
    keep_alive: bool,
    sets_cookie: bool,
}

impl Facts {
    fn gather(headers: &[Header<'_>]) -> Result<Self, &'static str> {
        let mut facts = Self::default();
        for header in headers {
            match header.name.len() {
                10 if header.name.eq_ignore_ascii_case("set-cookie") => facts.sets_cookie = true,
                10 if header.name.eq_ignore_ascii_case("connection") => facts.take_connection(header.value),
                14 if header.name.eq_ignore_ascii_case("content-length") => facts.take_length(header.value)?,
                17 if header.name.eq_ignore_ascii_case("transfer-encoding") => facts.take_transfer(header.value),
                _ => {}
            }
        }
        Ok(facts)
    }

    fn take_connection(&mut self, value: &[u8]) {
        for word in words(value) {
            self.close |= word.eq_ignore_ascii_case(b"close");
            self.keep_alive |= word.eq_ignore_ascii_case(b"keep-alive");
        }
    }

    /// The same length said twice is one length; two lengths are none.
    fn take_length(&mut self, value: &[u8]) -> Result<(), &'static str> {
        for word in value.split(|b| *b == b',').map(<[u8]>::trim_ascii) {
            let length = digits(word).ok_or("a Content-Length that is no number")?;
            if self.length.is_some_and(|known| known != length) {
                return Err("two different Content-Lengths");
            }
            self.length = Some(length);
        }
        Ok(())
    }

    fn take_transfer(&mut self, value: &[u8]) {
        for word in words(value) {
            self.chunked = Some(word.eq_ignore_ascii_case(b"chunked"));
        }
    }

    const fn framing(&self, status: u16, to_head: bool) -> Framing {
        if to_head || matches!(status, 100..=199 | 204 | 304) {
            return Framing::Empty;
        }
        match (self.chunked, self.length) {
            (Some(true), _) => Framing::Chunked,
            (Some(false), _) | (None, None) => Framing::UntilClose,
            (None, Some(0)) => Framing::Empty,
            (None, Some(length)) => Framing::Length(length),
        }
    }
}

fn words(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|b| *b == b',').map(<[u8]>::trim_ascii).filter(|w| !w.is_empty())
}

fn digits(text: &[u8]) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    text.iter().try_fold(0_u64, |sum, b| {
        let digit = b.is_ascii_digit().then(|| u64::from(b - b'0'))?;
        sum.checked_mul(10)?.checked_add(digit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(text: &str) -> Head {
        read(text.as_bytes(), false).unwrap().unwrap()
    }

    #[test]
    fn bodies_are_delimited_as_the_head_says() {
        for (lines, framing, reusable) in [
            ("Content-Length: 12\r\n", Framing::Length(12), true),
            ("content-length: 0\r\n", Framing::Empty, true),
            ("Content-Length: 5, 5\r\n", Framing::Length(5), true),
            ("Transfer-Encoding: chunked\r\n", Framing::Chunked, true),
            ("Transfer-Encoding: gzip, Chunked\r\n", Framing::Chunked, true),
            ("Transfer-Encoding: gzip\r\n", Framing::UntilClose, false),
            ("Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", Framing::Chunked, false),
            ("", Framing::UntilClose, false),
            ("Content-Length: 1\r\nConnection: foo, Close\r\n", Framing::Length(1), false),
        ] {
            let got = head(&format!("HTTP/1.1 200 OK\r\n{lines}\r\n"));
            assert_eq!((got.framing, got.reusable), (framing, reusable), "{lines}");
        }
    }

    #[test]
    fn some_answers_have_no_body_whatever_they_say() {
        for status in [100, 103, 204, 304] {
            assert_eq!(head(&format!("HTTP/1.1 {status} X\r\nContent-Length: 9\r\n\r\n")).framing, Framing::Empty);
        }
        let to_head = read(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n", true).unwrap().unwrap();
        assert_eq!((to_head.framing, to_head.reusable), (Framing::Empty, true));
    }

    #[test]
    fn older_servers_close_unless_they_say_otherwise() {
        assert!(!head("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\n").reusable);
        assert!(head("HTTP/1.0 200 OK\r\nContent-Length: 1\r\nConnection: Keep-Alive\r\n\r\n").reusable);
    }

    #[test]
    fn what_could_be_read_two_ways_is_refused() {
        for lines in [
            "Content-Length: 1\r\nContent-Length: 2\r\n",
            "Content-Length: -1\r\n",
            "Content-Length: 1x\r\n",
            "Content-Length: 99999999999999999999999\r\n",
        ] {
            assert!(read(format!("HTTP/1.1 200 OK\r\n{lines}\r\n").as_bytes(), false).is_err(), "{lines}");
        }
        assert!(read(b"SSH-2.0-OpenSSH\r\n\r\n", false).is_err());
        let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "a: b\r\n".repeat(MOST_HEADERS + 1));
        assert!(read(many.as_bytes(), false).is_err());
    }

    #[test]
    fn headers_are_found_by_any_case() {
        let text = b"HTTP/1.1 302 Found\r\nlocation: /a\r\nLocation: /b\r\nEmpty:\r\n\r\n";
        assert_eq!(header(text, "LOCATION"), Some(&b"/a"[..]));
        assert_eq!((header(text, "empty"), header(text, "etag"), header(b"", "etag")), (Some(&b""[..]), None, None));
    }

    #[test]
    fn a_part_of_a_head_is_not_yet_one() {
        let text = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n";
        for end in 0..text.len() {
            assert_eq!(read(&text[..end], false), Ok(None), "{end}");
        }
    }
}
