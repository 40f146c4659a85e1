//! Reads times that users wait on purpose: `think` and `pause`. It may import the rest of `profile/`; it must not compress them.

use toml::de::DeValue;

use super::leaf;
use super::reader::{At, Node, Reader, Table};
use crate::model::plan::Think;
use crate::model::units::Span;

/// A pause: a time as it stands, or any form of think time.
pub(super) fn pause(r: &mut Reader<'_>, node: &Node<'_>) -> Option<Think> {
    match node.value() {
        DeValue::Table(_) => think(r, node),
        _ => leaf::span(r, node).map(Think::Fixed),
    }
}

/// A think time: one of four forms.
pub(super) fn think(r: &mut Reader<'_>, node: &Node<'_>) -> Option<Think> {
    const EXAMPLE: &str = "think = { between = [\"3s\", \"8s\"] }, or with fixed, exponential or normal";
    let mut t = Table::of(r, node, EXAMPLE)?;
    let is_written = ["fixed", "between", "exponential", "normal"].iter().any(|form| t.has(form));
    let two = |r: &mut Reader<'_>, n: &Node<'_>| leaf::pair("[\"3s\", \"8s\"]", leaf::span)(r, n);
    let fixed = t.take(r, "fixed", leaf::span).map(|s| Think::Fixed(s.value));
    let between = t.take(r, "between", two);
    let exponential = t.take(r, "exponential", leaf::span).map(|s| Think::Exponential(s.value));
    let normal = t.take(r, "normal", two).map(|s| Think::Normal(s.value.0.value, s.value.1.value));
    t.done(r);
    let between = match between {
        Some(b) if b.value.0.value > b.value.1.value => {
            let (low, high): (&At<Span>, &At<Span>) = (&b.value.0, &b.value.1);
            return r
                .refuse(b.problem(&format!("`{}` is longer than `{}`", low.value, high.value), "write the shorter time first, as [\"3s\", \"8s\"]"));
        }
        other => other.map(|b| Think::Between(b.value.0.value, b.value.1.value)),
    };
    let forms: Vec<Think> = [fixed, between, exponential, normal].into_iter().flatten().collect();
    match forms.as_slice() {
        [one] => Some(*one),
        // What is wrong with the one that is written has been said.
        [] if is_written => None,
        [] => r.refuse(node.at(()).problem("no think time", format!("write it as {EXAMPLE}"))),
        _ => r.refuse(node.at(()).problem("more than one form of think time", format!("write one, as {EXAMPLE}"))),
    }
}
