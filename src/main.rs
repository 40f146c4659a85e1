//! The `plimsoll` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    plimsoll::cli::main()
}
