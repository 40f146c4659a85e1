//! The load generator at its own limit: while it is, figures are its own and not the service's. It may import the parts of `model/` before
//! `event`.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::model::units::{Elapsed, Span};

/// An interval in which a load source was the limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    /// Which load source.
    pub source: String,
    /// Begin of what was looked at.
    pub from: Elapsed,
    /// Its end.
    pub to: Elapsed,
    /// What it has too little of.
    pub limit: Limit,
    /// How much, in the unit of the limit.
    pub figure: f64,
}

/// What a load source has too little of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// Processor time: the share of it that its busiest worker used.
    Cpu,
    /// Punctuality: the 99th percentile, in seconds, of the time from the intended start to the send.
    SendLag,
    /// Ports or open files of this machine: requests that failed for want of one.
    Ports,
    /// Users: the share of arrivals dropped while users were busy with their own pauses, not waiting for answers.
    Users,
    /// A limit of a later version.
    #[serde(other)]
    Other,
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let figure = self.figure;
        match self.limit {
            Limit::Cpu => write!(f, "a worker was busy {:.0}% of the time; fewer users, a lower rate or more workers would help", figure * 100.0),
            Limit::SendLag => {
                write!(f, "1% of its requests left {} or more after they were due", Span::from_millis(Span::from_secs_f64(figure).as_micros() / 1000))
            }
            Limit::Ports => write!(f, "this machine had no port or open file left for {figure:.0} requests"),
            Limit::Users => write!(f, "{:.0}% of the arrivals were dropped while its users paused; more max_users would help", figure * 100.0),
            Limit::Other => f.write_str("for a reason of a later version"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(limit: Limit, figure: f64) -> Bound {
        Bound { source: "local".into(), from: Elapsed(0), to: Elapsed(1_000_000), limit, figure }
    }

    #[test]
    fn each_limit_names_its_figure() {
        assert!(bound(Limit::Cpu, 0.967).to_string().contains("busy 97% of the time"));
        assert!(bound(Limit::SendLag, 0.0425).to_string().contains("left 42ms or more"));
        assert!(bound(Limit::Ports, 12.0).to_string().contains("12 requests"));
        assert!(bound(Limit::Users, 0.5).to_string().contains("50% of the arrivals"));
    }

    #[test]
    fn a_limit_of_a_later_version_is_read() {
        let read: Bound = serde_json::from_str(r#"{"source":"w","from":0,"to":1,"limit":"patience","figure":2.0}"#).unwrap();
        assert_eq!(read.limit, Limit::Other);
    }
}
