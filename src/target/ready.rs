//! Waiting until a service answers as it should. Each try is short, so that a service that hangs on one question is
//! asked again; the last answer is kept, because "not ready" alone helps nobody.

use std::time::Duration;

use reqwest::{Client, Url};
use tokio::time::Instant;

use super::answer;
use super::hosts::{Allowed, shown};
use super::process::Service;
use crate::model::plan::Ready;
use crate::model::units::Span;
use crate::ports::TargetError;

/// Between two questions.
const PAUSE: Duration = Duration::from_millis(100);
/// One question's own time.
const ONE_TRY: Duration = Duration::from_secs(2);

/// What a service is asked.
pub(super) struct Question<'p> {
    pub(super) client: &'p Client,
    pub(super) allowed: &'p Allowed,
    /// None: a connection is enough.
    pub(super) ready: Option<&'p Ready>,
    pub(super) within: Span,
}

impl Question<'_> {
    /// Asks one instance until it answers well, its process ends, or time is up.
    pub(super) async fn wait(&self, base: &Url, mut service: Option<&mut Service>) -> Result<(), TargetError> {
        let url = self.address(base)?;
        let doing = match self.ready {
            Some(ready) => format!("waiting for {} from GET {}", ready.status, shown(&url)),
            None => format!("connecting to {}", shown(&url)),
        };
        let end = Instant::now() + self.within.duration();
        loop {
            let left = end.saturating_duration_since(Instant::now()).min(ONE_TRY);
            let tried = tokio::time::timeout(left.max(PAUSE), self.ask(&url)).await;
            let last = match tried {
                Ok(Ok(())) => return Ok(()),
                Ok(Err(answer)) => answer,
                Err(_late) => "no answer in time".to_owned(),
            };
            let ended = match &mut service {
                Some(service) => service.ended().await,
                None => None,
            };
            if let Some(answer) = ended {
                return Err(TargetError::Refused { doing, answer });
            }
            if Instant::now() + PAUSE >= end {
                return Err(TargetError::NotReady { doing, within: self.within, last });
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Waits until nobody answers well any more. False if somebody still does when time is up.
    pub(super) async fn is_vacant(&self, base: &Url) -> Result<bool, TargetError> {
        let url = self.address(base)?;
        let end = Instant::now() + self.within.duration();
        while matches!(tokio::time::timeout(ONE_TRY, self.ask(&url)).await, Ok(Ok(()))) {
            if Instant::now() + PAUSE >= end {
                return Ok(false);
            }
            tokio::time::sleep(PAUSE).await;
        }
        Ok(true)
    }

    fn address(&self, base: &Url) -> Result<Url, TargetError> {
        let path = self.ready.map_or("/", |ready| ready.path.as_str());
        let text = format!("{}/{}", base.as_str().trim_end_matches('/'), path.trim_start_matches('/'));
        self.allowed.address("waiting for the target", &text)
    }

    async fn ask(&self, url: &Url) -> Result<(), String> {
        match self.ready {
            Some(ready) => self.ask_for(url, ready.status).await,
            None => connect(url).await,
        }
    }

    async fn ask_for(&self, url: &Url, status: u16) -> Result<(), String> {
        match self.client.get(url.clone()).send().await {
            Ok(answer) if answer.status().as_u16() == status => Ok(()),
            Ok(answer) => Err(answer::describe(answer).await),
            Err(error) => Err(answer::cause(&error)),
        }
    }
}

/// Where nothing says what a healthy answer is, somebody who takes the connection must do.
async fn connect(url: &Url) -> Result<(), String> {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
    let port = url.port_or_known_default().unwrap_or(80);
    let connected = tokio::net::TcpStream::connect((host, port)).await;
    connected.map(drop).map_err(|error| error.to_string())
}
