//! What is taken from an answer: a place in a JSON body, a header, a cookie it sets, or what a regular expression finds.

use std::fmt;

use regex::bytes::Regex;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value as Json;

use super::fill::Value;
use super::http::Keep;
use crate::model::plan::Extract;

/// Most header lines of an answer that are looked through.
const MOST_HEADERS: usize = 96;

/// What was kept of an answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answer<'a> {
    /// Its head as HTTP/1.1 writes it: status line and headers.
    pub(crate) head: &'a [u8],
    /// Its body.
    pub(crate) body: &'a [u8],
}

/// Takes one thing.
#[derive(Debug)]
pub(crate) enum Taker {
    /// The words of a path into a JSON body.
    Json(Vec<String>),
    /// A header.
    Header(String),
    /// A cookie that the answer sets.
    Cookie(String),
    /// First group or whole match.
    Regex(Regex),
}

impl Taker {
    /// Makes it ready, or says why that can not be.
    pub(crate) fn new(what: &Extract) -> Result<Self, String> {
        Ok(match what {
            // `a.b[0].c` or `a.b.0.c`; an empty path is the whole.
            Extract::Json(path) => Self::Json(path.split(['.', '[', ']']).filter(|w| !w.is_empty()).map(str::to_owned).collect()),
            Extract::Header(name) => Self::Header(name.clone()),
            Extract::Cookie(name) => Self::Cookie(name.clone()),
            Extract::Regex(pattern) => Self::Regex(pattern_of(pattern)?),
        })
    }

    /// What of an answer it needs.
    pub(crate) const fn keep(&self) -> Keep {
        let head = matches!(self, Self::Header(_) | Self::Cookie(_));
        Keep { head, body: !head }
    }

    /// Takes it; none if it is not there. A JSON null is nothing.
    pub(crate) fn take(&self, answer: Answer<'_>) -> Option<Value> {
        match self {
            Self::Json(path) => of_json(at(answer.body, path)?),
            Self::Header(name) => headers(answer.head, name, |value| Some(text(value.trim_ascii()))).pop(),
            Self::Cookie(name) => headers(answer.head, "set-cookie", |line| cookie(line, name)).pop(),
            Self::Regex(pattern) => {
                let found = pattern.captures(answer.body)?;
                found.get(1).or_else(|| found.get(0).filter(|_| found.len() == 1)).map(|m| text(m.as_bytes()))
            }
        }
    }
}

/// Makes a regular expression ready.
pub(crate) fn pattern_of(pattern: &str) -> Result<Regex, String> {
    Regex::new(pattern).map_err(|e| format!("the regular expression `{pattern}`: {e}"))
}

fn text(bytes: &[u8]) -> Value {
    Value { text: String::from_utf8_lossy(bytes).into_owned(), bare: false }
}

/// What is made of every header line of a name, in order.
fn headers<T>(head: &[u8], name: &str, make: impl Fn(&[u8]) -> Option<T>) -> Vec<T> {
    let mut room = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut answer = httparse::Response::new(&mut room);
    if answer.parse(head).is_err() {
        return Vec::new();
    }
    answer.headers.iter().filter(|h| h.name.eq_ignore_ascii_case(name)).filter_map(|h| make(h.value)).collect()
}

/// Every `Set-Cookie` of an answer.
pub(crate) fn set_cookies(head: &[u8]) -> Vec<String> {
    headers(head, "set-cookie", |value| Some(String::from_utf8_lossy(value.trim_ascii()).into_owned()))
}

fn cookie(line: &[u8], name: &str) -> Option<Value> {
    let pair = line.split(|b| *b == b';').next()?;
    let at = pair.iter().position(|b| *b == b'=')?;
    let (key, value) = (pair.get(..at)?, pair.get(at + 1..)?);
    (key.trim_ascii() == name.as_bytes()).then(|| text(value.trim_ascii()))
}

fn of_json(json: Json) -> Option<Value> {
    match json {
        Json::String(text) => Some(Value { text, bare: false }),
        Json::Null => None,
        Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => Some(Value { text: json.to_string(), bare: true }),
    }
}

/// Reads what is at a path; everything beside it is passed over without being stored.
fn at(body: &[u8], path: &[String]) -> Option<Json> {
    let mut read = serde_json::Deserializer::from_slice(body);
    let found = Place(path).deserialize(&mut read).ok()?;
    read.end().ok().and(found)
}

/// The rest of a path.
#[derive(Clone, Copy)]
struct Place<'a>(&'a [String]);

impl<'de> DeserializeSeed<'de> for Place<'_> {
    type Value = Option<Json>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        if self.0.is_empty() { serde::Deserialize::deserialize(from).map(Some) } else { from.deserialize_any(self) }
    }
}

impl<'de> Visitor<'de> for Place<'_> {
    type Value = Option<Json>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        let Some((word, rest)) = self.0.split_first() else { return Ok(None) };
        while let Some(is_it) = map.next_key_seed(Named(word))? {
            if is_it {
                found = map.next_value_seed(Place(rest))?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let wanted = self.0.split_first().and_then(|(word, rest)| Some((word.parse::<usize>().ok()?, rest)));
        let (mut found, mut at) = (None, 0);
        loop {
            if let Some((_, rest)) = wanted.filter(|w| w.0 == at) {
                match items.next_element_seed(Place(rest))? {
                    Some(item) => found = item,
                    None => return Ok(found),
                }
            } else if items.next_element::<IgnoredAny>()?.is_none() {
                return Ok(found);
            }
            at += 1;
        }
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }
}

