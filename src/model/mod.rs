//! The vocabulary everything else is written in: units, histograms, signals, plan, verdict, events and the fold of events.
//!
//! Rank 0: knows nothing of the rest. No clock, no I/O, no randomness. Inside the module a file may import earlier ones only:
//! `text` < `units` < `histogram`, `signal`, `rows` < `series` < `template` < `plan`, `verdict` < `event` < `session`.

pub mod event;
pub mod histogram;
pub mod plan;
pub mod rows;
pub mod series;
pub mod session;
pub mod signal;
pub mod template;
pub mod text;
pub mod units;
pub mod verdict;
