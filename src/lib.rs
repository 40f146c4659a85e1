//! Plimsoll finds the load line of a service: the value of a capacity setting at which waiting in the queue and
//! contention behind it balance.
//!
//! The library is layered; a module may import lower ranks only (`tests/layering.rs` holds it):
//!
//! | rank | modules |
//! |---|---|
//! | 0 | [`model`] |
//! | 1 | [`profile`], [`prometheus`] |
//! | 2 | [`analysis`] |
//! | 3 | [`control`], [`report`] |
//! | 4 | [`ports`] |
//! | 5 | [`load`], [`target`], [`scrape`], [`store`], [`lab`] |
//! | 6 | [`runner`] |
//! | 7 | [`ui`] |
//! | 8 | [`cli`] |

pub mod analysis;
pub mod cli;
pub mod control;
pub mod lab;
pub mod load;
pub mod model;
pub mod ports;
pub mod profile;
pub mod prometheus;
pub mod report;
pub mod runner;
pub mod scrape;
pub mod store;
pub mod target;
pub mod ui;
