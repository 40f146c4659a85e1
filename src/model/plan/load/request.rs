//! One HTTP request: what is sent, what counts as success, and what is taken from the answer.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::template::Template;

/// One HTTP request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RequestPlan {
    /// What its figures are known by; default: method and path template.
    pub name: String,
    /// Method.
    pub method: String,
    /// Path and query on the target.
    pub path: Template,
    /// Further parameters of the query; their values are percent-encoded.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub query: BTreeMap<String, Template>,
    /// Headers.
    pub headers: BTreeMap<String, Template>,
    /// Body.
    pub body: Option<RequestBody>,
    /// Statuses that count as success; empty: 200 to 399.
    pub expect_status: Vec<u16>,
    /// What must hold of an answer whose status is as expected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<Check>,
    /// What is taken from the answer, by variable.
    pub extract: BTreeMap<String, Extract>,
    /// The user's own tags, beside those of the scenario.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tags: BTreeMap<String, String>,
}

impl RequestPlan {
    /// A request without body, known by its method and path.
    #[must_use]
    pub fn new(method: &str, path: &str) -> Self {
        Self {
            name: format!("{method} {path}"),
            method: method.to_owned(),
            path: Template::parse(path),
            query: BTreeMap::new(),
            headers: BTreeMap::new(),
            body: None,
            expect_status: Vec::new(),
            checks: Vec::new(),
            extract: BTreeMap::new(),
            tags: BTreeMap::new(),
        }
    }
}

/// A body whose placeholders are settings: what applies a value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    /// Text with placeholders.
    Text(Template),
    /// JSON whose strings may hold placeholders.
    Json(serde_json::Value),
}

/// A request's body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestBody {
    /// Text with placeholders.
    Text(Template),
    /// JSON whose strings may hold placeholders.
    Json(serde_json::Value),
    /// `application/x-www-form-urlencoded`.
    Form(BTreeMap<String, Template>),
    /// The bytes of a file, its name as the profile has it.
    File(String),
    /// `multipart/form-data`.
    Multipart(Vec<RequestPart>),
}

impl From<Body> for RequestBody {
    fn from(body: Body) -> Self {
        match body {
            Body::Text(text) => Self::Text(text),
            Body::Json(json) => Self::Json(json),
        }
    }
}

/// One part of a multipart body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RequestPart {
    /// Its field name.
    pub name: String,
    /// What it holds.
    pub content: PartContent,
    /// Its media type; none: `text/plain` for text, `application/octet-stream` for a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
}

/// What a part of a multipart body holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartContent {
    /// Text with placeholders.
    Text(Template),
    /// The bytes of a file, which is also the part's file name.
    File(String),
}

/// What is taken from an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Extract {
    /// A dotted path into a JSON body, without the leading `$.`.
    Json(String),
    /// A header.
    Header(String),
    /// A cookie that the answer sets.
    Cookie(String),
    /// The first group of a regular expression in the body, or the whole match if it has none.
    Regex(String),
}

/// What must hold of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// Of what part; none: the whole body.
    pub of: Option<Extract>,
    /// What.
    pub holds: Condition,
}

/// What must hold of a part of an answer. A part that is not there meets only [`Condition::Missing`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// It is there.
    Exists,
    /// It is not there.
    Missing,
    /// It is this text.
    Is(String),
    /// It holds this text.
    Contains(String),
    /// It does not hold this text.
    Lacks(String),
    /// It matches this regular expression somewhere.
    Matches(String),
}
