//! A JSON body as bytes with gaps: a string that is one placeholder takes the value's own type.

use serde_json::Value;

use super::names::Names;
use super::text::{Place, Text};
use crate::model::template::Template;

/// Writes `value` compactly.
pub(super) fn compile(value: &Value, names: &Names<'_>) -> Text {
    let mut text = Text::default();
    push(value, names, &mut text);
    text
}

fn push(value: &Value, names: &Names<'_>, to: &mut Text) {
    match value {
        Value::String(string) => push_string(string, names, to),
        Value::Array(items) => {
            to.push(b"[");
            for (i, item) in items.iter().enumerate() {
                to.push(if i > 0 { b"," } else { b"" });
                push(item, names, to);
            }
            to.push(b"]");
        }
        Value::Object(fields) => {
            to.push(b"{");
            for (i, (name, field)) in fields.iter().enumerate() {
                to.push(if i > 0 { b"," } else { b"" });
                to.push(Value::from(name.as_str()).to_string().as_bytes());
                to.push(b":");
                push(field, names, to);
            }
            to.push(b"}");
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => to.push(value.to_string().as_bytes()),
    }
}

fn push_string(string: &str, names: &Names<'_>, to: &mut Text) {
    let template = Template::parse(string);
    if let Some(name) = template.sole_name() {
        to.push_name(name, Place::AsJson, names);
    } else {
        to.push(b"\"");
        to.push_template(&template, Place::InJson, names);
        to.push(b"\"");
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::load::fill::{Value as Filling, Vars};
    use serde_json::json;

    #[test]
    fn strings_are_templates_and_the_rest_stays() {
        let own = BTreeMap::from([("id".to_owned(), 0), ("who".to_owned(), 1)]);
        let names = Names { own: Some(&own), ..Names::default() };
        let body = json!({"id": "{id}", "to": ["Dear \"{who}\"", 1.5, true, null], "x": "{other}", "{who}": {}});
        let mut vars = Vars::new(2);
        vars.set(0, Some(Filling { text: "7".to_owned(), bare: true }));
        vars.set(1, Some(Filling { text: "A\\B".to_owned(), bare: false }));
        let mut out = Vec::new();
        compile(&body, &names).render(&vars, &mut out);
        let read: Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(read, json!({"id": 7, "to": ["Dear \"A\\B\"", 1.5, true, null], "x": "{other}", "{who}": {}}));
    }

    #[test]
    fn a_plain_body_has_no_gap() {
        assert!(compile(&json!({"a": [1, "b"]}), &Names::default()).is_plain());
    }
}
