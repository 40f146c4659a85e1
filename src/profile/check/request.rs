//! Checks the requests of scenarios: paths, queries, bodies, tags, names. It may import the rest of `profile/`.

use std::collections::BTreeMap;

use super::names::{self, Scope, check_json, check_pattern};
use super::{Context, answer, http};
use crate::model::plan::{Extract, PartContent, RequestBody, RequestPart, RequestPlan};
use crate::model::template::Template;
use crate::profile::raw::leaf::{Named, Pattern};
use crate::profile::raw::reader::At;
use crate::profile::raw::request::{RawBody, RawPart, RawRequest};
use crate::profile::secret::Text;

/// A request, and what it extracts for those that follow.
pub(super) fn next(c: &mut Context<'_>, raw: &RawRequest, scope: &mut Scope) -> RequestPlan {
    let plan = request(c, raw, scope);
    scope.extracted(raw);
    plan
}

fn request(c: &mut Context<'_>, raw: &RawRequest, scope: &Scope) -> RequestPlan {
    http::path(c, &raw.path, scope);
    for status in &raw.expect_status {
        http::status(c, status);
    }
    let query = parameters(c, &raw.query, scope);
    let headers = http::headers(c, &raw.headers, scope);
    let body = body(c, &raw.body, scope);
    let checks = raw.checks.iter().filter_map(|check| answer::check(c, raw, check, scope)).collect();
    let extract: BTreeMap<String, Extract> =
        raw.extract.iter().filter_map(|(name, from)| Some((name.value.clone(), answer::extract(c, raw, name, from)?))).collect();
    RequestPlan {
        name: name(c, raw),
        method: raw.method.to_owned(),
        path: c.pattern(&raw.path.value),
        query,
        headers,
        body,
        expect_status: raw.expect_status.iter().filter_map(|s| u16::try_from(s.value).ok()).collect(),
        checks,
        extract,
        tags: tags(c, &raw.tags),
    }
}

/// The name as written, or method and path template. Figures are known by it, so it never holds a secret.
fn name(c: &mut Context<'_>, raw: &RawRequest) -> String {
    match &raw.name {
        Some(name) if name.value.value.trim().is_empty() => {
            c.refuse(name, "an empty name", "write a name, or leave it out: method and path will do");
            String::new()
        }
        Some(name) => name.value.shown.clone(),
        None => {
            let path: &Template = &raw.path.value.shown;
            format!("{} {path}", raw.method)
        }
    }
}

/// Parameters of a query or a form: names as they are, values with placeholders.
fn parameters(c: &mut Context<'_>, raw: &Named<Pattern>, scope: &Scope) -> BTreeMap<String, Template> {
    for (name, value) in raw {
        if name.value.is_empty() {
            c.refuse(name, "a parameter without a name", "write a name before the value");
        }
        check_pattern(c, value, scope);
    }
    raw.iter().map(|(name, value)| (name.value.clone(), c.pattern(&value.value))).collect()
}

/// Tags: figures are kept by them, so each has one value, and it is not secret.
pub(super) fn tags(c: &mut Context<'_>, raw: &Named<Text>) -> BTreeMap<String, String> {
    for (name, value) in raw {
        names::check_tag(c, name, value);
    }
    raw.iter().map(|(name, value)| (name.value.clone(), value.value.shown.clone())).collect()
}

fn body(c: &mut Context<'_>, raw: &RawBody, scope: &Scope) -> Option<RequestBody> {
    let written = [
        ("json", raw.json.as_ref().map(|j| j.with(()))),
        ("body", raw.text.as_ref().map(|t| t.with(()))),
        ("form", raw.form.as_ref().map(|f| f.with(()))),
        ("file", raw.file.as_ref().map(|f| f.with(()))),
        ("multipart", raw.multipart.as_ref().map(|m| m.with(()))),
    ];
    let written: Vec<(&str, At<()>)> = written.into_iter().filter_map(|(key, at)| Some((key, at?))).collect();
    if let [(first, _), (second, at), ..] = written.as_slice() {
        c.refuse(at, &format!("both `{first}` and `{second}`"), "a request has one body: leave one of them out");
        return None;
    }
    if let Some(json) = &raw.json {
        check_json(c, json, scope);
        return Some(RequestBody::Json(c.json(&json.value)));
    }
    if let Some(text) = &raw.text {
        check_pattern(c, text, scope);
        return Some(RequestBody::Text(c.pattern(&text.value)));
    }
    if let Some(form) = &raw.form {
        return Some(RequestBody::Form(parameters(c, &form.value, scope)));
    }
    if let Some(file) = &raw.file {
        c.file(file);
        return Some(RequestBody::File(c.text(&file.value)));
    }
    let parts = raw.multipart.as_ref()?;
    if parts.value.is_empty() {
        c.refuse(parts, "a multipart body without parts", "add one, as { name = \"photo\", file = \"photo.jpg\" }");
    }
    Some(RequestBody::Multipart(parts.value.iter().filter_map(|p| part(c, p, scope)).collect()))
}

fn part(c: &mut Context<'_>, at: &At<RawPart>, scope: &Scope) -> Option<RequestPart> {
    let RawPart { name, text, file, media_type } = &at.value;
    let one_line = |text: &str| !text.trim().is_empty() && !text.chars().any(char::is_control);
    if !one_line(&name.value.value) {
        c.refuse(name, "no name for a part", "write the name of its field, as \"photo\"");
    }
    if let Some(kind) = media_type.as_ref().filter(|m| !one_line(&m.value.value) || !m.value.value.contains('/')) {
        c.refuse(kind, &format!("`{}` is no media type", kind.value.shown), "write it as \"image/jpeg\"");
    }
    let content = match (text, file) {
        (Some(text), None) => {
            check_pattern(c, text, scope);
            PartContent::Text(c.pattern(&text.value))
        }
        (None, Some(file)) => {
            c.file(file);
            PartContent::File(c.text(&file.value))
        }
        (both, _) => {
            let what = if both.is_some() { "both `text` and `file`" } else { "a part that holds nothing" };
            c.refuse(at, what, "write text = \"…\" or file = \"photo.jpg\"");
            return None;
        }
    };
    Some(RequestPart { name: c.text(&name.value), content, media_type: media_type.as_ref().map(|m| c.text(&m.value)) })
}
