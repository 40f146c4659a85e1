//! What an answer was worth: its status, its checks, and what the user takes from it for its later requests.

use super::Worker;
use super::user::User;
use crate::load::checks::Tested;
use crate::load::compile::Ask;
use crate::load::dial::Dial;
use crate::load::extract::Answer;
use crate::model::event::ErrorKind;

/// Status first, then checks, then what is to be taken: the first that is not as it should be is the request's failure. An answer of a wrong
/// status is looked at no further; one that fails a check still gives what it has.
pub(super) fn judge<D: Dial>(
    worker: &Worker<D>,
    user: &mut User<D::Stream>,
    request: &Ask,
    status: u16,
    answer: Answer<'_>,
) -> (Option<ErrorKind>, Tested) {
    let mut tested = Tested::default();
    if !request.expects(status) {
        forget(user, request);
        return (Some(ErrorKind::Status), tested);
    }
    request.checks.iter().for_each(|check| tested.count(check.holds(answer)));
    let mut failed = (tested.failed > 0).then_some(ErrorKind::Check);
    for take in &request.takes {
        let value = take.taker.take(answer);
        if value.is_none() {
            failed = failed.or(Some(ErrorKind::BadAnswer));
            if take.said.is_first() {
                worker.warn(format!(
                    "request `{}`: its answer does not hold what {{{}}} is taken from; it counts as a bad answer",
                    request.name, take.name
                ));
            }
        }
        user.vars.set(take.var, value);
    }
    (failed, tested)
}

/// A request that failed gives nothing: what an earlier answer gave is of another time.
pub(super) fn forget<S>(user: &mut User<S>, request: &Ask) {
    request.takes.iter().for_each(|take| user.vars.set(take.var, None));
}
