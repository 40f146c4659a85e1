//! Reads `[[scenario]]` with its steps and requests. It may import the rest of `profile/`; it must not judge placeholders.

use super::leaf::{self, Named, Pattern};
use super::reader::{At, Node, Reader, Table};
use super::setting::{self, RawContent};
use crate::model::plan::Think;
use crate::model::units::Span;
use crate::profile::secret::Text;

/// The methods a request may have: the key is the method in small letters.
pub(in crate::profile) const METHODS: [(&str, &str); 7] =
    [("get", "GET"), ("post", "POST"), ("put", "PUT"), ("patch", "PATCH"), ("delete", "DELETE"), ("head", "HEAD"), ("options", "OPTIONS")];

/// `[[scenario]]`.
#[derive(Debug)]
pub(in crate::profile) struct RawScenario {
    pub(in crate::profile) name: At<Text>,
    pub(in crate::profile) weight: Option<At<f64>>,
    pub(in crate::profile) think: Option<At<Think>>,
    pub(in crate::profile) once: Vec<At<RawRequest>>,
    pub(in crate::profile) steps: At<Vec<At<RawStep>>>,
}

/// `[[scenario.step]]`.
#[derive(Debug)]
pub(in crate::profile) struct RawStep {
    pub(in crate::profile) weight: Option<At<f64>>,
    pub(in crate::profile) think: Option<At<Think>>,
    pub(in crate::profile) request: RawRequest,
}

/// One request.
#[derive(Debug)]
pub(in crate::profile) struct RawRequest {
    pub(in crate::profile) name: Option<At<Text>>,
    pub(in crate::profile) method: &'static str,
    pub(in crate::profile) path: At<Pattern>,
    pub(in crate::profile) headers: Named<Pattern>,
    pub(in crate::profile) content: RawContent,
    pub(in crate::profile) expect_status: Vec<At<u32>>,
    pub(in crate::profile) extract: Named<Text>,
}

pub(super) fn scenario(r: &mut Reader<'_>, node: &Node<'_>) -> Option<RawScenario> {
    let mut t = Table::of(r, node, "[[scenario]] with a name")?;
    let name = t.need(r, "name", "name = \"browse\"", leaf::text);
    let weight = t.take(r, "weight", leaf::number);
    let think = t.take(r, "think", think);
    let once = t.take(r, "once", leaf::list(once));
    let steps = t.need(r, "step", "[[scenario.step]] with get = \"/\"", leaf::list(step));
    t.not_yet(r, &["feeder", "phase", "population"]);
    t.done(r);
    Some(RawScenario { name: name?, weight, think, once: once.map(|o| o.value).unwrap_or_default(), steps: steps? })
}

fn once(r: &mut Reader<'_>, node: &Node<'_>) -> Option<RawRequest> {
    let mut t = Table::of(r, node, "[[scenario.once]] with post = \"/login\"")?;
    let request = request(r, &mut t);
    t.done(r);
    request
}

fn step(r: &mut Reader<'_>, node: &Node<'_>) -> Option<RawStep> {
    let mut t = Table::of(r, node, "[[scenario.step]] with get = \"/\"")?;
    let weight = t.take(r, "weight", leaf::number);
    let think = t.take(r, "think", think);
    let request = request(r, &mut t);
    t.done(r);
    Some(RawStep { weight, think, request: request? })
}

fn request(r: &mut Reader<'_>, t: &mut Table<'_>) -> Option<RawRequest> {
    let name = t.take(r, "name", leaf::text);
    let target = method(r, t);
    let headers = setting::headers(r, t);
    let content = setting::content(r, t);
    let expect = t.take(r, "expect", expect);
    let extract = t.take(r, "extract", leaf::map("extract = { token = \"json:$.accessToken\" }", leaf::text));
    let (method, path) = target?;
    Some(RawRequest {
        name,
        method,
        path,
        headers,
        content,
        expect_status: expect.map(|e| e.value).unwrap_or_default(),
        extract: extract.map(|e| e.value).unwrap_or_default(),
    })
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
        if matches!(node.value(), toml::de::DeValue::Integer(_)) {
            return leaf::count(r, node).map(|n| vec![node.at(n)]);
        }
        leaf::list(leaf::count)(r, node)
    });
    t.done(r);
    Some(status?.value)
}

/// A think time: one of four forms.
fn think(r: &mut Reader<'_>, node: &Node<'_>) -> Option<Think> {
    const EXAMPLE: &str = "think = { between = [\"3s\", \"8s\"] }, or with fixed, exponential or normal";
    let mut t = Table::of(r, node, EXAMPLE)?;
    let two = |r: &mut Reader<'_>, n: &Node<'_>| leaf::pair("[\"3s\", \"8s\"]", leaf::span)(r, n);
    let fixed = t.take(r, "fixed", leaf::span).map(|s| Think::Fixed(s.value));
    let between = t.take(r, "between", two);
    let exponential = t.take(r, "exponential", leaf::span).map(|s| Think::Exponential(s.value));
    let normal = t.take(r, "normal", two).map(|s| Think::Normal(s.value.0.value, s.value.1.value));
    t.done(r);
    let between = match between {
        Some(b) if b.value.0.value > b.value.1.value => {
            let (low, high): (&At<Span>, &At<Span>) = (&b.value.0, &b.value.1);
            return r
                .refuse(b.problem(&format!("`{}` is longer than `{}`", low.value, high.value), "write the shorter time first, as [\"3s\", \"8s\"]"));
        }
        other => other.map(|b| Think::Between(b.value.0.value, b.value.1.value)),
    };
    let forms: Vec<Think> = [fixed, between, exponential, normal].into_iter().flatten().collect();
    match forms.as_slice() {
        [one] => Some(*one),
        [] => r.refuse(node.at(()).problem("no think time", format!("write it as {EXAMPLE}"))),
        _ => r.refuse(node.at(()).problem("more than one form of think time", format!("write one, as {EXAMPLE}"))),
    }
}
