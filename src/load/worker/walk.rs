//! The way through the steps of a pass: which request or wait comes next. It keeps its place in the tree by itself, so that a pass
//! needs no future of its own for each group, and none at all on the heap where there are no groups.

use rand::Rng;

use crate::load::compile::{Ask, Deed, Node, Steps};
use crate::model::plan::Think;
use crate::model::units::Elapsed;

/// What comes next.
#[derive(Debug)]
pub(super) enum Next<'a> {
    /// A request.
    Ask(&'a Ask),
    /// A wait that is a step of its own.
    Pause(Think),
    /// The time after a step.
    Think(Think),
}

/// A place in the tree.
#[derive(Debug)]
pub(super) struct Walk<'a> {
    /// The scenario's own steps.
    base: Frame<'a>,
    /// The groups that were gone into, the innermost last.
    deeper: Vec<Frame<'a>>,
}

/// A turn of a group.
#[derive(Debug)]
struct Frame<'a> {
    nodes: &'a [Node],
    at: usize,
    after: Option<Think>,
    again: Again<'a>,
}

/// What follows a turn.
#[derive(Debug)]
enum Again<'a> {
    /// Nothing.
    No,
    /// So many turns more.
    Times(u32, &'a Steps),
    /// Turns until then.
    Until(Elapsed, &'a Steps),
}

impl<'a> Walk<'a> {
    /// At the beginning of one turn of these steps.
    pub(super) fn new(steps: &'a Steps, rng: &mut impl Rng) -> Self {
        Self { base: Frame::new(steps, Again::No, rng), deeper: Vec::new() }
    }

    /// What comes next if it would begin at `now`; none at the end.
    pub(super) fn next(&mut self, now: Elapsed, rng: &mut impl Rng) -> Option<Next<'a>> {
        loop {
            let frame = self.deeper.last_mut().unwrap_or(&mut self.base);
            if let Some(think) = frame.after.take() {
                return Some(Next::Think(think));
            }
            if let Some(node) = frame.nodes.get(frame.at) {
                frame.at += 1;
                frame.after = node.think;
                match &node.deed {
                    Deed::Ask(ask) => return Some(Next::Ask(ask)),
                    Deed::Pause(pause) => return Some(Next::Pause(*pause)),
                    deed => self.deeper.extend(Frame::of(deed, now, rng)),
                }
            } else if !frame.turn(now, rng) {
                self.deeper.pop()?;
            }
        }
    }
}

impl<'a> Frame<'a> {
    fn new(steps: &'a Steps, again: Again<'a>, rng: &mut impl Rng) -> Self {
        Self { nodes: turn(steps, rng), at: 0, after: None, again }
    }

    /// The first turn of a group, if it has one.
    fn of(deed: &'a Deed, now: Elapsed, rng: &mut impl Rng) -> Option<Self> {
        match deed {
            Deed::Ask(_) | Deed::Pause(_) => None,
            Deed::Repeat(times, steps) => times.checked_sub(1).map(|left| Self::new(steps, Again::Times(left, steps), rng)),
            Deed::During(length, steps) => (!length.is_zero()).then(|| Self::new(steps, Again::Until(now.plus(*length), steps), rng)),
            Deed::Choose(steps) => Some(Self::new(steps, Again::No, rng)),
        }
    }

    /// Begins the next turn, if there is one.
    fn turn(&mut self, now: Elapsed, rng: &mut impl Rng) -> bool {
        let steps = match &mut self.again {
            Again::No => return false,
            Again::Until(end, steps) => (now < *end).then_some(*steps),
            Again::Times(left, steps) => left.checked_sub(1).map(|fewer| {
                *left = fewer;
                *steps
            }),
        };
        let Some(steps) = steps else { return false };
        (self.nodes, self.at) = (turn(steps, rng), 0);
        true
    }
}

