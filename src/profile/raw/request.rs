//! Reads the requests of scenarios. It may import the rest of `profile/`; it must not judge placeholders, paths or patterns.

use toml::de::DeValue;

use super::leaf::{self, Json, Named, Pattern};
use super::reader::{At, Node, Reader, Table};
use super::setting;
use crate::profile::secret::Text;

/// The methods a request may have: the key is the method in small letters.
pub(in crate::profile) const METHODS: [(&str, &str); 7] =
    [("get", "GET"), ("post", "POST"), ("put", "PUT"), ("patch", "PATCH"), ("delete", "DELETE"), ("head", "HEAD"), ("options", "OPTIONS")];

/// One request.
#[derive(Debug)]
pub(in crate::profile) struct RawRequest {
    pub(in crate::profile) name: Option<At<Text>>,
    pub(in crate::profile) method: &'static str,
    pub(in crate::profile) path: At<Pattern>,
    pub(in crate::profile) query: Named<Pattern>,
    pub(in crate::profile) headers: Named<Pattern>,
    pub(in crate::profile) body: RawBody,
    pub(in crate::profile) expect_status: Vec<At<u32>>,
    pub(in crate::profile) checks: Vec<At<RawCheck>>,
    pub(in crate::profile) extract: Named<Text>,
    pub(in crate::profile) tags: Named<Text>,
}

/// What a request carries: one of these at most.
#[derive(Debug)]
pub(in crate::profile) struct RawBody {
    pub(in crate::profile) json: Option<At<Json>>,
    pub(in crate::profile) text: Option<At<Pattern>>,
    pub(in crate::profile) form: Option<At<Named<Pattern>>>,
    pub(in crate::profile) file: Option<At<Text>>,
    pub(in crate::profile) multipart: Option<At<Vec<At<RawPart>>>>,
}

/// One part of `multipart`.
#[derive(Debug)]
pub(in crate::profile) struct RawPart {
    pub(in crate::profile) name: At<Text>,
    pub(in crate::profile) text: Option<At<Pattern>>,
    pub(in crate::profile) file: Option<At<Text>>,
    pub(in crate::profile) media_type: Option<At<Text>>,
}

/// One entry of `check`.
#[derive(Debug)]
pub(in crate::profile) struct RawCheck {
    pub(in crate::profile) of: Option<At<Text>>,
    pub(in crate::profile) exists: Option<At<bool>>,
    pub(in crate::profile) is: Option<At<Text>>,
    pub(in crate::profile) contains: Option<At<Text>>,
    pub(in crate::profile) lacks: Option<At<Text>>,
    pub(in crate::profile) matches: Option<At<Text>>,
}

pub(super) fn request(r: &mut Reader<'_>, t: &mut Table<'_>) -> Option<RawRequest> {
    let name = t.take(r, "name", leaf::text);
    let target = method(r, t);
    let query = t.take(r, "query", leaf::map("query = { page = \"0\" }", leaf::pattern));
    let headers = setting::headers(r, t);
    let body = body(r, t);
    let expect = t.take(r, "expect", expect);
    let checks = t.take(r, "check", leaf::list(check));
    let extract = t.take(r, "extract", leaf::map("extract = { token = \"json:$.accessToken\" }", leaf::text));
    let tags = tags(r, t);
    let (method, path) = target?;
    Some(RawRequest {
        name,
        method,
        path,
        query: query.map(|q| q.value).unwrap_or_default(),
        headers,
        body,
        expect_status: expect.map(|e| e.value).unwrap_or_default(),
        checks: checks.map(|c| c.value).unwrap_or_default(),
        extract: extract.map(|e| e.value).unwrap_or_default(),
        tags,
    })
}

/// Takes `tags` of a request or scenario.
pub(super) fn tags(r: &mut Reader<'_>, t: &mut Table<'_>) -> Named<Text> {
    t.take(r, "tags", leaf::map("tags = { kind = \"read\" }", leaf::text)).map(|tags| tags.value).unwrap_or_default()
}

fn body(r: &mut Reader<'_>, t: &mut Table<'_>) -> RawBody {
    let content = setting::content(r, t);
    RawBody {
        json: content.json,
        text: content.body,
        form: t.take(r, "form", leaf::map("form = { user = \"demo\" }", leaf::pattern)),
        file: t.take(r, "file", leaf::text),
        multipart: t.take(r, "multipart", leaf::list(part)),
    }
}

fn part(r: &mut Reader<'_>, node: &Node<'_>) -> Option<RawPart> {
    let mut t = Table::of(r, node, "{ name = \"photo\", file = \"photo.jpg\" }")?;
    let name = t.need(r, "name", "name = \"photo\"", leaf::text);
    let text = t.take(r, "text", leaf::pattern);
    let file = t.take(r, "file", leaf::text);
    let media_type = t.take(r, "type", leaf::text);
    t.done(r);
    Some(RawPart { name: name?, text, file, media_type })
}

fn check(r: &mut Reader<'_>, node: &Node<'_>) -> Option<RawCheck> {
    let mut t = Table::of(r, node, "{ of = \"json:$.status\", is = \"ok\" }")?;
    let raw = RawCheck {
        of: t.take(r, "of", leaf::text),
        exists: t.take(r, "exists", leaf::yes),
        is: t.take(r, "is", leaf::word),
        contains: t.take(r, "contains", leaf::text),
        lacks: t.take(r, "lacks", leaf::text),
        matches: t.take(r, "matches", leaf::text),
    };
    t.done(r);
    Some(raw)
}

/// Takes the one key that is a method.
fn method(r: &mut Reader<'_>, t: &mut Table<'_>) -> Option<(&'static str, At<Pattern>)> {
    let written: Vec<_> = METHODS.iter().filter(|(key, _)| t.has(key)).collect();
    let found: Vec<_> = METHODS.iter().map(|(key, method)| (*method, t.take(r, key, leaf::pattern))).collect();
    match written.as_slice() {
        [] => no_method(r, t),
        [_] => found.into_iter().find_map(|(method, path)| Some((method, path?))),
        [_, second, ..] => {
            let place = found.into_iter().find(|(method, _)| *method == second.1).and_then(|(_, path)| path);
            let place = place.map_or_else(|| t.at(()), |p| p.with(()));
            r.refuse(place.problem("a second method in one step", "write one step for each request"))
        }
    }
}

/// A path under a key that is no method is the mistake to name; without one there is no request at all.
fn no_method<T>(r: &mut Reader<'_>, t: &mut Table<'_>) -> Option<T> {
    let hint = "write get = \"/path\", or post, put, patch, delete, head, options";
    match t.stray(|value| value.as_str().is_some_and(|text| text.starts_with('/'))) {
        Some(key) => r.refuse(key.problem("no method known here", hint)),
        None => r.refuse(t.at(()).problem("no request: which method, which path?", hint)),
    }
}

fn expect(r: &mut Reader<'_>, node: &Node<'_>) -> Option<Vec<At<u32>>> {
    let mut t = Table::of(r, node, "expect = { status = [200, 404] }")?;
    let status = t.need(r, "status", "status = [200, 404]", |r, node| {
        if matches!(node.value(), DeValue::Integer(_)) {
            return leaf::count(r, node).map(|n| vec![node.at(n)]);
        }
        leaf::list(leaf::count)(r, node)
    });
    t.done(r);
    Some(status?.value)
}
