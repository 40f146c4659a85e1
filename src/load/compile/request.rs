//! One request as the bytes that go over the wire: whole where it is always the same, with gaps where a user's variables stand.

use std::io::Write as _;

use super::body::{Around, Content};
use super::names::Names;
use super::text::{Place, Text};
use crate::load::fill::Vars;
use crate::load::host::Origin;
use crate::model::plan::RequestPlan;
use crate::model::template::{Piece, Template};

/// What is sent, for each instance of the service.
#[derive(Debug)]
pub(crate) struct Wire {
    heads: Vec<Text>,
    body: Option<Text>,
    /// Head and body in one, if neither has a gap.
    fixed: Vec<Vec<u8>>,
}

/// Room for a request that differs from user to user.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    whole: Vec<u8>,
    body: Vec<u8>,
}

impl Wire {
    pub(super) fn compile(request: &RequestPlan, origins: &[Origin], around: Around<'_>) -> Result<Self, String> {
        let method = request.method.to_ascii_uppercase();
        if !is_token(&method) {
            return Err(format!("`{}` is no HTTP method", request.method));
        }
        let body = request.body.as_ref().map(|body| Content::compile(body, around)).transpose()?;
        let lines = header_lines(request, body.as_ref(), around.names)?;
        let heads: Vec<Text> = origins.iter().map(|origin| head(&method, request, origin, &lines, around.names)).collect();
        let mut wire = Self { heads, body: body.map(|b| b.text), fixed: Vec::new() };
        if wire.heads.iter().chain(&wire.body).all(Text::is_plain) {
            wire.fixed = (0..origins.len()).map(|at| wire.rendered(at)).collect();
        }
        Ok(wire)
    }

    /// The bytes for an instance; `scratch` is used where they depend on the user.
    pub(crate) fn bytes<'a>(&'a self, origin: usize, vars: &Vars, scratch: &'a mut Scratch) -> &'a [u8] {
        if let Some(fixed) = self.fixed.get(origin) {
            return fixed;
        }
        self.render(origin, vars, scratch);
        &scratch.whole
    }

    fn rendered(&self, origin: usize) -> Vec<u8> {
        let mut scratch = Scratch::default();
        self.render(origin, &Vars::default(), &mut scratch);
        scratch.whole
    }

    fn render(&self, origin: usize, vars: &Vars, to: &mut Scratch) {
        to.whole.clear();
        if let Some(head) = self.heads.get(origin) {
            head.render(vars, &mut to.whole);
        }
        if let Some(body) = &self.body {
            to.body.clear();
            body.render(vars, &mut to.body);
            // Writing to memory can not fail.
            let _ = write!(to.whole, "Content-Length: {}\r\n\r\n", to.body.len());
            to.whole.extend_from_slice(&to.body);
        } else {
            to.whole.extend_from_slice(b"\r\n");
        }
    }
}

/// Everything but Host, Content-Length and the end.
fn header_lines(request: &RequestPlan, body: Option<&Content>, names: &Names<'_>) -> Result<Text, String> {
    let mut lines = Text::default();
    for (name, value) in &request.headers {
        if !is_token(name) {
            return Err(format!("`{name}` is no header name"));
        }
        if ["content-length", "transfer-encoding", "connection"].contains(&name.to_ascii_lowercase().as_str()) {
            return Err(format!("the header `{name}` is the engine's own business"));
        }
        if !is_header_text(value) {
            return Err(format!("the header `{name}` holds a line end or another control character"));
        }
        lines.push(format!("{name}: ").as_bytes());
        lines.push_template(value, Place::Header, names);
        lines.push(b"\r\n");
    }
    let given = |name: &str| request.headers.keys().any(|k| k.eq_ignore_ascii_case(name));
    if !given("user-agent") {
        lines.push(concat!("User-Agent: plimsoll/", env!("CARGO_PKG_VERSION"), "\r\n").as_bytes());
    }
    if !given("accept") {
        lines.push(b"Accept: */*\r\n");
    }
    match body {
        Some(body) if !given("content-type") => lines.push(format!("Content-Type: {}\r\n", body.media_type).as_bytes()),
        None if matches!(request.method.to_ascii_uppercase().as_str(), "POST" | "PUT" | "PATCH") => lines.push(b"Content-Length: 0\r\n"),
        _ => {}
    }
    Ok(lines)
}

