//! One request on its way: over the connection that its user has or may use, over a new one where there is none, and once more where the
//! server had closed the old one before it came.

use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::Worker;
use super::pool::{Pool, Rested, Ticket};
use crate::load::dial::{Dial, Missed};
use crate::load::fault;
use crate::load::host::Origin;
use crate::load::http::{Broke, Decoder, Keep, Link};
use crate::model::event::ErrorKind;

/// What is sent, and what is kept of its answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Errand<'a> {
    /// The request's bytes.
    pub(super) wire: &'a [u8],
    /// Whether it asks for a head only.
    pub(super) to_head: bool,
    /// Whether sending it twice does no harm.
    pub(super) safe: bool,
    /// What is kept.
    pub(super) keep: Keep,
    /// When the answer must be there.
    pub(super) due: Instant,
}

/// What a request cost on the way.
#[derive(Debug, Default)]
pub(super) struct Cost {
    pub(super) stale: u32,
    pub(super) bytes: u64,
    /// Until there was a connection: waiting for a free one, and making one.
    pub(super) connecting: Duration,
}

/// A connection that a request may use.
struct Held<'a, S> {
    link: Link<S>,
    ticket: Option<Ticket<'a, S>>,
    /// Whether it had been used before.
    kept: bool,
}

/// Sends it to the `origin`th instance. `own` is the user's own connection, where users have such. If the server had closed a kept
/// connection without our noticing, a request that can do no harm twice goes out once more.
pub(super) async fn send<D: Dial>(
    worker: &Worker<D>,
    own: &mut Option<Rested<D::Stream>>,
    origin: usize,
    errand: Errand<'_>,
    cost: &mut Cost,
) -> Result<Decoder, ErrorKind> {
    let way = Way { worker, origin, due: errand.due };
    let mut held = way.take(own, cost).await?;
    let mut again = true;
    loop {
        let mut decoder = Decoder::new(errand.to_head, errand.keep);
        let result = held.link.exchange(errand.wire, &mut decoder, errand.due).await;
        cost.bytes += held.link.take_received();
        let failed = result.as_ref().err().map(|broke| fault::of_exchange(broke, held.kept));
        let harmless = errand.safe || matches!(result, Err(Broke::Refused));
        if again && harmless && failed == Some(ErrorKind::StaleConnection) {
            again = false;
            cost.stale += 1;
            held = Box::pin(way.renew(held, cost)).await?;
            continue;
        }
        let reusable = held.link.is_reusable(&result, &decoder);
        if reusable && worker.job.travel.http.keep_alive {
            way.keep(held, own);
        }
        return failed.map_or(Ok(decoder), Err);
    }
}

/// Sends it to an instance that is none of the target's, over a connection that is not kept.
pub(super) async fn visit<D: Dial>(worker: &Worker<D>, origin: &Origin, errand: Errand<'_>, cost: &mut Cost) -> Result<Decoder, ErrorKind> {
    let mut link = connect(worker, origin, errand.due, cost).await?;
    let mut decoder = Decoder::new(errand.to_head, errand.keep);
    let result = link.exchange(errand.wire, &mut decoder, errand.due).await;
    cost.bytes += link.take_received();
    result.map(|()| decoder).map_err(|broke| fault::of_exchange(&broke, false))
}

/// From a worker to an instance.
struct Way<'a, D: Dial> {
    worker: &'a Worker<D>,
    origin: usize,
    due: Instant,
}

