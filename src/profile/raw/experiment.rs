//! Reads `[experiment]`. It may import the rest of `profile/`; it must not know defaults.

use super::leaf;
use super::reader::{At, Node, Reader, Table};
use crate::model::plan::{Design, Order};
use crate::model::units::Span;

/// `[experiment]`.
#[derive(Debug, Default)]
pub(in crate::profile) struct RawExperiment {
    pub(in crate::profile) design: Option<At<Design>>,
    pub(in crate::profile) order: Option<At<Order>>,
    pub(in crate::profile) repeats: Option<At<u32>>,
    pub(in crate::profile) refine: Option<At<u32>>,
    pub(in crate::profile) warmup: Option<At<Span>>,
    pub(in crate::profile) measure: Option<At<RawMeasure>>,
    pub(in crate::profile) drain: Option<At<Span>>,
    pub(in crate::profile) settle_max: Option<At<Span>>,
    pub(in crate::profile) tick: Option<At<Span>>,
    pub(in crate::profile) seed: Option<At<u64>>,
    pub(in crate::profile) compress: Option<At<f64>>,
}

/// `experiment.measure`.
#[derive(Debug, Default)]
pub(in crate::profile) struct RawMeasure {
    pub(in crate::profile) min: Option<At<Span>>,
    pub(in crate::profile) max: Option<At<Span>>,
    pub(in crate::profile) precision: Option<At<f64>>,
}

pub(super) fn experiment(r: &mut Reader<'_>, node: &Node<'_>) -> Option<RawExperiment> {
    let mut t = Table::of(r, node, "[experiment] with repeats = 2")?;
    let raw = RawExperiment {
        design: t.take(r, "design", leaf::one_of(&[("grid", Design::Grid), ("one-at-a-time", Design::OneAtATime)])),
        order: t.take(r, "order", leaf::one_of(&[("blocked", Order::Blocked), ("listed", Order::Listed)])),
        repeats: t.take(r, "repeats", leaf::count),
        refine: t.take(r, "refine", leaf::count),
        warmup: t.take(r, "warmup", leaf::span),
        measure: t.take(r, "measure", measure),
        drain: t.take(r, "drain", leaf::span),
        settle_max: t.take(r, "settle", settle).and_then(|s| s.value),
        tick: t.take(r, "tick", leaf::span),
        seed: t.take(r, "seed", leaf::whole),
        compress: t.take(r, "compress", leaf::number),
    };
    t.done(r);
    Some(raw)
}

fn measure(r: &mut Reader<'_>, node: &Node<'_>) -> Option<RawMeasure> {
    let mut t = Table::of(r, node, "measure = { min = \"60s\", max = \"180s\", precision = 0.01 }")?;
    let raw = RawMeasure { min: t.take(r, "min", leaf::span), max: t.take(r, "max", leaf::span), precision: t.take(r, "precision", leaf::number) };
    t.done(r);
    Some(raw)
}

#[expect(clippy::option_option, reason = "the outer one says whether it could be read, the inner one whether it was written")]
fn settle(r: &mut Reader<'_>, node: &Node<'_>) -> Option<Option<At<Span>>> {
    let mut t = Table::of(r, node, "settle = { max = \"45s\" }")?;
    let max = t.take(r, "max", leaf::span);
    t.done(r);
    Some(max)
}
