//! A request's body as bytes with gaps, and the media type that goes with it.

use std::path::Path;

use super::encode;
use super::json;
use super::names::Names;
use super::text::{Place, Text};
use crate::load::files::Files;
use crate::model::plan::{PartContent, RequestBody, RequestPart};

/// What a body needs to know.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    /// What placeholders stand for.
    pub(super) names: &'a Names<'a>,
    /// The files that were read.
    pub(super) files: &'a Files,
    /// What stands between the parts of a multipart body.
    pub(super) boundary: &'a str,
}

/// A body and what it is.
#[derive(Debug)]
pub(super) struct Content {
    /// Its bytes.
    pub(super) text: Text,
    /// Its media type, unless the profile gives another.
    pub(super) media_type: String,
}

impl Content {
    pub(super) fn compile(body: &RequestBody, around: Around<'_>) -> Result<Self, String> {
        let mut text = Text::default();
        let media_type = match body {
            RequestBody::Text(template) => {
                text.push_template(template, Place::Text, around.names);
                "text/plain; charset=utf-8".to_owned()
            }
            RequestBody::Json(value) => {
                text = json::compile(value, around.names);
                "application/json".to_owned()
            }
            RequestBody::Form(fields) => {
                for (at, (name, value)) in fields.iter().enumerate() {
                    text.push(if at > 0 { b"&" } else { b"" });
                    text.push_written(name, Place::Form);
                    text.push(b"=");
                    text.push_template(value, Place::Form, around.names);
                }
                "application/x-www-form-urlencoded".to_owned()
            }
            RequestBody::File(name) => {
                text.push(around.files.get(name));
                media_type_of(name).to_owned()
            }
            RequestBody::Multipart(parts) => {
                for part in parts {
                    push_part(part, around, &mut text)?;
                }
                text.push(format!("--{}--\r\n", around.boundary).as_bytes());
                format!("multipart/form-data; boundary={}", around.boundary)
            }
        };
        Ok(Self { text, media_type })
    }
}

fn push_part(part: &RequestPart, around: Around<'_>, text: &mut Text) -> Result<(), String> {
    let (file, usual) = match &part.content {
        PartContent::Text(_) => (None, "text/plain; charset=utf-8"),
        PartContent::File(name) => (Some(name), "application/octet-stream"),
    };
    let media_type = part.media_type.as_deref().unwrap_or(usual);
    if media_type.bytes().any(|b| b < b' ' || b == 0x7f) {
        return Err(format!("the media type of part `{}` holds a line end or another control character", part.name));
    }
    let file_name = file.map_or_else(String::new, |name| format!("; filename=\"{}\"", quoted(last_of(name))));
    text.push(format!("--{}\r\nContent-Disposition: form-data; name=\"{}\"{file_name}\r\n", around.boundary, quoted(&part.name)).as_bytes());
    text.push(format!("Content-Type: {media_type}\r\n\r\n").as_bytes());
    match &part.content {
        PartContent::Text(template) => text.push_template(template, Place::Part, around.names),
        PartContent::File(name) => text.push(around.files.get(name)),
    }
    text.push(b"\r\n");
    Ok(())
}

/// Whether any part holds the boundary, so that another is needed.
pub(super) fn parts_hold(parts: &[RequestPart], boundary: &str, files: &Files) -> bool {
    parts.iter().any(|part| match &part.content {
        PartContent::Text(template) => {
            let mut text = Text::default();
            text.push_template(template, Place::Part, &Names::default());
            text.holds(boundary.as_bytes())
        }
        PartContent::File(name) => files.get(name).windows(boundary.len()).any(|w| w == boundary.as_bytes()),
    })
}

