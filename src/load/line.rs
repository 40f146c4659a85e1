//! A time line made ready to be followed: who comes when, how many closed users there are at any time, and which phase a time lies in.
//! Times are since the line's begin; no clock here.

use super::course::Courses;
use super::draw::Shares;
use crate::model::event::RequestKey;
use crate::model::plan::{Passes, Plan, Population, Segment, TimeLine};
use crate::model::units::Span;

/// A time line and what its phases do to the keys.
#[derive(Debug)]
pub(crate) struct Line {
    /// Who comes.
    pub(crate) crowds: Vec<Crowd>,
    /// How long it goes on.
    pub(crate) length: Span,
    /// When each phase ends.
    phases: Vec<Span>,
    /// How many keys there are without phases.
    keys: usize,
}

/// One population.
#[derive(Debug)]
pub(crate) struct Crowd {
    /// Which scenarios its users choose.
    pub(crate) shares: Shares,
    /// How long a user goes on.
    pub(crate) passes: Passes,
    /// The most that may be at work.
    pub(crate) most: u64,
    /// When users come.
    pub(crate) courses: Courses,
    /// How many closed users there are.
    users: Vec<Slope>,
}

/// A number of closed users that goes evenly from one value to another.
#[derive(Debug, Clone, Copy)]
struct Slope {
    begin: f64,
    length: f64,
    from: f64,
    to: f64,
}

impl Line {
    /// The plan's time line, if it has one; and the keys of its requests: first those without a phase, then those of each phase in turn.
    pub(crate) fn compile(plan: &Plan, keys: &mut Vec<RequestKey>) -> Result<Option<Self>, String> {
        let Some(line) = &plan.load.line else { return Ok(None) };
        if line.populations.is_empty() {
            return Err("a time line without a population".to_owned());
        }
        let crowds = line.populations.iter().map(|p| Crowd::compile(plan, p)).collect::<Result<_, _>>()?;
        let base = keys.clone();
        for phase in &line.phases {
            keys.extend(base.iter().map(|key| RequestKey { load_phase: Some(phase.name.clone()), ..key.clone() }));
        }
        Ok(Some(Self { crowds, length: line.length(), phases: ends(line), keys: base.len() }))
    }

    /// The key of a request meant to begin at this time of the line.
    pub(crate) fn key(&self, base: usize, at: Span) -> usize {
        let phase = self.phases.partition_point(|end| *end <= at);
        if phase < self.phases.len() { base + (phase + 1) * self.keys } else { base }
    }
}

/// When each phase of a line ends.
fn ends(line: &TimeLine) -> Vec<Span> {
    let add = |sum: &mut Span, length: Span| {
        *sum = sum.plus(length);
        Some(*sum)
    };
    line.phases.iter().map(|p| p.length).scan(Span::ZERO, add).collect()
}

impl Crowd {
    fn compile(plan: &Plan, population: &Population) -> Result<Self, String> {
        let name = &population.name;
        if let Some(unknown) = population.scenarios.iter().find(|s| plan.scenarios.iter().all(|known| known.name != **s)) {
            return Err(format!("population `{name}` asks for scenario `{unknown}`, which the profile does not have"));
        }
        let mine = |scenario: &str| population.scenarios.is_empty() || population.scenarios.iter().any(|s| s == scenario);
        let weights = plan.scenarios.iter().map(|s| if mine(&s.name) { s.weight } else { 0.0 });
        let shares = Shares::new(weights).ok_or_else(|| format!("population `{name}`, whose scenarios all weigh nothing"))?;
        let mut begin = 0.0;
        let mut users = Vec::new();
        for segment in &population.segments {
            let length = segment.length().as_secs_f64();
            if let Segment::Users { from, to, .. } = segment {
                users.push(Slope { begin, length, from: f64::from(*from), to: f64::from(*to) });
            }
            begin += length;
        }
        let courses = Courses::of(&population.segments, plan.load.arrivals);
        Ok(Self { shares, passes: population.passes, most: u64::from(population.max_users), courses, users })
    }

    /// How many closed users there are at this time: the line's value, to the nearest whole number.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between two u32")]
    pub(crate) fn users_at(&self, at: Span) -> u64 {
        let at = at.as_secs_f64();
        let slope = self.users.iter().find(|s| (s.begin..s.begin + s.length).contains(&at));
        slope.map_or(0, |s| (s.from + (s.to - s.from) * (at - s.begin) / s.length).round() as u64)
    }

    /// When that number changes next after `at`; none if it never does again.
    pub(crate) fn next_change(&self, at: Span) -> Option<Span> {
        let at_s = at.as_secs_f64();
        let slope = self.users.iter().find(|s| s.begin + s.length > at_s)?;
        if slope.begin > at_s {
            return Some(Span::from_secs_f64(slope.begin));
        }
        let end = slope.begin + slope.length;
        let (now, up) = (self.users_at(at) as f64, slope.to > slope.from);
        let next = now + if up { 0.5 } else { -0.5 };
        let within = if up { next < slope.to } else { next > slope.to };
        let moment = if within { slope.begin + slope.length * (next - slope.from) / (slope.to - slope.from) } else { end };
        // Past the border, not on it, however the division was rounded.
        Some(Span::from_secs_f64(moment).max(at).plus(Span::from_micros(1)))
    }

