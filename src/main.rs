//! The `plimsoll` binary.

fn main() {}