impl<'a, D: Dial> Way<'a, D> {
    /// The kept connection if it still stands, else a new one.
    async fn take(&self, own: &mut Option<Rested<D::Stream>>, cost: &mut Cost) -> Result<Held<'a, D::Stream>, ErrorKind> {
        if let Some(pool) = self.worker.pools.get(self.origin) {
            return Box::pin(self.take_shared(pool, cost)).await;
        }
        if let Some(rested) = own.take()
            && let Some(link) = self.wake(rested).await
        {
            return Ok(Held { link, ticket: None, kept: true });
        }
        self.fresh(None, cost).await
    }

    async fn take_shared(&self, pool: &'a Pool<D::Stream>, cost: &mut Cost) -> Result<Held<'a, D::Stream>, ErrorKind> {
        let begun = Instant::now();
        let turn = timeout_at(self.due, pool.take()).await;
        cost.connecting += begun.elapsed();
        let (ticket, rested) = turn.map_err(|_late| ErrorKind::Timeout)?;
        if let Some(rested) = rested
            && let Some(link) = self.wake(rested).await
        {
            let kept = if let Link::Two(http) = &link { http.has_answered() } else { true };
            return Ok(Held { link, ticket: Some(ticket), kept });
        }
        self.fresh(Some(ticket), cost).await
    }

    /// A connection that rested, unless it did so for too long or was closed meanwhile.
    async fn wake(&self, mut rested: Rested<D::Stream>) -> Option<Link<D::Stream>> {
        let too_long = self.worker.job.travel.http.idle.zip(rested.since).is_some_and(|(most, since)| since.elapsed() > most.duration());
        (!too_long && rested.link.is_open().await).then_some(rested.link)
    }

    async fn fresh(&self, mut ticket: Option<Ticket<'a, D::Stream>>, cost: &mut Cost) -> Result<Held<'a, D::Stream>, ErrorKind> {
        let origin = self.worker.job.origins.get(self.origin).ok_or(ErrorKind::Dns)?;
        let link = connect(self.worker, origin, self.due, cost).await?;
        if let Some(ticket) = ticket.as_mut().filter(|_| self.worker.job.travel.http.keep_alive) {
            ticket.share(&link);
        }
        Ok(Held { link, ticket, kept: false })
    }

    /// Another connection for one that was lost; the same one if only the request was turned away.
    async fn renew(&self, mut lost: Held<'a, D::Stream>, cost: &mut Cost) -> Result<Held<'a, D::Stream>, ErrorKind> {
        if matches!(lost.link, Link::Two(_)) && lost.link.is_open().await {
            return Ok(lost);
        }
        match lost.ticket {
            Some(ticket) if ticket.is_stream() => {
                drop(ticket);
                let Some(pool) = self.worker.pools.get(self.origin) else { return self.fresh(None, cost).await };
                self.take_shared(pool, cost).await
            }
            ticket => self.fresh(ticket, cost).await,
        }
    }

    fn keep(&self, held: Held<'a, D::Stream>, own: &mut Option<Rested<D::Stream>>) {
        let since = self.worker.job.travel.http.idle.map(|_| Instant::now());
        let rested = Rested { link: held.link, since };
        match held.ticket {
            Some(ticket) => ticket.keep(rested),
            None => *own = Some(rested),
        }
    }
}

/// A new connection, made within the time that connections have.
async fn connect<D: Dial>(worker: &Worker<D>, origin: &Origin, due: Instant, cost: &mut Cost) -> Result<Link<D::Stream>, ErrorKind> {
    let begun = Instant::now();
    let most = worker.job.travel.connect_timeout.map_or(due, |most| due.min(begun + most.duration()));
    let opened = timeout_at(most, async {
        let stream = worker.dial.dial(origin).await?;
        if worker.dial.is_http2(&stream) {
            return Link::two(stream, origin.secure.is_some()).await.map_err(Missed::Io);
        }
        Ok(Link::one(stream, due))
    });
    let opened = opened.await;
    let took = begun.elapsed();
    cost.connecting += took;
    // Where the request's own time ended it, the connection is to blame only if it took most of that.
    let to_blame = most < due || took * 2 >= worker.job.timeout.duration();
    let late = if to_blame { ErrorKind::ConnectTimeout } else { ErrorKind::Timeout };
    opened.map_err(|_late| late)?.map_err(|missed| {
        if let Some(text) = fault::in_words(&missed, &origin.host)
            && worker.job.travel.is_first_miss()
        {
            worker.warn(text);
        }
        fault::of_connect(&missed)
    })
}
