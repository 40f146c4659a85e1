//! Decides what a run does next: order of steps, refinement, precision, guards, proofs. Pure state machines: the runner carries out.

mod command;

pub use command::Command;
