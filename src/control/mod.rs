//! Decides what a run does next: order of steps, refinement, precision, guards. A pure state machine.
