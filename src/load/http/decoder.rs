//! The answer as a state machine without I/O: bytes go in however they were cut, what is known of the answer comes out.
//!
//! Interim answers (1xx) are passed over. The body is counted and thrown away unless it is to be kept.

use super::chunked::Chunks;
use super::head::{self, Framing};

/// Most bytes of a body that are kept for extraction.
const MOST_KEPT: usize = 8 * 1024 * 1024;

/// What of an answer is kept for the user that asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Keep {
    /// The head's bytes.
    pub(crate) head: bool,
    /// The body's bytes, up to a bound.
    pub(crate) body: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    Head,
    Length(u64),
    Chunked(Chunks),
    UntilClose,
    Done,
}

/// Reads one answer.
#[derive(Debug)]
pub(crate) struct Decoder {
    state: State,
    to_head: bool,
    keep: Keep,
    status: u16,
    reusable: bool,
    sets_cookie: bool,
    head: Vec<u8>,
    body: Vec<u8>,
}

impl Decoder {
    /// For the answer to a request; `to_head` says whether it was HEAD.
    pub(crate) const fn new(to_head: bool, keep: Keep) -> Self {
        Self { state: State::Head, to_head, keep, status: 0, reusable: false, sets_cookie: false, head: Vec::new(), body: Vec::new() }
    }

    /// Whether the whole answer was read.
    pub(crate) fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// The status; 0 until the head was read.
    pub(crate) const fn status(&self) -> u16 {
        self.status
    }

    /// Whether the connection may be used again.
    pub(crate) fn is_reusable(&self) -> bool {
        self.is_done() && self.reusable
    }

    /// Whether the answer sets a cookie; its head is kept then whatever was wanted.
    pub(crate) const fn sets_cookie(&self) -> bool {
        self.sets_cookie
    }

    /// The kept head.
    pub(crate) fn head(&self) -> &[u8] {
        &self.head
    }

    /// The kept body.
    pub(crate) fn body(&self) -> &[u8] {
        &self.body
    }

    /// A header of the kept head; the first one if there are several.
    pub(crate) fn header(&self, name: &str) -> Option<&[u8]> {
        head::header(&self.head, name)
    }

    /// Begins an answer that comes in another form than HTTP/1.1's; `head` is written in HTTP/1.1's if it is to be kept.
    pub(super) fn start(&mut self, status: u16, sets_cookie: bool, head: impl FnOnce(&mut Vec<u8>)) {
        (self.status, self.reusable, self.state) = (status, true, State::UntilClose);
        self.sets_cookie = sets_cookie;
        if self.keep.head || sets_cookie {
            head(&mut self.head);
        }
    }

    /// The kept body as it was before the server compressed it. An error if it is not what its head says.
    pub(crate) fn unzip(&mut self) -> Result<(), &'static str> {
        if self.body.is_empty() || self.head.is_empty() {
            return Ok(());
        }
        if self.header("content-encoding").is_some_and(|v| v.trim_ascii().eq_ignore_ascii_case(b"gzip")) {
            self.body = super::gzip::unzip(&self.body, MOST_KEPT)?;
        }
        Ok(())
    }

    /// Takes what it can of `input`; returns how many bytes. What it leaves of a head is to be offered again with more behind it.
    pub(crate) fn feed(&mut self, input: &[u8]) -> Result<usize, &'static str> {
        let mut taken = 0;
        loop {
            let rest = input.get(taken..).unwrap_or_default();
            let before = taken;
            match &mut self.state {
                State::Done => return Ok(taken),
                State::Head => taken += self.feed_head(rest)?,
                State::Length(left) => {
                    let n = usize::try_from(*left).unwrap_or(usize::MAX).min(rest.len());
                    *left -= n as u64;
                    let done = *left == 0;
                    self.take_body(rest.get(..n).unwrap_or(rest));
                    taken += n;
                    if done {
                        self.state = State::Done;
                    }
                }
                State::Chunked(chunks) => {
                    let (keep, body) = (self.keep.body, &mut self.body);
                    taken += chunks.feed(rest, |data| {
                        if keep {
                            extend(body, data);
                        }
                    })?;
                    if chunks.is_done() {
                        self.state = State::Done;
                    }
                }
                State::UntilClose => {
                    self.take_body(rest);
                    taken = input.len();
                }
            }
            if taken == before {
                return Ok(taken);
            }
        }
    }

    /// The connection ended. Whether the answer was whole.
    pub(crate) fn end(&mut self) -> bool {
        if self.state == State::UntilClose {
            self.state = State::Done;
        }
        self.is_done()
    }

    fn feed_head(&mut self, rest: &[u8]) -> Result<usize, &'static str> {
        let Some(head) = head::read(rest, self.to_head)? else { return Ok(0) };
        if head.status == 101 {
            return Err("a change of protocol nobody asked for");
        }
        if head.status < 200 {
            return Ok(head.len);
        }
        self.status = head.status;
        self.reusable = head.reusable;
        self.sets_cookie = head.sets_cookie;
        if self.keep.head || head.sets_cookie {
            self.head.extend_from_slice(rest.get(..head.len).unwrap_or_default());
        }
        self.state = match head.framing {
            Framing::Empty => State::Done,
            Framing::Length(n) => State::Length(n),
            Framing::Chunked => State::Chunked(Chunks::new()),
            Framing::UntilClose => State::UntilClose,
        };
        Ok(head.len)
    }

    /// Takes a part of the body.
    pub(super) fn take_body(&mut self, data: &[u8]) {
        if self.keep.body {
            extend(&mut self.body, data);
        }
    }
}

