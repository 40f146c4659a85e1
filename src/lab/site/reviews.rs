//! Reviews to read: some are not there, and recommendations cost more than a look.
//!
//! Imports the lab's own files only; pure.

use serde_json::json;

use super::{Asked, Reply};

/// Every so many reviews one is missing.
const MISSING_EVERY: u64 = 10;

/// Recommendations of one answer.
const RECOMMENDED: u64 = 5;

/// One review; every tenth has been taken down.
pub(super) fn review(asked: &Asked<'_>) -> Reply {
    let id = asked.path.rsplit('/').next().and_then(|last| last.parse::<u64>().ok());
    match id.filter(|id| id % MISSING_EVERY != 0) {
        Some(id) => Reply::new(200, json!({"id": id, "title": format!("Review {id}"), "rating": 1 + id % 5}), 1.0),
        None => Reply::refused(404, "no such review"),
    }
}

/// Things that may please, found by comparing: twice the usual work.
pub(super) fn recommended(kind: &str) -> Reply {
    let items: Vec<_> = (1..=RECOMMENDED).map(|id| json!({"id": id, "kind": kind})).collect();
    Reply::new(200, json!({ "items": items }), 2.0)
}

#[cfg(test)]
mod tests {
    use super::super::tests::asked;
    use super::*;
    use axum::http::HeaderMap;

    fn status(path: &str) -> u16 {
        let headers = HeaderMap::new();
        review(&Asked { path, ..asked(&headers, "") }).status
    }

    #[test]
    fn every_tenth_review_is_missing() {
        let found = (1..=100).filter(|id| status(&format!("/api/reviews/{id}")) == 200).count();
        assert_eq!(found, 90);
        assert_eq!(status("/api/reviews/best"), 404);
    }

    #[test]
    fn recommendations_are_of_their_kind_and_cost_more() {
        let reply = recommended("book");
        assert_eq!(reply.body["items"][4], json!({"id": 5, "kind": "book"}));
        assert!(reply.work.database > 1.0);
    }
}
