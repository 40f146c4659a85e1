//! Checks what is wanted and what is harm: `[objective]`, `[[threshold]]`, `[guard]`. Reads their conditions. It may import the rest of
//! `profile/`.

use super::Context;
use crate::model::plan::{Abort, Comparison, Guard, Objective, Quantity, Slo, Threshold};
use crate::model::signal::{Kind, Signal, Unit};
use crate::model::units::{Rate, Share, Span};
use crate::profile::raw::reader::At;
use crate::profile::raw::wanted::{RawGuard, RawThreshold};
use crate::profile::secret::Text;

const SLO_HINT: &str = "write it as \"p95 < 800ms\", \"mean < 200ms\", \"failed < 1%\" or \"rate > 80/s\"";

pub(super) fn objective(c: &mut Context<'_>) -> Objective {
    let raw = &c.raw.objective;
    if let Some(cost) = raw.failure_cost.as_ref().filter(|f| f.value.is_zero()) {
        c.refuse(cost, "a failure that costs nothing", "write a time above 0; without it a failure costs load.timeout");
    }
    Objective { slo: raw.slo.iter().filter_map(|s| slo(c, s)).collect(), failure_cost: raw.failure_cost.as_ref().map(|f| f.value) }
}

/// Splits `p95 < 800ms` at its comparison.
fn split(text: &str) -> Option<(&str, Comparison, &str)> {
    let at = text.find(['<', '>'])?;
    let (left, rest) = text.split_at(at);
    let forms = [("<=", Comparison::AtMost), (">=", Comparison::AtLeast), ("<", Comparison::Below), (">", Comparison::Above)];
    let (word, comparison) = forms.into_iter().find(|(word, _)| rest.starts_with(word))?;
    Some((left.trim(), comparison, rest.strip_prefix(word)?.trim()))
}

fn slo(c: &mut Context<'_>, at: &At<Text>) -> Option<Slo> {
    let written = at.value.value.as_str();
    let Some((left, comparison, right)) = split(written) else {
        c.refuse(at, &format!("`{}` compares nothing", at.value.shown), SLO_HINT);
        return None;
    };
    let Some(quantity) = quantity(left) else {
        c.refuse(at, &format!("`{}` bounds no figure known here", at.value.shown), SLO_HINT);
        return None;
    };
    let bound = match quantity {
        Quantity::Percentile(_) | Quantity::Mean => right.parse::<Span>().map(Span::as_secs_f64),
        Quantity::Failed => right.parse::<Share>().map(Share::fraction),
        Quantity::Rate => right.parse::<Rate>().map(Rate::as_per_second),
    };
    let Ok(bound) = bound else {
        c.refuse(at, &format!("`{}` has a bound without its unit", at.value.shown), SLO_HINT);
        return None;
    };
    let wants_more = matches!(comparison, Comparison::Above | Comparison::AtLeast);
    if wants_more != matches!(quantity, Quantity::Rate) {
        let turned = if wants_more { "<" } else { ">" };
        c.refuse(
            at,
            &format!("`{}` asks for the bad side", at.value.shown),
            format!("an objective says what is good: write {left} {turned} {right}"),
        );
        return None;
    }
    Some(Slo { quantity, comparison, bound, text: at.value.shown.clone() })
}

/// What the left side of an objective bounds.
fn quantity(word: &str) -> Option<Quantity> {
    match word {
        "mean" => Some(Quantity::Mean),
        "failed" => Some(Quantity::Failed),
        "rate" => Some(Quantity::Rate),
        _ => {
            let percent: f64 = word.strip_prefix('p')?.parse().ok()?;
            (percent > 0.0 && percent < 100.0).then_some(Quantity::Percentile(percent / 100.0))
        }
    }
}

pub(super) fn threshold(c: &mut Context<'_>, raw: &At<RawThreshold>) -> Threshold {
    let RawThreshold { metric, pass, abort } = &raw.value;
    if let Err(error) = Threshold::new(&metric.value.value, &pass.value.value).rule() {
        let at = if error.is_of_metric() { metric } else { pass };
        // The value of a secret is not told: where one stands, the whole text is pointed at.
        let told = if at.value.value == at.value.shown { error.to_string() } else { format!("`{}` can not be read", at.value.shown) };
        c.refuse_part(at, error.part(), &told, error.hint());
    }
    let abort = abort.as_ref().filter(|a| a.value.on_fail).map(|a| Abort { after: a.value.after.unwrap_or(Span::ZERO) });
    Threshold { metric: c.text(&metric.value), pass: c.text(&pass.value), abort }
}