fn extend(body: &mut Vec<u8>, data: &[u8]) {
    let room = MOST_KEPT.saturating_sub(body.len()).min(data.len());
    body.extend_from_slice(data.get(..room).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: Keep = Keep { head: true, body: true };

    /// Feeds as a connection does: what was left of a head is offered again with the next part behind it.
    fn read(parts: &[&[u8]], to_head: bool) -> Result<(Decoder, Vec<u8>), &'static str> {
        let (mut decoder, mut left) = (Decoder::new(to_head, ALL), Vec::new());
        for part in parts {
            left.extend_from_slice(part);
            let taken = decoder.feed(&left)?;
            left.drain(..taken);
        }
        Ok((decoder, left))
    }

    const ANSWERS: [(&[u8], &[u8]); 6] = [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", b"hello"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\nDigest: 1\r\n\r\n", b"hello"),
        (b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", b"ok"),
        (b"HTTP/1.1 204 No Content\r\nContent-Length: 7\r\n\r\n", b""),
        (b"HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n", b""),
        (b"HTTP/1.1 404 Not Found\r\ncontent-length:0\r\n\r\n", b""),
    ];

    #[test]
    fn every_cut_gives_the_same_answer() {
        for (text, body) in ANSWERS {
            for cut in 0..=text.len() {
                let (decoder, left) = read(&[&text[..cut], &text[cut..]], false).unwrap();
                assert!(decoder.is_done() && left.is_empty(), "cut at {cut} of {}", String::from_utf8_lossy(text));
                assert_eq!(decoder.body(), body);
                assert!(decoder.is_reusable());
            }
        }
    }

    #[test]
    fn an_answer_without_length_ends_with_the_connection() {
        let (mut decoder, _) = read(&[b"HTTP/1.0 200 OK\r\n\r\nhel", b"lo"], false).unwrap();
        assert!(!decoder.is_done());
        assert!(decoder.end());
        assert_eq!(decoder.body(), b"hello");
        assert!(!decoder.is_reusable());
    }

    #[test]
    fn an_answer_cut_short_is_not_whole() {
        let (mut decoder, _) = read(&[b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel"], false).unwrap();
        assert!(!decoder.end());
        let (mut decoder, _) = read(&[b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"], false).unwrap();
        assert!(!decoder.end());
    }

    #[test]
    fn an_answer_to_head_has_no_body() {
        let (decoder, left) = read(&[b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHTTP"], true).unwrap();
        assert!(decoder.is_done());
        assert_eq!(left, b"HTTP");
    }

    #[test]
    fn a_head_that_sets_a_cookie_is_kept() {
        for (line, kept) in [("set-cookie: a=1", true), ("Connection: close", false), ("Set-Cookies: a=1", false)] {
            let mut decoder = Decoder::new(false, Keep::default());
            decoder.feed(format!("HTTP/1.1 200 OK\r\n{line}\r\nContent-Length: 0\r\n\r\n").as_bytes()).unwrap();
            assert_eq!((decoder.sets_cookie(), !decoder.head().is_empty()), (kept, kept), "{line}");
        }
    }

    #[test]
    fn a_change_of_protocol_is_refused() {
        assert!(read(&[b"HTTP/1.1 101 Switching Protocols\r\n\r\n"], false).is_err());
    }

    #[test]
    fn kept_bodies_are_bounded() {
        let mut decoder = Decoder::new(false, ALL);
        decoder.feed(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
        let block = vec![b'x'; 1024 * 1024];
        for _ in 0..12 {
            assert_eq!(decoder.feed(&block), Ok(block.len()));
        }
        assert_eq!(decoder.body().len(), MOST_KEPT);
    }

    proptest! {
        #[test]
        fn cut_into_any_parts_it_reads_the_same(which in 0_usize..6, cuts in prop::collection::vec(0_usize..160, 0..12)) {
            let (text, body) = ANSWERS[which];
            let mut cuts: Vec<usize> = cuts.into_iter().map(|c| c.min(text.len())).collect();
            cuts.sort_unstable();
            cuts.push(text.len());
            let (mut from, mut parts) = (0, Vec::new());
            for cut in cuts {
                parts.push(&text[from..cut]);
                from = cut;
            }
            let (decoder, left) = read(&parts, false).unwrap();
            prop_assert!(decoder.is_done() && left.is_empty());
            prop_assert_eq!(decoder.body(), body);
        }

        #[test]
        fn chunked_bodies_come_out_as_they_went_in(body in prop::collection::vec(any::<u8>(), 0..300), sizes in prop::collection::vec(1_usize..40, 1..20), part in 1_usize..50) {
            let mut text = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
            let (mut rest, mut turn) = (body.as_slice(), 0);
            while !rest.is_empty() {
                let (chunk, after) = rest.split_at(sizes[turn % sizes.len()].min(rest.len()));
                text.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
                text.extend_from_slice(chunk);
                text.extend_from_slice(b"\r\n");
                (rest, turn) = (after, turn + 1);
            }
            text.extend_from_slice(b"0\r\n\r\n");
            let parts: Vec<&[u8]> = text.chunks(part).collect();
            let (decoder, _) = read(&parts, false).unwrap();
            prop_assert!(decoder.is_done());
            prop_assert_eq!(decoder.body(), body.as_slice());
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), cut in 0_usize..400) {
            let cut = cut.min(bytes.len());
            let _ = read(&[&bytes[..cut], &bytes[cut..]], false);
            let mut text = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
            text.extend_from_slice(&bytes);
            let _ = read(&[&text], false);
        }
    }
}
