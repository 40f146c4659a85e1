//! A chunked body, byte by byte where it must be and in runs where it can be, so that a read may end anywhere.
//!
//! Pure. Sizes are bounded, extensions and trailers are skipped and bounded; a bare line feed ends a line as RFC 9112 allows.

/// Most bytes of extensions and trailers of one body.
const MOST_EXTRA: usize = 16 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    Size,
    Extension,
    Data(u64),
    AfterData,
    AfterDataLf,
    /// A trailer line of so many bytes so far.
    Trailer(usize),
    Done,
}

/// Where in a chunked body the reader is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chunks {
    at: At,
    size: u64,
    digits: u8,
    extra: usize,
}

impl Chunks {
    pub(super) const fn new() -> Self {
        Self { at: At::Size, size: 0, digits: 0, extra: 0 }
    }

    pub(super) fn is_done(&self) -> bool {
        self.at == At::Done
    }

    /// Takes what it can of `input` and hands the data to `body`; returns how many bytes it took.
    pub(super) fn feed(&mut self, input: &[u8], mut body: impl FnMut(&[u8])) -> Result<usize, &'static str> {
        let mut taken = 0;
        while let Some(rest) = input.get(taken..).filter(|r| !r.is_empty()) {
            match self.at {
                At::Done => break,
                At::Data(left) => {
                    let n = usize::try_from(left).unwrap_or(usize::MAX).min(rest.len());
                    body(rest.get(..n).unwrap_or(rest));
                    taken += n;
                    let left = left - n as u64;
                    self.at = if left == 0 { At::AfterData } else { At::Data(left) };
                }
                _ => {
                    self.take(rest.first().copied().unwrap_or_default())?;
                    taken += 1;
                }
            }
        }
        Ok(taken)
    }

    fn take(&mut self, byte: u8) -> Result<(), &'static str> {
        match (self.at, byte) {
            (At::Size | At::Extension, b'\n') => self.end_size()?,
            (At::Size, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => self.digit(byte)?,
            (At::Size, b';' | b' ' | b'\t' | b'\r') if self.digits > 0 => self.at = At::Extension,
            (At::Size, _) => return Err("a chunk size that is no number"),
            (At::Extension, _) => self.count_extra()?,
            (At::AfterData, b'\r') => self.at = At::AfterDataLf,
            (At::AfterData | At::AfterDataLf, b'\n') => *self = Self { extra: self.extra, ..Self::new() },
            (At::AfterData | At::AfterDataLf, _) => return Err("a chunk longer than its size"),
            (At::Trailer(0), b'\n') => self.at = At::Done,
            (At::Trailer(_), b'\n') => self.at = At::Trailer(0),
            (At::Trailer(_), b'\r') | (At::Data(_) | At::Done, _) => {}
            (At::Trailer(n), _) => {
                self.count_extra()?;
                self.at = At::Trailer(n + 1);
            }
        }
        Ok(())
    }

    fn digit(&mut self, byte: u8) -> Result<(), &'static str> {
        let value = char::from(byte).to_digit(16).unwrap_or_default();
        self.size = self.size.checked_mul(16).and_then(|s| s.checked_add(u64::from(value))).ok_or("a chunk size beyond counting")?;
        self.digits = self.digits.saturating_add(1);
        Ok(())
    }

    const fn end_size(&mut self) -> Result<(), &'static str> {
        if self.digits == 0 {
            return Err("a chunk without a size");
        }
        self.at = if self.size == 0 { At::Trailer(0) } else { At::Data(self.size) };
        Ok(())
    }

    const fn count_extra(&mut self) -> Result<(), &'static str> {
        self.extra += 1;
        if self.extra > MOST_EXTRA { Err("chunk extensions or trailers beyond measure") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(parts: &[&[u8]]) -> Result<(Vec<u8>, bool, usize), &'static str> {
        let (mut chunks, mut body, mut taken) = (Chunks::new(), Vec::new(), 0);
        for part in parts {
            taken += chunks.feed(part, |b| body.extend_from_slice(b))?;
        }
        Ok((body, chunks.is_done(), taken))
    }

    #[test]
    fn chunks_extensions_and_trailers() {
        let text = b"4;a=\"b\"\r\nWiki\r\n6 \r\npedia \r\nE\r\nin \r\n\r\nchunks.\r\n0\r\nA: b\r\nC: d\r\n\r\nHTTP/1.1";
        let (body, done, taken) = read(&[text]).unwrap();
        assert_eq!(body, b"Wikipedia in \r\n\r\nchunks.");
        assert!(done);
        assert_eq!(&text[taken..], b"HTTP/1.1", "what follows belongs to the next answer");
    }

    #[test]
    fn it_may_be_cut_anywhere() {
        let text = b"3\r\nabc\r\n1;x\r\nd\r\n0\r\nT: u\r\n\r\n";
        for a in 0..text.len() {
            for b in a..text.len() {
                let (body, done, taken) = read(&[&text[..a], &text[a..b], &text[b..]]).unwrap();
                assert_eq!((body.as_slice(), done, taken), (&b"abcd"[..], true, text.len()), "cut at {a} and {b}");
            }
        }
    }

    #[test]
    fn bare_line_feeds_end_lines() {
        assert_eq!(read(&[b"1\na\n0\n\n"]).unwrap().0, b"a");
    }

    #[test]
    fn what_is_not_chunked_is_refused() {
        for text in [&b"\r\n"[..], b"g\r\n", b"1\r\nab\r\n", b"fffffffffffffffff\r\n", b"-1\r\n", b";x\r\n"] {
            assert!(read(&[text]).is_err(), "{}", String::from_utf8_lossy(text));
        }
        let endless = [b"1;".to_vec(), vec![b'x'; MOST_EXTRA + 1]].concat();
        assert!(read(&[&endless]).is_err());
        let trailers = [b"0\r\n".to_vec(), b"a: b\r\n".repeat(MOST_EXTRA)].concat();
        assert!(read(&[&trailers]).is_err());
    }
}
