//! Profiles: a TOML text becomes a checked plan, or a list of errors that show line, column, the offending text and what to write
//! instead. It may import `model/` only; environment, file names and dialect names are handed in, nothing is read here.
//!
//! Reading has two stages. `raw` knows which keys there are and of what kind their values are; `check` knows what they mean to
//! each other. Each stage reports everything it finds, the second runs only on what the first accepted.

mod check;
mod edit;
mod error;
mod pages;
mod raw;
mod sample;
mod secret;

pub use edit::{OverrideError, apply_override};
pub use error::{ProfileError, ProfileErrors};
pub use pages::{page, pages};
pub use sample::{companions, samples, template};
pub use secret::replace as with_variables;

use crate::model::plan::Plan;
use error::Problem;

/// What a profile's text alone does not say.
pub struct Source<'a> {
    /// The file's name, for messages.
    pub name: &'a str,
    /// Looks up a variable of the environment.
    pub env: &'a dyn Fn(&str) -> Option<String>,
    /// Reads a file that the profile names: rows to feed, bodies, certificates. The error says why, without the name.
    pub files: &'a dyn Fn(&str) -> Result<Vec<u8>, String>,
    /// The names of the dialects there are.
    pub dialects: &'a [&'a str],
}

/// A checked profile: the plan to run by, and the plan to keep.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// With the secrets in it: for the target, the engine and the scrapers, never to be stored or shown.
    pub plan: Plan,
    /// The same with `${NAME}` where a secret stood and the user part of addresses masked: for recordings, reports and screens.
    pub recorded: Plan,
}

/// Reads a profile into the plan to run by and the plan to keep.
pub fn read(text: &str, from: &Source<'_>) -> Result<Profile, ProfileErrors> {
    let refuse = |problems: Vec<Problem>| ProfileErrors::new(from.name, text, problems);
    let raw = raw::read(text, from.env).map_err(refuse)?;
    check::check(&raw, text, from).map_err(refuse)
}

/// Reads a profile into the plan to run by.
pub fn parse(text: &str, from: &Source<'_>) -> Result<Plan, ProfileErrors> {
    read(text, from).map(|profile| profile.plan)
}

#[cfg(test)]
mod tests;
