//! Dialects: how one exporter's families and labels become canonical signals. A dialect is data (a TOML file), so that
//! another exporter needs no code; what is here reads such files and applies them to a page. It may import `model/`
//! and the rest of `prometheus/`; it must not keep or fetch pages.

mod builtin;
mod collect;
mod file;
mod rule;
mod select;
mod translate;

pub use builtin::{builtin, hints, known};
pub use file::DialectError;
pub use rule::Dialect;
pub use select::Undecided;
pub use translate::{Dialects, Missing, Translation, Translator};
