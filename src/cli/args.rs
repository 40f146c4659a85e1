//! The arguments, as typed. No side effects: what they mean is decided by the commands.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

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
    /// JUnit XML, for build servers: each threshold a test case, the verdict another.
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
    /// Which profile to start from: full (every key), spring-boot-http or lab.
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
