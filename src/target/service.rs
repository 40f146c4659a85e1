//! The target of a plan: brings the ways of changing a setting together and keeps them in the right order. A restart
//! comes first, because it takes back what was changed at run time; that is then put back in.

use std::path::PathBuf;

use async_trait::async_trait;
use reqwest::{Client, Url};

use super::command;
use super::hosts::{Allowed, shown};
use super::http::{self, Change};
use super::known::{Known, plain};
use super::process::Service;
use super::ready::Question;
use crate::model::plan::{Apply, Ready, Setting, TargetPlan};
use crate::model::template::Template;
use crate::model::units::Span;
use crate::ports::{Target, TargetError};

/// How long the port of an ended service may stay taken.
const PORT_FREE: Span = Span::from_secs(2);

/// How long things at the target may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// One request.
    pub request: Span,
    /// One command.
    pub command: Span,
    /// From being asked to end to being ended.
    pub grace: Span,
    /// Readiness, where the plan does not say.
    pub ready: Span,
}

impl Default for Patience {
    fn default() -> Self {
        Self { request: Span::from_secs(10), command: Span::from_secs(120), grace: Span::from_secs(10), ready: Span::from_secs(10) }
    }
}

/// The service under test.
#[derive(Debug)]
pub struct ServiceTarget {
    client: Client,
    allowed: Allowed,
    /// Where the service is: one address for each instance.
    bases: Vec<Url>,
    ready: Option<Ready>,
    service: Option<Service>,
    settings: Vec<Setting>,
    known: Known,
    /// Settings changed at run time since the process began: a restart loses them.
    at_run_time: Vec<String>,
    /// The values of the settings that are changed by a restart, as the process was started with.
    started_with: Vec<(String, f64)>,
    patience: Patience,
}

impl ServiceTarget {
    /// For the target and the settings of a plan; nothing is touched yet. What the service's own process writes goes to
    /// `process_log` too, if given.
    pub fn new(target: &TargetPlan, settings: &[Setting], patience: Patience, process_log: Option<PathBuf>) -> Result<Self, TargetError> {
        let allowed = Allowed::new(&target.allow);
        let instances = match target.instances.as_slice() {
            [] => std::slice::from_ref(&target.url),
            several => several,
        };
        let bases = instances.iter().map(|url| allowed.address("reading target.url", url));
        Ok(Self {
            client: http::client(patience.request)?,
            bases: bases.collect::<Result<_, _>>()?,
            allowed,
            ready: target.ready.clone(),
            service: target.process.clone().map(|process| Service::new(process, process_log)),
            settings: settings.to_vec(),
            known: Known::at_first(settings),
            at_run_time: Vec::new(),
            started_with: Vec::new(),
            patience,
        })
    }

    /// Starts the service's own process with what is known now, and waits until it is ready.
    async fn start(&mut self) -> Result<(), TargetError> {
        self.be_alone().await?;
        let Some(service) = &mut self.service else { return Ok(()) };
        service.start(&self.known)?;
        let by_restart = self.settings.iter().filter(|setting| setting.apply == Apply::Restart);
        let value = |setting: &Setting| Some((setting.name.clone(), self.known.get(&setting.name)?));
        self.started_with = by_restart.filter_map(value).collect();
        self.wait().await
    }

    /// Somebody else's service at the address would be taken for ours: ours ends for want of the port, and the other answers.
    async fn be_alone(&self) -> Result<(), TargetError> {
        let question = self.question(self.patience.grace.min(PORT_FREE));
        for base in &self.bases {
            if !question.is_vacant(base).await? {
                let answer = "another service answers there already; end it first, or leave out [target.process]".to_owned();
                return Err(TargetError::Refused { doing: format!("starting the service for {}", shown(base)), answer });
            }
        }
        Ok(())
    }

