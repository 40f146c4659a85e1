//! One pass of a scenario: its steps in order, or one by weight, with the think times between them; the `once` steps before the
//! first.

use super::request::ask;
use super::user::{Seat, User};
use crate::load::compile::Ask;
use crate::load::dial::Dial;
use crate::load::draw;
use crate::load::orders::{Permit, Who};
use crate::model::plan::Think;
use crate::model::units::{Elapsed, Span};

/// How a pass went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    /// All its requests ended; `think` is the time that its last step asks for.
    Whole {
        /// When the last one ended.
        end: Elapsed,
        /// What the last step asks to wait.
        think: Span,
    },
    /// A `once` step failed, so that the user can not begin.
    Failed {
        /// When.
        end: Elapsed,
    },
    /// The orders do not let it go on.
    Cut,
}

/// Makes a pass that was meant to begin at `intended`.
pub(super) async fn pass<D: Dial>(seat: &Seat<D>, user: &mut User<D::Stream>, who: Who, intended: Elapsed) -> Pass {
    let worker = &seat.worker;
    let Some(flow) = worker.job.flows.get(user.flow) else { return Pass::Cut };
    let mut at = Step { end: intended, think: Span::ZERO };
    if !user.ready {
        for once in &flow.once {
            match step(seat, user, who, at, once, None).await {
                Some((next, true)) => at = next,
                Some((next, false)) => return Pass::Failed { end: next.end },
                None => return Pass::Cut,
            }
        }
        user.ready = true;
    }
    let begun = at.end;
    let steps = match &flow.choice {
        Some(choice) => {
            let one = choice.draw(&mut user.rng);
            flow.steps.get(one..=one).unwrap_or_default()
        }
        None => flow.steps.as_slice(),
    };
    for (request, think) in steps {
        match step(seat, user, who, at, request, *think).await {
            Some((next, _)) => at = next,
            None => return Pass::Cut,
        }
    }
    worker.book().pass(at.end, at.end.since(begun));
    Pass::Whole { end: at.end, think: at.think }
}

/// When the last step ended, and how long it asks to wait.
#[derive(Clone, Copy)]
struct Step {
    end: Elapsed,
    think: Span,
}

/// Waits as the step before asked, then sends one request if it still may; whether it succeeded. None: it may not.
async fn step<D: Dial>(
    seat: &Seat<D>,
    user: &mut User<D::Stream>,
    who: Who,
    before: Step,
    request: &Ask,
    think: Option<Think>,
) -> Option<(Step, bool)> {
    let worker = &seat.worker;
    let intended = before.end.plus(before.think);
    if !before.think.is_zero() {
        worker.pacer.until(worker.instant(intended)).await;
    }
    let Permit::Go(belongs) = worker.permit(who) else { return None };
    let done = ask(seat, user, request, intended, belongs).await;
    let think = think.map_or(Span::ZERO, |t| draw::think(t, &mut user.rng));
    Some((Step { end: done.end, think }, done.good))
}
