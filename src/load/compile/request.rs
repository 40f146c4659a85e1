//! One request as the bytes that go over the wire: whole where it is always the same, with gaps where a user's variables stand.

use std::collections::BTreeMap;

use super::json;
use super::text::{Place, Text, Vars};
use crate::load::host::Origin;
use crate::model::plan::{RequestBody, RequestPlan};
use crate::model::template::{Piece, Template};

/// What is sent, for each instance of the service.
#[derive(Debug)]
pub(crate) struct Wire {
    heads: Vec<Text>,
    body: Option<Text>,
    /// Head and body in one, if neither has a gap.
    fixed: Vec<Vec<u8>>,
}

impl Wire {
    pub(super) fn compile(request: &RequestPlan, origins: &[Origin], names: &BTreeMap<String, usize>) -> Result<Self, String> {
        let method = request.method.to_ascii_uppercase();
        if !is_token(&method) {
            return Err(format!("`{}` is no HTTP method", request.method));
        }
        let body = request.body.as_ref().map(|body| {
            Ok(match body {
                RequestBody::Text(template) => {
                    let mut text = Text::default();
                    text.push_template(template, Place::Text, names);
                    text
                }
                RequestBody::Json(value) => json::compile(value, names),
                RequestBody::Form(_) | RequestBody::File(_) | RequestBody::Multipart(_) => return Err("a form, file or multipart body".to_owned()),
            })
        });
        let body = body.transpose()?;
        let lines = header_lines(request, names)?;
        let heads: Vec<Text> = origins.iter().map(|origin| head(&method, request, origin, &lines, names)).collect();
        let mut wire = Self { heads, body, fixed: Vec::new() };
        if wire.heads.iter().chain(&wire.body).all(Text::is_plain) {
            wire.fixed = (0..origins.len()).map(|at| wire.rendered(at)).collect();
        }
        Ok(wire)
    }

    /// The bytes for an instance; `scratch` is used where they depend on the user.
    pub(crate) fn bytes<'a>(&'a self, origin: usize, vars: &Vars, scratch: &'a mut Vec<u8>) -> &'a [u8] {
        if let Some(fixed) = self.fixed.get(origin) {
            return fixed;
        }
        scratch.clear();
        self.render(origin, vars, scratch);
        scratch
    }

    fn rendered(&self, origin: usize) -> Vec<u8> {
        let mut out = Vec::new();
        self.render(origin, &[], &mut out);
        out
    }

    fn render(&self, origin: usize, vars: &Vars, out: &mut Vec<u8>) {
        if let Some(head) = self.heads.get(origin) {
            head.render(vars, out);
        }
        let Some(body) = &self.body else {
            out.extend_from_slice(b"\r\n");
            return;
        };
        let mut content = Vec::new();
        body.render(vars, &mut content);
        out.extend_from_slice(format!("Content-Length: {}\r\n\r\n", content.len()).as_bytes());
        out.extend_from_slice(&content);
    }
}

/// Everything but Host, Content-Length and the end.
fn header_lines(request: &RequestPlan, names: &BTreeMap<String, usize>) -> Result<Text, String> {
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
    match &request.body {
        Some(RequestBody::Json(_)) if !given("content-type") => lines.push(b"Content-Type: application/json\r\n"),
        Some(RequestBody::Text(_)) if !given("content-type") => lines.push(b"Content-Type: text/plain; charset=utf-8\r\n"),
        None if matches!(request.method.to_ascii_uppercase().as_str(), "POST" | "PUT" | "PATCH") => lines.push(b"Content-Length: 0\r\n"),
        _ => {}
    }
    Ok(lines)
}

fn head(method: &str, request: &RequestPlan, origin: &Origin, lines: &Text, names: &BTreeMap<String, usize>) -> Text {
    let mut head = Text::default();
    head.push(format!("{method} {}", origin.base).as_bytes());
    head.push_path(&request.path, names);
    head.push(b" HTTP/1.1\r\n");
    if !request.headers.keys().any(|k| k.eq_ignore_ascii_case("host")) {
        head.push(format!("Host: {}\r\n", origin.host).as_bytes());
    }
    head.append(lines.clone());
    head
}

fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

fn is_header_text(value: &Template) -> bool {
    value.pieces().iter().all(|p| !matches!(p, Piece::Text(t) if t.bytes().any(|b| b < b' ' && b != b'\t' || b == 0x7f)))
}

#[cfg(test)]
mod tests {
    use super::super::text::Value;
    use super::*;
    use crate::load::testkit;

    fn wire(request: &RequestPlan, names: &[&str]) -> Result<Wire, String> {
        let names = names.iter().enumerate().map(|(i, n)| ((*n).to_owned(), i)).collect();
        Wire::compile(request, &[Origin::new("shop:80".to_owned(), "/v1".to_owned(), Vec::new())], &names)
    }

    fn bytes(wire: &Wire, vars: &Vars) -> String {
        let mut scratch = Vec::new();
        String::from_utf8(wire.bytes(0, vars, &mut scratch).to_vec()).unwrap()
    }

    #[test]
    fn a_plain_request_is_made_once() {
        let request = testkit::get("/items?x=1");
        let wire = wire(&request, &[]).unwrap();
        let text = bytes(&wire, &[]);
        assert!(text.starts_with("GET /v1/items?x=1 HTTP/1.1\r\nHost: shop:80\r\nUser-Agent: plimsoll/"), "{text}");
        assert!(text.ends_with("Accept: */*\r\n\r\n"), "{text}");
        let (mut a, mut b) = (Vec::new(), Vec::new());
        assert!(std::ptr::eq(wire.bytes(0, &[], &mut a), wire.bytes(0, &[], &mut b)), "no copy for each request");
    }

    #[test]
    fn variables_fill_path_headers_and_body() {
        let mut request = testkit::get("items/{id}");
        request.method = "post".to_owned();
        request.headers.insert("Authorization".to_owned(), Template::parse("Bearer {token}"));
        request.body = Some(RequestBody::Json(serde_json::json!({"id": "{id}"})));
        let wire = wire(&request, &["id", "token"]).unwrap();
        let vars = [Some(Value { text: "5".to_owned(), bare: true }), Some(Value { text: "abc".to_owned(), bare: false })];
        let text = bytes(&wire, &vars);
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
            let text = bytes(&wire, &[Some(Value { text: value.to_owned(), bare: false })]);
            assert!(text.starts_with(line), "{path}: {text}");
        }
    }

    #[test]
    fn a_post_without_body_says_so() {
        let mut request = testkit::get("/x");
        request.method = "POST".to_owned();
        assert!(bytes(&wire(&request, &[]).unwrap(), &[]).ends_with("Content-Length: 0\r\n\r\n"));
    }

    #[test]
    fn own_headers_replace_the_usual_ones() {
        let mut request = testkit::get("/x");
        for (name, value) in [("host", "other"), ("user-agent", "me"), ("Accept", "text/html")] {
            request.headers.insert(name.to_owned(), Template::parse(value));
        }
        let text = bytes(&wire(&request, &[]).unwrap(), &[]);
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
}
