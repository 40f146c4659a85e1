//! From figures to a verdict: the choice, the rules in the order of the method, reasons, flags, the next step, derived settings.
//! The last stage: imports `run`, `curve`, `sweep` and `model/`, and nothing imports it but the judge.

mod bottleneck;
mod choice;
mod derived;
mod evidence;
mod figures;
mod flags;
mod group;
mod local;
mod next;
mod off_curve;
mod reasons;
mod rules;
mod slo;
#[cfg(test)]
mod tests;
mod usl;
mod verdict;
mod words;

pub(in crate::analysis) use verdict::verdict;
