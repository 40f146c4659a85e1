//! The built-in service: a real HTTP server with worker threads, a connection pool and a modelled database whose true optimum is known.
//!
//! It exists so that the whole workbench can be tried and tested without anything else installed, against an answer that is exact. The model
//! runs in virtual time (`engine`), `service` ties it to the clock, `http` and `exposition` make it look like a Spring Boot service, and `law`
//! computes the truth. May import `model` and nothing above; must not use `analysis`, whose judgement it is there to check.

mod contention;
mod demand;
mod engine;
mod error;
mod exposition;
mod front;
mod host;
mod http;
mod jvm;
pub mod law;
mod meters;
mod page;
mod pool;
mod preset;
pub mod presets;
mod serve;
mod service;
mod settings;
mod site;
mod socket;
mod station;
mod uri;
mod watch;

pub use contention::Contention;
pub use error::LabError;
pub use preset::{Preset, PresetLengths, PresetLoad};
pub use serve::{LabConfig, serve};
pub use settings::{Behaviour, Settings, SettingsChange};
pub use watch::ParentWatch;

#[cfg(test)]
mod tests;