/// As browsers write names inside quotes.
fn quoted(name: &str) -> String {
    let mut bytes = Vec::new();
    encode::in_header(&name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A"), &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

fn last_of(path: &str) -> &str {
    Path::new(path).file_name().and_then(|n| n.to_str()).unwrap_or(path)
}

/// What a file probably is.
fn media_type_of(name: &str) -> &'static str {
    let ending = Path::new(name).extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    match ending.as_str() {
        "json" => "application/json",
        "xml" => "application/xml",
        "txt" => "text/plain; charset=utf-8",
        "csv" => "text/csv; charset=utf-8",
        "html" => "text/html; charset=utf-8",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "pdf" => "application/pdf",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::load::fill::{Value, Vars};
    use crate::model::template::Template;

    const BOUNDARY: &str = "plimsoll-part-7";

    fn rendered(body: &RequestBody) -> (String, String) {
        let own = BTreeMap::from([("v".to_owned(), 0)]);
        let names = Names { own: Some(&own), ..Names::default() };
        let files = Files::default().with("docs/a.json", b"{\"x\": 1}").with("docs/b", b"\x01\xff");
        let content = Content::compile(body, Around { names: &names, files: &files, boundary: BOUNDARY }).unwrap();
        let (mut vars, mut out) = (Vars::new(1), Vec::new());
        vars.set(0, Some(Value { text: "a&b \"c\"\r\n".to_owned(), bare: false }));
        content.text.render(&vars, &mut out);
        (content.media_type, String::from_utf8_lossy(&out).into_owned())
    }

    fn part(name: &str, content: PartContent, media_type: Option<&str>) -> RequestPart {
        RequestPart { name: name.to_owned(), content, media_type: media_type.map(str::to_owned) }
    }

    #[test]
    fn a_form_is_encoded() {
        let fields = [("user name", "x{v}"), ("z", "1 2")].map(|(n, v)| (n.to_owned(), Template::parse(v)));
        let (media_type, text) = rendered(&RequestBody::Form(fields.into()));
        assert_eq!((media_type.as_str(), text.as_str()), ("application/x-www-form-urlencoded", "user+name=xa%26b+%22c%22%0D%0A&z=1+2"));
    }

    #[test]
    fn a_file_is_sent_as_it_is() {
        assert_eq!(rendered(&RequestBody::File("docs/a.json".to_owned())), ("application/json".to_owned(), "{\"x\": 1}".to_owned()));
        assert_eq!(rendered(&RequestBody::File("docs/b".to_owned())).0, "application/octet-stream");
    }

    #[test]
    fn parts_stand_between_boundaries() {
        let parts = vec![
            part("no\"te\r\n", PartContent::Text(Template::parse("<{v}>")), None),
            part("doc", PartContent::File("docs/a.json".to_owned()), Some("application/json")),
            part("raw", PartContent::File("docs/b".to_owned()), None),
        ];
        let (media_type, text) = rendered(&RequestBody::Multipart(parts));
        assert_eq!(media_type, "multipart/form-data; boundary=plimsoll-part-7");
        let wanted = "--plimsoll-part-7\r\nContent-Disposition: form-data; name=\"no%22te%0D%0A\"\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n\
             <a&b \"c\"\r\n>\r\n\
             --plimsoll-part-7\r\nContent-Disposition: form-data; name=\"doc\"; filename=\"a.json\"\r\nContent-Type: application/json\r\n\r\n{\"x\": 1}\r\n\
             --plimsoll-part-7\r\nContent-Disposition: form-data; name=\"raw\"; filename=\"b\"\r\nContent-Type: application/octet-stream\r\n\r\n\u{1}\u{fffd}\r\n\
             --plimsoll-part-7--\r\n";
        assert_eq!(text, wanted);
    }

    #[test]
    fn a_part_that_holds_the_boundary_is_found() {
        let files = Files::default().with("f", b"x plimsoll-part-7");
        let holds = |content| parts_hold(&[part("p", content, None)], BOUNDARY, &files);
        assert!(holds(PartContent::Text(Template::parse("a plimsoll-part-7"))) && holds(PartContent::File("f".to_owned())));
        assert!(!holds(PartContent::Text(Template::parse("plimsoll-part-8"))));
    }

    #[test]
    fn a_media_type_with_a_line_end_is_refused() {
        let parts = vec![part("p", PartContent::Text(Template::parse("x")), Some("a/b\r\nEvil: 1"))];
        let files = Files::default();
        assert!(Content::compile(&RequestBody::Multipart(parts), Around { names: &Names::default(), files: &files, boundary: BOUNDARY }).is_err());
    }
}
