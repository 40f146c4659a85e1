//! The screens: hands the terminal to `ui` and answers what it asks for (list, open, start, steer).

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::args::Common;
use super::exit::{CliError, Exit};
use super::library::library;
use super::print::err;
use super::run::{exit_of, print_end, stop, told_recording};
use super::stop::stop_signal;
use super::wire::{Form, Launch, Running, end_of, start};
use super::{demo, load, records, run};
use crate::model::event::Stamped;
use crate::runner::{Cause, RunEnd};
use crate::ui::{self, Feed, Look, Request, Start};

/// Whether there is a terminal to draw on and to type at.
pub(super) fn terminal() -> Result<(), CliError> {
    if std::io::stdout().is_terminal() && std::io::stdin().is_terminal() {
        return Ok(());
    }
    Err(CliError::usage("there is no terminal to draw on").hint("add --headless (and --json for machines)"))
}

/// What the screen begins with.
pub(super) enum Opening {
    /// The home screen.
    Home,
    /// A run.
    Run(Box<Launch>),
    /// A recording, at a speed.
    Replay { name: String, events: Vec<Stamped>, speed: f64 },
}

/// Shows the screens until the person leaves; a run that is under way then is ended in order.
pub(super) async fn show(opening: Opening, common: &Common) -> Result<Exit, CliError> {
    terminal()?;
    let (feed, feed_rx) = unbounded_channel();
    let (requests_tx, requests) = unbounded_channel();
    let mut desk = Desk { feed, running: None, finished: None };
    let begin = match &opening {
        Opening::Home => Start::Home,
        Opening::Run(launch) if launch.recording.is_none() => Start::Unrecorded,
        Opening::Run(_) => Start::Live,
        Opening::Replay { speed, .. } => Start::Replay { speed: *speed },
    };
    match opening {
        Opening::Home => {}
        Opening::Run(launch) => desk.begin(*launch).await?,
        Opening::Replay { name, events, .. } => desk.tell(Feed::Recording { name, events: Arc::new(events) }),
    }
    let (close, closed) = tokio::sync::oneshot::channel();
    let at_desk = tokio::spawn(desk.serve(requests, closed));
    let shown = draw(begin, feed_rx, requests_tx, common).await;
    let _gone = close.send(());
    let desk = at_desk.await.map_err(|e| CliError::new(Exit::Internal, format!("internal error: {e}")))?;
    let ended = desk.end().await?;
    shown?;
    let Some(Ended { end, recording, form }) = ended else { return Ok(Exit::Done) };
    match form {
        Form::Answer => print_end(&end, recording.as_deref(), false),
        Form::Load => {
            load::print_end(&end, false, common.ascii);
            told_recording(recording.as_deref());
        }
    }
    Ok(exit_of(&end))
}

async fn draw(begin: Start, feed: UnboundedReceiver<Feed>, requests: UnboundedSender<Request>, common: &Common) -> Result<(), CliError> {
    let no_color = common.no_color || std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    let (term, colorterm) = (std::env::var("TERM").ok(), std::env::var("COLORTERM").ok());
    let colors = ui::colors_of(term.as_deref(), colorterm.as_deref(), no_color);
    let look = Look { colors, ascii: common.ascii, ..Look::default() };
    let failed = |e: ui::UiError| CliError::new(Exit::Internal, e.to_string());
    let (mut terminal, guard) = ui::term::enter().map_err(failed)?;
    let shown = ui::run(begin, &mut terminal, ui::term::inputs(), feed, requests, look).await;
    drop(guard);
    shown.map(|_| ()).map_err(failed)
}

/// Answers the screen.
struct Desk {
    feed: UnboundedSender<Feed>,
    running: Option<Running>,
    finished: Option<Ended>,
}

/// A run that is over.
struct Ended {
    end: RunEnd,
    recording: Option<PathBuf>,
    form: Form,
}

impl Desk {
    fn tell(&self, feed: Feed) {
        // The screen may be gone already.
        let _gone = self.feed.send(feed);
    }

    async fn begin(&mut self, launch: Launch) -> Result<(), CliError> {
        let (watcher, mut events) = unbounded_channel();
        self.running = Some(start(launch, vec![watcher]).await?);
        let feed = self.feed.clone();
        tokio::spawn(async move {
            while let Some(event) = events.recv().await {
                if feed.send(Feed::Event(event)).is_err() {
                    return;
                }
            }
        });
        Ok(())
    }

    async fn serve(mut self, mut requests: UnboundedReceiver<Request>, mut closed: tokio::sync::oneshot::Receiver<()>) -> Self {
        let mut signalled = false;
        loop {
            tokio::select! {
                _ = &mut closed => return self,
                request = requests.recv() => match request {
                    Some(request) => self.answer(request).await,
                    None => return self,
                },
                () = run_ends(&mut self.running) => self.take_end().await,
                () = stop_signal(), if !signalled => {
                    signalled = true;
                    self.control(crate::control::Command::Stop);
                    if self.running.is_none() {
                        self.tell(Feed::Leave);
                    }
                }
            }
            if signalled && self.running.is_none() {
                self.tell(Feed::Leave);
            }
        }
    }

    fn control(&self, command: crate::control::Command) {
        if let Some(running) = &self.running {
            let _gone = running.commands.send(command);
        }
    }

    async fn take_end(&mut self) {
        let Some(running) = self.running.take() else { return };
        let (recording, form) = (running.recording.clone(), running.form);
        match end_of(running).await {
            Ok(end) => {
                if end.cause.is_some() && end.cause != Some(Cause::Interrupted) {
                    self.tell(Feed::RunFailed(end.reason.clone()));
                }
                self.tell(if end.cause == Some(Cause::Internal) { Feed::Leave } else { Feed::RunEnded });
                self.finished = Some(Ended { end, recording, form });
            }
            Err(error) => self.tell(Feed::RunFailed(error.to_string())),
        }
    }

    async fn answer(&mut self, request: Request) {
        let told = match request {
            Request::List => {
                self.tell(Feed::Library(library().await));
                Ok(())
            }
            Request::Open(path) => self.open(&path).await,
            Request::StartDemo { preset } => match demo::launch(&preset, 7, None).await {
                Ok(launch) => self.begin(launch).await,
                Err(error) => Err(error),
            },
            Request::StartProfile(path) => match run::launch_profile(&path) {
                Ok(launch) => self.begin(launch).await,
                Err(error) => Err(error),
            },
            Request::Control(command) => {
                self.control(command);
                Ok(())
            }
            Request::Quit => Ok(()),
        };
        if let Err(error) = told {
            self.tell(Feed::RunFailed(error.to_string()));
        }
    }

    async fn open(&self, path: &Path) -> Result<(), CliError> {
        let (name, events) = records::events(path).await?;
        self.tell(Feed::Recording { name, events: Arc::new(events) });
        Ok(())
    }

    /// Ends what still runs, once the screen is gone.
    async fn end(mut self) -> Result<Option<Ended>, CliError> {
        let Some(running) = self.running.take() else { return Ok(self.finished) };
        err("stopping: settings are being put back");
        let (recording, form) = (running.recording.clone(), running.form);
        Ok(Some(Ended { end: stop(running).await?, recording, form }))
    }
}

/// Resolves when the running experiment has ended; never while there is none.
async fn run_ends(running: &mut Option<Running>) {
    match running {
        Some(running) => {
            while !running.ended.is_finished() {
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            }
        }
        None => std::future::pending().await,
    }
}
