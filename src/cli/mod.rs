//! The command line: parses arguments, wires the ports to their implementations, prints, and sets the exit code.

mod args;
mod compare;
mod demo;
mod exit;
mod lab;
mod library;
mod load;
mod paths;
mod print;
mod records;
mod run;
mod screen;
mod stop;
mod wire;

use std::process::ExitCode;

use clap::Parser as _;

use args::{Cli, Command, Common, Show};
use exit::{CliError, Exit};
use screen::Opening;
use wire::Launch;

use crate::profile;

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
    match log_to(cli.common.log.as_deref()).and_then(|()| dispatch(&cli)) {
        Ok(exit) => match print::lost() {
            Some(why) => {
                print::err(&format!("plimsoll: writing to stdout: {why}"));
                Exit::Internal.into()
            }
            None => exit.into(),
        },
        Err(error) => {
            print::err(&format!("plimsoll: {error}"));
            error.exit.into()
        }
    }
}

/// The program's own log goes to a file or nowhere, never to the screen.
fn log_to(file: Option<&std::path::Path>) -> Result<(), CliError> {
    let Some(path) = file else { return Ok(()) };
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    let file = file.map_err(|e| CliError::usage(format!("opening the log {}: {e}", path.display())))?;
    tracing_subscriber::fmt().with_writer(std::sync::Mutex::new(file)).with_ansi(false).init();
    Ok(())
}

fn dispatch(cli: &Cli) -> Result<Exit, CliError> {
    // The lab is a single-threaded service with a runtime of its own.
    if let Some(Command::Lab(args)) = &cli.command {
        return lab::run(args);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|e| CliError::new(Exit::Internal, format!("starting: {e}")))?;
    runtime.block_on(command(cli))
}

async fn command(cli: &Cli) -> Result<Exit, CliError> {
    let common = &cli.common;
    match &cli.command {
        None => screen::show(Opening::Home, common).await,
        Some(Command::Demo(args)) => {
            check_screen(&args.show)?;
            perform(demo::launch(&args.preset, args.seed, args.show.output.as_deref()).await?, &args.show, common).await
        }
        Some(Command::Run(args)) => {
            check_screen(&args.show)?;
            perform(run::launch(args)?, &args.show, common).await
        }
        Some(Command::Load(args)) => load::run(args, common).await,
        Some(Command::Replay(args)) if args.headless || args.json => records::replay(args).await,
        Some(Command::Replay(args)) => {
            screen::terminal()?;
            let (name, events) = records::events(&args.recording).await?;
            screen::show(Opening::Replay { name, events, speed: args.speed }, common).await
        }
        Some(Command::Analyze(args)) => records::analyze(args).await,
        Some(Command::Compare(args)) => compare::run(args).await,
        Some(Command::List(args)) => records::list(args).await,
        Some(Command::Show(args)) => records::show(args).await,
        Some(Command::Export(args)) => records::export(args).await,
        Some(Command::Init(args)) => init(args),
        Some(Command::Lab(args)) => lab::run(args),
    }
}

/// Without a terminal a run must be asked for headless, before anything is touched.
fn check_screen(show: &Show) -> Result<(), CliError> {
    if show.headless || show.json { Ok(()) } else { screen::terminal() }
}

async fn perform(launch: Launch, show: &Show, common: &Common) -> Result<Exit, CliError> {
    if show.headless || show.json { run::headless(launch, show).await } else { screen::show(Opening::Run(Box::new(launch)), common).await }
}

fn init(args: &args::InitArgs) -> Result<Exit, CliError> {
    let Some(text) = profile::template(&args.preset) else {
        let known: Vec<String> = profile::samples().map(|(name, about)| format!("{name} ({about})")).collect();
        return Err(CliError::usage(format!("there is no profile `{}` to start from", args.preset)).hint(known.join("; ")));
    };
    let done = records::write_or_print(args.output.as_deref(), &text)?;
    for (name, rows) in profile::companions(&args.preset) {
        match args.output.as_deref().map(|profile| run::folder_of(profile).join(name)) {
            Some(path) if path.exists() => print::err(&format!("{} is there already and stays", path.display())),
            Some(path) => {
                records::write_or_print(Some(&path), rows)?;
            }
            None => print::err(&format!("the profile reads {name}; with -o it is written beside it")),
        }
    }
    Ok(done)
}

/// Runs something that reads or writes much on a thread where it holds nobody up.
async fn off_thread<T, F, W>(make: F) -> Result<T, CliError>
where
    T: Send + 'static,
    F: FnOnce() -> W + Send + 'static,
    W: Future<Output = T>,
{
    let work = tokio::task::spawn_blocking(move || tokio::runtime::Handle::current().block_on(make()));
    work.await.map_err(|e| CliError::new(Exit::Internal, format!("internal error: {e}")))
}
