//! The loop: keys, news and frames. Generic over terminal and input, so that tests drive the same loop with a script and a paused clock.
//!
//! A key is answered with a frame at once; everything else waits for the next frame tick, at most ten a second, and a picture that did
//! not change is not drawn. At rest nothing wakes up.

use std::time::Duration;

use futures::{Stream, StreamExt as _};
use ratatui::Terminal;
use ratatui::backend::Backend;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};

use super::look::Look;
use super::message::{Feed, Input, Request, Start, UiEnd, UiError};
use super::receive::{pass, receive};
use super::state::{Origin, State};
use super::update::{Effect, press};
use super::view;
use crate::model::units::Span;

/// Time between two frames.
pub const FRAME: Duration = Duration::from_millis(100);
/// How long something said stays.
const NOTICE: Duration = Duration::from_secs(6);

/// Shows the screens until the person leaves, the terminal is gone or the program asks for it.
pub async fn run<B, I>(
    start: Start,
    terminal: &mut Terminal<B>,
    mut inputs: I,
    mut feed: UnboundedReceiver<Feed>,
    requests: UnboundedSender<Request>,
    look: Look,
) -> Result<UiEnd, UiError>
where
    B: Backend,
    I: Stream<Item = Input> + Unpin,
{
    let mut ui = Ui { state: State::new(start), terminal, requests, look, dirty: true, last: Instant::now(), notice_since: None };
    let mut frames = interval(FRAME);
    frames.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut listening = true;
    if start == Start::Home {
        ui.ask(Request::List);
    }
    loop {
        let end = tokio::select! {
            biased;
            input = inputs.next() => match input {
                None => Some(UiEnd::InputGone),
                Some(input) => ui.input(input)?,
            },
            news = feed.recv(), if listening => match news {
                None => { listening = false; None }
                Some(news) => ui.news(news, &mut feed)?,
            },
            () = sleep_until(ui.notice_until()), if ui.state.notice.is_some() => { ui.forget_notice(); None }
            _ = frames.tick(), if ui.dirty || ui.moves() => { ui.frame()?; None }
        };
        if let Some(end) = end {
            return Ok(end);
        }
    }
}

struct Ui<'t, B: Backend> {
    state: State,
    terminal: &'t mut Terminal<B>,
    requests: UnboundedSender<Request>,
    look: Look,
    dirty: bool,
    last: Instant,
    notice_since: Option<(String, Instant)>,
}

impl<B: Backend> Ui<'_, B> {
    fn ask(&self, request: Request) {
        // A program that no longer listens is about to take the screen away; there is nobody to tell.
        let _ = self.requests.send(request);
    }

    fn input(&mut self, input: Input) -> Result<Option<UiEnd>, UiError> {
        let effects = match input {
            Input::Key(key) => press(&mut self.state, key),
            Input::Resize => Vec::new(),
        };
        let end = self.carry_out(effects)?;
        if end.is_none() {
            self.draw()?;
        }
        Ok(end)
    }

    /// Takes in one piece of news and all that wait behind it, so that a burst costs one frame.
    fn news(&mut self, first: Feed, feed: &mut UnboundedReceiver<Feed>) -> Result<Option<UiEnd>, UiError> {
        let mut next = Some(first);
        while let Some(news) = next {
            let effects = receive(&mut self.state, news);
            if let Some(end) = self.carry_out(effects)? {
                return Ok(Some(end));
            }
            next = feed.try_recv().ok();
        }
        self.dirty = true;
        Ok(None)
    }

    fn carry_out(&mut self, effects: Vec<Effect>) -> Result<Option<UiEnd>, UiError> {
        let mut end = None;
        for effect in effects {
            match effect {
                Effect::Ask(request) => self.ask(request),
                Effect::Repaint => self.repaint()?,
                Effect::End(how) => end = Some(how),
            }
        }
        self.note_notice();
        Ok(end)
    }

    /// Forces every cell out again. `Terminal::clear` would ask the terminal where its cursor is and wait for an answer that may not come.
    fn repaint(&mut self) -> Result<(), UiError> {
        let size = self.terminal.size().map_err(draw_error)?;
        self.terminal.resize(ratatui::layout::Rect::new(0, 0, size.width, size.height)).map_err(draw_error)
    }

    fn moves(&self) -> bool {
        matches!(&self.state.origin, Origin::Replay(transport) if transport.playing)
    }

    fn frame(&mut self) -> Result<(), UiError> {
        let now = Instant::now();
        let passed = now.duration_since(self.last).min(FRAME * 3);
        self.last = now;
        if pass(&mut self.state, Span::from(passed)) || self.dirty {
            self.draw()?;
        }
        Ok(())
    }

    fn draw(&mut self) -> Result<(), UiError> {
        self.dirty = false;
        let (state, look) = (&self.state, self.look);
        self.terminal.draw(|frame| view::render(state, look, frame.buffer_mut())).map_err(draw_error)?;
        Ok(())
    }

    fn note_notice(&mut self) {
        let known = self.notice_since.as_ref().map(|(text, _)| text);
        if known != self.state.notice.as_ref() {
            self.notice_since = self.state.notice.clone().map(|text| (text, Instant::now()));
        }
    }

    fn notice_until(&self) -> Instant {
        self.notice_since.as_ref().map_or_else(Instant::now, |(_, since)| *since) + NOTICE
    }

    fn forget_notice(&mut self) {
        (self.state.notice, self.notice_since, self.dirty) = (None, None, true);
    }
}

fn draw_error<E: std::fmt::Display>(error: E) -> UiError {
    UiError::Draw { what: error.to_string() }
}
