//! Decides what a run does next: order of steps, refinement, precision, guards, thresholds that end a run, proofs. Pure state machines: the runner carries out.

mod command;
mod guard;
mod proof;
mod schedule;
#[cfg(test)]
pub(crate) mod testkit;
mod threshold;

pub use command::Command;
pub use guard::Guards;
pub use proof::{ProofWatch, Sighting};
pub use schedule::{FURTHER, Refinement, Schedule};
pub use threshold::crossed;
