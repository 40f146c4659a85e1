//! What the views want to know of a session, computed from it alone: where the time goes, where the queue is, points for charts.

pub mod backlog;
pub mod curve;
pub mod estimate;
pub mod label;
pub mod series;
pub mod timeline;
