//! What a user takes from an answer for its later requests: a place in a JSON body, or a header.

use serde_json::Value as Json;

use super::compile::Value;
use super::http::Decoder;
use crate::model::plan::Extract;

/// Takes it; none if it is not there.
pub(crate) fn take(what: &Extract, answer: &Decoder) -> Option<Value> {
    match what {
        Extract::Cookie(_) | Extract::Regex(_) => None,
        Extract::Header(name) => header(answer.head(), name),
        Extract::Json(path) => {
            let json: Json = serde_json::from_slice(answer.body()).ok()?;
            value(at(&json, path)?)
        }
    }
}

fn header(head: &[u8], name: &str) -> Option<Value> {
    let mut room = [httparse::EMPTY_HEADER; 96];
    let mut answer = httparse::Response::new(&mut room);
    answer.parse(head).ok()?;
    let found = answer.headers.iter().find(|h| h.name.eq_ignore_ascii_case(name))?;
    Some(Value { text: String::from_utf8_lossy(found.value).trim().to_owned(), bare: false })
}

/// Follows `a.b[0].c` or `a.b.0.c`; an empty path is the whole.
fn at<'a>(json: &'a Json, path: &str) -> Option<&'a Json> {
    let mut words = path.split(['.', '[', ']']).filter(|w| !w.is_empty());
    words.try_fold(json, |here, word| match here {
        Json::Object(fields) => fields.get(word),
        Json::Array(items) => items.get(word.parse::<usize>().ok()?),
        _ => None,
    })
}

fn value(json: &Json) -> Option<Value> {
    match json {
        Json::String(text) => Some(Value { text: text.clone(), bare: false }),
        Json::Null => None,
        Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => Some(Value { text: json.to_string(), bare: true }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::http::Keep;
    use super::*;

    fn answer(body: &str) -> Decoder {
        let mut decoder = Decoder::new(false, Keep { head: true, body: true });
        let text = format!("HTTP/1.1 201 Created\r\nLocation: /items/9 \r\nContent-Length: {}\r\n\r\n{body}", body.len());
        decoder.feed(text.as_bytes()).unwrap();
        decoder
    }

    fn text(path: &str, body: &str) -> Option<String> {
        take(&Extract::Json(path.to_owned()), &answer(body)).map(|v| v.text)
    }

    #[test]
    fn places_in_json() {
        let body = r#"{"token":"abc","list":[{"id":5},{"id":6}],"none":null,"a":{"b":true}}"#;
        for (path, found) in
            [("token", Some("abc")), ("list[1].id", Some("6")), ("list.0.id", Some("5")), ("a.b", Some("true")), ("a", Some(r#"{"b":true}"#))]
        {
            assert_eq!(text(path, body).as_deref(), found, "{path}");
        }
        for path in ["none", "list[2].id", "list.x", "token.x", "missing"] {
            assert_eq!(text(path, body), None, "{path}");
        }
        assert_eq!(text("token", "not json"), None);
        assert_eq!(text("", "7").as_deref(), Some("7"));
    }

    #[test]
    fn headers_by_any_case() {
        let found = take(&Extract::Header("location".to_owned()), &answer(""));
        assert_eq!(found, Some(Value { text: "/items/9".to_owned(), bare: false }));
        assert_eq!(take(&Extract::Header("etag".to_owned()), &answer("")), None);
    }
}
