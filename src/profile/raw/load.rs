//! Reads `[load]`. It may import the rest of `profile/`; it must not know which keys go with which model.

use super::leaf;
use super::line::{self, RawPhase, RawPopulation, RawStage};
use super::reader::{At, Node, Reader, Table};
use super::wire::{self, RawSending, RawTls};
use crate::model::plan::Arrivals;
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
    pub(in crate::profile) prestart: Option<At<u32>>,
    pub(in crate::profile) arrivals: Option<At<Arrivals>>,
    pub(in crate::profile) timeout: Option<At<Span>>,
    pub(in crate::profile) connect_timeout: Option<At<Span>>,
    pub(in crate::profile) stages: Option<At<Vec<At<RawStage>>>>,
    pub(in crate::profile) populations: Option<At<Vec<At<RawPopulation>>>>,
    pub(in crate::profile) phases: Option<At<Vec<At<RawPhase>>>>,
    pub(in crate::profile) http: Option<At<RawSending>>,
    pub(in crate::profile) tls: Option<At<RawTls>>,
}

impl RawLoad {
    /// Whether it has a time line of its own.
    pub(in crate::profile) const fn has_line(&self) -> bool {
        self.stages.is_some() || self.populations.is_some() || self.phases.is_some()
    }
}

pub(super) fn load(r: &mut Reader<'_>, node: &Node<'_>) -> Option<RawLoad> {
    let mut t = Table::of(r, node, "[load] with users = 200, or with rate = \"80/s\"")?;
    let raw = RawLoad {
        model: t.take(r, "model", leaf::one_of(&[("closed", Model::Closed), ("open", Model::Open)])),
        users: t.take(r, "users", leaf::count),
        rate: t.take(r, "rate", leaf::rate),
        max_users: t.take(r, "max_users", leaf::count),
        prestart: t.take(r, "prestart", leaf::count),
        arrivals: t.take(r, "arrivals", leaf::one_of(&[("uniform", Arrivals::Uniform), ("poisson", Arrivals::Poisson)])),
        timeout: t.take(r, "timeout", leaf::span),
        connect_timeout: t.take(r, "connect_timeout", leaf::span),
        stages: t.take(r, "stage", leaf::list(line::stage)),
        populations: t.take(r, "population", leaf::list(line::population)),
        phases: t.take(r, "phase", leaf::list(line::phase)),
        http: t.take(r, "http", wire::http),
        tls: t.take(r, "tls", wire::tls),
    };
    t.not_yet(r, &["engine"]);
    t.done(r);
    Some(raw)
}
