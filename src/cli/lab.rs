//! `plimsoll lab`: the built-in service alone, and `--explain`: its true optimum. Also starts one as a process of its own, for the demo.

use std::path::Path;
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

use super::args::LabArgs;
use super::exit::{CliError, Exit};
use super::print::out;
use super::stop::stop_signal;
use crate::lab::{LabConfig, LabError, ParentWatch, Preset, law, presets, serve};

/// What the line on stdout begins with; the address follows.
const LISTENING: &str = "listening on ";

pub(super) fn run(args: &LabArgs) -> Result<Exit, CliError> {
    let preset = presets::find(&args.preset).map_err(|e| CliError::usage(e.to_string()))?;
    if args.explain {
        return explain(&preset, args.json);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|e| CliError::new(Exit::Internal, format!("starting the lab: {e}")))?;
    runtime.block_on(listen(&preset, args))
}

fn explain(preset: &Preset, json: bool) -> Result<Exit, CliError> {
    let law = law::explain(preset);
    if json {
        let text = serde_json::to_string(&law).map_err(|e| CliError::new(Exit::Internal, e.to_string()))?;
        out(&text);
    } else {
        out(&law.text(&preset.values));
    }
    Ok(Exit::Done)
}

async fn listen(preset: &Preset, args: &LabArgs) -> Result<Exit, CliError> {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", args.port)).await;
    let listener = listener.map_err(|e| {
        CliError::new(Exit::Unreachable, format!("listening on 127.0.0.1:{}: {e}", args.port)).hint("another --port, or --port 0 for a free one")
    })?;
    let address = listener.local_addr().map_err(|e| CliError::new(Exit::Internal, e.to_string()))?;
    out(&format!("{LISTENING}http://{address}"));
    let watch = args.until_stdin_closes.then(ParentWatch::stdin);
    let until = async move {
        match watch {
            Some(watch) => tokio::select! { () = watch.gone() => {}, () = stop_signal() => {} },
            None => stop_signal().await,
        }
    };
    let config = LabConfig { settings: preset.service.clone(), seed: args.seed };
    serve(config, listener, until).await.map_err(|e: LabError| CliError::new(Exit::Internal, e.to_string()))?;
    Ok(Exit::Done)
}

/// A lab in a process of its own. It ends with this value, and within a second of this process however that ends.
pub(super) struct LabProcess {
    child: Child,
    /// Where it listens.
    pub(super) url: String,
}

impl LabProcess {
    /// Starts this program once more as a lab.
    pub(super) async fn start(program: &Path, preset: &str, seed: u64) -> Result<Self, CliError> {
        let failed = |what: String| CliError::new(Exit::Internal, format!("starting the lab: {what}"));
        let mut command = Command::new(program);
        command.args(["lab", "--until-stdin-closes", "--port", "0", "--preset", preset, "--seed", &seed.to_string()]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
        // A group of its own: ctrl-C at the terminal must reach us alone, so that the settings can still be put back.
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn().map_err(|e| failed(e.to_string()))?;
        let stdout = child.stdout.take().ok_or_else(|| failed("its output is not readable".to_owned()))?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line).await.map_err(|e| failed(e.to_string()))?;
        let url = line.trim().strip_prefix(LISTENING).ok_or_else(|| failed(format!("it said `{}`", line.trim())))?.to_owned();
        Ok(Self { child, url })
    }

    /// Ends it: its input closes, and it gets a second before it is killed.
    pub(super) async fn end(mut self) {
        drop(self.child.stdin.take());
        let asked = tokio::time::timeout(std::time::Duration::from_secs(1), self.child.wait()).await;
        if asked.is_err() {
            let _ = self.child.kill().await;
        }
    }
}
