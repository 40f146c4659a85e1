//! The load engine against small servers in this process, through its port only: what it says it did is what they saw.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may fail where its helpers stand")]

mod bound;
mod closed;
mod counts;
mod faults;
#[path = "../support/faulty.rs"]
mod faulty;
mod flows;
mod limits;
mod line;
mod open;
mod rig;
#[path = "../support/secure.rs"]
mod secure;
mod server;
mod stall;
mod tls;
mod two;
mod ways;