    /// Whether it has users of its own that go on while they are wanted.
    pub(crate) const fn has_users(&self) -> bool {
        !self.users.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testkit;
    use super::*;
    use crate::model::plan::{LoadPhase, Scenario, ScenarioStep};
    use crate::model::units::Rate;

    fn secs(s: u64) -> Span {
        Span::from_secs(s)
    }

    fn population(segments: Vec<Segment>) -> Population {
        Population { name: "people".to_owned(), scenarios: Vec::new(), passes: Passes::Times(1), max_users: 10, segments }
    }

    fn plan(line: TimeLine) -> Plan {
        let mut plan = testkit::plan("http://127.0.0.1:1");
        plan.scenarios.push(Scenario::new("other".to_owned(), vec![ScenarioStep::of(testkit::get("/other"))]));
        plan.load.line = Some(line);
        plan
    }

    fn crowd(segments: Vec<Segment>) -> Crowd {
        let line = TimeLine { phases: Vec::new(), populations: vec![population(segments)] };
        Line::compile(&plan(line), &mut Vec::new()).unwrap().unwrap().crowds.remove(0)
    }

    #[test]
    fn closed_users_follow_their_line_up_and_down() {
        let crowd = crowd(vec![
            Segment::Nothing { over: secs(1) },
            Segment::Users { from: 0, to: 10, over: secs(10) },
            Segment::Users { from: 10, to: 10, over: secs(2) },
            Segment::Users { from: 10, to: 4, over: secs(3) },
        ]);
        let at: Vec<u64> = (0..18).map(|s| crowd.users_at(secs(s))).collect();
        assert_eq!(at, [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 8, 6, 0, 0]);
    }

    #[test]
    fn every_change_of_users_is_foreseen() {
        let crowd = crowd(vec![
            Segment::Nothing { over: secs(1) },
            Segment::Users { from: 0, to: 7, over: secs(3) },
            Segment::Users { from: 7, to: 7, over: secs(2) },
            Segment::Nothing { over: secs(1) },
            Segment::Users { from: 5, to: 0, over: secs(3) },
        ]);
        let (mut at, mut seen) = (Span::ZERO, vec![0]);
        while let Some(next) = crowd.next_change(at) {
            assert!(next > at && seen.len() < 40);
            let before = crowd.users_at(Span::from_micros(next.as_micros().saturating_sub(3)).max(at));
            assert_eq!(before, *seen.last().unwrap(), "nothing happens in between, up to {next}");
            at = next;
            if crowd.users_at(at) != before {
                seen.push(crowd.users_at(at));
            }
        }
        assert_eq!(seen, [0, 1, 2, 3, 4, 5, 6, 7, 0, 5, 4, 3, 2, 1, 0]);
    }

    #[test]
    fn a_population_takes_its_own_scenarios_only() {
        let mut people = population(vec![Segment::Rate { from: Rate::per_second(1.0), to: Rate::per_second(1.0), over: secs(1) }]);
        people.scenarios = vec!["other".to_owned()];
        let line = |p: Population| TimeLine { phases: Vec::new(), populations: vec![p] };
        let compiled = Line::compile(&plan(line(people.clone())), &mut Vec::new()).unwrap().unwrap();
        assert!((0..5).all(|n| compiled.crowds[0].shares.nth(n) == 1));
        assert!(!compiled.crowds[0].has_users());
        people.scenarios = vec!["nobody".to_owned()];
        let why = Line::compile(&plan(line(people)), &mut Vec::new()).unwrap_err();
        assert!(why.contains("people") && why.contains("nobody"), "{why}");
        let empty = TimeLine { phases: Vec::new(), populations: Vec::new() };
        assert!(Line::compile(&plan(empty), &mut Vec::new()).is_err());
    }

    #[test]
    fn keys_come_once_for_each_phase() {
        let phase = |name: &str, s| LoadPhase { name: name.to_owned(), length: secs(s) };
        let line =
            TimeLine { phases: vec![phase("calm", 2), phase("spike", 1)], populations: vec![population(vec![Segment::Nothing { over: secs(5) }])] };
        let key = |name: &str| RequestKey { name: name.to_owned(), ..RequestKey::default() };
        let mut keys = vec![key("a"), key("b")];
        let line = Line::compile(&plan(line), &mut keys).unwrap().unwrap();
        let named = |at: Span, base| (keys[line.key(base, at)].name.clone(), keys[line.key(base, at)].load_phase.clone());
        assert_eq!(named(Span::ZERO, 1), ("b".to_owned(), Some("calm".to_owned())));
        assert_eq!(named(Span::from_micros(1_999_999), 0), ("a".to_owned(), Some("calm".to_owned())));
        assert_eq!(named(secs(2), 0), ("a".to_owned(), Some("spike".to_owned())));
        assert_eq!(named(secs(3), 1), ("b".to_owned(), None), "behind the last phase");
        assert_eq!((keys.len(), line.length), (6, secs(5)));
    }
}
