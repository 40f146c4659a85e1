//! What the judge says: `pool-verdict/1`. Types only; the rules are in `analysis/`.
//!
//! Unknown numbers are `null`, times are seconds, shares are fractions; a setting's values are written as whole numbers where they are.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// The name of this form of verdict.
pub const SCHEMA: &str = "pool-verdict/1";

/// What kind of answer it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A value to use.
    Recommend,
    /// Not decided: measure again, as `next` says.
    Repeat,
    /// The best lies above what was tried.
    EdgeHigh,
    /// The best lies below what was tried.
    EdgeLow,
    /// The load was too small for the setting to matter.
    Underloaded,
    /// Worker threads are the limit, not the pool.
    ThreadBound,
    /// No value carries this load.
    Overloaded,
    /// The load generator was the limit.
    GeneratorBound,
    /// The data can not be judged.
    Invalid,
}

impl Kind {
    /// As written in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Recommend => "recommend",
            Self::Repeat => "repeat",
            Self::EdgeHigh => "edge_high",
            Self::EdgeLow => "edge_low",
            Self::Underloaded => "underloaded",
            Self::ThreadBound => "thread_bound",
            Self::Overloaded => "overloaded",
            Self::GeneratorBound => "generator_bound",
            Self::Invalid => "invalid",
        }
    }

    /// Whether it answers the question: exit code 0, not 4.
    #[must_use]
    pub const fn is_answer(self) -> bool {
        !matches!(self, Self::Repeat | Self::GeneratorBound | Self::Invalid)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A verdict with everything a reader needs to weigh it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PoolVerdict {
    /// [`SCHEMA`].
    pub schema: String,
    /// The case's name, if it has one.
    pub case: Option<String>,
    /// What kind of answer it is.
    pub verdict: Kind,
    /// The setting that was swept.
    pub setting: Option<String>,
    /// The value: for every verdict but `invalid` the best guess.
    #[serde(serialize_with = "whole::option")]
    pub value: Option<f64>,
    /// The values that are as good within 2%.
    #[serde(serialize_with = "whole::pair")]
    pub zone: Option<(f64, f64)>,
    /// Where the best lies with 90% probability.
    #[serde(serialize_with = "whole::pair")]
    pub best_interval_90: Option<(f64, f64)>,
    /// What the choice is expected to cost against the best, as a fraction of the loss.
    pub expected_regret: Option<f64>,
    /// The value of least loss where an objective rules it out.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "whole::option")]
    pub unconstrained: Option<f64>,
    /// With several settings: each one's value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", serialize_with = "whole::map")]
    pub values: BTreeMap<String, f64>,
    /// With several settings: each one's zone.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub zones: BTreeMap<String, (f64, f64)>,
    /// Settings that make no difference.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub indifferent: Vec<String>,
    /// What to measure next, if anything is worth it.
    pub next: Option<Next>,
    /// Why.
    pub reasons: Vec<Remark>,
    /// What casts doubt.
    pub flags: Vec<Remark>,
    /// The figures of each value tried, ascending.
    pub steps: Vec<ValueFigures>,
    /// The fitted curve over the candidates, for drawing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<CurvePoint>,
    /// The contention model's parameters.
    pub model: Option<ModelFigures>,
    /// Other settings that follow.
    pub derived: Derived,
}

impl PoolVerdict {
    /// Whether a flag of this code is set.
    #[must_use]
    pub fn has_flag(&self, code: &str) -> bool {
        self.flags.iter().any(|f| f.code == code)
    }
}

/// A reason or a flag: a stable code and a sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remark {
    /// Stable, for machines.
    pub code: String,
    /// For people.
    pub text: String,
}

impl Remark {
    /// A remark of this code and text.
    #[must_use]
    pub fn new(code: &str, text: impl Into<String>) -> Self {
        Self { code: code.to_owned(), text: text.into() }
    }
}

/// What to measure next.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Next {
    /// The value.
    #[serde(serialize_with = "whole::plain")]
    pub value: f64,
    /// How many runs of it.
    pub runs: u32,
    /// Why it is worth it.
    pub why: String,
    /// With several settings: each one's value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", serialize_with = "whole::map")]
    pub values: BTreeMap<String, f64>,
}

/// A mean with its standard error.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MeanError {
    /// The mean.
    pub mean: f64,
    /// Its standard error; unknown with too few samples.
    pub se: Option<f64>,
}

/// The figures of one value of the setting, over all its runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ValueFigures {
    /// The value.
    #[serde(serialize_with = "whole::plain")]
    pub value: f64,
    /// Runs that count.
    pub runs: u32,
    /// Requests measured.
    pub requests: u64,
    /// Mean loss in seconds: a failed request costs K.
    pub loss_s: Option<MeanError>,
    /// Median latency.
    pub p50_s: Option<f64>,
    /// 95th percentile.
    pub p95_s: Option<f64>,
    /// Its 95% interval.
    pub p95_95: Option<(f64, f64)>,
    /// 99th percentile.
    pub p99_s: Option<f64>,
    /// Completed a second.
    pub rate: Option<f64>,
    /// Share that failed.
    pub failed: Option<f64>,
    /// Wait W for a connection.
    pub wait_s: Option<f64>,
    /// Hold H of a connection.
    pub hold_s: Option<f64>,
    /// Connections in use.
    pub active: Option<f64>,
    /// Requests waiting for one.
    pub pending: Option<f64>,
    /// Worker threads at work.
    pub threads_busy: Option<f64>,
    /// Share of samples in which all threads were at work.
    pub threads_full: Option<f64>,
    /// Change of W per unit of the setting, against the value before.
    pub dwait_s: Option<f64>,
    /// Change of H per unit of the setting, against the value before.
    pub dhold_s: Option<f64>,
    /// Where the queue is.
    pub bottleneck: Option<String>,
    /// What keeps these figures from counting in full (too few requests or batches).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub short: Option<String>,
}

