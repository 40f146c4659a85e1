//! Reads single values: texts, numbers, quantities with their units, lists, JSON. It may import the rest of `profile/`; it must
//! not know which key it reads for.

use std::str::FromStr;

use serde_json::{Map, Number, Value};
use toml::de::{DeArray, DeTable, DeValue};

use super::reader::{At, Node, Reader, Table};
use crate::model::template::Template;
use crate::model::units::{Rate, Span, UnitError};
use crate::profile::error::Problem;
use crate::profile::secret::{self, Text};

/// Text with placeholders, with its secrets and as it may be shown.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::profile) struct Pattern {
    /// With the secrets.
    pub(in crate::profile) value: Template,
    /// As it was written.
    pub(in crate::profile) shown: Template,
}

/// A JSON value, with its secrets and as it may be shown.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::profile) struct Json {
    /// With the secrets.
    pub(in crate::profile) value: Value,
    /// As it was written.
    pub(in crate::profile) shown: Value,
}

/// A text.
pub(super) fn text(r: &mut Reader<'_>, node: &Node<'_>) -> Option<Text> {
    let written = string(r, node)?;
    let value = r.replace(node, written, str::to_owned)?;
    Some(Text { value, shown: secret::mask(written) })
}

/// A text; a number, true or false is the text it is written as.
pub(super) fn word(r: &mut Reader<'_>, node: &Node<'_>) -> Option<Text> {
    match node.value() {
        DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_) => {
            let written = r.written(node);
            Some(Text { value: written.clone(), shown: written })
        }
        _ => text(r, node),
    }
}

/// A text with placeholders.
pub(super) fn pattern(r: &mut Reader<'_>, node: &Node<'_>) -> Option<Pattern> {
    let written = string(r, node)?;
    let value = r.replace(node, written, no_placeholders)?;
    Some(Pattern { value: Template::parse(&value), shown: Template::parse(&secret::mask(written)) })
}

/// A secret's braces are its own: no placeholder begins in it.
fn no_placeholders(value: &str) -> String {
    value.replace('{', "{{").replace('}', "}}")
}

fn string<'d>(r: &mut Reader<'_>, node: &Node<'d>) -> Option<&'d str> {
    match node.value() {
        DeValue::String(text) => Some(text),
        _ => r.refuse(node.expected("text", "write it in quotes, as \"…\"")),
    }
}

/// One of a few words.
pub(super) fn one_of<T: Copy>(words: &'static [(&'static str, T)]) -> impl Fn(&mut Reader<'_>, &Node<'_>) -> Option<T> {
    move |r, node| {
        let written = text(r, node)?;
        if let Some((_, value)) = words.iter().find(|(word, _)| *word == written.value) {
            return Some(*value);
        }
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let problem = node.at(()).problem(&format!("{} is not known here", r.written(node)), format!("write one of {}", quoted(&known)));
        r.refuse(problem)
    }
}

/// Words in quotes, for a hint.
pub(in crate::profile) fn quoted(words: &[&str]) -> String {
    words.iter().map(|w| format!("\"{w}\"")).collect::<Vec<_>>().join(", ")
}

/// How a number is written; the one in quotes, if that is what was found.
fn unquoted<T: FromStr>(node: &Node<'_>, example: &str) -> String {
    let found = match node.value() {
        DeValue::String(text) if text.parse::<T>().is_ok() => text,
        _ => example,
    };
    format!("write it without quotes, as {found}")
}

/// A finite number.
pub(super) fn number(r: &mut Reader<'_>, node: &Node<'_>) -> Option<f64> {
    let found = match node.value() {
        DeValue::Integer(n) => n.to_string().parse::<f64>().ok().or_else(|| integer(node).map(|n| n as f64)),
        DeValue::Float(n) => n.as_str().replace('_', "").parse::<f64>().ok(),
        _ => return r.refuse(node.expected("a number", &unquoted::<f64>(node, "50"))),
    };
    found.filter(|n| n.is_finite()).or_else(|| {
        let problem = node.at(()).problem(&format!("`{}` is no number to go by", r.written(node)), "write a plain number, as 50");
        r.refuse(problem)
    })
}

