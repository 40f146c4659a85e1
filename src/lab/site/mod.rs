//! A small shop and review site on the lab's pool and database, so that whole flows can be tried: log in and out, read, order, pay, and
//! jobs that hold connections while everybody else wants them.
//!
//! Every answer is decided first and told when its work is done. The presets' law is about the other paths, which none of this touches.
//! Imports the lab's own files only.

mod accounts;
mod jobs;
mod purchase;
mod reviews;

use std::sync::Arc;

use axum::Router;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, Method, Uri};
use axum::response::Response;
use axum::routing::{MethodFilter, MethodRouter, on};
use serde_json::{Value, json};

use self::accounts::Accounts;
use self::jobs::Jobs;
use self::purchase::Purchases;
use super::demand::Work;
use super::engine::Route;
use super::front::{self, Front, name_of};
use super::socket::Cutter;

/// No page needs more than this.
const MOST_BODY: usize = 64 * 1024;

/// What the site remembers, and where its work is done.
#[derive(Debug)]
struct Site {
    front: Arc<Front>,
    accounts: Accounts,
    purchases: Purchases,
    jobs: Jobs,
}

/// What a page of the site is asked with.
struct Asked<'a> {
    path: &'a str,
    headers: &'a HeaderMap,
    body: &'a [u8],
}

impl Asked<'_> {
    /// The body as JSON; anything else is nothing.
    fn json(&self) -> Value {
        serde_json::from_slice(self.body).unwrap_or_default()
    }

    /// The token that came with it.
    fn token(&self) -> Option<&str> {
        self.headers.get("authorization")?.to_str().ok()?.strip_prefix("Bearer ")
    }
}

/// What will be answered once the work is done.
#[derive(Debug, PartialEq)]
struct Reply {
    status: u16,
    body: Value,
    work: Work,
}

impl Reply {
    /// An answer after so many times the usual work.
    fn new(status: u16, body: Value, database: f64) -> Self {
        Self { status, body, work: Work::times(database) }
    }

    /// A refusal, which takes a look into the database only.
    fn refused(status: u16, message: &str) -> Self {
        Self::new(status, json!({"status": status, "message": message}), 0.2)
    }
}

/// A page: what it answers, decided from what it is asked with.
type Page = fn(&Arc<Site>, &Asked<'_>) -> Reply;

/// All pages of the site.
const PAGES: [(MethodFilter, &str, Page); 12] = [
    (MethodFilter::POST, "/api/auth/login", |site, asked| site.accounts.login(asked)),
    (MethodFilter::POST, "/api/auth/refresh", |site, asked| site.accounts.refresh(asked)),
    (MethodFilter::POST, "/api/auth/logout", |site, asked| site.accounts.logout(asked)),
    (MethodFilter::GET, "/api/profile", |site, asked| site.accounts.profile(asked)),
    (MethodFilter::GET, "/api/reviews/{id}", |_, asked| reviews::review(asked)),
    (MethodFilter::GET, "/api/recommendations/reviews", |_, _| reviews::recommended("review")),
    (MethodFilter::GET, "/api/recommendations/books", |_, _| reviews::recommended("book")),
    (MethodFilter::POST, "/api/sync/reviews", |site, asked| jobs::start(site, 0, asked)),
    (MethodFilter::POST, "/api/sync/books", |site, asked| jobs::start(site, 1, asked)),
    (MethodFilter::POST, "/api/cart", |site, asked| site.purchases.cart(asked)),
    (MethodFilter::POST, "/api/orders", |site, asked| site.purchases.order(asked)),
    (MethodFilter::POST, "/api/payments", |site, asked| site.purchases.pay(asked)),
];

/// The site's routes; other methods on its paths are work like any other.
pub(super) fn routes(front: Arc<Front>) -> Router {
    let site = Site { front, accounts: Accounts::default(), purchases: Purchases::default(), jobs: Jobs::default() };
    let pages = PAGES.into_iter().fold(Router::new(), |router, (method, path, page)| router.route(path, served(method, page)));
    pages.with_state(Arc::new(site))
}

fn served(method: MethodFilter, page: Page) -> MethodRouter<Arc<Site>> {
    let handler = async move |State(site): State<Arc<Site>>, ConnectInfo(cutter): ConnectInfo<Cutter>, asked: Request| {
        let (head, body) = asked.into_parts();
        // A body that could not be read is as good as none: the page says what it misses.
        let body = axum::body::to_bytes(body, MOST_BODY).await.unwrap_or_default();
        let asked = Asked { path: head.uri.path(), headers: &head.headers, body: &body };
        let Reply { status, body, work } = page(&site, &asked);
        let route = Route { uri: site.front.templates.of(asked.path), method: name_of(&head.method), status, work };
        site.front.answer(&cutter, route, || body.to_string()).await
    };
    on(method, handler).fallback(other)
}

async fn other(State(site): State<Arc<Site>>, cutter: ConnectInfo<Cutter>, method: Method, uri: Uri) -> Response {
    front::work(State(Arc::clone(&site.front)), cutter, method, uri).await
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page asked with a JSON body and a token.
    pub(super) fn asked<'a>(headers: &'a HeaderMap, body: &'a str) -> Asked<'a> {
        Asked { path: "/", headers, body: body.as_bytes() }
    }

    pub(super) fn with_token(token: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert("authorization", format!("Bearer {token}").parse().unwrap());
        headers
    }

    #[test]
    fn a_token_is_what_follows_the_word() {
        let headers = with_token("abc");
        assert_eq!(asked(&headers, "").token(), Some("abc"));
        assert_eq!(asked(&HeaderMap::new(), "").token(), None);
        let mut basic = HeaderMap::new();
        basic.insert("authorization", "Basic abc".parse().unwrap());
        assert_eq!(asked(&basic, "").token(), None);
    }

    #[test]
    fn what_is_not_json_is_nothing() {
        let headers = HeaderMap::new();
        assert_eq!(asked(&headers, "a=b").json(), Value::Null);
        assert_eq!(asked(&headers, "{\"a\": 1}").json()["a"], 1);
    }
}
