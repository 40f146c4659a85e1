//! Connections that the users of a worker share, as the callers behind a proxy do: so many and no more, and who finds none free waits in
//! turn.
//!
//! A pool hands out tickets, as many as requests may be under way: one for each connection of HTTP/1.1 and each that is not made
//! yet, as many as the server takes at once for one of HTTP/2. Whoever holds a ticket finds a connection, or makes one.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::Place;
use crate::load::http::{Http2, Link};
use crate::model::plan::{Connections, HttpPlan};

/// Most requests at once on one connection, whatever its server takes.
const MOST_STREAMS: usize = 65_536;

/// A connection that rests, and since when if that matters.
pub(crate) struct Rested<S> {
    pub(super) link: Link<S>,
    pub(super) since: Option<Instant>,
}

/// The shared connections of one worker to one instance.
pub(crate) struct Pool<S> {
    tickets: Semaphore,
    most: usize,
    inner: Mutex<Inner<S>>,
}

struct Inner<S> {
    free: Vec<Rested<S>>,
    /// Connections that are made or being made.
    made: usize,
    two: Vec<Two>,
    named: u64,
    /// Tickets to be taken back because the connection they stood for is gone.
    owed: usize,
}

/// A shared connection of HTTP/2.
struct Two {
    name: u64,
    http: Http2,
    under_way: usize,
    /// How many tickets it is worth now.
    worth: usize,
}

/// The pools of a worker, one for each of `origins` instances; none if users have connections of their own.
pub(crate) fn deal<S>(http: &HttpPlan, place: Place, origins: usize) -> Vec<Pool<S>> {
    let Connections::Shared(all) = http.connections else { return Vec::new() };
    let share = usize::try_from(place.share(u64::from(all))).unwrap_or(usize::MAX);
    (0..origins).map(|_| Pool::new(share.max(1))).collect()
}

impl<S> Pool<S> {
    fn new(most: usize) -> Self {
        let inner = Inner { free: Vec::new(), made: 0, two: Vec::new(), named: 0, owed: 0 };
        Self { tickets: Semaphore::new(most), most, inner: Mutex::new(inner) }
    }

    /// Waits for a turn; with it comes a connection, unless it is to be made.
    pub(super) async fn take(&self) -> (Ticket<'_, S>, Option<Rested<S>>) {
        if let Ok(permit) = self.tickets.acquire().await {
            // The ticket gives it back, not always to everybody.
            permit.forget();
        }
        let mut inner = self.inner();
        let gone = inner.sweep();
        self.settle(&mut inner, gone);
        if let Some(rested) = inner.free.pop() {
            return (Ticket { pool: self, stands_for: For::One, back: None }, Some(rested));
        }
        if inner.made < self.most {
            inner.made += 1;
            return (Ticket { pool: self, stands_for: For::One, back: None }, None);
        }
        let Some(two) = inner.two.iter_mut().min_by_key(|two| two.under_way) else {
            return (Ticket { pool: self, stands_for: For::Nothing, back: None }, None);
        };
        two.under_way += 1;
        let rested = Rested { link: Link::Two(two.http.clone()), since: None };
        (Ticket { pool: self, stands_for: For::Stream(two.name), back: None }, Some(rested))
    }

    fn inner(&self) -> MutexGuard<'_, Inner<S>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives tickets out, or takes them back as soon as they are there.
    fn settle(&self, inner: &mut Inner<S>, change: isize) {
        if change < 0 {
            let back = change.unsigned_abs();
            inner.owed += back - self.tickets.forget_permits(back);
            return;
        }
        let more = change.unsigned_abs();
        let paid = more.min(inner.owed);
        inner.owed -= paid;
        self.tickets.add_permits(more - paid);
    }

    fn give_back(&self, stands_for: For, back: Option<Rested<S>>) {
        let mut inner = self.inner();
        match (stands_for, back) {
            (For::One, Some(rested)) => inner.free.push(rested),
            (For::One, None) => inner.made -= 1,
            (For::Stream(name), _) => {
                if let Some(two) = inner.two.iter_mut().find(|two| two.name == name) {
                    two.under_way -= 1;
                }
            }
            (For::Nothing, _) => {}
        }
        let change = inner.sweep() + 1;
        self.settle(&mut inner, change);
    }
}

impl<S> Inner<S> {
    /// Forgets connections of HTTP/2 that have ended and learns how much the others take; by how many tickets there are more or less.
    fn sweep(&mut self) -> isize {
        let mut change = 0;
        for two in &mut self.two {
            let worth = if two.http.is_open() { two.http.most_streams().clamp(1, MOST_STREAMS) } else { 1 };
            change += worth.cast_signed() - two.worth.cast_signed();
            two.worth = worth;
        }
        let before = self.two.len();
        self.two.retain(|two| two.http.is_open());
        self.made -= before - self.two.len();
        change
    }
}

