//! The arguments, as typed. No side effects: what they mean is decided by the commands.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::model::units::{Rate, Span};

/// Finds the load line of a service: the value of a capacity setting (a connection pool, worker threads, an arrival rate) at which
/// waiting in the queue and contention behind it balance.
///
/// Without a command it opens the home screen. Data goes to stdout, everything else to stderr.
#[derive(Debug, Parser)]
#[command(name = "plimsoll", version, max_term_width = 120, after_help = EXIT_CODES)]
pub(super) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(super) command: Option<Command>,
    /// For every command.
    #[command(flatten)]
    pub(super) common: Common,
}

const EXIT_CODES: &str = "Exit codes:
  0    done
  1    a threshold failed, a guard stopped the run, no value meets the objectives, or compare found a regression
  2    bad usage, profile or input file: nothing was touched
  3    target or data source unreachable, a setting refused or not restored
  4    no answer: the verdict is repeat, generator_bound or invalid
  5    our own failure: internal error, disk full
  130  interrupted: settings restored, the recording complete up to that second";

/// Options every command takes.
#[derive(Debug, Clone, Args)]
pub(super) struct Common {
    /// Draw with ASCII characters only.
    #[arg(long, global = true)]
    pub(super) ascii: bool,
    /// Draw without colours (so does the variable `NO_COLOR`).
    #[arg(long, global = true)]
    pub(super) no_color: bool,
    /// Write the program's own log to this file.
    #[arg(long, global = true, value_name = "FILE")]
    pub(super) log: Option<PathBuf>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Sweep the built-in lab service, show it live, recommend, record. No set-up, under two minutes.
    Demo(DemoArgs),
    /// Run the experiment of a profile.
    Run(RunArgs),
    /// Load one address for a while and tell what it did: both latencies, errors, achieved against planned. Nothing is changed there.
    Load(Box<LoadArgs>),
    /// Show a recorded session on the same screens, with the verdict that was given then.
    Replay(ReplayArgs),
    /// Judge a recording or a pool-sweep/1 file with today's judge, without a new run.
    Analyze(AnalyzeArgs),
    /// Compare recordings with a base: what changed, how sure that is, and what differs in the plans.
    Compare(CompareArgs),
    /// List the recordings of the data folder.
    List(ListArgs),
    /// Print what a recording holds: steps, phases, figures, the verdict.
    Show(ShowArgs),
    /// Write a tuning summary of a recording.
    Export(ExportArgs),
    /// Write a commented profile to start from.
    Init(InitArgs),
    /// Serve the built-in lab service alone, or print its true optimum.
    Lab(LabArgs),
}

/// How a run is shown and printed.
#[derive(Debug, Clone, Args)]
pub(super) struct Show {
    /// No screen: progress lines on stderr, the result on stdout.
    #[arg(long)]
    pub(super) headless: bool,
    /// Print the result as one JSON object (goes with --headless; implied without a terminal).
    #[arg(long)]
    pub(super) json: bool,
    /// Where to write the recording; default: the data folder.
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
}

/// `plimsoll demo`
#[derive(Debug, Args)]
pub(super) struct DemoArgs {
    /// Which service: ticketing, locks, plateau, thread-bound, underloaded or cpu-bound.
    #[arg(long, default_value = "ticketing")]
    pub(super) preset: String,
    /// Seed of the order of steps and of the lab's work.
    #[arg(long, default_value_t = 7)]
    pub(super) seed: u64,
    /// How it is shown.
    #[command(flatten)]
    pub(super) show: Show,
}

/// `plimsoll run`
#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// The profile (TOML).
    pub(super) profile: PathBuf,
    /// Change one value of the profile: `--set load.users=300`. May be given several times.
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub(super) set: Vec<String>,
    /// Runs of each setting, instead of the profile's.
    #[arg(long, value_name = "N")]
    pub(super) repeats: Option<u32>,
    /// Seed of the order of steps, instead of the profile's.
    #[arg(long, value_name = "N")]
    pub(super) seed: Option<u64>,
    /// How it is shown.
    #[command(flatten)]
    pub(super) show: Show,
}

