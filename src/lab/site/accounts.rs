//! Accounts and tokens: who logged in, and whose token still counts.
//!
//! Imports the lab's own files only; pure but for its lock.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::{Asked, Reply};

/// Tokens beyond this many are forgotten, the oldest first: a long run logs in often and out seldom.
const MOST_TOKENS: usize = 100_000;

/// Tokens that count, and whose they are.
#[derive(Debug, Default)]
pub(super) struct Accounts(Mutex<Tokens>);

#[derive(Debug, Default)]
struct Tokens {
    given: u64,
    owners: HashMap<String, String>,
    order: VecDeque<String>,
}

impl Tokens {
    fn give(&mut self, owner: &str) -> String {
        self.given += 1;
        let token = format!("{:016x}", self.given.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        self.owners.insert(token.clone(), owner.to_owned());
        self.order.push_back(token.clone());
        if self.order.len() > MOST_TOKENS
            && let Some(oldest) = self.order.pop_front()
        {
            self.owners.remove(&oldest);
        }
        token
    }
}

impl Accounts {
    /// Anybody may log in whose password is `pw-` and the name.
    pub(super) fn login(&self, asked: &Asked<'_>) -> Reply {
        let body = asked.json();
        let (Some(name), Some(password)) = (text(&body, "username"), text(&body, "password")) else {
            return Reply::refused(400, "username and password are wanted, as JSON texts");
        };
        if name.is_empty() || password.strip_prefix("pw-") != Some(name) {
            return Reply::refused(401, "wrong name or password");
        }
        Self::welcome(&mut self.lock(), name)
    }

    /// A new token for an old one, which counts no longer.
    pub(super) fn refresh(&self, asked: &Asked<'_>) -> Reply {
        let body = asked.json();
        let mut tokens = self.lock();
        let old = text(&body, "refreshToken").or(asked.token());
        match old.and_then(|token| tokens.owners.remove(token)) {
            Some(owner) => Self::welcome(&mut tokens, &owner),
            None => Reply::refused(401, "no token that counts"),
        }
    }

    /// The token counts no longer.
    pub(super) fn logout(&self, asked: &Asked<'_>) -> Reply {
        match asked.token().and_then(|token| self.lock().owners.remove(token)) {
            Some(_owner) => Reply::new(204, Value::Null, 0.2),
            None => Reply::refused(401, "no token that counts"),
        }
    }

    /// Who asks.
    pub(super) fn profile(&self, asked: &Asked<'_>) -> Reply {
        match asked.token().and_then(|token| self.lock().owners.get(token).cloned()) {
            Some(owner) => Reply::new(200, json!({"username": owner, "reviews": owner.len()}), 1.0),
            None => Reply::refused(401, "no token that counts"),
        }
    }

    fn welcome(tokens: &mut Tokens, owner: &str) -> Reply {
        let token = tokens.give(owner);
        Reply::new(200, json!({"accessToken": token, "refreshToken": token, "expiresIn": 3600}), 1.0)
    }

    fn lock(&self) -> MutexGuard<'_, Tokens> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn text<'a>(body: &'a Value, field: &str) -> Option<&'a str> {
    body.get(field)?.as_str()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{asked, with_token};
    use super::*;
    use axum::http::HeaderMap;

    fn login(accounts: &Accounts, body: &str) -> Reply {
        accounts.login(&asked(&HeaderMap::new(), body))
    }

    fn token(reply: &Reply) -> String {
        reply.body["accessToken"].as_str().unwrap().to_owned()
    }

    #[test]
    fn a_right_password_gets_a_token_that_counts() {
        let accounts = Accounts::default();
        let reply = login(&accounts, r#"{"username": "ann", "password": "pw-ann"}"#);
        assert_eq!(reply.status, 200);
        let profile = accounts.profile(&asked(&with_token(&token(&reply)), ""));
        assert_eq!((profile.status, &profile.body["username"]), (200, &json!("ann")));
    }

    #[test]
    fn others_are_turned_away() {
        let accounts = Accounts::default();
        for body in [r#"{"username": "ann", "password": "pw-bob"}"#, r#"{"username": "", "password": "pw-"}"#] {
            assert_eq!(login(&accounts, body).status, 401, "{body}");
        }
        for body in ["", "username=ann", r#"{"username": 5, "password": "pw-5"}"#] {
            assert_eq!(login(&accounts, body).status, 400, "{body}");
        }
        let stranger = with_token("0123");
        assert_eq!(accounts.profile(&asked(&stranger, "")).status, 401);
        assert_eq!(accounts.profile(&asked(&HeaderMap::new(), "")).status, 401);
        assert_eq!(accounts.refresh(&asked(&stranger, "")).status, 401);
    }

    #[test]
    fn a_refreshed_token_takes_the_old_ones_place() {
        let accounts = Accounts::default();
        let old = token(&login(&accounts, r#"{"username": "ann", "password": "pw-ann"}"#));
        let new = token(&accounts.refresh(&asked(&with_token(&old), "")));
        assert_ne!(old, new);
        assert_eq!(accounts.profile(&asked(&with_token(&old), "")).status, 401);
        let by_body = format!(r#"{{"refreshToken": "{new}"}}"#);
        assert_eq!(accounts.refresh(&asked(&HeaderMap::new(), &by_body)).status, 200);
    }

    #[test]
    fn who_logged_out_is_out() {
        let accounts = Accounts::default();
        let headers = with_token(&token(&login(&accounts, r#"{"username": "ann", "password": "pw-ann"}"#)));
        assert_eq!(accounts.logout(&asked(&headers, "")).status, 204);
        assert_eq!(accounts.profile(&asked(&headers, "")).status, 401);
        assert_eq!(accounts.logout(&asked(&headers, "")).status, 401);
    }

    #[test]
    fn tokens_do_not_grow_without_end() {
        let mut tokens = Tokens::default();
        let first = tokens.give("ann");
        for _ in 0..MOST_TOKENS {
            tokens.give("bob");
        }
        assert_eq!((tokens.order.len(), tokens.owners.len()), (MOST_TOKENS, MOST_TOKENS));
        assert!(!tokens.owners.contains_key(&first));
    }
}