/// The right to have one request under way, given back however that ends.
pub(super) struct Ticket<'a, S> {
    pool: &'a Pool<S>,
    stands_for: For,
    back: Option<Rested<S>>,
}

#[derive(Clone, Copy)]
enum For {
    /// A connection of HTTP/1.1, or one to be made.
    One,
    /// A request on a connection of HTTP/2.
    Stream(u64),
    /// Nothing that is counted.
    Nothing,
}

impl<S> Ticket<'_, S> {
    /// Whether others may be on the same connection.
    pub(super) const fn is_stream(&self) -> bool {
        matches!(self.stands_for, For::Stream(_))
    }

    /// Shares the connection that was made with it, if it is of HTTP/2.
    pub(super) fn share(&mut self, link: &Link<S>) {
        let (For::One, Link::Two(http)) = (self.stands_for, link) else { return };
        let mut inner = self.pool.inner();
        let name = inner.named;
        inner.named += 1;
        inner.two.push(Two { name, http: http.clone(), under_way: 1, worth: 1 });
        self.stands_for = For::Stream(name);
        let change = inner.sweep();
        self.pool.settle(&mut inner, change);
    }

    /// Gives it back with its connection.
    pub(super) fn keep(mut self, rested: Rested<S>) {
        self.back = Some(rested);
    }
}

impl<S> Drop for Ticket<'_, S> {
    fn drop(&mut self) {
        self.pool.give_back(self.stands_for, self.back.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{DuplexStream, duplex};

    type Mem = DuplexStream;

    fn link() -> Link<Mem> {
        Link::one(duplex(64).0, Instant::now())
    }

    fn free(pool: &Pool<Mem>) -> usize {
        pool.tickets.available_permits()
    }

    #[test]
    fn connections_are_shared_over_the_workers_and_each_has_one() {
        let http = |n| HttpPlan { connections: Connections::Shared(n), ..HttpPlan::default() };
        let most = |n, index| deal::<Mem>(&http(n), Place { index, of: 3 }, 2).iter().map(|p| p.most).collect::<Vec<_>>();
        assert_eq!((most(7, 0), most(7, 2)), (vec![3, 3], vec![2, 2]));
        assert_eq!(most(1, 2), [1, 1]);
        assert!(deal::<Mem>(&HttpPlan::default(), Place { index: 0, of: 1 }, 2).is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn so_many_and_no_more_and_the_first_who_waits_is_first_served() {
        let pool: Pool<Mem> = Pool::new(2);
        let (a, made) = pool.take().await;
        assert!(made.is_none());
        let (_b, _) = pool.take().await;
        assert_eq!(free(&pool), 0);
        let mut next = std::pin::pin!(pool.take());
        assert!(futures::poll!(next.as_mut()).is_pending());
        let mut last = std::pin::pin!(pool.take());
        assert!(futures::poll!(last.as_mut()).is_pending());
        a.keep(Rested { link: link(), since: None });
        assert!(futures::poll!(last.as_mut()).is_pending());
        let (_c, rested) = next.await;
        assert!(rested.is_some(), "the connection that was given back");
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_was_lost_is_made_anew() {
        let pool: Pool<Mem> = Pool::new(1);
        drop(pool.take().await);
        let (ticket, made) = pool.take().await;
        assert!(made.is_none());
        drop(ticket);
        assert_eq!((free(&pool), pool.inner().made), (1, 0));
    }

    #[tokio::test]
    async fn a_connection_of_http2_takes_many_until_it_ends() {
        let pool: Pool<Mem> = Pool::new(1);
        let (mut first, _) = pool.take().await;
        let (ours, theirs) = duplex(4096);
        let link = Link::two(ours, false).await.unwrap();
        first.share(&link);
        assert!(first.is_stream());
        let worth = free(&pool) + 1;
        assert!(worth > 1, "{worth}");
        let (second, shared) = pool.take().await;
        assert!(matches!(shared, Some(Rested { link: Link::Two(_), .. })));
        drop(theirs);
        while matches!(&link, Link::Two(http) if http.is_open()) {
            tokio::task::yield_now().await;
        }
        drop(second);
        assert_eq!(pool.inner().made, 0);
        drop(first);
        assert_eq!((free(&pool), pool.inner().owed), (1, 0), "it is worth one connection to be made again");
    }
}
