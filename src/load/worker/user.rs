//! A virtual user: its connection, its variables, its row of data, its generator; and the life of one under closed load.

use std::sync::Arc;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::Worker;
use super::pass::{Pass, pass};
use super::pool::Rested;
use crate::load::compile::{Flow, Scratch};
use crate::load::dial::Dial;
use crate::load::draw;
use crate::load::feed::Feed;
use crate::load::fill::Vars;
use crate::load::jar::Jar;
use crate::load::orders::{Permit, Who};
use crate::model::units::{Elapsed, Span};

/// Without think time, new users spread their first request over this.
const SPREAD: Span = Span::from_millis(5);
/// After a failure that nothing else holds back, a user waits this long, and twice as long each time it happens again.
const FIRST_PAUSE: Span = Span::from_millis(20);
const LONGEST_PAUSE: Span = Span::from_secs(1);

/// What a user carries from request to request.
pub(super) struct User<S> {
    /// Which scenario.
    pub(super) flow: usize,
    /// Which instance of the service.
    pub(super) origin: usize,
    /// Its kept connection.
    pub(super) connection: Option<Rested<S>>,
    /// What its requests are filled with.
    pub(super) vars: Vars,
    /// Whether a request was sent with its row, so that the next pass needs another.
    pub(super) spent: bool,
    /// Its cookies, once an answer set one.
    pub(super) jar: Option<Box<Jar>>,
    /// Whether it has done its `once` steps.
    pub(super) ready: bool,
    /// Its own generator.
    pub(super) rng: ChaCha8Rng,
    /// Room for requests that differ from user to user.
    pub(super) scratch: Scratch,
    /// Failures in a row that call for patience.
    pub(super) refusals: u32,
}

impl<S> User<S> {
    /// The `number`th user of a load.
    pub(super) fn new<D: Dial<Stream = S>>(worker: &Worker<D>, number: u64, flow: usize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(worker.seed);
        rng.set_stream(number.wrapping_add(1));
        Self {
            flow,
            origin: usize::try_from(number % worker.job.origins.len().max(1) as u64).unwrap_or(0),
            connection: None,
            vars: Vars::new(worker.job.vars),
            spent: true,
            jar: None,
            ready: false,
            rng,
            scratch: Scratch::default(),
            refusals: 0,
        }
    }

    /// Draws the row of the next pass. A row no request was sent with is kept: a pass that was cut before its first request takes nothing away.
    /// The `once` steps and the pass behind them are one and share the user's first row. False if there is none left.
    pub(super) fn draw_row(&mut self, flow: &Flow) -> bool {
        let Some(feed) = flow.feed.as_ref().filter(|_| self.spent) else { return true };
        let Some(row) = feed.draw(&mut self.rng) else { return false };
        (self.vars.row, self.spent) = (row, false);
        true
    }

    /// A pass that can send nothing: the next one comes after a while, or the user would turn on the spot.
    pub(super) const fn stuck(&mut self, end: Elapsed) -> Pass {
        self.refusals = self.refusals.saturating_add(1);
        Pass::Stuck { end }
    }

    /// When its next pass is meant to begin, after one that ended at `end` and asks for a think time of its own.
    pub(super) fn next_start<D: Dial<Stream = S>>(&mut self, worker: &Worker<D>, end: Elapsed, think: Span) -> Elapsed {
        let between = worker.job.flows.get(self.flow).and_then(|flow| flow.think);
        let think = between.map_or(think, |t| think.plus(draw::think(t, &mut self.rng)));
        end.plus(think.max(self.patience()))
    }

    /// How long to wait after failures that nothing else holds back.
    fn patience(&mut self) -> Span {
        if self.refusals == 0 {
            return Span::ZERO;
        }
        let doubled = FIRST_PAUSE.times(f64::from(1_u32 << (self.refusals - 1).min(10))).min(LONGEST_PAUSE);
        doubled.times(0.75).plus(draw::up_to(doubled.times(0.5), &mut self.rng))
    }
}

/// A seat in the book, left when its user ends, however it ends.
pub(super) struct Seat<D: Dial> {
    pub(super) worker: Arc<Worker<D>>,
    pub(super) number: usize,
}

impl<D: Dial> Seat<D> {
    pub(super) const fn new(worker: Arc<Worker<D>>, number: usize) -> Self {
        Self { worker, number }
    }

    /// The arrival that sits here can not begin after all.
    pub(super) fn drop_arrival(&self) {
        let now = self.worker.now();
        self.worker.book().dropped(now);
    }
}

impl<D: Dial> Drop for Seat<D> {
    fn drop(&mut self) {
        self.worker.book().leave(self.number);
    }
}

/// The life of a user that goes on while it is wanted: the `number`th of its kind, with this scenario.
pub(super) async fn live<D: Dial>(seat: Seat<D>, who: Who, number: u64, flow: usize) {
    let worker = Arc::clone(&seat.worker);
    // Hired again at every turn while it is wanted: without a row left it does not even sit down.
    let Some(plan) = worker.job.flows.get(flow).filter(|f| !f.feed.as_ref().is_some_and(Feed::is_dry)) else { return };
    let mut user = User::new(&worker, number, flow);
    let spread = if plan.mean_think.is_zero() { SPREAD } else { plan.mean_think };
    let mut intended = worker.now().plus(draw::up_to(spread, &mut user.rng));
    loop {
        if worker.now() < intended {
            worker.pacer.until(worker.instant(intended)).await;
        }
        if !worker.job.take_pass() {
            return;
        }
        let (end, think) = match pass(&seat, &mut user, who, intended).await {
            Pass::Whole { end, think } => (end, think),
            Pass::Failed { end } | Pass::Stuck { end } => (end, Span::ZERO),
            Pass::Dry => return,
            Pass::Cut => {
                if !may_go_on(&worker, who).await {
                    return;
                }
                intended = worker.now().plus(draw::up_to(spread, &mut user.rng));
                continue;
            }
        };
        intended = user.next_start(&worker, end, think);
    }
}

/// Waits while everything is held; whether the user may go on then.
async fn may_go_on<D: Dial>(worker: &Worker<D>, who: Who) -> bool {
    loop {
        let mut changed = std::pin::pin!(worker.desk.changed());
        changed.as_mut().enable();
        match worker.permit(who) {
            Permit::Wait => changed.await,
            Permit::Go(_) => return true,
            Permit::Leave => return false,
        }
    }
}
