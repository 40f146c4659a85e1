//! The service under test, as far as it is changed and watched: settings put into effect by request, command or restart,
//! its readiness, its process. It may import `model/` and `ports`; it must not touch a host the profile does not allow,
//! and it proves nothing: what a setting did is read from the metrics, not believed from an answer.

mod answer;
mod command;
mod hosts;
mod http;
mod known;
mod process;
mod ready;
mod service;
mod signal;
mod tail;

pub use service::{Patience, ServiceTarget};

#[cfg(test)]
mod tests;