/// A point of the fitted curve with its 90% band.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// The setting's value.
    #[serde(serialize_with = "whole::plain")]
    pub value: f64,
    /// Loss in seconds.
    pub loss_s: f64,
    /// Lower edge of the band.
    pub low_s: f64,
    /// Upper edge of the band.
    pub high_s: f64,
}

/// The contention model, as far as it can be identified.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct ModelFigures {
    /// Serial share.
    pub sigma: Option<f64>,
    /// Coherency cost.
    pub kappa: Option<f64>,
    /// Connections at the capacity's peak.
    pub peak: Option<f64>,
    /// Its 90% interval.
    pub peak_90: Option<(f64, f64)>,
}

/// Other settings that follow from the choice.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Derived {
    /// Worker threads.
    pub threads: Option<u32>,
    /// The pool's connection time-out.
    pub connection_timeout_s: Option<f64>,
    /// Requests admitted to the pool at once.
    pub bulkhead: Option<u32>,
    /// Arrivals a second the choice carries.
    pub sustainable_rate: Option<f64>,
}

/// Writes whole numbers without a fraction.
mod whole {
    #![expect(clippy::trivially_copy_pass_by_ref, clippy::ref_option, reason = "the shapes serde asks for")]

    use std::collections::BTreeMap;

    use serde::ser::SerializeMap;
    use serde::{Serialize, Serializer};

    struct Whole(f64);

    impl Serialize for Whole {
        #[expect(clippy::cast_possible_truncation, reason = "only whole numbers well inside the range are cast")]
        fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
            // An integer has no minus zero, and what is read back must be what was said.
            let whole = self.0.fract() == 0.0 && self.0.abs() < 9e15 && self.0.to_bits() != (-0.0_f64).to_bits();
            if whole { to.serialize_i64(self.0 as i64) } else { to.serialize_f64(self.0) }
        }
    }

    pub(super) fn plain<S: Serializer>(value: &f64, to: S) -> Result<S::Ok, S::Error> {
        Whole(*value).serialize(to)
    }

    pub(super) fn option<S: Serializer>(value: &Option<f64>, to: S) -> Result<S::Ok, S::Error> {
        value.map(Whole).serialize(to)
    }

    pub(super) fn pair<S: Serializer>(value: &Option<(f64, f64)>, to: S) -> Result<S::Ok, S::Error> {
        value.map(|(a, b)| (Whole(a), Whole(b))).serialize(to)
    }

    pub(super) fn map<S: Serializer>(value: &BTreeMap<String, f64>, to: S) -> Result<S::Ok, S::Error> {
        let mut out = to.serialize_map(Some(value.len()))?;
        for (k, v) in value {
            out.serialize_entry(k, &Whole(*v))?;
        }
        out.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A verdict with nothing known but its kind.
    fn bare(kind: Kind) -> PoolVerdict {
        PoolVerdict {
            schema: SCHEMA.to_owned(),
            case: None,
            verdict: kind,
            setting: Some("pool".to_owned()),
            value: Some(150.0),
            zone: Some((128.0, 172.0)),
            best_interval_90: None,
            expected_regret: Some(0.008),
            unconstrained: None,
            values: BTreeMap::new(),
            zones: BTreeMap::new(),
            indifferent: Vec::new(),
            next: None,
            reasons: vec![Remark::new("balance", "they balance")],
            flags: Vec::new(),
            steps: Vec::new(),
            curve: Vec::new(),
            model: None,
            derived: Derived::default(),
        }
    }

    #[test]
    fn the_written_form_is_the_contract() {
        let json = serde_json::to_value(bare(Kind::Recommend)).unwrap();
        assert_eq!(json["schema"], "pool-verdict/1");
        assert_eq!(json["verdict"], "recommend");
        assert_eq!(json["value"].to_string(), "150");
        assert_eq!(json["zone"].to_string(), "[128,172]");
        assert!(json["next"].is_null() && json["best_interval_90"].is_null());
        assert!(json["derived"]["threads"].is_null(), "unknown is null, not left out");
    }

    #[test]
    fn it_comes_back_equal() {
        let v = bare(Kind::EdgeLow);
        let text = serde_json::to_string(&v).unwrap();
        assert_eq!(serde_json::from_str::<PoolVerdict>(&text).unwrap(), v);
    }

    #[test]
    fn kinds_say_whether_they_answer() {
        assert!(Kind::ThreadBound.is_answer() && Kind::Overloaded.is_answer());
        assert!(!Kind::Repeat.is_answer() && !Kind::Invalid.is_answer() && !Kind::GeneratorBound.is_answer());
        for kind in [Kind::Recommend, Kind::EdgeHigh, Kind::GeneratorBound] {
            assert_eq!(serde_json::to_string(&kind).unwrap(), format!("\"{kind}\""));
        }
    }
}
