//! What the views want to know of a session, computed from it alone: where the time goes, where the queue is, points for charts.

pub(super) mod backlog;
pub(super) mod curve;
pub(super) mod estimate;
pub(super) mod label;
pub(super) mod series;
pub(super) mod timeline;