/// The steps of one turn: all, or the one that was drawn.
fn turn<'a>(steps: &'a Steps, rng: &mut impl Rng) -> &'a [Node] {
    match &steps.choice {
        None => &steps.nodes,
        Some(choice) => {
            let one = choice.draw(rng);
            steps.nodes.get(one..=one).unwrap_or_default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::compile::Job;
    use crate::load::draw;
    use crate::load::testkit;
    use crate::model::plan::{Act, ScenarioStep};
    use crate::model::units::Span;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    fn get(path: &str) -> ScenarioStep {
        ScenarioStep::of(testkit::get(path))
    }

    fn group(act: Act) -> ScenarioStep {
        ScenarioStep::new(act)
    }

    fn fixed(ms: u64) -> Think {
        Think::Fixed(Span::from_millis(ms))
    }

    /// What is done, every request taking 10 ms; the time at the end.
    fn walked(steps: Vec<ScenarioStep>, seed: u64) -> (Vec<String>, u64) {
        let mut plan = testkit::plan("http://127.0.0.1:1");
        plan.scenarios[0].steps = steps;
        let job = Job::compile(&plan, vec![testkit::origin()]).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (mut walk, mut now, mut done) = (Walk::new(&job.flows[0].steps, &mut rng), Elapsed::ZERO, Vec::new());
        while let Some(next) = walk.next(now, &mut rng) {
            let (word, time) = match next {
                Next::Ask(ask) => (ask.name.trim_start_matches("GET /").to_owned(), Span::from_millis(10)),
                Next::Pause(t) => (format!("pause {}", t.mean()), draw::think(t, &mut rng)),
                Next::Think(t) => (format!("think {}", t.mean()), draw::think(t, &mut rng)),
            };
            done.push(word);
            now = now.plus(time);
        }
        assert!(walk.next(now, &mut rng).is_none(), "an end is an end");
        (done, now.as_micros() / 1000)
    }

    #[test]
    fn steps_follow_each_other_with_their_times() {
        let first = ScenarioStep { think: Some(fixed(5)), ..get("/a") };
        let pause = ScenarioStep { think: Some(fixed(1)), ..group(Act::Pause(fixed(7))) };
        assert_eq!(walked(vec![first, pause, get("/b")], 1), (["a", "think 5ms", "pause 7ms", "think 1ms", "b"].map(str::to_owned).to_vec(), 33));
    }

    #[test]
    fn groups_stand_in_groups() {
        let inner = ScenarioStep { think: Some(fixed(3)), ..group(Act::Repeat { times: 2, steps: vec![get("/b")] }) };
        let outer = group(Act::Repeat { times: 2, steps: vec![get("/a"), inner] });
        let none = group(Act::Repeat { times: 0, steps: vec![get("/never")] });
        let (done, _) = walked(vec![outer, none, get("/c")], 1);
        assert_eq!(done, ["a", "b", "b", "think 3ms", "a", "b", "b", "think 3ms", "c"]);
    }

    #[test]
    fn a_turn_under_way_at_the_end_of_its_time_is_finished() {
        let steps = vec![get("/a"), get("/b"), group(Act::Pause(fixed(5)))];
        let (done, end) = walked(vec![group(Act::During { length: Span::from_millis(60), steps })], 1);
        // Turns begin at 0, 25 and 50.
        assert_eq!((done.len(), end), (9, 75));
        let (done, _) = walked(vec![get("/a"), group(Act::During { length: Span::ZERO, steps: vec![get("/b")] })], 1);
        assert_eq!(done, ["a"]);
    }

    #[test]
    fn each_turn_draws_anew() {
        let weighted = |path, weight| ScenarioStep { weight: Some(weight), ..get(path) };
        let steps = vec![weighted("/a", 3.0), weighted("/b", 1.0), weighted("/never", 0.0)];
        for act in [Act::Repeat { times: 4000, steps: steps.clone() }, Act::Repeat { times: 4000, steps: vec![group(Act::Choose { steps })] }] {
            let (done, _) = walked(vec![group(act)], 2);
            let of = |word: &str| done.iter().filter(|d| *d == word).count();
            assert_eq!((done.len(), of("never")), (4000, 0));
            assert!((2850..3150).contains(&of("a")), "{}", of("a"));
        }
    }

    #[test]
    fn without_groups_nothing_is_put_on_the_heap() {
        let mut plan = testkit::plan("http://127.0.0.1:1");
        plan.scenarios[0].steps = vec![get("/a"), get("/b")];
        let job = Job::compile(&plan, vec![testkit::origin()]).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut walk = Walk::new(&job.flows[0].steps, &mut rng);
        while walk.next(Elapsed::ZERO, &mut rng).is_some() {}
        assert_eq!(walk.deeper.capacity(), 0);
    }
}
