//! A target of this process on loopback, changed in every way there is.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::IntoResponse;
use serde_json::json;

use super::*;
use crate::model::plan::{Apply, Body, Ready, Setting, TargetPlan};
use crate::model::template::Template;
use crate::model::units::Span;
use crate::ports::{Target, TargetError};

mod changing;
#[cfg(unix)]
mod restarting;

/// What the target was asked, and what it answers to the next requests; 200 when there is nothing left.
#[derive(Default)]
struct Asked {
    requests: Vec<String>,
    answers: Vec<(u16, &'static str)>,
    /// Every other question after its health is answered by 503: what asks whether somebody is there before a start hears nobody.
    comes_and_goes: bool,
    gone: bool,
}

type Shared = Arc<Mutex<Asked>>;

async fn handle(State(asked): State<Shared>, method: Method, uri: Uri, headers: HeaderMap, body: String) -> impl IntoResponse {
    let mut asked = asked.lock().unwrap();
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or("-").to_owned();
    asked.requests.push(format!("{method} {uri} {} {} {body}", header("content-type"), header("x-key")));
    if asked.comes_and_goes && uri.path() == "/health" {
        asked.gone = !asked.gone;
        if asked.gone {
            return (StatusCode::SERVICE_UNAVAILABLE, [("location", "/elsewhere")], "starting");
        }
    }
    let (status, text) = if asked.answers.is_empty() { (200, "ok") } else { asked.answers.remove(0) };
    (StatusCode::from_u16(status).unwrap(), [("location", "/elsewhere")], text)
}

/// A target that notes what it is asked.
async fn serve(answers: &[(u16, &'static str)]) -> (String, Shared) {
    let asked = Arc::new(Mutex::new(Asked { answers: answers.to_vec(), ..Asked::default() }));
    let router = Router::new().fallback(handle).with_state(asked.clone());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    (url, asked)
}

fn requests(asked: &Shared) -> Vec<String> {
    asked.lock().unwrap().requests.clone()
}

/// An address at which nobody listens.
async fn nobody() -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

fn plan(url: &str) -> TargetPlan {
    TargetPlan { url: url.into(), instances: Vec::new(), allow: Vec::new(), ready: None, process: None }
}

fn ready(status: u16) -> Ready {
    Ready { path: "/health".into(), status, within: Span::from_millis(300) }
}

fn setting(name: &str, apply: Apply) -> Setting {
    Setting { name: name.into(), values: vec![30.0, 50.0], range: (30.0, 50.0), apply, verify: None, restore: Some(10.0) }
}

fn post(path: &str) -> Apply {
    Apply::Http { method: "POST".into(), path: Template::parse(path), headers: BTreeMap::new(), body: Some(Body::Json(json!({ "max": "{pool}" }))) }
}

fn impatient() -> Patience {
    Patience { request: Span::from_secs(10), command: Span::from_secs(10), grace: Span::from_millis(300), ready: Span::from_millis(300) }
}

fn target(plan: &TargetPlan, settings: &[Setting]) -> ServiceTarget {
    ServiceTarget::new(plan, settings, impatient(), None).unwrap()
}
