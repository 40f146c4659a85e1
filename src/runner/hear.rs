//! Listening: one thing at a time is heard from the engine, the scrapers, the person, the recorder or the clock, and becomes events.

use super::driver::{Driver, Halt};
use crate::control::Command;
use crate::model::event::{Author, Event, Note, NoteLevel, PlanChange, Sample, StepId};
use crate::model::units::Elapsed;
use crate::ports::{EngineReport, Scraped, StoreError};

/// What was heard, as far as a waiting loop cares.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Heard {
    /// The time waited for has come.
    Time,
    /// The load reported an interval.
    Tick,
    /// A source answered.
    Sample(Box<Sample>),
    /// Anything else.
    Other,
}

/// One thing heard, before it is taken in.
enum Said {
    Time,
    Report(Option<EngineReport>),
    Scraped(Scraped),
    Command(Command),
    Recorder(Option<StoreError>),
}

impl Driver {
    /// Waits for the next thing to happen, at the latest until `until`, and takes it in.
    pub(super) async fn hear(&mut self, until: Elapsed) -> Heard {
        let said = self.next_said(until).await;
        match said {
            Said::Time => Heard::Time,
            Said::Report(report) => self.take_report(report),
            Said::Scraped(Scraped::Sample(sample)) => {
                self.emit_watched(&Event::Sample(sample.clone()));
                Heard::Sample(sample)
            }
            Said::Scraped(Scraped::Gap(gap)) => {
                self.emit(Event::Gap(gap));
                Heard::Other
            }
            Said::Command(command) => {
                self.take_command(command);
                Heard::Other
            }
            Said::Recorder(failure) => {
                let why = failure.map_or_else(|| "the recorder is gone".to_owned(), |e| e.to_string());
                self.halt(Halt::Internal(why));
                Heard::Other
            }
        }
    }

    async fn next_said(&mut self, until: Elapsed) -> Said {
        if let Some(command) = self.kept.pop_front() {
            return Said::Command(command);
        }
        let clock = self.clock.clone();
        tokio::select! {
            biased;
            failure = wait_recorder(&mut self.recorder_failed) => {
                self.recorder_failed = None;
                Said::Recorder(failure)
            }
            command = self.commands.recv(), if self.commands_open => {
                self.commands_open = command.is_some();
                command.map_or(Said::Time, Said::Command)
            }
            report = self.reports.recv(), if self.reports_open => Said::Report(report),
            Some(scraped) = self.scraped.recv() => Said::Scraped(scraped),
            () = clock.sleep_until(until) => Said::Time,
        }
    }

    fn take_report(&mut self, report: Option<EngineReport>) -> Heard {
        match report {
            Some(EngineReport::Tick(tick)) => {
                self.emit_watched(&Event::Tick(tick));
                return Heard::Tick;
            }
            Some(EngineReport::Warning(text)) => self.say(NoteLevel::Warning, text),
            Some(EngineReport::Bound(bound)) => {
                let step = self.session().current().map(|s| s.planned().step);
                self.emit(Event::GeneratorBound { step, bound });
            }
            Some(EngineReport::Broken(error)) => self.halt(Halt::Internal(error.to_string())),
            None => {
                self.reports_open = false;
                if !self.ending {
                    self.halt(Halt::Internal("the load engine is gone".to_owned()));
                }
            }
        }
        Heard::Other
    }

    fn take_command(&mut self, command: Command) {
        let step = self.session().current().map(|s| s.planned().step);
        match command {
            Command::Stop => self.halt(Halt::Interrupted("stopped on request".to_owned())),
            Command::Pause => {
                self.paused = true;
                self.changed(PlanChange::Pause);
            }
            Command::GoOn => {
                self.paused = false;
                self.changed(PlanChange::GoOn);
            }
            Command::SkipStep => {
                if let Some(step) = step {
                    self.skip = true;
                    self.changed(PlanChange::Skip { step });
                }
            }
            Command::RepeatStep(step) => self.repeat(step),
            Command::AddStep(values) => {
                let planned = self.schedule.add(values.clone());
                self.changed(PlanChange::Add { values });
                self.emit(Event::StepPlanned(planned));
            }
            Command::ChangeLoad(load) => {
                self.load = load;
                self.changed(PlanChange::Load { load });
            }
            Command::Mark(text) => self.emit(Event::Note(Note { level: NoteLevel::Mark, step, text })),
            Command::Exclude(step, why) => self.emit(Event::StepExcluded { step, why }),
            Command::Include(step, why) => self.emit(Event::StepIncluded { step, why }),
        }
    }

    fn repeat(&mut self, step: StepId) {
        let Some(values) = self.session().step(step).map(|s| s.planned().values.clone()) else { return };
        let planned = self.schedule.add(values);
        self.changed(PlanChange::Repeat { step });
        self.emit(Event::StepPlanned(planned));
    }

    fn changed(&mut self, what: PlanChange) {
        self.emit(Event::PlanChanged { what, by: Author::Person, why: "from the screen".to_owned() });
    }
}

/// Waits for the recorder's failure; for ever if there is no recorder.
async fn wait_recorder(failed: &mut Option<tokio::sync::oneshot::Receiver<StoreError>>) -> Option<StoreError> {
    match failed {
        Some(receiver) => receiver.await.ok(),
        None => std::future::pending().await,
    }
}
