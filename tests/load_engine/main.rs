//! The load engine against small servers in this process, through its port only: what it says it did is what they saw.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may fail where its helpers stand")]

mod closed;
mod counts;
mod faults;
mod flows;
#[path = "../support/faulty.rs"]
mod faulty;
mod limits;
mod open;
mod rig;
mod server;
mod stall;
