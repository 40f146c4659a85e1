//! Helpers of the tests: a real terminal to run the binary in, and the binary's plain runs.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper that fails fails its test")]
#![allow(dead_code, reason = "each test binary uses its own part of these helpers")]

pub(crate) mod plain;
pub(crate) mod pty;
