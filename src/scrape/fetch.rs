//! One GET of one metrics page: straight to the address, no proxy, no redirect, bounded in time and size. It may import
//! `error`; it must not look at what the page says.

use std::error::Error as _;

use reqwest::header::{ACCEPT, LOCATION};
use reqwest::{Client, Response, StatusCode, Url};

use super::error::ScrapeError;
use crate::model::text::clean_short;
use crate::model::units::Span;

/// The text format is asked for first: its time stamps and names are what every exporter gets right.
const WANTED: &str = "text/plain;version=0.0.4, application/openmetrics-text;version=1.0.0;q=0.5, */*;q=0.1";

/// More than the largest page anybody has seen; less than would hurt.
const MOST_BYTES: usize = 64 << 20;

/// Gets one page, again and again, over a kept connection.
#[derive(Debug, Clone)]
pub struct Fetcher {
    client: Client,
    url: Url,
    /// The address as it may be shown: no user, no query.
    shown: String,
    within: Span,
}

impl Fetcher {
    /// For one address; each GET may take `within`.
    pub fn new(url: &str, within: Span) -> Result<Self, ScrapeError> {
        let refuse = |why: String| ScrapeError::BadAddress { url: masked(url), why };
        let parsed = Url::parse(url).map_err(|error| refuse(error.to_string()))?;
        if !matches!(parsed.scheme(), "http" | "https") || parsed.host_str().is_none() {
            return Err(refuse("only http and https pages can be read".to_owned()));
        }
        // reqwest is built without a provider; another part of the program may have installed this one already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .http1_only()
            .pool_max_idle_per_host(1)
            .user_agent(concat!("plimsoll/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| refuse(deepest(&error)))?;
        Ok(Self { client, shown: shown(&parsed), url: parsed, within })
    }

    /// The address as it may be shown.
    #[must_use]
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Gets the page as text; what is not UTF-8 in it is replaced.
    pub async fn page(&self) -> Result<String, ScrapeError> {
        let got = tokio::time::timeout(self.within.duration(), self.get()).await;
        got.unwrap_or_else(|_late| Err(ScrapeError::TimedOut { url: self.shown.clone(), within: self.within }))
    }

    async fn get(&self) -> Result<String, ScrapeError> {
        let request = self.client.get(self.url.clone()).header(ACCEPT, WANTED);
        let answer = request.send().await.map_err(|error| self.unreachable(&error))?;
        let status = answer.status();
        if status.is_redirection() {
            return Err(self.redirected(&answer));
        }
        let body = self.body(answer).await?;
        if status.is_success() { Ok(body) } else { Err(self.refused(status, &body)) }
    }

    async fn body(&self, mut answer: Response) -> Result<String, ScrapeError> {
        let mut bytes = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(|error| self.unreachable(&error))? {
            if bytes.len() + chunk.len() > MOST_BYTES {
                return Err(ScrapeError::TooLarge { url: self.shown.clone(), mebibytes: MOST_BYTES >> 20 });
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
    }

    fn unreachable(&self, error: &reqwest::Error) -> ScrapeError {
        ScrapeError::Unreachable { url: self.shown.clone(), why: deepest(error) }
    }

    fn redirected(&self, answer: &Response) -> ScrapeError {
        let to = answer.headers().get(LOCATION).and_then(|to| to.to_str().ok()).unwrap_or("nowhere");
        ScrapeError::Redirected { url: self.shown.clone(), status: answer.status().as_u16(), to: clean_short(&masked(to), 120) }
    }

    fn refused(&self, status: StatusCode, body: &str) -> ScrapeError {
        let url = self.shown.clone();
        match status {
            StatusCode::NOT_FOUND => ScrapeError::NoSuchPage { url },
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => ScrapeError::Locked { url, status: status.as_u16() },
            _ => ScrapeError::Status { url, status: status.as_u16(), text: clean_short(body.trim(), 120) },
        }
    }
}

/// An address without its user part and query, which may be secrets.
fn shown(url: &Url) -> String {
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{}{port}{}", url.scheme(), url.host_str().unwrap_or_default(), url.path())
}

/// The same for a text that may not even be an address.
fn masked(text: &str) -> String {
    if let Ok(url) = Url::parse(text)
        && url.has_host()
    {
        return shown(&url);
    }
    let plain = text.split(['?', '#']).next().unwrap_or_default();
    plain.rsplit('@').next().unwrap_or_default().to_owned()
}

/// The innermost cause: the outer ones say only that a request failed, and repeat the address.
fn deepest(error: &reqwest::Error) -> String {
    let Some(mut cause) = error.source() else { return error.to_string() };
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    clean_short(&cause.to_string(), 160)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_of_an_address_are_not_shown() {
        let fetcher = Fetcher::new("http://me:geheim@127.0.0.1:9/metrics?token=geheim", Span::from_secs(1)).unwrap();
        assert_eq!(fetcher.shown(), "http://127.0.0.1:9/metrics");
        assert_eq!(masked("me:geheim@host"), "host");
        assert_eq!(masked("/login?next=geheim"), "/login");
    }

    #[test]
    fn addresses_that_are_none_are_refused() {
        for url in ["", "127.0.0.1:8080", "ftp://host/x", "http://", "/actuator/prometheus"] {
            let error = Fetcher::new(url, Span::from_secs(1)).unwrap_err().to_string();
            assert!(error.contains("http://host:port/path"), "{url}: {error}");
        }
    }
}