/// `plimsoll load`
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own, as people know them from other tools")]
pub(super) struct LoadArgs {
    /// What to load, as `http://127.0.0.1:8080/path`. Naming it here allows loading its host.
    pub(super) url: String,
    /// Users, each waiting for its answer before it sends again (closed load). Default: 50.
    #[arg(short = 'c', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000), conflicts_with = "rate")]
    pub(super) users: Option<u32>,
    /// Requests a second whatever the answers (open load): 1000, 80/s, 4800/m.
    #[arg(short = 'r', long, value_name = "RATE", value_parser = rate)]
    pub(super) rate: Option<Rate>,
    /// How long: 10, 500ms, 2m. Default: 10 seconds.
    #[arg(short = 'd', long, value_name = "TIME", value_parser = time, conflicts_with = "requests")]
    pub(super) duration: Option<Span>,
    /// Exactly so many requests, however long they take.
    #[arg(short = 'n', long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) requests: Option<u64>,
    /// Open load: the most requests under way at once; what can not be sent is dropped, and counted. Default: 10,000.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000), requires = "rate", conflicts_with = "users")]
    pub(super) max_in_flight: Option<u32>,
    /// Method. Default: GET, or POST with a body.
    #[arg(short = 'm', long, value_name = "METHOD", value_parser = method)]
    pub(super) method: Option<String>,
    /// A header, as 'Accept: application/json'; `${NAME}` is taken from the environment. May be given several times.
    #[arg(short = 'H', long = "header", value_name = "HEADER")]
    pub(super) headers: Vec<String>,
    /// Body, as text.
    #[arg(short = 'b', long, value_name = "BODY")]
    pub(super) body: Option<String>,
    /// The longest wait for an answer; then the request has failed. Default: 60 seconds.
    #[arg(short = 't', long, value_name = "TIME", value_parser = time)]
    pub(super) timeout: Option<Span>,
    /// HTTP/2 only: by ALPN under TLS, by prior knowledge on plain connections.
    #[arg(long)]
    pub(super) http2: bool,
    /// Trust any certificate.
    #[arg(long)]
    pub(super) insecure: bool,
    /// A new connection for each request.
    #[arg(long)]
    pub(super) disable_keepalive: bool,
    /// No screen: the result on stdout. So it is without a terminal.
    #[arg(long)]
    pub(super) headless: bool,
    /// Print the result as one JSON object, without a screen.
    #[arg(long)]
    pub(super) json: bool,
    /// Keep a recording in this file; without it none is kept.
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
}

/// A time above nothing; a bare number is seconds.
fn time(text: &str) -> Result<Span, String> {
    let bare = text.parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0).map(Span::from_secs_f64);
    let read = bare.map_or_else(|| text.parse::<Span>().map_err(|e| e.to_string()), Ok)?;
    if read.is_zero() { Err("it must be longer than nothing".to_owned()) } else { Ok(read) }
}

/// A rate above nothing; a bare number is a second.
fn rate(text: &str) -> Result<Rate, String> {
    let bare = text.parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0).map(Rate::per_second);
    let read = bare.map_or_else(|| text.parse::<Rate>().map_err(|e| e.to_string()), Ok)?;
    if read.as_per_second() > 0.0 { Ok(read) } else { Err("it must be more than nothing".to_owned()) }
}

fn method(text: &str) -> Result<String, String> {
    let good = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphabetic() || c == '-');
    if good { Ok(text.to_owned()) } else { Err("a method is a word, as GET or PATCH".to_owned()) }
}

/// `plimsoll replay`
#[derive(Debug, Args)]
pub(super) struct ReplayArgs {
    /// The recording (.plim), or its name in the data folder.
    pub(super) recording: PathBuf,
    /// How many times faster than it was.
    #[arg(long, default_value_t = 1.0, value_name = "X")]
    pub(super) speed: f64,
    /// No screen: print what was found.
    #[arg(long)]
    pub(super) headless: bool,
    /// Print it as one JSON object.
    #[arg(long)]
    pub(super) json: bool,
}