/// Whether a field has this name; no field's name is stored.
struct Named<'a>(&'a str);

impl<'de> DeserializeSeed<'de> for Named<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<bool, D::Error> {
        from.deserialize_str(self)
    }
}

impl Visitor<'_> for Named<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a field's name")
    }

    fn visit_str<E>(self, name: &str) -> Result<bool, E> {
        Ok(name == self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HEAD: &[u8] = b"HTTP/1.1 201 Created\r\nLocation: /items/9 \r\nSet-Cookie: sid=a=b; Path=/\r\nset-cookie: other=2\r\nSet-Cookie: sid = new ;HttpOnly\r\n\r\n";

    fn taken(what: &Extract, body: &str) -> Option<String> {
        Taker::new(what).unwrap().take(Answer { head: HEAD, body: body.as_bytes() }).map(|v| v.text)
    }

    fn json(path: &str, body: &str) -> Option<String> {
        taken(&Extract::Json(path.to_owned()), body)
    }

    #[test]
    fn places_in_json() {
        let body = r#"{"token":"abc","list":[{"id":5},{"id":6}],"none":null,"a":{"b":true,"\u0063":"q\"q"},"token2":1}"#;
        for (path, found) in [
            ("token", Some("abc")),
            ("list[1].id", Some("6")),
            ("list.0.id", Some("5")),
            ("a.b", Some("true")),
            ("a.c", Some("q\"q")),
            ("list", Some(r#"[{"id":5},{"id":6}]"#)),
        ] {
            assert_eq!(json(path, body).as_deref(), found, "{path}");
        }
        for path in ["none", "list[2].id", "list.x", "token.x", "missing", "none.x", "a.b.c", "token2.0"] {
            assert_eq!(json(path, body), None, "{path}");
        }
        for broken in ["not json", "", "{\"token\":\"abc\"", "{\"token\":\"abc\"} x"] {
            assert_eq!(json("token", broken), None, "{broken}");
        }
        assert_eq!(json("", "7").as_deref(), Some("7"));
    }

    #[test]
    fn types_are_kept() {
        let bare = |path: &str| Taker::new(&Extract::Json(path.to_owned())).unwrap().take(Answer { head: HEAD, body: br#"{"n":5,"t":"5"}"# });
        assert_eq!(bare("n").map(|v| v.bare), Some(true));
        assert_eq!(bare("t").map(|v| v.bare), Some(false));
    }

    #[test]
    fn headers_by_any_case_and_cookies_by_their_own() {
        assert_eq!(taken(&Extract::Header("location".to_owned()), "").as_deref(), Some("/items/9"));
        assert_eq!(taken(&Extract::Header("etag".to_owned()), ""), None);
        assert_eq!(taken(&Extract::Cookie("sid".to_owned()), "").as_deref(), Some("new"), "the last one counts");
        assert_eq!(taken(&Extract::Cookie("other".to_owned()), "").as_deref(), Some("2"));
        assert_eq!(taken(&Extract::Cookie("SID".to_owned()), ""), None);
        assert_eq!(set_cookies(HEAD), ["sid=a=b; Path=/", "other=2", "sid = new ;HttpOnly"]);
    }

    #[test]
    fn a_regular_expression_gives_its_group_or_the_whole() {
        let found = |pattern: &str| taken(&Extract::Regex(pattern.to_owned()), "<input name=csrf value=\"x-7\">");
        assert_eq!(found("value=\"([^\"]*)\"").as_deref(), Some("x-7"));
        assert_eq!(found("c.rf").as_deref(), Some("csrf"));
        assert_eq!(found("nothing"), None);
        assert_eq!(found("csrf(x)?"), None, "a group that took no part is nothing");
        assert!(Taker::new(&Extract::Regex("(".to_owned())).unwrap_err().contains("`(`"));
    }

    #[test]
    fn only_what_is_needed_is_kept() {
        let keep = |what: &Extract| Taker::new(what).unwrap().keep();
        assert_eq!(keep(&Extract::Header("x".to_owned())), Keep { head: true, body: false });
        assert_eq!(keep(&Extract::Regex("x".to_owned())), Keep { head: false, body: true });
    }

    proptest! {
        #[test]
        fn any_body_and_path_are_read_or_not_there(body in "[{}\\[\\]\":,a-c0-2 ]{0,40}", path in "[a-c0-2.]{0,6}") {
            let whole: Option<Json> = serde_json::from_str(&body).ok();
            let wanted = whole.and_then(|whole| {
                let words = path.split('.').filter(|w| !w.is_empty());
                words.into_iter().try_fold(&whole, |here, word| match here {
                    Json::Object(fields) => fields.get(word),
                    Json::Array(items) => items.get(word.parse::<usize>().ok()?),
                    _ => None,
                }).cloned()
            });
            prop_assert_eq!(json(&path, &body), wanted.and_then(of_json).map(|v| v.text));
        }
    }
}
