//! The load engine: virtual users and arrivals that send HTTP requests to the service under test, cheaply enough to sit beside it
//! and honestly enough that its figures are the service's and not its own.
//!
//! [`LocalEngine`] implements [`crate::ports::Engine`]. Its users live on worker threads with runtimes of their own, so neither
//! the screen nor the recorder slows them; what they did is added up by interval, request and cohort before anyone hears of it.
//! It knows nothing of targets, scrapers, recordings or screens.

mod book;
mod checks;
mod collect;
mod compile;
mod course;
mod dial;
mod draw;
mod engine;
mod extract;
mod fault;
mod feed;
mod files;
mod fill;
mod host;
mod http;
mod jar;
mod line;
mod orders;
mod pace;
mod stream;
#[cfg(test)]
mod testkit;
mod tls;
mod travel;
mod watch;
mod worker;

pub use engine::LocalEngine;
