//! What came back, in words fit to be shown: the status, the beginning of the text, and what to try next.

use reqwest::{Response, StatusCode};

use crate::model::text::clean_short;

/// How much of an answer is kept.
const KEPT_BYTES: usize = 4_096;
/// How much of it is shown.
const SHOWN: usize = 160;

/// A status with the beginning of what was said.
pub(super) async fn describe(mut answer: Response) -> String {
    let status = answer.status();
    let mut bytes = Vec::new();
    while bytes.len() < KEPT_BYTES
        && let Ok(Some(chunk)) = answer.chunk().await
    {
        bytes.extend_from_slice(&chunk);
    }
    let text = clean_short(String::from_utf8_lossy(&bytes).trim(), SHOWN);
    let said = if text.is_empty() { String::new() } else { format!(": \"{text}\"") };
    format!("{status}{said}{}", hint(status))
}

/// What to try.
fn hint(status: StatusCode) -> &'static str {
    match status.as_u16() {
        300..=399 => "; redirects are not followed, name the final address",
        401 | 403 => "; it wants credentials, give them as a header",
        404 => "; is the path right?",
        405 => "; is the method right?",
        415 => "; is the body's content type right?",
        _ => "",
    }
}

/// The innermost cause of a failed request: the outer ones repeat the address, which may hold secrets.
pub(super) fn cause(error: &reqwest::Error) -> String {
    use std::error::Error as _;
    if error.is_timeout() {
        return "time-out".to_owned();
    }
    let Some(mut cause) = error.source() else { return "the request could not be made".to_owned() };
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    clean_short(&cause.to_string(), SHOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, body: &'static str) -> Response {
        axum::http::Response::builder().status(status).body(body).unwrap().into()
    }

    #[tokio::test]
    async fn answers_are_told_with_what_to_try() {
        assert_eq!(describe(answer(404, "")).await, "404 Not Found; is the path right?");
        assert_eq!(describe(answer(500, " pool\nis \u{1b}[1mnot known ")).await, "500 Internal Server Error: \"pool is not known\"");
        assert!(describe(answer(302, "")).await.contains("redirects are not followed"));
        assert!(describe(answer(403, "no")).await.contains("credentials"));
    }

    #[tokio::test]
    async fn long_answers_are_cut() {
        let long: &'static str = Box::leak("x".repeat(10_000).into_boxed_str());
        assert!(describe(answer(500, long)).await.chars().count() < 220);
    }
}
