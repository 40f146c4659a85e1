//! The lab's routes: work under `/` and `/api/…` (what has a meaning of its own there is in `site`), the actuator's two pages, and the
//! settings.
//!
//! Thin: what a request does is in the engine, what a page says in the exposition. Imports the lab's own files only.

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};

use super::exposition;
use super::front::{self, Front, JSON, name_of, refuse};
use super::host::Host;
use super::meters::RequestKey;
use super::settings::SettingsChange;
use super::site;

const EXPOSITION: HeaderValue = HeaderValue::from_static("text/plain;version=0.0.4;charset=utf-8");

/// What every handler needs.
#[derive(Debug)]
pub(super) struct Lab {
    pub(super) front: Arc<Front>,
    pub(super) host: Host,
}

/// All routes of the lab.
pub(super) fn routes(lab: Arc<Lab>) -> Router {
    let counted = Router::new()
        .route("/actuator/health", get(health))
        .route("/actuator/prometheus", get(prometheus))
        .route("/admin/settings", get(settings).post(change_settings))
        .fallback(unknown)
        .layer(middleware::from_fn_with_state(Arc::clone(&lab), count));
    let work = Router::new().route("/", any(front::work)).route("/api/{*rest}", any(front::work)).with_state(Arc::clone(&lab.front));
    work.merge(site::routes(Arc::clone(&lab.front))).merge(counted.with_state(lab))
}

async fn health() -> Response {
    ([(header::CONTENT_TYPE, JSON)], r#"{"status":"UP","components":{"db":{"status":"UP"},"ping":{"status":"UP"}}}"#).into_response()
}

async fn prometheus(State(lab): State<Arc<Lab>>) -> Response {
    let host = lab.host.look(lab.front.service.look(|engine| engine.modelled_cpu()));
    let page = lab.front.service.look(|engine| exposition::page(engine, &host));
    ([(header::CONTENT_TYPE, EXPOSITION)], page).into_response()
}

async fn settings(State(lab): State<Arc<Lab>>) -> Response {
    axum::Json(lab.front.service.look(|engine| engine.settings.clone())).into_response()
}

async fn change_settings(State(lab): State<Arc<Lab>>, body: Bytes) -> Response {
    match SettingsChange::parse(&body).and_then(|change| lab.front.service.change(&change)) {
        Ok(settings) => axum::Json(settings).into_response(),
        Err(error) => refuse(StatusCode::BAD_REQUEST, &error.to_string()),
    }
}

async fn unknown() -> Response {
    refuse(StatusCode::NOT_FOUND, "no such page; there are /api/…, /actuator/health, /actuator/prometheus and /admin/settings")
}

/// The service's own pages are requests too, and counted as such.
async fn count(State(lab): State<Arc<Lab>>, request: Request, next: Next) -> Response {
    let (began, method) = (Instant::now(), name_of(request.method()));
    let uri = request.uri().path().to_owned();
    let response = next.run(request).await;
    let status = response.status().as_u16();
    let uri = if status == 404 { "/**".into() } else { lab.front.templates.of(&uri) };
    let took = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
    lab.front.service.look(|engine| {
        let now = engine.now();
        engine.meters.request(RequestKey { uri, method, status }, now, took);
    });
    response
}