pub(super) fn guard(c: &mut Context<'_>, raw: &RawGuard) -> Option<Guard> {
    let RawGuard { watch, condition } = raw;
    let unit = watched(c, watch)?;
    let written = condition.value.value.as_str();
    let parts = split(written).filter(|(left, ..)| left.is_empty()).and_then(|(_, comparison, rest)| {
        let (bound, holds) = rest.rsplit_once(" for ")?;
        Some((comparison, bound.trim(), holds.trim()))
    });
    let Some((comparison, bound, holds)) = parts else {
        c.refuse(condition, &format!("`{}` is no guard", condition.value.shown), unit.hint());
        return None;
    };
    let Ok(holds) = holds.parse::<Span>() else {
        c.refuse(condition, &format!("`{}` does not say how long", condition.value.shown), unit.hint());
        return None;
    };
    let Some(bound) = unit.read(bound) else {
        c.refuse(condition, &format!("`{}` has a bound that is not {}", condition.value.shown, unit.what()), unit.hint());
        return None;
    };
    Some(Guard { watch: watch.value.clone(), comparison, bound, holds, text: condition.value.shown.clone() })
}

/// What a guard's bound counts in.
enum Bound {
    /// A share.
    Share,
    /// A signal's own unit.
    Of(Unit),
}

impl Bound {
    fn read(&self, text: &str) -> Option<f64> {
        match self {
            Self::Share => text.strip_suffix('%').and_then(|_| text.parse::<Share>().ok()).map(Share::fraction),
            Self::Of(Unit::Seconds | Unit::Since1970) => text.parse::<Span>().ok().map(Span::as_secs_f64),
            Self::Of(Unit::Bytes) => bytes(text),
            Self::Of(Unit::Cores) => plain(text.strip_suffix("cores").unwrap_or(text)),
            Self::Of(Unit::One) => plain(text),
        }
    }

    fn what(&self) -> &'static str {
        match self {
            Self::Share => "a share",
            Self::Of(Unit::Seconds | Unit::Since1970) => "a time",
            Self::Of(Unit::Bytes) => "an amount of memory",
            Self::Of(Unit::Cores) => "a number of cores",
            Self::Of(Unit::One) => "a number",
        }
    }

    fn hint(&self) -> String {
        let example = match self {
            Self::Share => "> 50% for 10s",
            Self::Of(Unit::Seconds | Unit::Since1970) => "> 500ms for 10s",
            Self::Of(Unit::Bytes) => "> 2GiB for 10s",
            Self::Of(Unit::Cores) => "> 1.5 cores for 10s",
            Self::Of(Unit::One) => "> 400 for 5s",
        };
        format!("write a bound and how long it must hold, as \"{example}\"")
    }
}

fn plain(text: &str) -> Option<f64> {
    text.trim().parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0)
}

fn bytes(text: &str) -> Option<f64> {
    let units = [("GiB", 1024.0 * 1024.0 * 1024.0), ("MiB", 1024.0 * 1024.0), ("KiB", 1024.0), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3), ("B", 1.0)];
    let (number, factor) = units.into_iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, factor)))?;
    plain(number).map(|n| n * factor)
}

/// The unit of what a guard watches: `failed`, or a level with or without its part.
fn watched(c: &mut Context<'_>, watch: &At<String>) -> Option<Bound> {
    if watch.value == "failed" {
        return Some(Bound::Share);
    }
    let (name, part) = match watch.value.split_once('{') {
        Some((name, rest)) => (name, Some(rest.strip_suffix('}').unwrap_or_default())),
        None => (watch.value.as_str(), None),
    };
    if part == Some("") {
        c.refuse(watch, &format!("`{}` names no part", watch.value), "write the part in braces, as \"db.sessions{active}\"");
        return None;
    }
    match name.parse::<Signal>() {
        Ok(signal) if signal.kind() == Kind::Gauge => Some(Bound::Of(signal.unit())),
        Ok(signal) => {
            c.refuse(
                watch,
                &format!("`{signal}` is not a level"),
                "a guard watches `failed` or a level, as \"pool.pending\" or \"db.sessions{active}\"",
            );
            None
        }
        Err(error) => {
            let hint = error
                .nearest
                .map_or_else(|| "a guard watches `failed` or a signal, as \"pool.pending\"".to_owned(), |n| format!("did you mean \"{n}\"?"));
            c.refuse(watch, &format!("`{name}` is no signal"), hint);
            None
        }
    }
}
