//! Reads `[load]`. It may import the rest of `profile/`; it must not know which keys go with which model.

use super::leaf;
use super::reader::{At, Node, Reader, Table};
use crate::model::units::{Rate, Span};

/// Users or arrivals, as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::profile) enum Model {
    /// Users.
    Closed,
    /// Arrivals.
    Open,
}

/// `[load]`.
#[derive(Debug)]
pub(in crate::profile) struct RawLoad {
    pub(in crate::profile) model: Option<At<Model>>,
    pub(in crate::profile) users: Option<At<u32>>,
    pub(in crate::profile) rate: Option<At<Rate>>,
    pub(in crate::profile) max_users: Option<At<u32>>,
    pub(in crate::profile) timeout: Option<At<Span>>,
}

pub(super) fn load(r: &mut Reader<'_>, node: &Node<'_>) -> Option<RawLoad> {
    let mut t = Table::of(r, node, "[load] with users = 200, or with rate = \"80/s\"")?;
    let raw = RawLoad {
        model: t.take(r, "model", leaf::one_of(&[("closed", Model::Closed), ("open", Model::Open)])),
        users: t.take(r, "users", leaf::count),
        rate: t.take(r, "rate", leaf::rate),
        max_users: t.take(r, "max_users", leaf::count),
        timeout: t.take(r, "timeout", leaf::span),
    };
    t.not_yet(r, &["phase", "engine", "population", "populations", "stage", "stages"]);
    t.done(r);
    Some(raw)
}
