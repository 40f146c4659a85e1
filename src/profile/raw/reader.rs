//! Walks the document tree: every key is taken by name, what nobody took is unknown, and every problem is kept with its place.
//! It may import the rest of `profile/`; it must not know what any key means.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use crate::model::text::{clean_short, nearest};
use crate::profile::error::Problem;
use crate::profile::secret;

/// A value with its place in the text and the key it stands under.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::profile) struct At<T> {
    /// The value.
    pub(in crate::profile) value: T,
    /// Where it stands, by bytes.
    pub(in crate::profile) span: Range<usize>,
    /// The whole key: `experiment.measure.min`.
    pub(in crate::profile) path: String,
}

impl<T> At<T> {
    /// Another value at the same place.
    pub(in crate::profile) fn with<U>(&self, value: U) -> At<U> {
        At { value, span: self.span.clone(), path: self.path.clone() }
    }

    /// A problem at this place.
    pub(in crate::profile) fn problem(&self, what: &str, hint: impl Into<String>) -> Problem {
        Problem { span: self.span.clone(), message: format!("`{}`: {what}", self.path), hint: Some(hint.into()) }
    }
}

/// What all readers share: the text, the environment and the problems found so far.
pub(super) struct Reader<'a> {
    text: &'a str,
    env: &'a dyn Fn(&str) -> Option<String>,
    problems: Vec<Problem>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, env: &'a dyn Fn(&str) -> Option<String>) -> Self {
        Self { text, env, problems: Vec::new() }
    }

    pub(super) fn into_problems(self) -> Vec<Problem> {
        self.problems
    }

    /// Notes a problem; nothing can be read from here.
    pub(super) fn refuse<T>(&mut self, problem: Problem) -> Option<T> {
        self.problems.push(problem);
        None
    }

    /// A node's text as it was written.
    pub(super) fn written(&self, node: &Node<'_>) -> String {
        clean_short(&secret::mask(self.text.get(node.span()).unwrap_or_default()), 60)
    }

    /// Replaces variables by the environment, each value passed through `guard` first.
    pub(super) fn replace(&mut self, node: &Node<'_>, written: &str, guard: fn(&str) -> String) -> Option<String> {
        match secret::replace(written, |name| (self.env)(name).map(|found| guard(&found))) {
            Ok(value) => Some(value),
            Err(missing) => {
                for name in missing {
                    let place = self.variable(node, &name);
                    let message = format!("`{}`: the environment has no variable `{name}`", node.path);
                    let hint = format!("set it before the run, as `{name}=… plimsoll run …`");
                    self.problems.push(Problem { span: place, message, hint: Some(hint) });
                }
                None
            }
        }
    }

    /// Where `${name}` stands inside a value.
    fn variable(&self, node: &Node<'_>, name: &str) -> Range<usize> {
        let span = node.span();
        let mark = format!("${{{name}}}");
        match self.text.get(span.clone()).and_then(|value| value.find(&mark)) {
            Some(at) => span.start + at..span.start + at + mark.len(),
            None => span,
        }
    }
}

/// A value of the document and the key it stands under.
pub(super) struct Node<'d> {
    value: &'d Spanned<DeValue<'d>>,
    /// The whole key.
    pub(super) path: String,
}

impl<'d> Node<'d> {
    pub(super) fn new(value: &'d Spanned<DeValue<'d>>, path: String) -> Self {
        Self { value, path }
    }

    pub(super) fn value(&self) -> &'d DeValue<'d> {
        self.value.get_ref()
    }

    pub(super) fn span(&self) -> Range<usize> {
        self.value.span()
    }

    pub(super) fn at<T>(&self, value: T) -> At<T> {
        At { value, span: self.span(), path: self.path.clone() }
    }

    /// The problem that something else was expected here.
    pub(super) fn expected(&self, what: &str, hint: &str) -> Problem {
        let found = match self.value() {
            DeValue::String(_) => "text",
            DeValue::Integer(_) => "a whole number",
            DeValue::Float(_) => "a number",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        self.at(()).problem(&format!("expected {what}, found {found}"), hint)
    }
}

/// One key of a table.
pub(super) struct Entry<'d> {
    /// The key itself.
    pub(super) key: At<String>,
    /// What stands under it.
    pub(super) node: Node<'d>,
}

/// A table that is being taken apart.
pub(super) struct Table<'d> {
    path: String,
    span: Range<usize>,
    entries: Vec<Entry<'d>>,
    known: Vec<&'static str>,
}

