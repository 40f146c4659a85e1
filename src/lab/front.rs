//! Where requests for work come in and answers go out: one way for every path that does work.
//!
//! Imports the lab's own files only.

use std::sync::Arc;

use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::engine::{Outcome, Route};
use super::service::Service;
use super::socket::Cutter;
use super::uri::Templates;

/// What answers are written in.
pub(super) const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// What every path that does work needs.
#[derive(Debug)]
pub(super) struct Front {
    pub(super) service: Arc<Service>,
    pub(super) templates: Templates,
}

impl Front {
    /// Does the work of a request and answers as its route says; `body` is called when the work is done.
    pub(super) async fn answer(&self, cutter: &Cutter, route: Route, body: impl FnOnce() -> String) -> Response {
        let status = StatusCode::from_u16(route.status).unwrap_or(StatusCode::OK);
        let Some(answer) = self.service.submit(route) else {
            cutter.cut();
            return StatusCode::SERVICE_UNAVAILABLE.into_response();
        };
        match answer.await {
            Ok(Outcome::Served) if status == StatusCode::NO_CONTENT => status.into_response(),
            Ok(Outcome::Served) => (status, [(header::CONTENT_TYPE, JSON)], body()).into_response(),
            Ok(Outcome::NoConnection(message)) => refuse(StatusCode::SERVICE_UNAVAILABLE, &message),
            Err(_ended) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
        }
    }
}

/// Any path that has no meaning of its own.
pub(super) async fn work(State(front): State<Arc<Front>>, ConnectInfo(cutter): ConnectInfo<Cutter>, method: Method, uri: Uri) -> Response {
    let route = Route::usual(front.templates.of(uri.path()), name_of(&method));
    front.answer(&cutter, route, || r#"{"status":"ok"}"#.to_owned()).await
}

/// A refusal as Spring writes it.
pub(super) fn refuse(status: StatusCode, message: &str) -> Response {
    (status, axum::Json(json!({"status": status.as_u16(), "error": status.canonical_reason(), "message": message}))).into_response()
}

/// Methods outside the usual are counted together, as Spring does.
pub(super) fn name_of(method: &Method) -> &'static str {
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
