//! One pass of a scenario: its row of data, the `once` steps before the user's first, then the way through its steps with the times between
//! them.
//!
//! A pass with a failed request goes on and counts as a pass. One that comes to a request whose variable no answer has given ends there: the
//! request is not sent with a hole in it, and what was done counts.

use super::request::ask;
use super::user::{Seat, User};
use super::walk::{Next, Walk};
use crate::load::compile::{Ask, Flow};
use crate::load::dial::Dial;
use crate::load::draw;
use crate::load::orders::{Permit, Who};
use crate::model::units::{Elapsed, Span};

/// How a pass went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    /// It came to its end; `think` is the time that its last step asks for.
    Whole {
        /// When its last request ended, or its last pause.
        end: Elapsed,
        /// What the last step asks to wait.
        think: Span,
    },
    /// A `once` step failed, so that the user can not begin.
    Failed {
        /// When.
        end: Elapsed,
    },
    /// Its first request needs a variable that no answer has given: nothing was sent.
    Stuck {
        /// When.
        end: Elapsed,
    },
    /// The orders do not let it go on.
    Cut,
    /// There is no row of data left for it.
    Dry,
}

/// Makes a pass that was meant to begin at `intended`.
pub(super) async fn pass<D: Dial>(seat: &Seat<D>, user: &mut User<D::Stream>, who: Who, intended: Elapsed) -> Pass {
    let worker = &seat.worker;
    let Some(flow) = worker.job.flows.get(user.flow) else { return Pass::Cut };
    if !user.draw_row(flow) {
        dry(seat, flow);
        return Pass::Dry;
    }
    let mut at = At::new(intended);
    if !user.ready
        && let Some(failed) = begin(seat, user, who, &mut at, flow).await
    {
        return failed;
    }
    let (begun, mut asked) = (at.end, false);
    let mut walk = Walk::new(&flow.steps, &mut user.rng);
    while let Some(next) = walk.next(at.next(), &mut user.rng) {
        match next {
            Next::Ask(request) => match step(seat, user, who, &mut at, request).await {
                Step::Good | Step::Bad => asked = true,
                Step::Lacking if asked => break,
                Step::Lacking => return user.stuck(at.end),
                Step::Cut => return Pass::Cut,
            },
            Next::Think(think) => at.after = at.after.plus(draw::think(think, &mut user.rng)),
            Next::Pause(pause) => {
                at.held = at.held.plus(at.after).plus(draw::think(pause, &mut user.rng));
                at.after = Span::ZERO;
            }
        }
    }
    let end = at.end.plus(at.held);
    if !at.held.is_zero() {
        worker.pacer.until(worker.instant(end)).await;
    }
    worker.book().pass(end, end.since(begun));
    Pass::Whole { end, think: at.after }
}

/// The `once` steps of a user; what became of its pass if they did not all succeed.
async fn begin<D: Dial>(seat: &Seat<D>, user: &mut User<D::Stream>, who: Who, at: &mut At, flow: &Flow) -> Option<Pass> {
    for (nth, once) in flow.once.iter().enumerate() {
        match step(seat, user, who, at, once).await {
            Step::Good => {}
            Step::Lacking if nth == 0 => return Some(user.stuck(at.end)),
            Step::Bad | Step::Lacking => return Some(Pass::Failed { end: at.end }),
            Step::Cut => return Some(Pass::Cut),
        }
    }
    user.ready = true;
    None
}

/// Nobody gets a row any more.
fn dry<D: Dial>(seat: &Seat<D>, flow: &Flow) {
    if let Some(rows) = flow.feed.as_ref().and_then(crate::load::feed::Feed::say_once) {
        seat.worker.warn(format!("scenario `{}`: all {rows} rows of its feeder are used; its users end, arrivals are dropped", flow.name));
    }
}

/// Where in time a pass is.
#[derive(Clone, Copy)]
struct At {
    /// When the last request ended.
    end: Elapsed,
    /// How long it is waited from then on as a part of the pass: pauses, and what came before them.
    held: Span,
    /// How long after that before anything follows. If nothing does, it is no part of the pass.
    after: Span,
}

impl At {
    const fn new(end: Elapsed) -> Self {
        Self { end, held: Span::ZERO, after: Span::ZERO }
    }

    /// When the next step is meant to begin.
    fn next(&self) -> Elapsed {
        self.end.plus(self.held).plus(self.after)
    }
}

/// How a step went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// The request was sent and succeeded.
    Good,
    /// It was sent and failed.
    Bad,
    /// It needs a variable that no answer has given.
    Lacking,
    /// It may not be sent.
    Cut,
}

/// Waits as the steps before asked, then sends one request if it still may.
async fn step<D: Dial>(seat: &Seat<D>, user: &mut User<D::Stream>, who: Who, at: &mut At, request: &Ask) -> Step {
    let worker = &seat.worker;
    if lacks(seat, user, request) {
        return Step::Lacking;
    }
    let intended = at.next();
    if intended > at.end {
        worker.pacer.until(worker.instant(intended)).await;
    }
    let Permit::Go(belongs) = worker.permit(who) else { return Step::Cut };
    if request.uses_settings {
        user.vars.settings = worker.desk.settings();
    }
    user.spent = true;
    let done = ask(seat, user, request, intended, belongs).await;
    *at = At::new(done.end);
    if done.good { Step::Good } else { Step::Bad }
}

/// Whether a variable is missing that the request needs.
fn lacks<D: Dial>(seat: &Seat<D>, user: &User<D::Stream>, request: &Ask) -> bool {
    let missing = request.needs.iter().find(|need| user.vars.own.get(need.var).is_none_or(Option::is_none));
    if let Some(need) = missing
        && need.said.is_first()
    {
        seat.worker
            .warn(format!("request `{}` needs {{{}}}, which no answer has given; it is not sent and its pass ends there", request.name, need.name));
    }
    missing.is_some()
}
