//! What the placeholders of a scenario's requests stand for.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::load::fill::Slot;
use crate::model::plan::{PartContent, RequestBody, RequestPlan};
use crate::model::rows::Rows;
use crate::model::template::Template;

/// What begins the name of a column.
const FEED: &str = "feed.";

/// The names that a scenario's requests may use.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Names<'a> {
    /// What answers fill, by number.
    pub(super) own: Option<&'a BTreeMap<String, usize>>,
    /// The settings, by number.
    pub(super) settings: Option<&'a BTreeMap<String, usize>>,
    /// The columns of the scenario's feeder, and the name of its file.
    pub(super) feeder: Option<(&'a Rows, &'a str)>,
}

impl Names<'_> {
    /// What a name stands for; nothing for one that nobody fills.
    pub(super) fn find(&self, name: &str) -> Option<Slot> {
        if let Some(column) = name.strip_prefix(FEED) {
            return self.feeder.and_then(|(rows, _)| rows.column(column)).map(Slot::Column);
        }
        let at = |names: Option<&BTreeMap<String, usize>>| names.and_then(|n| n.get(name)).copied();
        at(self.own).map(Slot::Own).or_else(|| at(self.settings).map(Slot::Setting))
    }

    /// What is wrong with a name, if it asks for a column that is not there.
    pub(super) fn fault(&self, name: &str) -> Option<String> {
        let column = name.strip_prefix(FEED)?;
        match self.feeder {
            None => Some(format!("`{{{name}}}` needs a feeder, and its scenario has none")),
            Some((rows, file)) => rows.column(column).is_none().then(|| format!("feeder {file}: {}", rows.missing(column))),
        }
    }
}

/// Every placeholder of a request, with repeats.
pub(super) fn placeholders(request: &RequestPlan) -> Vec<String> {
    let mut names = Vec::new();
    for template in std::iter::once(&request.path).chain(request.query.values()).chain(request.headers.values()) {
        push(template, &mut names);
    }
    match &request.body {
        Some(RequestBody::Text(template)) => push(template, &mut names),
        Some(RequestBody::Json(json)) => push_json(json, &mut names),
        Some(RequestBody::Form(fields)) => fields.values().for_each(|t| push(t, &mut names)),
        Some(RequestBody::Multipart(parts)) => {
            for part in parts {
                if let PartContent::Text(template) = &part.content {
                    push(template, &mut names);
                }
            }
        }
        Some(RequestBody::File(_)) | None => {}
    }
    names
}

fn push(template: &Template, names: &mut Vec<String>) {
    names.extend(template.names().map(str::to_owned));
}

fn push_json(json: &Json, names: &mut Vec<String>) {
    match json {
        Json::String(text) => push(&Template::parse(text), names),
        Json::Array(items) => items.iter().for_each(|item| push_json(item, names)),
        Json::Object(fields) => fields.values().for_each(|field| push_json(field, names)),
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::testkit;
    use crate::model::plan::RequestPart;

    #[test]
    fn a_name_is_a_column_or_a_taken_value_or_a_setting() {
        let rows = Rows::csv(b"user,id\na,1\n").unwrap();
        let own = BTreeMap::from([("token".to_owned(), 3), ("both".to_owned(), 4)]);
        let settings = BTreeMap::from([("pool".to_owned(), 0), ("both".to_owned(), 1)]);
        let names = Names { own: Some(&own), settings: Some(&settings), feeder: Some((&rows, "a.csv")) };
        let found = ["feed.id", "token", "both", "pool", "feed.x", "other"].map(|n| names.find(n));
        assert_eq!(found, [Some(Slot::Column(1)), Some(Slot::Own(3)), Some(Slot::Own(4)), Some(Slot::Setting(0)), None, None]);
        assert!(names.fault("feed.ids").unwrap().contains("a.csv: it has no column `ids`, only `user`, `id`"));
        assert_eq!((names.fault("feed.id"), names.fault("other")), (None, None));
        assert!(Names::default().fault("feed.id").unwrap().contains("needs a feeder"));
    }

    #[test]
    fn placeholders_are_found_in_every_place() {
        let mut request = testkit::get("/{a}");
        request.query.insert("q".to_owned(), Template::parse("{b}"));
        request.headers.insert("x".to_owned(), Template::parse("{c}"));
        let bodies = [
            RequestBody::Text(Template::parse("{d}")),
            RequestBody::Json(serde_json::json!({"x": ["{d}", 1], "y": null})),
            RequestBody::Form(BTreeMap::from([("f".to_owned(), Template::parse("{d}"))])),
            RequestBody::Multipart(vec![RequestPart { name: "p".to_owned(), content: PartContent::Text(Template::parse("{d}")), media_type: None }]),
        ];
        for body in bodies {
            request.body = Some(body);
            assert_eq!(placeholders(&request), ["a", "b", "c", "d"]);
        }
        request.body = Some(RequestBody::File("{d}".to_owned()));
        assert_eq!(placeholders(&request), ["a", "b", "c"]);
    }
}
