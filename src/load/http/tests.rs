//! The reader as a whole, against a corpus of answers: however the bytes are cut, and whatever is done to them, it reads the same, stops where
//! the answer stops, and never fails in another way than by saying so.

use std::time::Duration;

use proptest::prelude::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
use tokio::time::Instant;

use super::{Broke, Connection, Decoder, Keep};

const ALL: Keep = Keep { head: true, body: true };

/// An answer, and how it is to be read.
struct Case {
    to_head: bool,
    text: &'static [u8],
    status: u16,
    body: &'static [u8],
    reusable: bool,
    /// Whether it ends only with the connection.
    until_close: bool,
}

const fn case(text: &'static [u8], status: u16, body: &'static [u8]) -> Case {
    Case { to_head: false, text, status, body, reusable: true, until_close: false }
}

const CASES: [Case; 20] = [
    case(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, b"hello"),
    case(b"HTTP/1.1 200 OK\r\ncontent-length:\t 5 \r\n\r\n\r\n\r\n\r", 200, b"\r\n\r\n\r"),
    case(b"HTTP/1.1 200 OK\nContent-Length: 2\n\nok", 200, b"ok"),
    case(b"HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok", 200, b"ok"),
    case(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", 404, b""),
    case(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", 200, b"hello"),
    case(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 200, b""),
    // Extensions, quoted too, trailers, capital digits, leading zeros, a body that looks like chunks.
    case(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: Digest\r\n\r\n4;name=\"a b\"\r\n0\r\n\r\r\n00A ; x\r\n\n012345678\r\n0;last\r\nDigest: 1\r\nX: 2\r\n\r\n",
        200,
        b"0\r\n\r\n012345678",
    ),
    case(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nzz\r\n0\r\n\r\n", 200, b"zz"),
    case(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok", 201, b"ok"),
    case(
        b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nContent-Length: 9\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n!",
        200,
        b"!",
    ),
    case(b"HTTP/1.1 204 No Content\r\nContent-Length: 7\r\n\r\n", 204, b""),
    case(b"HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n", 304, b""),
    Case { to_head: true, ..case(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n", 200, b"") },
    Case { to_head: true, ..case(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", 200, b"") },
    Case { reusable: false, ..case(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", 200, b"ok") },
    Case { reusable: false, ..case(b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, b"ok") },
    case(b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok", 200, b"ok"),
    Case { reusable: false, until_close: true, ..case(b"HTTP/1.1 200 OK\r\n\r\nhello\r\n\r\n", 200, b"hello\r\n\r\n") },
    Case { reusable: false, until_close: true, ..case(b"HTTP/1.1 502 Bad Gateway\r\nTransfer-Encoding: gzip\r\n\r\nzz", 502, b"zz") },
];

/// What a decoder says of bytes that came in these parts: what it knows then, and what it left.
fn read(parts: &[&[u8]], to_head: bool, closes: bool) -> Result<(Decoder, Vec<u8>, bool), &'static str> {
    let (mut decoder, mut left) = (Decoder::new(to_head, ALL), Vec::new());
    for part in parts {
        left.extend_from_slice(part);
        if !decoder.is_done() {
            let taken = decoder.feed(&left)?;
            assert!(taken <= left.len());
            left.drain(..taken);
        }
    }
    let whole = if closes { decoder.end() } else { decoder.is_done() };
    Ok((decoder, left, whole))
}

/// Cuts bytes at these places.
fn cut<'a>(bytes: &'a [u8], at: &[usize]) -> Vec<&'a [u8]> {
    let mut at: Vec<usize> = at.iter().map(|c| (*c).min(bytes.len())).collect();
    at.sort_unstable();
    at.push(bytes.len());
    let mut from = 0;
    at.into_iter().map(|to| &bytes[std::mem::replace(&mut from, to)..to]).collect()
}

#[test]
fn every_answer_is_read_right_wherever_it_is_cut() {
    for case in &CASES {
        let shown = String::from_utf8_lossy(case.text);
        for first in 0..=case.text.len() {
            for second in first..=case.text.len() {
                let (decoder, left, whole) = read(&cut(case.text, &[first, second]), case.to_head, case.until_close).unwrap();
                assert!(whole && left.is_empty(), "cut at {first} and {second}: {shown:?}");
                assert_eq!((decoder.status(), decoder.body(), decoder.is_reusable()), (case.status, case.body, case.reusable), "{shown:?}");
            }
        }
    }
}

#[test]
fn no_part_of_an_answer_is_taken_for_the_whole() {
    for case in &CASES {
        for end in 0..case.text.len() {
            let part = &case.text[..end];
            let (decoder, _, whole) = read(&[part], case.to_head, false).unwrap();
            assert!(!whole, "{end} of {:?}", String::from_utf8_lossy(case.text));
            // What ends with the connection can not be told from its first part; everything else can.
            let (_, _, ended) = read(&[part], case.to_head, true).unwrap();
            assert!(!ended || case.until_close && decoder.status() > 0, "{end} of {:?}", String::from_utf8_lossy(case.text));
        }
    }
}

#[test]
fn heads_without_measure_are_refused() {
    let lines = |n: usize| format!("HTTP/1.1 200 OK\r\n{}Content-Length: 0\r\n\r\n", "a: b\r\n".repeat(n));
    assert!(read(&[lines(90).as_bytes()], false, false).unwrap().2);
    assert!(read(&[lines(200).as_bytes()], false, false).is_err());
    for bad in [
        "HTTP/1.1 099 Low\r\n\r\n",
        "HTTP/2.0 200 OK\r\n\r\n",
        "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nNo colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA : b\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551616\r\n\r\n",
        "<html>",
    ] {
        assert!(read(&[bad.as_bytes()], false, false).is_err(), "{bad:?}");
    }
}

/// Through a connection: every answer, in reads of one, two, three … bytes.
#[tokio::test(start_paused = true)]
async fn a_connection_reads_them_in_pieces_of_any_length() {
    for case in &CASES {
        for piece in 1..=case.text.len().min(40) {
            let (ours, mut theirs) = duplex(piece);
            let server = tokio::spawn(async move {
                let mut request = [0; 64];
                let mut asked = 0;
                while asked < 18 {
                    asked += theirs.read(&mut request).await.unwrap();
                }
                theirs.write_all(case.text).await.unwrap();
                if !case.until_close {
                    tokio::time::sleep(Duration::from_secs(3600)).await;
                }
            });
            let due = Instant::now() + Duration::from_secs(10);
            let (mut connection, mut decoder) = (Connection::new(ours, due), Decoder::new(case.to_head, ALL));
            connection.exchange(b"GET / HTTP/1.1\r\n\r\n", &mut decoder, due).await.unwrap();
            assert_eq!((decoder.status(), decoder.body()), (case.status, case.body), "{piece} bytes at a time");
            assert_eq!(decoder.is_reusable() && connection.is_clean(), case.reusable);
            assert_eq!(connection.take_received(), case.text.len() as u64);
            server.abort();
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_ends_early_is_lost() {
    for case in CASES.iter().filter(|c| !c.until_close) {
        for end in 0..case.text.len() {
            let (ours, mut theirs) = duplex(1024);
            theirs.write_all(&case.text[..end]).await.unwrap();
            theirs.shutdown().await.unwrap();
            let due = Instant::now() + Duration::from_secs(10);
            let (mut connection, mut decoder) = (Connection::new(ours, due), Decoder::new(case.to_head, ALL));
            let result = connection.exchange(b"GET / HTTP/1.1\r\n\r\n", &mut decoder, due).await;
            assert!(matches!(result, Err(Broke::Lost { answered, .. }) if answered == (end > 0)), "{end}: {result:?}");
        }
    }
}

/// One change to an answer.
fn spoil(text: &mut Vec<u8>, at: usize, byte: u8, how: u8) {
    let at = at % (text.len() + 1);
    match how {
        0 => text.insert(at, byte),
        1 if at < text.len() => text[at] = byte,
        2 if at < text.len() => {
            text.remove(at);
        }
        3 => text.truncate(at),
        _ => text.extend_from_within(..at),
    }
}

fn bytes() -> impl Strategy<Value = u8> {
    prop_oneof![any::<u8>(), prop::sample::select(b"\r\n :;,0123456789abcdefF".to_vec())]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    /// What comes behind an answer is left for the next one, byte for byte.
    #[test]
    fn nothing_behind_an_answer_is_read(which in 0..CASES.len(), behind in prop::collection::vec(bytes(), 0..60), at in prop::collection::vec(0_usize..260, 0..6)) {
        let case = &CASES[which];
        prop_assume!(!case.until_close);
        let text = [case.text, &behind].concat();
        let (decoder, left, whole) = read(&cut(&text, &at), case.to_head, false).unwrap();
        prop_assert!(whole);
        prop_assert_eq!((decoder.status(), decoder.body()), (case.status, case.body));
        prop_assert_eq!(left, behind);
    }

    /// However an answer was spoilt, it is read or refused, and the same wherever it is cut.
    #[test]
    fn spoilt_answers_read_the_same_in_any_parts(
        which in 0..CASES.len(),
        changes in prop::collection::vec((0_usize..400, bytes(), 0_u8..5), 1..5),
        at in prop::collection::vec(0_usize..400, 0..8),
    ) {
        let case = &CASES[which];
        let mut text = case.text.to_vec();
        for (at, byte, how) in changes {
            spoil(&mut text, at, byte, how);
        }
        text.truncate(2000);
        let said = |parts: &[&[u8]]| read(parts, case.to_head, true).map(|(d, left, whole)| (whole, d.status(), d.body().to_vec(), d.is_reusable(), left)).ok();
        prop_assert_eq!(said(&[&text]), said(&cut(&text, &at)));
    }

    /// Anything at all is read or refused.
    #[test]
    fn noise_never_panics(noise in prop::collection::vec(bytes(), 0..300), at in prop::collection::vec(0_usize..300, 0..5), start in 0_usize..4) {
        let start: &[u8] = [&b""[..], b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n"][start];
        let text = [start, &noise].concat();
        let _ = read(&cut(&text, &at), false, true);
    }
}