impl<'d> Table<'d> {
    /// Begins with a table of the document.
    pub(super) fn new(table: &'d DeTable<'d>, span: Range<usize>, path: &str) -> Self {
        let mut entries: Vec<Entry<'d>> = table.iter().map(|(key, value)| entry(path, key, value)).collect();
        entries.sort_by_key(|e| e.key.span.start);
        Self { path: path.to_owned(), span, entries, known: Vec::new() }
    }

    /// Begins with a value that must be a table.
    pub(super) fn of(r: &mut Reader<'_>, node: &Node<'d>, example: &str) -> Option<Self> {
        match node.value() {
            DeValue::Table(table) => Some(Self::new(table, node.span(), &node.path)),
            _ => r.refuse(node.expected("a table", &format!("write it as {example}"))),
        }
    }

    /// Takes a key and reads its value.
    pub(super) fn take<T>(
        &mut self,
        r: &mut Reader<'_>,
        key: &'static str,
        read: impl FnOnce(&mut Reader<'_>, &Node<'d>) -> Option<T>,
    ) -> Option<At<T>> {
        self.known.push(key);
        let at = self.entries.iter().position(|e| e.key.value == key)?;
        let node = self.entries.remove(at).node;
        read(r, &node).map(|value| node.at(value))
    }

    /// As [`Table::take`]; without the key there is nothing to go on with.
    pub(super) fn need<T>(
        &mut self,
        r: &mut Reader<'_>,
        key: &'static str,
        example: &str,
        read: impl FnOnce(&mut Reader<'_>, &Node<'d>) -> Option<T>,
    ) -> Option<At<T>> {
        if self.has(key) {
            return self.take(r, key, read);
        }
        self.known.push(key);
        let message = if self.path.is_empty() { format!("`{key}` is missing") } else { format!("`{}`: `{key}` is missing", self.path) };
        r.refuse(Problem { span: self.span.clone(), message, hint: Some(format!("write it as {example}")) })
    }

    /// Whether a key is there and not yet taken.
    pub(super) fn has(&self, key: &str) -> bool {
        self.entries.iter().any(|e| e.key.value == key)
    }

    /// Takes all keys that are left: their names are the user's own.
    pub(super) fn free(&mut self) -> Vec<Entry<'d>> {
        std::mem::take(&mut self.entries)
    }

    /// Refuses keys of the contract that this version can not do yet.
    pub(super) fn not_yet(&mut self, r: &mut Reader<'_>, keys: &[&str]) {
        let path = self.path.clone();
        self.entries.retain(|e| {
            let refused = keys.contains(&e.key.value.as_str());
            if refused {
                let message = format!("`{}` is not supported by this version", join(&path, &e.key.value));
                let hint = "leave it out, or use a version that has it".to_owned();
                r.problems.push(Problem { span: e.key.span.clone(), message, hint: Some(hint) });
            }
            !refused
        });
    }

    /// Something at the table's place.
    pub(super) fn at<T>(&self, value: T) -> At<T> {
        At { value, span: self.span.clone(), path: self.path.clone() }
    }

    /// Takes the first key that nobody knows and that satisfies `is`.
    pub(super) fn stray(&mut self, is: impl Fn(&DeValue<'d>) -> bool) -> Option<At<String>> {
        let at = self.entries.iter().position(|e| !self.known.contains(&e.key.value.as_str()) && is(e.node.value()))?;
        Some(self.entries.remove(at).key)
    }

    /// Whatever is left is unknown.
    pub(super) fn done(self, r: &mut Reader<'_>) {
        for entry in self.entries {
            let hint = match nearest(&entry.key.value, &self.known) {
                Some(near) => format!("did you mean `{near}`?"),
                None if self.known.is_empty() => "there is nothing to set here".to_owned(),
                None => format!("known here: {}", self.known.join(", ")),
            };
            let key = clean_short(&entry.key.value, 60);
            let message = if self.path.is_empty() { format!("unknown key `{key}`") } else { format!("`{}`: unknown key `{key}`", self.path) };
            r.problems.push(Problem { span: entry.key.span, message, hint: Some(hint) });
        }
    }
}

fn entry<'d>(path: &str, key: &'d Spanned<DeString<'d>>, value: &'d Spanned<DeValue<'d>>) -> Entry<'d> {
    let name = key.get_ref().clone().into_owned();
    let whole = join(path, &name);
    Entry { key: At { value: name, span: key.span(), path: whole.clone() }, node: Node::new(value, whole) }
}

/// A key under a path; one that is no plain word is put into quotes.
fn join(path: &str, key: &str) -> String {
    let plain = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    let key = if plain { key.to_owned() } else { format!("\"{}\"", clean_short(key, 60)) };
    if path.is_empty() { key } else { format!("{path}.{key}") }
}
