//! How text is written in each place of a request so that it can not break out of it.

/// In the path or query as a person writes them: what may not stand in a request line is percent-encoded, a fragment's mark too because
/// fragments are not sent; what has a meaning there is left to whoever wrote it.
pub(super) fn in_path(text: &str, out: &mut Vec<u8>) {
    escape(text, out, |b| b.is_ascii_graphic() && !matches!(b, b'"' | b'#' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}'));
}

/// As a name or value of the query: everything but RFC 3986's unreserved characters is percent-encoded.
pub(super) fn in_query(text: &str, out: &mut Vec<u8>) {
    escape(text, out, is_unreserved);
}

/// As a name or value of a form: a blank is a plus.
pub(super) fn in_form(text: &str, out: &mut Vec<u8>) {
    for (at, word) in text.split(' ').enumerate() {
        if at > 0 {
            out.push(b'+');
        }
        escape(word, out, is_unreserved);
    }
}

/// In a header: without control characters, so that no value begins a new line.
pub(super) fn in_header(text: &str, out: &mut Vec<u8>) {
    out.extend(text.bytes().filter(|b| *b >= b' ' && *b != 0x7f));
}

/// Between the quotes of a JSON text.
pub(super) fn in_json(text: &str, out: &mut Vec<u8>) {
    let quoted = serde_json::Value::from(text).to_string();
    out.extend_from_slice(quoted.strip_prefix('"').and_then(|q| q.strip_suffix('"')).unwrap_or_default().as_bytes());
}

const fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

fn escape(text: &str, out: &mut Vec<u8>, stays: impl Fn(u8) -> bool) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    for byte in text.bytes() {
        if stays(byte) {
            out.push(byte);
        } else {
            let digits = [usize::from(byte >> 4), usize::from(byte & 15)].map(|d| HEX.get(d).copied().unwrap_or(b'0'));
            out.push(b'%');
            out.extend_from_slice(&digits);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(how: fn(&str, &mut Vec<u8>), text: &str) -> String {
        let mut out = Vec::new();
        how(text, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn each_place_has_its_own_rules() {
        let text = "a b&c=d/é#\"\r\n+";
        for (how, wanted) in [
            (in_path as fn(&str, &mut Vec<u8>), "a%20b&c=d/%C3%A9%23%22%0D%0A+"),
            (in_query, "a%20b%26c%3Dd%2F%C3%A9%23%22%0D%0A%2B"),
            (in_form, "a+b%26c%3Dd%2F%C3%A9%23%22%0D%0A%2B"),
            (in_header, "a b&c=d/é#\"+"),
            (in_json, "a b&c=d/é#\\\"\\r\\n+"),
        ] {
            assert_eq!(written(how, text), wanted);
        }
    }
}
