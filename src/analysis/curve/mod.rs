//! The curve over the setting: how long a connection is held against how many are in use, the queue in front of it, and the
//! posterior of the loss at every candidate. From `run` and `numeric` only; it decides nothing.

mod doubt;
mod draws;
mod hold;
mod kernel;
mod member;
mod posterior;
mod queue;
mod replicate;
#[cfg(test)]
mod tests;

pub(in crate::analysis) use doubt::fill_doubts;
pub(in crate::analysis) use hold::{HoldCurve, best_at};
pub(in crate::analysis) use posterior::{INDIFFERENT, Posterior, Question};
pub(in crate::analysis) use queue::{Arrivals, Queue};
