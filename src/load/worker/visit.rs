//! A user that came along a time line and stays for more than one pass: so many passes, or passes for a time.

use super::pass::{Pass, pass};
use super::user::{Seat, User};
use crate::load::dial::Dial;
use crate::load::orders::{Taken, Who};
use crate::model::plan::Passes;
use crate::model::units::{Elapsed, Span};

/// How long somebody stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stay {
    /// So many passes.
    Passes(u32),
    /// No pass begins after this.
    Until(Elapsed),
}

impl Stay {
    /// Of a user due at this time; none if it is for one pass only.
    pub(super) fn of(passes: Passes, due: Elapsed, line_end: Elapsed) -> Option<Self> {
        match passes {
            Passes::Times(0 | 1) => None,
            Passes::Times(n) => Some(Self::Passes(n)),
            Passes::For(span) => Some(Self::Until(due.plus(span).min(line_end))),
            Passes::Forever => Some(Self::Until(line_end)),
        }
    }

    /// Whether one more pass may begin at `next`, after `done` passes.
    fn goes_on(self, done: u32, next: Elapsed) -> bool {
        match self {
            Self::Passes(n) => done < n,
            Self::Until(end) => next < end,
        }
    }
}

/// Pass after pass, as long as it stays and the orders allow it.
pub(super) async fn stay<D: Dial>(seat: Seat<D>, mut user: User<D::Stream>, who: Who, due: Elapsed, long: Stay, place: Taken) {
    let (mut intended, mut done) = (due, 0);
    while long.goes_on(done, intended) && seat.worker.rest(intended, who).await {
        let (end, think) = match pass(&seat, &mut user, who, intended).await {
            Pass::Whole { end, think } => (end, think),
            Pass::Failed { end } | Pass::Stuck { end } => (end, Span::ZERO),
            Pass::Dry if done == 0 => {
                seat.drop_arrival();
                break;
            }
            Pass::Cut | Pass::Dry => break,
        };
        done += 1;
        intended = user.next_start(&seat.worker, end, think);
    }
    drop(place);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stay_ends_by_its_passes_its_time_or_the_line() {
        let of = |passes| Stay::of(passes, Elapsed(10), Elapsed(100));
        assert_eq!((of(Passes::Times(1)), of(Passes::Times(0))), (None, None));
        let three = of(Passes::Times(3)).unwrap();
        assert!(three.goes_on(2, Elapsed(10_000)) && !three.goes_on(3, Elapsed(11)));
        assert_eq!(of(Passes::For(Span::from_micros(50))), Some(Stay::Until(Elapsed(60))));
        assert_eq!(of(Passes::For(Span::from_micros(500))), Some(Stay::Until(Elapsed(100))));
        let forever = of(Passes::Forever).unwrap();
        assert!(forever.goes_on(7, Elapsed(99)) && !forever.goes_on(0, Elapsed(100)));
    }
}