    fn question(&self, within: Span) -> Question<'_> {
        Question { client: &self.client, allowed: &self.allowed, ready: self.ready.as_ref(), within }
    }

    async fn wait(&mut self) -> Result<(), TargetError> {
        let within = self.ready.as_ref().map_or(self.patience.ready, |ready| ready.within);
        let question = Question { client: &self.client, allowed: &self.allowed, ready: self.ready.as_ref(), within };
        for base in &self.bases {
            question.wait(base, self.service.as_mut()).await?;
        }
        Ok(())
    }

    /// Restarts where a value asks for it; whether it did.
    async fn restart(&mut self, settings: &[(&Setting, f64)]) -> Result<bool, TargetError> {
        let Some(service) = &mut self.service else {
            let asked = settings.iter().find(|(setting, _)| setting.apply == Apply::Restart);
            return match asked {
                Some((setting, value)) => {
                    Err(TargetError::Refused { doing: what(setting, *value), answer: "a restart needs [target.process] in the profile".to_owned() })
                }
                None => Ok(false),
            };
        };
        let running = service.is_running();
        let as_started =
            |(setting, value): &(&Setting, f64)| setting.apply != Apply::Restart || self.started_with.contains(&(setting.name.clone(), *value));
        if running && settings.iter().all(as_started) {
            return Ok(false);
        }
        service.stop(self.patience.grace).await;
        self.start().await?;
        Ok(true)
    }

    /// Puts one setting into effect at run time, with the values known now.
    async fn change(&mut self, setting: &Setting, value: f64) -> Result<(), TargetError> {
        let what = what(setting, value);
        match &setting.apply {
            Apply::Restart | Apply::Load => return Ok(()),
            Apply::Command(words) => {
                command::run(&what, &filled(words, &self.known), self.patience.command).await?;
            }
            Apply::Http { method, path, headers, body } => {
                let change = Change { method, path, headers, body: body.as_ref() };
                let once = change.is_elsewhere(&self.known);
                for base in self.bases.iter().take(if once { 1 } else { usize::MAX }) {
                    change.send(&what, &self.client, base, &self.allowed, &self.known).await?;
                }
            }
        }
        if !self.at_run_time.contains(&setting.name) {
            self.at_run_time.push(setting.name.clone());
        }
        Ok(())
    }

    /// What a restart took back, put in again.
    async fn change_again(&mut self, except: &[(&Setting, f64)]) -> Result<(), TargetError> {
        let lost: Vec<Setting> = self
            .settings
            .iter()
            .filter(|setting| self.at_run_time.contains(&setting.name))
            .filter(|setting| except.iter().all(|(other, _)| other.name != setting.name))
            .cloned()
            .collect();
        for setting in &lost {
            if let Some(value) = self.known.get(&setting.name) {
                self.change(setting, value).await?;
            }
        }
        Ok(())
    }

    fn how(&self, setting: &Setting, restarted: bool) -> String {
        match &setting.apply {
            Apply::Http { method, path, headers, body } => Change { method, path, headers, body: body.as_ref() }.how(&self.known),
            Apply::Command(words) => words.first().map(|word| self.known.fill(word)).unwrap_or_default(),
            Apply::Restart if restarted => "restart".to_owned(),
            Apply::Restart => "already started so".to_owned(),
            Apply::Load => "the load itself".to_owned(),
        }
    }
}

#[async_trait]
impl Target for ServiceTarget {
    async fn ready(&mut self) -> Result<(), TargetError> {
        if self.service.as_mut().is_none_or(Service::is_running) {
            return self.wait().await;
        }
        self.start().await?;
        self.change_again(&[]).await
    }

    async fn apply(&mut self, settings: &[(&Setting, f64)]) -> Result<Vec<String>, TargetError> {
        for (setting, value) in settings {
            self.known.set(&setting.name, *value);
        }
        let restarted = self.restart(settings).await?;
        if restarted {
            self.change_again(settings).await?;
        }
        for (setting, value) in settings {
            self.change(setting, *value).await?;
        }
        Ok(settings.iter().map(|(setting, _)| self.how(setting, restarted)).collect())
    }

    fn by_hand(&self, setting: &Setting, value: f64) -> String {
        let known = self.known.with(&setting.name, value);
        match &setting.apply {
            Apply::Http { method, path, headers, body } => {
                let change = Change { method, path, headers, body: body.as_ref() };
                let lines = self.bases.iter().map(|base| change.by_hand(base, &known));
                lines.collect::<Vec<_>>().join("\n")
            }
            Apply::Command(words) => command::quoted(&filled(words, &known)),
            Apply::Restart => format!("restart the service with {} = {}", setting.name, plain(value)),
            Apply::Load => "nothing: the load is not the service's".to_owned(),
        }
    }

    async fn close(&mut self) {
        if let Some(service) = &mut self.service {
            service.stop(self.patience.grace).await;
        }
    }
}

fn what(setting: &Setting, value: f64) -> String {
    format!("setting {} to {}", setting.name, plain(value))
}

fn filled(words: &[Template], known: &Known) -> Vec<String> {
    words.iter().map(|word| known.fill(word)).collect()
}