/// A whole number from 0 up.
pub(super) fn whole(r: &mut Reader<'_>, node: &Node<'_>) -> Option<u64> {
    if !matches!(node.value(), DeValue::Integer(_)) {
        return r.refuse(node.expected("a whole number", &unquoted::<u64>(node, "2")));
    }
    integer(node).and_then(|n| u64::try_from(n).ok()).or_else(|| {
        let problem = node.at(()).problem(&format!("`{}` is out of bounds", r.written(node)), "write a whole number from 0 up");
        r.refuse(problem)
    })
}

/// Nothing that is counted here is more than this: users, repeats, rows at once.
const MOST: u32 = 1_000_000;

/// A whole number from 0 to four thousand million.
pub(super) fn count(r: &mut Reader<'_>, node: &Node<'_>) -> Option<u32> {
    let n = whole(r, node)?;
    let counted = u32::try_from(n).ok().filter(|n| *n <= MOST);
    counted.or_else(|| r.refuse(node.at(()).problem(&format!("`{n}` is too large"), format!("write a whole number up to {MOST}"))))
}

fn integer(node: &Node<'_>) -> Option<i64> {
    match node.value() {
        DeValue::Integer(n) => i64::from_str_radix(&n.as_str().replace('_', ""), n.radix()).ok(),
        _ => None,
    }
}

/// True or false.
pub(super) fn yes(r: &mut Reader<'_>, node: &Node<'_>) -> Option<bool> {
    match node.value() {
        DeValue::Boolean(yes) => Some(*yes),
        _ => r.refuse(node.expected("true or false", "write true or false, without quotes")),
    }
}

/// A length of time.
pub(super) fn span(r: &mut Reader<'_>, node: &Node<'_>) -> Option<Span> {
    quantity(r, node, "a time", "0s")
}

/// A rate.
pub(super) fn rate(r: &mut Reader<'_>, node: &Node<'_>) -> Option<Rate> {
    quantity(r, node, "a rate", "0/s")
}

/// A quantity with its unit. The unit's own error is told with the text as written, since the value may come from a secret.
fn quantity<T: FromStr<Err = UnitError>>(r: &mut Reader<'_>, node: &Node<'_>, what: &str, sample: &str) -> Option<T> {
    let (written, value) = match node.value() {
        DeValue::String(_) => {
            let text = text(r, node)?;
            (text.shown, text.value)
        }
        DeValue::Integer(_) | DeValue::Float(_) => (r.written(node), r.written(node)),
        _ => return r.refuse(node.expected(what, &hint_of::<T>(sample))),
    };
    match value.parse::<T>() {
        Ok(quantity) => Some(quantity),
        Err(error) => r.refuse(unit_problem(node, &written, &error)),
    }
}

fn unit_problem(node: &Node<'_>, written: &str, error: &UnitError) -> Problem {
    match error {
        UnitError::NoUnit { hint, .. } => node.at(()).problem(&format!("`{written}` has no unit"), hint.as_str()),
        UnitError::Malformed { what, hint, .. } => node.at(()).problem(&format!("`{written}` is not {what}"), hint.as_str()),
    }
}

/// The hint of a unit, from the unit itself.
fn hint_of<T: FromStr<Err = UnitError>>(sample: &str) -> String {
    match sample.trim_end_matches(|c: char| !c.is_ascii_digit()).parse::<T>() {
        Err(UnitError::NoUnit { hint, .. } | UnitError::Malformed { hint, .. }) => hint,
        Ok(_) => format!("write it as \"{sample}\""),
    }
}

/// A list of things that are read alike.
pub(super) fn list<'d, T>(read: impl Fn(&mut Reader<'_>, &Node<'d>) -> Option<T>) -> impl Fn(&mut Reader<'_>, &Node<'d>) -> Option<Vec<At<T>>> {
    move |r, node| {
        let DeValue::Array(items) = node.value() else {
            return r.refuse(node.expected("a list", "write it in brackets, as [ …, … ]"));
        };
        let nodes: Vec<Node<'d>> = items.iter().map(|item| Node::new(item, node.path.clone())).collect();
        // Every item is read before any is given up, so that all of them report.
        let read: Vec<Option<At<T>>> = nodes.iter().map(|n| read(r, n).map(|value| n.at(value))).collect();
        read.into_iter().collect()
    }
}

