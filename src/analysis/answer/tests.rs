//! Verdicts on made-up sweeps.
