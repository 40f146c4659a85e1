//! The command line: parses arguments, wires the ports to their implementations, prints, and sets the exit code.

mod args;
mod exit;
mod lab;
mod paths;
mod print;
mod stop;

use std::process::ExitCode;

use clap::Parser as _;

use args::{Cli, Command};
use exit::{CliError, Exit};

/// Runs the program; what it returns is its exit code.
#[must_use]
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _gone = error.print();
            return ExitCode::from(if error.use_stderr() { Exit::Usage } else { Exit::Done });
        }
    };
    match dispatch(&cli) {
        Ok(exit) => exit.into(),
        Err(error) => {
            print::err(&format!("plimsoll: {error}"));
            error.exit.into()
        }
    }
}

fn dispatch(cli: &Cli) -> Result<Exit, CliError> {
    match &cli.command {
        Some(Command::Lab(args)) => lab::run(args),
        _ => Err(CliError::new(Exit::Internal, "not there yet")),
    }
}
