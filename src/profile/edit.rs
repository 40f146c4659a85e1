//! Changes one value of a profile's text by its path, as `--set load.users=300` asks, and leaves everything else as it was written,
//! comments included. It may import `model/` only; whether the changed text is a profile is for reading it to say.

use toml_edit::{Array, DocumentMut, Item, Key, TableLike, Value};

use crate::model::text::{clean_short, nearest};

/// Why a value can not be changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OverrideError {
    /// Not `path=value`.
    #[error("`{text}` is not PATH=VALUE: write it as load.users=300")]
    NotAnAssignment {
        /// What was written.
        text: String,
    },
    /// The path can not be read.
    #[error("`{path}` is no path: write keys joined by dots, as load.users or settings.\"load.rate\".values")]
    BadPath {
        /// What was written.
        path: String,
    },
    /// The path goes through, or ends at, something that is not what it needs to be.
    #[error("`{path}` is {what}: {hint}")]
    Dead {
        /// The path up to there.
        path: String,
        /// What stands there.
        what: &'static str,
        /// What to write instead.
        hint: String,
    },
}

/// The text of a profile with one value changed or added. A text that is not TOML comes back as it is: reading it tells the place.
pub fn apply_override(text: &str, assignment: &str) -> Result<String, OverrideError> {
    let wrong = || OverrideError::NotAnAssignment { text: clean_short(assignment, 80) };
    let (path, value) = split(assignment).ok_or_else(wrong)?;
    let keys = Key::parse(path).map_err(|_unreadable| OverrideError::BadPath { path: clean_short(path, 80) })?;
    let keys: Vec<String> = keys.iter().map(|key| key.get().to_owned()).collect();
    let Ok(mut document) = text.parse::<DocumentMut>() else {
        return Ok(text.to_owned());
    };
    set(document.as_item_mut(), &keys, value, "")?;
    Ok(document.to_string())
}

/// Splits at the first `=` outside quotes; both sides must be there.
fn split(assignment: &str) -> Option<(&str, &str)> {
    let mut quote = None;
    for (at, c) in assignment.char_indices() {
        match quote {
            None if c == '=' => {
                let (path, value) = (assignment.get(..at)?.trim(), assignment.get(at + 1..)?.trim());
                return (!path.is_empty() && !value.is_empty()).then_some((path, value));
            }
            None if matches!(c, '"' | '\'') => quote = Some(c),
            Some(open) if open == c => quote = None,
            _ => {}
        }
    }
    None
}

/// Goes down one key after the other and sets the value at the end.
fn set(item: &mut Item, keys: &[String], value: &str, above: &str) -> Result<(), OverrideError> {
    let Some((key, rest)) = keys.split_first() else {
        return assign(item, value, above);
    };
    let here = |key: &str| if above.is_empty() { key.to_owned() } else { format!("{above}.{key}") };
    if is_list(item) {
        let (next, rest) = match pick(item, key) {
            Some(at) => (element(item, at), rest),
            // A list of one needs no name.
            None if length(item) == 1 => (element(item, 0), keys),
            None => return Err(no_such_element(item, above, key)),
        };
        return next.map_or(Ok(()), |next| next.descend(rest, value, &here(key)));
    }
    let Some(table) = item.as_table_like_mut() else {
        let hint = "leave out what follows, or name another key".to_owned();
        return Err(OverrideError::Dead { path: above.to_owned(), what: "a value, not a table", hint });
    };
    let (key, rest) = joined(table, key, rest);
    if !table.contains_key(&key) && !rest.is_empty() {
        table.insert(&key, Item::Table(implicit()));
    }
    set(table.entry(&key).or_insert(Item::None), rest, value, &here(&key))
}

/// A key with a dot in it (`load.rate`) may be written without its quotes where it exists.
fn joined<'k>(table: &dyn TableLike, key: &str, rest: &'k [String]) -> (String, &'k [String]) {
    if let Some((second, after)) = rest.split_first().filter(|_| !table.contains_key(key)) {
        let both = format!("{key}.{second}");
        if table.contains_key(&both) {
            return (both, after);
        }
    }
    (key.to_owned(), rest)
}

fn implicit() -> toml_edit::Table {
    let mut table = toml_edit::Table::new();
    table.set_implicit(true);
    table
}

