//! What is handed over: headless lines, the result as text, Markdown, JSON and CSV. All of it is a function of the fold (and of a
//! verdict), so that a replay prints what the run printed, byte for byte.
//!
//! Pure: no clock, no file, no environment. Text from outside is cleaned before it is printed, and escaped for its format. It may
//! import the model and the analysis; it judges nothing itself.

mod compare;
mod conditions;
mod course;
mod csv;
mod curve;
mod doubt;
mod figures;
pub mod format;
mod junit;
mod load;
mod markdown;
mod object;
mod phases;
mod progress;
mod requests;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod thresholds;
mod words;

pub use compare::{comparison_object, comparison_text};
pub use csv::{csv_seconds, csv_steps};
pub use doubt::of_session as doubts;
pub use junit::junit;
pub use load::{load_line, load_summary, load_text};
pub use markdown::markdown;
pub use object::{json, recording_object, run_summary};
pub use progress::{plan_text, progress_line};
pub use text::{session_text, text_verdict};
pub use thresholds::{ThresholdLine, threshold_lines};
pub use words::{answer, headline};
