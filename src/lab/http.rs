//! The lab's routes: work under `/` and `/api/…`, the actuator's two pages, and the settings.
//!
//! Thin: what a request does is in the engine, what a page says in the exposition. Imports the lab's own files only.

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use serde_json::json;

use super::engine::{Outcome, Route};
use super::exposition;
use super::host::Host;
use super::meters::RequestKey;
use super::service::Service;
use super::settings::SettingsChange;
use super::socket::Cutter;
use super::uri::Templates;

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const EXPOSITION: HeaderValue = HeaderValue::from_static("text/plain;version=0.0.4;charset=utf-8");

/// What every handler needs.
#[derive(Debug)]
pub(super) struct Lab {
    pub(super) service: Arc<Service>,
    pub(super) host: Host,
    pub(super) templates: Templates,
}

/// All routes of the lab.
pub(super) fn routes(lab: Arc<Lab>) -> Router {
    let counted = Router::new()
        .route("/actuator/health", get(health))
        .route("/actuator/prometheus", get(prometheus))
        .route("/admin/settings", get(settings).post(change_settings))
        .fallback(unknown)
        .layer(middleware::from_fn_with_state(Arc::clone(&lab), count));
    Router::new().route("/", any(work)).route("/api/{*rest}", any(work)).merge(counted).with_state(lab)
}

async fn work(State(lab): State<Arc<Lab>>, ConnectInfo(cutter): ConnectInfo<Cutter>, method: Method, uri: Uri) -> Response {
    let route = Route { uri: lab.templates.of(uri.path()), method: name_of(&method) };
    let Some(answer) = lab.service.submit(route) else {
        cutter.cut();
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    };
    match answer.await {
        Ok(Outcome::Served) => ([(header::CONTENT_TYPE, JSON)], r#"{"status":"ok"}"#).into_response(),
        Ok(Outcome::NoConnection(message)) => refuse(StatusCode::SERVICE_UNAVAILABLE, &message),
        Err(_ended) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
    }
}

async fn health() -> Response {
    ([(header::CONTENT_TYPE, JSON)], r#"{"status":"UP","components":{"db":{"status":"UP"},"ping":{"status":"UP"}}}"#).into_response()
}

async fn prometheus(State(lab): State<Arc<Lab>>) -> Response {
    let host = lab.host.look(lab.service.look(|engine| engine.modelled_cpu()));
    let page = lab.service.look(|engine| exposition::page(engine, &host));
    ([(header::CONTENT_TYPE, EXPOSITION)], page).into_response()
}

async fn settings(State(lab): State<Arc<Lab>>) -> Response {
    axum::Json(lab.service.look(|engine| engine.settings.clone())).into_response()
}

async fn change_settings(State(lab): State<Arc<Lab>>, body: Bytes) -> Response {
    match SettingsChange::parse(&body).and_then(|change| lab.service.change(&change)) {
        Ok(settings) => axum::Json(settings).into_response(),
        Err(error) => refuse(StatusCode::BAD_REQUEST, &error.to_string()),
    }
}

async fn unknown() -> Response {
    refuse(StatusCode::NOT_FOUND, "no such page; there are /api/…, /actuator/health, /actuator/prometheus and /admin/settings")
}

fn refuse(status: StatusCode, message: &str) -> Response {
    (status, axum::Json(json!({"status": status.as_u16(), "error": status.canonical_reason(), "message": message}))).into_response()
}

/// The service's own pages are requests too, and counted as such.
async fn count(State(lab): State<Arc<Lab>>, request: Request, next: Next) -> Response {
    let (began, method) = (Instant::now(), name_of(request.method()));
    let uri = request.uri().path().to_owned();
    let response = next.run(request).await;
    let status = response.status().as_u16();
    let uri = if status == 404 { "/**".into() } else { lab.templates.of(&uri) };
    let took = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
    lab.service.look(|engine| {
        let now = engine.now();
        engine.meters.request(RequestKey { uri, method, status }, now, took);
    });
    response
}

/// Methods outside the usual are counted together, as Spring does.
fn name_of(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        Method::PATCH => "PATCH",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        _ => "UNKNOWN",
    }
}
