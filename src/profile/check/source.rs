//! Checks `[metrics.NAME]`: the address and the dialects. It may import the rest of `profile/`.

use super::address::Address;
use super::{Context, experiment};
use crate::model::plan::{SourceKind, SourcePlan};
use crate::model::text::nearest;
use crate::model::units::Span;
use crate::profile::raw::source::RawSource;

/// Sources that Plimsoll itself is.
const OWN: [&str; 3] = ["client", "generator", "host"];

pub(super) fn source(c: &mut Context<'_>, raw: &RawSource, tick: Span) -> SourcePlan {
    if OWN.contains(&raw.name.value.as_str()) {
        c.refuse(&raw.name, &format!("`{}` is a source of Plimsoll's own", raw.name.value), "give it another name, as [metrics.app]");
    }
    if let Err(why) = Address::parse(&raw.prometheus.value.value) {
        let what = format!("`{}` is no address: {why}", raw.prometheus.value.shown);
        c.refuse(&raw.prometheus, &what, "write the whole address of the page, as \"http://127.0.0.1:8080/actuator/prometheus\"");
    }
    for dialect in &raw.dialects {
        let known = c.from.dialects;
        if !known.contains(&dialect.value.value.as_str()) {
            let hint =
                nearest(&dialect.value.value, known).map_or_else(|| format!("known: {}", known.join(", ")), |n| format!("did you mean \"{n}\"?"));
            c.refuse(dialect, &format!("`{}` is no dialect", dialect.value.shown), hint);
        }
    }
    if let Some(every) = raw.every.as_ref().filter(|e| e.value.is_zero()) {
        c.refuse(every, "a page can not be read without pause", "write a time above 0, as \"1s\"");
    }
    SourcePlan {
        name: raw.name.value.clone(),
        kind: SourceKind::Prometheus {
            url: c.text(&raw.prometheus.value),
            dialects: raw.dialects.iter().map(|d| c.text(&d.value)).collect(),
            select: raw.select.iter().map(|(label, value)| (label.value.clone(), c.text(&value.value))).collect(),
        },
        every: raw.every.as_ref().map_or(tick, |e| experiment::compressed(c, e.value)),
    }
}
