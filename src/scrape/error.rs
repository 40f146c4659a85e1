//! Why a source of metrics brought nothing. Each text stands as a gap's reason on the screen, so each says what was
//! asked, what came back and what to try; none of them ever shows the user part or the query of a URL.

use crate::model::units::Span;
use crate::prometheus::{DialectError, PageError, Undecided};

/// What a source of metrics could not give.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScrapeError {
    /// The address can not be used.
    #[error("metrics address `{url}`: {why}; write it as http://host:port/path")]
    BadAddress {
        /// The address.
        url: String,
        /// What is wrong with it.
        why: String,
    },
    /// A dialect of the profile can not be used.
    #[error(transparent)]
    Dialect(#[from] DialectError),
    /// Nobody answered.
    #[error("GET {url}: no answer ({why}); is the service running there?")]
    Unreachable {
        /// The address.
        url: String,
        /// What went wrong.
        why: String,
    },
    /// The answer did not come in time.
    #[error("GET {url}: no whole answer within {within}; a saturated service may need its metrics on a port of their own")]
    TimedOut {
        /// The address.
        url: String,
        /// How long it was waited for.
        within: Span,
    },
    /// There is no such page.
    #[error(
        "GET {url}: 404, no such page; Spring Boot needs management.endpoints.web.exposure.include=prometheus and micrometer-registry-prometheus"
    )]
    NoSuchPage {
        /// The address.
        url: String,
    },
    /// The page asks who is there.
    #[error("GET {url}: {status}, the page wants credentials; give them as http://${{USER}}:${{PASSWORD}}@host, or open the page to this machine")]
    Locked {
        /// The address.
        url: String,
        /// 401 or 403.
        status: u16,
    },
    /// Another page was pointed to.
    #[error("GET {url}: {status}, the page points to `{to}`; name that address itself if it is the metrics page")]
    Redirected {
        /// The address.
        url: String,
        /// The status.
        status: u16,
        /// Where it points.
        to: String,
    },
    /// Another status than 200.
    #[error("GET {url}: {status}{said}", said = if text.is_empty() { String::new() } else { format!(" (\"{text}\")") })]
    Status {
        /// The address.
        url: String,
        /// The status.
        status: u16,
        /// The beginning of what it said.
        text: String,
    },
    /// The page has no end in sight.
    #[error("GET {url}: the page is larger than {mebibytes} MiB; point to a smaller one")]
    TooLarge {
        /// The address.
        url: String,
        /// What is read at most.
        mebibytes: usize,
    },
    /// The page is no exposition.
    #[error("GET {url}: {why}")]
    Page {
        /// The address.
        url: String,
        /// What it is instead.
        why: PageError,
    },
    /// The page is in no language known here.
    #[error("GET {url}: {samples} samples, but no dialect knows them (the first: {names}); a dialect file can teach them")]
    NoDialect {
        /// The address.
        url: String,
        /// How many samples.
        samples: usize,
        /// The first names on the page.
        names: String,
    },
    /// A part must be named first.
    #[error("GET {url}: {why}")]
    Undecided {
        /// The address.
        url: String,
        /// Which.
        why: Undecided,
    },
    /// This machine would not tell.
    #[error("reading this machine's figures: {why}")]
    Host {
        /// What went wrong.
        why: String,
    },
}
