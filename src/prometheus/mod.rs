//! What a Prometheus exposition page says, and what it means in Plimsoll's own words: the text format (0.0.4 and the
//! basics of OpenMetrics), the dialects that translate a source's families into canonical signals, and counter
//! arithmetic. It may import `model/` only; it must not fetch a page, read a clock or know who asked.

mod dialect;
mod line;
mod page;
mod rate;
mod refuse;

pub use dialect::{Dialect, DialectError, Dialects, Missing, Translation, Translator, Undecided, builtin, hints, known};
pub use line::LineError;
pub use page::{BadLine, FamilyKind, Format, Label, Page, Row, Skipped};
pub use rate::{CounterReading, increase, rate_per_second};
pub use refuse::PageError;