/// `plimsoll analyze`
#[derive(Debug, Args)]
pub(super) struct AnalyzeArgs {
    /// A recording (.plim) or a pool-sweep/1 file (.json).
    pub(super) input: PathBuf,
    /// Print the verdict as one JSON object.
    #[arg(long)]
    pub(super) json: bool,
}

/// `plimsoll compare`
#[derive(Debug, Args)]
pub(super) struct CompareArgs {
    /// The recording (.plim) to compare with, or its name in the data folder.
    pub(super) base: PathBuf,
    /// The recordings to compare.
    #[arg(required = true)]
    pub(super) new: Vec<PathBuf>,
    /// Print the comparison as one JSON object (an array of them if several are compared).
    #[arg(long)]
    pub(super) json: bool,
}

/// `plimsoll list`
#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Print it as one JSON array.
    #[arg(long)]
    pub(super) json: bool,
}

/// `plimsoll show`
#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    /// The recording (.plim), or its name in the data folder.
    pub(super) recording: PathBuf,
    /// Print it as one JSON object.
    #[arg(long)]
    pub(super) json: bool,
}

/// The forms of a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Markdown, for a pull request.
    Md,
    /// pool-sweep/1 with the verdict.
    Json,
    /// `JUnit` XML, for build servers: each threshold a test case, the verdict another.
    Junit,
    /// One row for each step.
    Csv,
    /// One row for each interval of the measured load.
    CsvSeconds,
}

/// `plimsoll export`
#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    /// The recording (.plim), or its name in the data folder.
    pub(super) recording: PathBuf,
    /// In which form.
    #[arg(long, value_enum, default_value = "md")]
    pub(super) format: Format,
    /// Where to write it; default: stdout.
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
}

/// `plimsoll init`
#[derive(Debug, Args)]
pub(super) struct InitArgs {
    /// Which profile to start from: full (every key), spring-boot-http, spring-boot-restart, lab, four-phase or purchase-flow.
    #[arg(long, default_value = "full", value_name = "NAME")]
    pub(super) preset: String,
    /// Where to write it; default: stdout.
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
}

/// `plimsoll lab`
#[derive(Debug, Args)]
pub(super) struct LabArgs {
    /// Which service: ticketing, locks, plateau, thread-bound, underloaded or cpu-bound.
    #[arg(long, default_value = "ticketing")]
    pub(super) preset: String,
    /// The port on 127.0.0.1; 0 takes a free one. The address is printed on stdout.
    #[arg(long, default_value_t = 8077)]
    pub(super) port: u16,
    /// Seed of the work that requests bring.
    #[arg(long, default_value_t = 7)]
    pub(super) seed: u64,
    /// Do not serve: print the true curve, the best value and its 2% zone.
    #[arg(long)]
    pub(super) explain: bool,
    /// With --explain: as one JSON object.
    #[arg(long, requires = "explain")]
    pub(super) json: bool,
    /// End when standard input closes: for a program that starts the lab and must not leave it behind.
    #[arg(long)]
    pub(super) until_stdin_closes: bool,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_definition_holds_together() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_and_argument_says_what_it_is_for() {
        let root = Cli::command();
        for command in root.get_subcommands() {
            assert!(command.get_about().is_some(), "{}", command.get_name());
            for arg in command.get_arguments() {
                assert!(arg.get_help().is_some(), "{} {}", command.get_name(), arg.get_id());
            }
        }
    }

    #[test]
    fn no_command_opens_the_home_screen() {
        assert!(Cli::try_parse_from(["plimsoll"]).unwrap().command.is_none());
        assert!(Cli::try_parse_from(["plimsoll", "lab", "--json"]).is_err(), "--json goes with --explain");
    }
}
