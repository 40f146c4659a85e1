//! The settings' values as they are to be written into requests, arguments and environments. A value keeps its own type
//! where a JSON text is the placeholder and nothing else. Pure.

use std::collections::BTreeMap;

use serde_json::{Number, Value};

use crate::model::plan::{Body, Setting};
use crate::model::template::Template;

/// The last value given to each setting.
#[derive(Debug, Clone, Default)]
pub(super) struct Known(BTreeMap<String, f64>);

impl Known {
    /// Before anything was applied: what will be put back, else the first value to try.
    pub(super) fn at_first(settings: &[Setting]) -> Self {
        let first = |setting: &Setting| Some((setting.name.clone(), setting.restore.or_else(|| setting.values.first().copied())?));
        Self(settings.iter().filter_map(first).collect())
    }

    pub(super) fn set(&mut self, name: &str, value: f64) {
        self.0.insert(name.to_owned(), value);
    }

    pub(super) fn get(&self, name: &str) -> Option<f64> {
        self.0.get(name).copied()
    }

    /// These values with one of them another.
    pub(super) fn with(&self, name: &str, value: f64) -> Self {
        let mut other = self.clone();
        other.set(name, value);
        other
    }

    pub(super) fn fill(&self, template: &Template) -> String {
        template.fill(|name| self.get(name).map(plain))
    }

    /// A body's bytes as text, and whether it is JSON.
    pub(super) fn body(&self, body: &Body) -> (String, bool) {
        match body {
            Body::Text(template) => (self.fill(template), false),
            Body::Json(value) => (self.json(value).to_string(), true),
        }
    }

    fn json(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.json_text(text),
            Value::Array(items) => Value::Array(items.iter().map(|item| self.json(item)).collect()),
            Value::Object(fields) => Value::Object(fields.iter().map(|(key, field)| (key.clone(), self.json(field))).collect()),
            other => other.clone(),
        }
    }

    fn json_text(&self, text: &str) -> Value {
        let template = Template::parse(text);
        let number = template.sole_name().and_then(|name| self.get(name)).and_then(number);
        number.map_or_else(|| Value::String(self.fill(&template)), Value::Number)
    }
}

/// A whole number without a point, any other as short as it can be told.
pub(super) fn plain(value: f64) -> String {
    whole(value).map_or_else(|| value.to_string(), |whole| whole.to_string())
}

fn number(value: f64) -> Option<Number> {
    whole(value).map(Number::from).or_else(|| Number::from_f64(value))
}

#[expect(clippy::cast_possible_truncation, reason = "checked to be a whole number that a double holds exactly")]
fn whole(value: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    (value.fract() == 0.0 && value.abs() <= EXACT).then_some(value as i64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn known() -> Known {
        Known(BTreeMap::from([("pool".to_owned(), 30.0), ("share".to_owned(), 0.75)]))
    }

    #[test]
    fn a_lone_placeholder_keeps_its_type() {
        let body = Body::Json(json!({ "max": "{pool}", "share": "{share}", "note": "pool {pool}", "deep": [{ "n": "{pool}" }] }));
        let (text, is_json) = known().body(&body);
        assert_eq!(text, r#"{"max":30,"share":0.75,"note":"pool 30","deep":[{"n":30}]}"#);
        assert!(is_json);
    }

    #[test]
    fn what_is_no_setting_stays_as_it_stands() {
        let (text, _) = known().body(&Body::Json(json!({ "a": "{other}", "b": "{{pool}}", "c": 4, "d": null })));
        assert_eq!(text, r#"{"a":"{other}","b":"{pool}","c":4,"d":null}"#);
    }

    #[test]
    fn text_bodies_are_filled() {
        assert_eq!(known().body(&Body::Text(Template::parse("max={pool}"))), ("max=30".to_owned(), false));
    }

    #[test]
    fn numbers_are_written_short() {
        assert_eq!([plain(30.0), plain(-2.0), plain(0.1), plain(1e300)].map(|text| text.len()), [2, 2, 3, 301]);
        assert_eq!(plain(12_345_678.0), "12345678");
    }
}
