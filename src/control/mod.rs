//! Decides what a run does next: order of steps, refinement, precision, guards, proofs. Pure state machines: the runner carries out.

mod command;
mod guard;
mod proof;
mod schedule;
#[cfg(test)]
pub(crate) mod testkit;

pub use command::Command;
pub use guard::Guards;
pub use proof::{ProofWatch, Sighting};
pub use schedule::{FURTHER, Refinement, Schedule};