/// One element of a list: tables of `[[name]]`, or values in brackets.
enum Element<'i> {
    Table(&'i mut toml_edit::Table),
    Value(&'i mut Value),
}

impl Element<'_> {
    /// Goes on inside; the element is put back whole, whatever happens.
    fn descend(self, keys: &[String], value: &str, above: &str) -> Result<(), OverrideError> {
        match self {
            Self::Table(slot) => {
                let mut item = Item::Table(std::mem::take(slot));
                let done = set(&mut item, keys, value, above);
                if let Item::Table(table) = item {
                    *slot = table;
                }
                done
            }
            Self::Value(slot) => {
                let mut item = Item::Value(slot.clone());
                set(&mut item, keys, value, above)?;
                if let Item::Value(changed) = item {
                    *slot = changed;
                }
                Ok(())
            }
        }
    }
}

fn is_list(item: &Item) -> bool {
    item.is_array_of_tables() || item.is_array()
}

fn length(item: &Item) -> usize {
    item.as_array_of_tables().map_or_else(|| item.as_array().map_or(0, Array::len), toml_edit::ArrayOfTables::len)
}

fn element(item: &mut Item, at: usize) -> Option<Element<'_>> {
    match item {
        Item::ArrayOfTables(tables) => tables.get_mut(at).map(Element::Table),
        Item::Value(Value::Array(values)) => values.get_mut(at).map(Element::Value),
        _ => None,
    }
}

/// The names of a list's elements, where they have one.
fn names(item: &Item) -> Vec<Option<&str>> {
    fn name(table: &dyn TableLike) -> Option<&str> {
        table.get("name").and_then(Item::as_str)
    }
    match item {
        Item::ArrayOfTables(tables) => tables.iter().map(|t| name(t)).collect(),
        Item::Value(Value::Array(values)) => values.iter().map(|v| v.as_inline_table().and_then(|t| name(t))).collect(),
        _ => Vec::new(),
    }
}

/// An element by its name, or by its number from 0.
fn pick(item: &Item, key: &str) -> Option<usize> {
    let by_name = names(item).iter().position(|name| *name == Some(key));
    by_name.or_else(|| key.parse().ok().filter(|at| *at < length(item)))
}

fn no_such_element(item: &Item, above: &str, key: &str) -> OverrideError {
    let names: Vec<&str> = names(item).into_iter().flatten().collect();
    let hint = match nearest(key, &names) {
        Some(near) => format!("did you mean `{above}.{near}`?"),
        None if names.is_empty() => format!("write a number from 0 to {}", length(item).saturating_sub(1)),
        None => format!("name one of {}, or write its number from 0", names.join(", ")),
    };
    OverrideError::Dead { path: format!("{above}.{}", clean_short(key, 60)), what: "no element of the list", hint }
}

/// Puts a value where the path ends; what stood around the old one stays.
fn assign(item: &mut Item, text: &str, path: &str) -> Result<(), OverrideError> {
    let old = match item {
        Item::None => None,
        Item::Value(old) => Some(old.clone()),
        // All of a list of tables at once.
        Item::ArrayOfTables(_) if text.parse::<Value>().is_ok_and(|v| v.is_array()) => None,
        Item::Table(_) | Item::ArrayOfTables(_) => {
            let hint = format!("name a key in it, as {path}.KEY");
            return Err(OverrideError::Dead { path: path.to_owned(), what: "a table, not a value", hint });
        }
    };
    let mut new = value(text, old.as_ref());
    if let Some(old) = &old {
        *new.decor_mut() = old.decor().clone();
    }
    *item = Item::Value(new);
    Ok(())
}

/// What was typed: a TOML value, or the text itself. Where a text or a list stood, it is one again.
fn value(text: &str, old: Option<&Value>) -> Value {
    let typed = |text: &str| {
        let mut value = text.parse::<Value>().unwrap_or_else(|_| Value::from(text));
        value.decor_mut().clear();
        value
    };
    match old {
        // What is written as a table or a list is one, also where a word stood (`passes = "forever"`).
        Some(Value::String(_)) if text.parse::<Value>().is_ok_and(|v| v.is_inline_table() || v.is_array()) => typed(text),
        Some(Value::String(_)) => typed(text).as_str().map_or_else(|| Value::from(text), Value::from),
        Some(Value::Array(_)) if !text.starts_with('[') => list(text, typed),
        _ => match text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
            Some(inner) if text.parse::<Value>().is_err() => list(inner, typed),
            _ => typed(text),
        },
    }
}