fn head(method: &str, request: &RequestPlan, origin: &Origin, lines: &Text, names: &Names<'_>) -> Text {
    let mut head = Text::default();
    head.push(format!("{method} {}", origin.base).as_bytes());
    head.push_path(&request.path, names);
    push_query(request, names, &mut head);
    head.push(b" HTTP/1.1\r\n");
    if !request.headers.keys().any(|k| k.eq_ignore_ascii_case("host")) {
        head.push(format!("Host: {}\r\n", origin.host).as_bytes());
    }
    let given = |name: &str| request.headers.keys().any(|k| k.eq_ignore_ascii_case(name));
    head.push(origin.own_lines(given).as_bytes());
    head.append(lines.clone());
    head
}

/// Parameters beside those that the path has already.
fn push_query(request: &RequestPlan, names: &Names<'_>, head: &mut Text) {
    let written = request.path.pieces().iter().any(|p| matches!(p, Piece::Text(text) if text.contains('?')));
    for (at, (name, value)) in request.query.iter().enumerate() {
        head.push(if at == 0 && !written { b"?" } else { b"&" });
        head.push_written(name, Place::Query);
        head.push(b"=");
        head.push_template(value, Place::Query, names);
    }
}

fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

fn is_header_text(value: &Template) -> bool {
    value.pieces().iter().all(|p| !matches!(p, Piece::Text(t) if t.bytes().any(|b| b < b' ' && b != b'\t' || b == 0x7f)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::load::files::Files;
    use crate::load::fill::Value;
    use crate::load::testkit;
    use crate::model::plan::RequestBody;

    fn wire(request: &RequestPlan, names: &[&str]) -> Result<Wire, String> {
        let own: BTreeMap<String, usize> = names.iter().enumerate().map(|(i, n)| ((*n).to_owned(), i)).collect();
        let names = Names { own: Some(&own), ..Names::default() };
        let around = Around { names: &names, files: &Files::default(), boundary: "plimsoll-part-1" };
        Wire::compile(request, &[Origin::new("shop:80".to_owned(), "/v1".to_owned(), Vec::new())], around)
    }

    fn vars(values: &[&str]) -> Vars {
        let value = |text: &&str| Some(Value { text: (*text).to_owned(), bare: text.parse::<u64>().is_ok() });
        Vars { own: values.iter().map(value).collect(), ..Vars::default() }
    }

    fn bytes(wire: &Wire, vars: &Vars) -> String {
        String::from_utf8(wire.bytes(0, vars, &mut Scratch::default()).to_vec()).unwrap()
    }

    #[test]
    fn a_plain_request_is_made_once() {
        let request = testkit::get("/items?x=1");
        let wire = wire(&request, &[]).unwrap();
        let text = bytes(&wire, &Vars::default());
        assert!(text.starts_with("GET /v1/items?x=1 HTTP/1.1\r\nHost: shop:80\r\nUser-Agent: plimsoll/"), "{text}");
        assert!(text.ends_with("Accept: */*\r\n\r\n"), "{text}");
        let (nothing, mut a, mut b) = (Vars::default(), Scratch::default(), Scratch::default());
        assert!(std::ptr::eq(wire.bytes(0, &nothing, &mut a), wire.bytes(0, &nothing, &mut b)), "no copy for each request");
    }

    #[test]
    fn variables_fill_path_headers_and_body() {
        let mut request = testkit::get("items/{id}");
        request.method = "post".to_owned();
        request.headers.insert("Authorization".to_owned(), Template::parse("Bearer {token}"));
        request.body = Some(RequestBody::Json(serde_json::json!({"id": "{id}"})));
        let wire = wire(&request, &["id", "token"]).unwrap();
        let text = bytes(&wire, &vars(&["5", "abc"]));
        assert!(text.starts_with("POST /v1/items/5 HTTP/1.1\r\n"), "{text}");
        assert!(text.contains("Authorization: Bearer abc\r\n") && text.contains("Content-Type: application/json\r\n"), "{text}");
        assert!(text.ends_with("Content-Length: 8\r\n\r\n{\"id\":5}"), "{text}");
    }

    #[test]
    fn a_path_begins_with_one_slash() {
        for (path, value, line) in
            [("a/b", "", "GET /v1/a/b "), ("{at}/x", "/items/9", "GET /v1/items/9/x "), ("{at}", "items", "GET /v1/items "), ("", "", "GET /v1/ ")]
        {
            let wire = wire(&testkit::get(path), &["at"]).unwrap();
            let text = bytes(&wire, &vars(&[value]));
            assert!(text.starts_with(line), "{path}: {text}");
        }
    }

    #[test]
    fn a_post_without_body_says_so() {
        let mut request = testkit::get("/x");
        request.method = "POST".to_owned();
        assert!(bytes(&wire(&request, &[]).unwrap(), &Vars::default()).ends_with("Content-Length: 0\r\n\r\n"));
    }

    #[test]
    fn own_headers_replace_the_usual_ones() {
        let mut request = testkit::get("/x");
        for (name, value) in [("host", "other"), ("user-agent", "me"), ("Accept", "text/html")] {
            request.headers.insert(name.to_owned(), Template::parse(value));
        }
        let text = bytes(&wire(&request, &[]).unwrap(), &Vars::default());
        assert_eq!(text.matches("Host").count() + text.matches("User-Agent").count() + text.matches("*/*").count(), 0, "{text}");
    }

    #[test]
    fn what_would_break_the_request_is_refused() {
        for (name, value) in [("Content-Length", "3"), ("a b", "c"), ("X", "a\r\nEvil: 1"), ("Connection", "close")] {
            let mut request = testkit::get("/x");
            request.headers.insert(name.to_owned(), Template::parse(value));
            assert!(wire(&request, &[]).is_err(), "{name}");
        }
    }

    #[test]
    fn parameters_follow_those_of_the_path() {
        let mut request = testkit::get("/items");
        request.query = [("q", "{v}"), ("a b", "x=1")].map(|(n, v)| (n.to_owned(), Template::parse(v))).into();
        for (path, line) in [("/items", "GET /v1/items?a%20b=x%3D1&q=%26%20%C3%A9 "), ("/items?x=1", "GET /v1/items?x=1&a%20b=x%3D1&q=%26%20%C3%A9 ")]
        {
            request.path = Template::parse(path);
            let text = bytes(&wire(&request, &["v"]).unwrap(), &vars(&["& é"]));
            assert!(text.starts_with(line), "{text}");
        }
    }

    #[test]
    fn no_value_begins_a_line_of_its_own() {
        let evil = "x\r\nEvil: 1\r\n\r\nGET /evil HTTP/1.1\r\n";
        let mut request = testkit::get("/{v}");
        request.query.insert("q".to_owned(), Template::parse("{v}"));
        request.headers.insert("X-Own".to_owned(), Template::parse("{v}"));
        let text = bytes(&wire(&request, &["v"]).unwrap(), &vars(&[evil]));
        assert_eq!(text.lines().filter(|l| l.starts_with("Evil") || l.starts_with("GET")).count(), 1, "{text}");
        assert_eq!(text.matches("\r\n\r\n").count(), 1);
    }

    #[test]
    fn the_length_is_that_of_the_filled_body() {
        let mut request = testkit::get("/x");
        request.method = "POST".to_owned();
        request.body = Some(RequestBody::Text(Template::parse("é{v}")));
        let wire = wire(&request, &["v"]).unwrap();
        let mut scratch = Scratch::default();
        for (value, end) in [("abc", "Content-Length: 5\r\n\r\néabc"), ("", "Content-Length: 2\r\n\r\né")] {
            let text = String::from_utf8(wire.bytes(0, &vars(&[value]), &mut scratch).to_vec()).unwrap();
            assert!(text.ends_with(end), "{text}");
        }
    }

    #[test]
    fn own_media_types_stay() {
        let mut request = testkit::get("/x");
        request.body = Some(RequestBody::Form(BTreeMap::new()));
        request.headers.insert("content-type".to_owned(), Template::parse("a/b"));
        let text = bytes(&wire(&request, &[]).unwrap(), &Vars::default());
        assert!(text.contains("content-type: a/b\r\n") && !text.contains("urlencoded"), "{text}");
    }
}
