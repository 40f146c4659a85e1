//! One request of one user: a connection, the exchange, what it was worth, and what is taken from the answer.

use tokio::time::Instant;

use super::Worker;
use super::hop::{follow, sends_on};
use super::judge::{forget, judge};
use super::send::{Cost, Errand, send};
use super::user::{Seat, User};
use crate::load::book::{Ending, under};
use crate::load::checks::Tested;
use crate::load::compile::Ask;
use crate::load::dial::Dial;
use crate::load::extract::Answer;
use crate::load::fault;
use crate::load::http::{Decoder, Keep};
use crate::load::jar;
use crate::model::event::ErrorKind;
use crate::model::units::{Elapsed, Span};
use crate::ports::Belongs;

/// A request that ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct Done {
    /// When.
    pub(super) end: Elapsed,
    /// Whether with success.
    pub(super) good: bool,
}

/// Sends a request that was meant to begin at `intended`. The send is the moment the engine sets to work on it, so a connection that
/// has to be made first is part of the service time, and known by itself as the wait for a connection.
pub(super) async fn ask<D: Dial>(seat: &Seat<D>, user: &mut User<D::Stream>, request: &Ask, intended: Elapsed, belongs: Belongs) -> Done {
    let worker = &seat.worker;
    let begun = Instant::now();
    let sent_at = worker.elapsed(begun);
    let cohort = belongs.cohort(intended, worker.job.tick);
    worker.book().begin(seat.number, under(worker.key_at(request.key, intended), cohort, intended, sent_at));

    let mut cost = Cost::default();
    let due = begun + worker.job.timeout.duration();
    let answer = answer_to(worker, user, request, due, &mut cost).await;
    let (failed, checks) = match answer {
        Ok(answer) => judge(worker, user, request, answer.status(), Answer { head: answer.head(), body: answer.body() }),
        Err(kind) => {
            forget(user, request);
            (Some(kind), Tested::default())
        }
    };

    let end = worker.now();
    let connect_wait = Span::from(cost.connecting);
    worker.book().finish(seat.number, Ending { at: end, failed, checks, stale: cost.stale, bytes: cost.bytes, connect_wait });
    user.refusals = if failed.is_some_and(fault::calls_for_patience) { user.refusals.saturating_add(1) } else { 0 };
    Done { end, good: failed.is_none() }
}

/// Sends it, and goes where its answer sends it on if the plan wants that. The answer is as the server had it before it compressed it.
async fn answer_to<D: Dial>(
    worker: &Worker<D>,
    user: &mut User<D::Stream>,
    request: &Ask,
    due: Instant,
    cost: &mut Cost,
) -> Result<Decoder, ErrorKind> {
    let http = &worker.job.travel.http;
    let keep = Keep { head: request.keep.head || http.redirects > 0 || http.gzip && request.keep.body, ..request.keep };
    let User { origin, connection, vars, scratch, jar, .. } = user;
    let errand = Errand { wire: request.wire.bytes(*origin, vars, scratch), to_head: request.to_head, safe: request.safe, keep, due };
    let home = worker.job.origins.get(*origin);
    let filled = jar::fill(jar.as_deref(), home, errand.wire);
    let mut answer = send(worker, connection, *origin, Errand { wire: filled.as_deref().unwrap_or(errand.wire), ..errand }, cost).await?;
    jar::keep(jar, home, errand.wire, &answer);
    if http.redirects > 0 && sends_on(answer.status()) {
        answer = Box::pin(follow(worker, connection, jar, *origin, errand, answer, cost)).await?;
    }
    if http.gzip && request.expects(answer.status()) {
        answer.unzip().map_err(|_why| ErrorKind::BadAnswer)?;
    }
    Ok(answer)
}
