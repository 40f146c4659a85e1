//! One request of one user: a connection, the exchange, what it was worth, and what is taken from the answer.

use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::Worker;
use super::judge::{forget, judge};
use super::user::{Seat, User};
use crate::load::book::{Ending, under};
use crate::load::checks::Tested;
use crate::load::compile::Ask;
use crate::load::dial::Dial;
use crate::load::extract::Answer;
use crate::load::fault;
use crate::load::http::{Connection, Decoder};
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

/// What an attempt cost on the way.
#[derive(Default)]
struct Cost {
    stale: u32,
    bytes: u64,
    connecting: Duration,
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
    let answer = attempt(worker, user, request, due, &mut cost).await;
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

/// Over the kept connection if it still stands. If the server had closed it without our noticing, a safe request goes out once more.
async fn attempt<D: Dial>(
    worker: &Worker<D>,
    user: &mut User<D::Stream>,
    request: &Ask,
    due: Instant,
    cost: &mut Cost,
) -> Result<Decoder, ErrorKind> {
    if let Some(mut kept) = user.connection.take()
        && kept.is_open().await
    {
        match exchange(user, kept, request, due, cost, true).await {
            Err(ErrorKind::StaleConnection) if request.safe => cost.stale += 1,
            other => return other,
        }
    }
    let fresh = connect(worker, user.origin, due, cost).await?;
    exchange(user, fresh, request, due, cost, false).await
}

async fn connect<D: Dial>(worker: &Worker<D>, origin: usize, due: Instant, cost: &mut Cost) -> Result<Connection<D::Stream>, ErrorKind> {
    let Some(origin) = worker.job.origins.get(origin) else { return Err(ErrorKind::Dns) };
    let begun = Instant::now();
    let stream = timeout_at(due, worker.dial.dial(origin)).await;
    cost.connecting += begun.elapsed();
    match stream {
        Err(_) => Err(ErrorKind::ConnectTimeout),
        Ok(Err(error)) => Err(fault::of_connect(&error)),
        Ok(Ok(stream)) => Ok(Connection::new(stream, due)),
    }
}

async fn exchange<S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin>(
    user: &mut User<S>,
    mut connection: Connection<S>,
    request: &Ask,
    due: Instant,
    cost: &mut Cost,
    kept: bool,
) -> Result<Decoder, ErrorKind> {
    let mut decoder = Decoder::new(request.to_head, request.keep);
    let wire = request.wire.bytes(user.origin, &user.vars, &mut user.scratch);
    let result = connection.exchange(wire, &mut decoder, due).await;
    cost.bytes += connection.take_received();
    result.map_err(|broke| fault::of_exchange(&broke, kept))?;
    if decoder.is_reusable() && connection.is_clean() {
        user.connection = Some(connection);
    }
    Ok(decoder)
}