fn list(text: &str, typed: impl Fn(&str) -> Value) -> Value {
    let mut array = Array::new();
    for part in text.split(',') {
        array.push(typed(part.trim()));
    }
    Value::Array(array)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"# mine
name = "a" # of the run

[load]
users   = 200   # people
timeout = "10s"

[settings.pool]
values = [30, 50]

[settings."load.rate"]
values = ["20/s"]

[experiment]
measure = { min = "60s" }

[[scenario]]
name = "browse"
weight = 3
[[scenario.step]]
get = "/"

[[scenario]]
name = "buy"
think = { between = ["1s", "2s"] }
"#;

    const LINE: &str = r#"[load]
rate = "5/s"

[[load.stage]]
to = "30/s" # a while
for = "1m"
[[load.stage]]
to = "0/s"
for = "30s"

[[load.population]]
name = "people"
passes = "forever"
inject = [ { ramp = 40, over = "2m" }, { rate = ["1/s", "2/s"], for = "4m" } ]

[load.http]
connections = "per-user"

[[scenario]]
name = "browse"
[[scenario.step]]
repeat = 3
[[scenario.step.step]]
get = "/"
"#;

    #[track_caller]
    fn line_changed(assignment: &str, from: &str, to: &str) {
        changed_in(LINE, assignment, from, to);
    }

    #[test]
    fn stages_populations_and_groups_are_reached() {
        line_changed("load.stage.0.to=60/s", "\"30/s\" #", "\"60/s\" #");
        line_changed("load.stage.1.for=10s", "\"30s\"", "\"10s\"");
        line_changed("load.population.people.inject.0.ramp=4", "ramp = 40", "ramp = 4");
        line_changed("load.population.people.inject.1.rate.1=9/s", "\"2/s\"", "\"9/s\"");
        line_changed("load.population.inject.1.for=1m", "\"4m\"", "\"1m\"");
        line_changed("scenario.browse.step.0.repeat=5", "repeat = 3", "repeat = 5");
        line_changed("scenario.step.step.get=/x", "get = \"/\"", "get = \"/x\"");
        line_changed("load.http.gzip=true", "\"per-user\"\n", "\"per-user\"\ngzip = true\n");
    }

    #[test]
    fn a_table_or_a_list_may_stand_where_a_word_stood() {
        line_changed("load.http.connections={ shared = 16 }", "\"per-user\"", "{ shared = 16 }");
        line_changed("load.population.people.passes={ for = \"5m\" }", "\"forever\"", "{ for = \"5m\" }");
        line_changed("load.population.people.passes=3", "\"forever\"", "\"3\"");
    }

    #[test]
    fn all_of_a_list_of_tables_is_replaced_by_a_list() {
        let changed = apply_override(LINE, "load.stage=[{ to = \"9/s\", for = \"5s\" }]").unwrap();
        let read: toml::Table = toml::from_str(&changed).unwrap_or_else(|e| panic!("{e}\n{changed}"));
        let stages = read["load"]["stage"].as_array().unwrap();
        assert_eq!((stages.len(), stages[0]["to"].as_str()), (1, Some("9/s")));
        assert_eq!(read["load"]["population"][0]["name"].as_str(), Some("people"), "what stands beside it stays");
        assert!(apply_override(LINE, "load.stage=5").unwrap_err().to_string().contains("name a key in it"));
    }

    #[test]
    fn what_no_profile_has_yet_is_added_as_toml() {
        let text = "[load]\nrate = \"5/s\"\n";
        let staged = apply_override(text, "load.phase=[{ name = \"a\", for = \"5s\" }]").unwrap();
        assert_eq!(staged, "[load]\nrate = \"5/s\"\nphase = [{ name = \"a\", for = \"5s\" }]\n");
        let sent = apply_override(text, "load.tls.insecure=true").unwrap();
        assert_eq!(sent, "[load]\nrate = \"5/s\"\n\n[load.tls]\ninsecure = true\n");
    }

    #[track_caller]
    fn changed(assignment: &str, from: &str, to: &str) {
        changed_in(TEXT, assignment, from, to);
    }

    #[track_caller]
    fn changed_in(text: &str, assignment: &str, from: &str, to: &str) {
        assert!(text.contains(from), "{from}");
        let changed = apply_override(text, assignment).unwrap();
        assert_eq!(changed, text.replacen(from, to, 1), "{assignment}");
        changed.parse::<DocumentMut>().unwrap_or_else(|e| panic!("{assignment}: {e}"));
    }

    #[test]
    fn one_value_changes_and_all_else_stays() {
        changed("load.users=300", "users   = 200", "users   = 300");
        changed(" load.users = 300 ", "users   = 200", "users   = 300");
        changed("name=b", "\"a\"", "\"b\"");
        changed("load.timeout=5s", "\"10s\"", "\"5s\"");
        changed("load.timeout=\"5s\"", "\"10s\"", "\"5s\"");
        changed("experiment.measure.min=30s", "\"60s\"", "\"30s\"");
    }

    #[test]
    fn where_a_text_stood_a_number_is_text() {
        changed("name=5", "\"a\"", "\"5\"");
        changed("load.timeout=5", "\"10s\"", "\"5\"");
    }

    #[test]
    fn lists_are_lists_however_they_are_typed() {
        for typed in ["[10, 20]", "10,20", "10, 20"] {
            changed(&format!("settings.pool.values={typed}"), "[30, 50]", "[10, 20]");
        }
        changed("settings.pool.values=7", "[30, 50]", "[7]");
        for typed in ["20/s,40/s", "[20/s, 40/s]", "[\"20/s\", \"40/s\"]"] {
            changed(&format!("settings.\"load.rate\".values={typed}"), "[\"20/s\"]", "[\"20/s\", \"40/s\"]");
        }
        changed("settings.load.rate.values=5/s", "[\"20/s\"]", "[\"5/s\"]");
    }

    #[test]
    fn elements_go_by_name_or_number() {
        changed("scenario.browse.weight=1", "weight = 3", "weight = 1");
        changed("scenario.0.weight=1.5", "weight = 3", "weight = 1.5");
        changed("scenario.browse.step.get=/x", "get = \"/\"", "get = \"/x\"");
        changed("scenario.browse.step.0.get=/x", "get = \"/\"", "get = \"/x\"");
        changed("scenario.buy.think.between.1=9s", "\"2s\"", "\"9s\"");
    }

    #[test]
    fn what_is_not_there_is_added() {
        changed("load.model=closed", "timeout = \"10s\"\n", "timeout = \"10s\"\nmodel = \"closed\"\n");
        changed("experiment.measure.max=90s", "min = \"60s\" }", "min = \"60s\" , max = \"90s\" }");
        let with_new_table = apply_override("name = \"a\"\n", "objective.failure_cost=30s").unwrap();
        assert_eq!(with_new_table, "name = \"a\"\n\n[objective]\nfailure_cost = \"30s\"\n");
        assert_eq!(apply_override("", "load.users=3").unwrap(), "[load]\nusers = 3\n");
    }

    #[test]
    fn what_can_not_be_set_says_why() {
        for (assignment, said) in [
            ("load.users", "is not PATH=VALUE"),
            ("=5", "is not PATH=VALUE"),
            ("load.users=", "is not PATH=VALUE"),
            ("a..b=5", "is no path"),
            ("load=5", "name a key in it, as load.KEY"),
            ("scenario=5", "a table, not a value"),
            ("load.users.x=5", "`load.users` is a value, not a table"),
            ("scenario.brows.weight=5", "did you mean `scenario.browse`?"),
            ("scenario.7.weight=5", "name one of browse, buy"),
            ("settings.pool.values.9=5", "write a number from 0 to 1"),
        ] {
            let error = apply_override(TEXT, assignment).unwrap_err().to_string();
            assert!(error.contains(said), "{assignment}: {error}");
        }
    }

    #[test]
    fn what_is_not_toml_is_left_to_the_reader() {
        assert_eq!(apply_override("a = = b", "load.users=5").unwrap(), "a = = b");
    }
}