/// Two things of a kind.
pub(super) fn pair<'d, T: Clone>(
    example: &'static str,
    read: impl Fn(&mut Reader<'_>, &Node<'d>) -> Option<T>,
) -> impl Fn(&mut Reader<'_>, &Node<'d>) -> Option<(At<T>, At<T>)> {
    let items = list(read);
    move |r, node| match items(r, node)?.as_slice() {
        [a, b] => Some((a.clone(), b.clone())),
        other => r.refuse(node.at(()).problem(&format!("expected two, found {}", other.len()), format!("write both, as {example}"))),
    }
}

/// One thing, or two of a kind: at the begin and at the end.
pub(super) fn ends<'d, T: Clone>(
    r: &mut Reader<'_>,
    node: &Node<'d>,
    example: &'static str,
    read: impl Fn(&mut Reader<'_>, &Node<'d>) -> Option<T>,
) -> Option<(At<T>, At<T>)> {
    if matches!(node.value(), DeValue::Array(_)) {
        return pair(example, read)(r, node);
    }
    let one = node.at(read(r, node)?);
    Some((one.clone(), one))
}

/// What stands under keys of the user's own, in the order of the text.
pub(in crate::profile) type Named<T> = Vec<(At<String>, At<T>)>;

/// A table whose keys are the user's own.
pub(super) fn map<'d, T>(
    example: &'static str,
    read: impl Fn(&mut Reader<'_>, &Node<'d>) -> Option<T>,
) -> impl Fn(&mut Reader<'_>, &Node<'d>) -> Option<Named<T>> {
    move |r, node| {
        let entries = Table::of(r, node, example)?.free();
        let read: Vec<Option<(At<String>, At<T>)>> =
            entries.into_iter().map(|e| read(r, &e.node).map(|value| (e.key.clone(), e.node.at(value)))).collect();
        read.into_iter().collect()
    }
}

/// Any value as JSON.
pub(super) fn json(r: &mut Reader<'_>, node: &Node<'_>) -> Option<Json> {
    match node.value() {
        DeValue::String(_) => {
            let written = string(r, node)?;
            let value = r.replace(node, written, no_placeholders)?;
            Some(Json { value: Value::String(value), shown: Value::String(secret::mask(written)) })
        }
        DeValue::Integer(_) => match integer(node) {
            Some(n) => Some(same(Value::from(n))),
            None => number(r, node).and_then(Number::from_f64).map(|n| same(Value::Number(n))),
        },
        DeValue::Float(_) => number(r, node).and_then(Number::from_f64).map(|n| same(Value::Number(n))),
        DeValue::Boolean(yes) => Some(same(Value::Bool(*yes))),
        DeValue::Datetime(_) => r.refuse(node.expected("a JSON value", "write a date in quotes, as text")),
        DeValue::Array(items) => json_list(r, node, items),
        DeValue::Table(table) => json_object(r, node, table),
    }
}

fn same(value: Value) -> Json {
    Json { shown: value.clone(), value }
}

fn json_list<'d>(r: &mut Reader<'_>, node: &Node<'d>, items: &'d DeArray<'d>) -> Option<Json> {
    let read: Vec<Option<Json>> = items.iter().map(|item| json(r, &Node::new(item, node.path.clone()))).collect();
    let read: Vec<Json> = read.into_iter().collect::<Option<_>>()?;
    let (value, shown) = read.into_iter().map(|j| (j.value, j.shown)).unzip();
    Some(Json { value: Value::Array(value), shown: Value::Array(shown) })
}

fn json_object<'d>(r: &mut Reader<'_>, node: &Node<'d>, table: &'d DeTable<'d>) -> Option<Json> {
    let entries = Table::new(table, node.span(), &node.path).free();
    let read: Vec<Option<(String, Json)>> = entries.into_iter().map(|e| json(r, &e.node).map(|j| (e.key.value, j))).collect();
    let (mut value, mut shown) = (Map::new(), Map::new());
    for (key, json) in read.into_iter().collect::<Option<Vec<_>>>()? {
        value.insert(key.clone(), json.value);
        shown.insert(key, json.shown);
    }
    Some(Json { value: Value::Object(value), shown: Value::Object(shown) })
}
