//! Reads metrics: exposition pages of the service and of whatever stands beside it, and the figures of this machine.
//! It may import `model/`, `prometheus/` and `ports`; it must not know who asked, nor change anything it reads.

mod error;
mod fetch;
mod host;
mod proc;
mod prometheus;

pub use error::ScrapeError;
pub use fetch::Fetcher;
pub use host::HostScraper;
pub use prometheus::{Examined, PrometheusScraper};

#[cfg(test)]
mod tests;
