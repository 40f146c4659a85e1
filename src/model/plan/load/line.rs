//! A load over time: populations whose users come by a rule, and named phases that cut the figures.

use serde::{Deserialize, Serialize};

use crate::model::units::{Rate, Span};

/// A load with a time line of its own: measured over exactly that line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimeLine {
    /// Named phases, one after the other; may be empty.
    pub phases: Vec<LoadPhase>,
    /// Who comes; at least one.
    pub populations: Vec<Population>,
}

impl TimeLine {
    /// How long it goes on: its phases or its longest population.
    #[must_use]
    pub fn length(&self) -> Span {
        let phases = self.phases.iter().fold(Span::ZERO, |sum, p| sum.plus(p.length));
        self.populations.iter().map(Population::length).fold(phases, Span::max)
    }

    /// Which phase holds this time since the line began; none behind the last one, or if there are none.
    #[must_use]
    pub fn phase_at(&self, since_begin: Span) -> Option<usize> {
        let mut end = Span::ZERO;
        self.phases.iter().position(|phase| {
            end = end.plus(phase.length);
            since_begin < end
        })
    }
}

/// A named part of the time line: figures and thresholds may ask for it by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadPhase {
    /// Its name.
    pub name: String,
    /// How long.
    pub length: Span,
}

/// Users of one kind, and when they come.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Population {
    /// Its name.
    pub name: String,
    /// Which scenarios its users choose from, by the scenarios' weights; empty: all.
    pub scenarios: Vec<String>,
    /// How long a user that came goes on. Without meaning for [`Segment::Users`], whose users go on while they are wanted.
    pub passes: Passes,
    /// The most that may be under way at once; who can not begin is dropped.
    pub max_users: u32,
    /// When they come, one after the other.
    pub segments: Vec<Segment>,
}

impl Population {
    /// How long its segments are together.
    #[must_use]
    pub fn length(&self) -> Span {
        self.segments.iter().fold(Span::ZERO, |sum, s| sum.plus(s.length()))
    }
}

/// How long a user that came goes on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Passes {
    /// So many passes of its scenario.
    Times(u32),
    /// New passes for so long.
    For(Span),
    /// To the end of the line.
    Forever,
}

/// A stretch of a population's time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Segment {
    /// So many users in all, evenly over a time.
    Ramp {
        /// How many.
        users: u32,
        /// Over how long.
        over: Span,
    },
    /// So many users at this moment.
    AtOnce {
        /// How many.
        users: u32,
    },
    /// Users at a rate that goes evenly from one value to the other.
    Rate {
        /// At its begin.
        from: Rate,
        /// At its end.
        to: Rate,
        /// How long.
        over: Span,
    },
    /// Nobody comes.
    Nothing {
        /// How long.
        over: Span,
    },
    /// Closed load: a number of users at work that goes evenly from one value to the other.
    Users {
        /// At its begin.
        from: u32,
        /// At its end.
        to: u32,
        /// How long.
        over: Span,
    },
}

impl Segment {
    /// How long it is.
    #[must_use]
    pub const fn length(self) -> Span {
        match self {
            Self::Ramp { over, .. } | Self::Rate { over, .. } | Self::Nothing { over } | Self::Users { over, .. } => over,
            Self::AtOnce { .. } => Span::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> TimeLine {
        let phase = |name: &str, secs| LoadPhase { name: name.to_owned(), length: Span::from_secs(secs) };
        let segments =
            vec![Segment::AtOnce { users: 3 }, Segment::Nothing { over: Span::from_secs(5) }, Segment::Ramp { users: 2, over: Span::from_secs(2) }];
        let population = Population { name: "p".to_owned(), scenarios: Vec::new(), passes: Passes::Times(1), max_users: 10, segments };
        TimeLine { phases: vec![phase("baseline", 2), phase("spike", 3)], populations: vec![population] }
    }

    #[test]
    fn it_lasts_as_long_as_its_longest_part() {
        assert_eq!(line().length(), Span::from_secs(7));
        let mut longer = line();
        longer.phases.push(LoadPhase { name: "cooldown".to_owned(), length: Span::from_secs(4) });
        assert_eq!(longer.length(), Span::from_secs(9));
    }

    #[test]
    fn a_phase_begins_where_the_one_before_it_ends() {
        let at = |ms| line().phase_at(Span::from_millis(ms));
        assert_eq!([at(0), at(1999), at(2000), at(4999), at(5000)], [Some(0), Some(0), Some(1), Some(1), None]);
    }
}
