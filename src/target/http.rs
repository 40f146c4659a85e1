//! Settings put into effect by a request. No proxy, no redirect, no kept connection: a restarted service must not meet
//! the socket of its predecessor, and a request that changes something must never be sent twice by itself.

use std::collections::BTreeMap;

use reqwest::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::{Client, Method, Url};

use super::hosts::{Allowed, shown};
use super::known::Known;
use super::{answer, command};
use crate::model::plan::Body;
use crate::model::template::Template;
use crate::model::units::Span;
use crate::ports::TargetError;

/// A request that changes a setting.
#[derive(Debug, Clone, Copy)]
pub(super) struct Change<'p> {
    pub(super) method: &'p str,
    pub(super) path: &'p Template,
    pub(super) headers: &'p BTreeMap<String, Template>,
    pub(super) body: Option<&'p Body>,
}

/// A client that goes straight to where it is sent.
pub(super) fn client(within: Span) -> Result<Client, TargetError> {
    // reqwest is built without a provider; another part of the program may have installed this one already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let built = Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .http1_only()
        .pool_max_idle_per_host(0)
        .timeout(within.duration())
        .user_agent(concat!("plimsoll/", env!("CARGO_PKG_VERSION")))
        .build();
    built.map_err(|error| TargetError::Refused { doing: "making ready to reach the target".to_owned(), answer: answer::cause(&error) })
}

impl Change<'_> {
    /// In words, for the record: method and path, nothing that could be a secret.
    pub(super) fn how(&self, known: &Known) -> String {
        let path = known.fill(self.path);
        match Url::parse(&path) {
            Ok(url) if is_address(&path) => format!("{} {}", self.method, shown(&url)),
            _ => format!("{} {}", self.method, path.split('?').next().unwrap_or_default()),
        }
    }

    /// The address at one instance.
    fn address(&self, doing: &str, base: &Url, allowed: &Allowed, known: &Known) -> Result<Url, TargetError> {
        let path = known.fill(self.path);
        if is_address(&path) {
            return allowed.address(doing, &path);
        }
        let joined = format!("{}/{}", base.as_str().trim_end_matches('/'), path.trim_start_matches('/'));
        allowed.address(doing, &joined)
    }

    /// True where the request goes to an address of its own, whatever the instances.
    pub(super) fn is_elsewhere(&self, known: &Known) -> bool {
        is_address(&known.fill(self.path))
    }

    /// Sends it to one instance; `what` says what for.
    pub(super) async fn send(&self, what: &str, client: &Client, base: &Url, allowed: &Allowed, known: &Known) -> Result<(), TargetError> {
        let url = self.address(what, base, allowed, known)?;
        let doing = format!("{what}: {} {}", self.method, shown(&url));
        let refuse = |answer: &str| TargetError::Refused { doing: doing.clone(), answer: answer.to_owned() };
        let method = Method::from_bytes(self.method.as_bytes()).ok().ok_or_else(|| refuse("no such method"))?;
        let mut request = client.request(method, url);
        if let Some(body) = self.body {
            let (text, is_json) = known.body(body);
            request = request.body(text);
            if is_json && !self.headers.keys().any(|name| name.eq_ignore_ascii_case("content-type")) {
                request = request.header(CONTENT_TYPE, "application/json");
            }
        }
        for (name, value) in self.headers {
            let name = HeaderName::from_bytes(name.as_bytes()).ok();
            let value = HeaderValue::from_str(&known.fill(value)).ok();
            let (Some(name), Some(value)) = (name, value) else { return Err(refuse("a header that can not be sent")) };
            request = request.header(name, value);
        }
        match request.send().await {
            Ok(answer) if answer.status().is_success() => Ok(()),
            Ok(answer) => Err(refuse(&answer::describe(answer).await)),
            Err(error) => Err(TargetError::Unreachable { doing: doing.clone(), why: answer::cause(&error) }),
        }
    }

    /// The `curl` line that does the same. Headers may be secrets: their values are left for the person to fill in.
    pub(super) fn by_hand(&self, base: &Url, known: &Known) -> String {
        let path = known.fill(self.path);
        let base = shown(base);
        let address = if is_address(&path) {
            Url::parse(&path).map_or(path, |url| shown(&url))
        } else {
            format!("{}/{}", base.trim_end_matches('/'), path.trim_start_matches('/'))
        };
        let mut words = vec!["curl".to_owned(), "-X".to_owned(), self.method.to_owned()];
        for name in self.headers.keys() {
            words.extend(["-H".to_owned(), format!("{name}: …")]);
        }
        if let Some(body) = self.body {
            let (text, is_json) = known.body(body);
            if is_json {
                words.extend(["-H".to_owned(), "Content-Type: application/json".to_owned()]);
            }
            words.extend(["-d".to_owned(), text]);
        }
        words.push(address);
        command::quoted(&words)
    }
}

/// A whole address instead of a path on the target.
fn is_address(path: &str) -> bool {
    path.starts_with("http://") || path.starts_with("https://")
}
