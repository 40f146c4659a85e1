//! Reads `[metrics.NAME]`. It may import the rest of `profile/`; it must not judge addresses or dialects.

use super::leaf::{self, Named};
use super::reader::{At, Node, Reader, Table};
use crate::model::units::Span;
use crate::profile::secret::Text;

/// `[metrics.NAME]`.
#[derive(Debug)]
pub(in crate::profile) struct RawSource {
    pub(in crate::profile) name: At<String>,
    pub(in crate::profile) prometheus: At<Text>,
    pub(in crate::profile) dialects: Vec<At<Text>>,
    pub(in crate::profile) select: Named<Text>,
    pub(in crate::profile) every: Option<At<Span>>,
}

pub(super) fn sources(r: &mut Reader<'_>, node: &Node<'_>) -> Option<Vec<RawSource>> {
    let entries = Table::of(r, node, "[metrics.app] with prometheus = \"http://…\"")?.free();
    let read: Vec<Option<RawSource>> = entries.into_iter().map(|e| source(r, e.key, &e.node)).collect();
    read.into_iter().collect()
}

fn source(r: &mut Reader<'_>, name: At<String>, node: &Node<'_>) -> Option<RawSource> {
    const EXAMPLE: &str = "prometheus = \"http://127.0.0.1:8080/actuator/prometheus\"";
    let mut t = Table::of(r, node, &format!("[metrics.app] with {EXAMPLE}"))?;
    let later = t.has("postgres") || t.has("promql");
    t.not_yet(r, &["postgres", "promql", "queries"]);
    // A source of a kind that can not be read yet lacks nothing else.
    let prometheus = if later { t.take(r, "prometheus", leaf::text) } else { t.need(r, "prometheus", EXAMPLE, leaf::text) };
    let dialects = t.take(r, "dialects", leaf::list(leaf::text));
    let select = t.take(r, "select", leaf::map("select = { pool = \"HikariPool-1\" }", leaf::text));
    let every = t.take(r, "every", leaf::span);
    t.done(r);
    Some(RawSource {
        name,
        prometheus: prometheus?,
        dialects: dialects.map(|d| d.value).unwrap_or_default(),
        select: select.map(|s| s.value).unwrap_or_default(),
        every,
    })
}
