//! Reads `[[scenario]]` with its steps and groups of steps. It may import the rest of `profile/`; it must not judge placeholders.

use super::leaf;
use super::reader::{At, Node, Reader, Table};
use super::request::{self, METHODS, RawRequest};
use super::think;
use crate::model::plan::{FeedStrategy, Think};
use crate::model::units::Span;
use crate::profile::secret::Text;

/// Groups inside groups beyond this are a mistake, and would cost the reader its stack.
const DEEPEST: usize = 8;

/// `[[scenario]]`.
#[derive(Debug)]
pub(in crate::profile) struct RawScenario {
    pub(in crate::profile) name: At<Text>,
    pub(in crate::profile) weight: Option<At<f64>>,
    pub(in crate::profile) think: Option<At<Think>>,
    pub(in crate::profile) feeder: Option<At<RawFeeder>>,
    pub(in crate::profile) tags: leaf::Named<Text>,
    pub(in crate::profile) once: Vec<At<RawRequest>>,
    pub(in crate::profile) steps: At<Vec<At<RawStep>>>,
}

impl RawScenario {
    /// Every request, in the order of the text.
    pub(in crate::profile) fn requests(&self) -> Vec<&RawRequest> {
        let mut found: Vec<&RawRequest> = self.once.iter().map(|o| &o.value).collect();
        self.steps.value.iter().for_each(|step| step.value.collect(&mut found));
        found
    }
}

/// `feeder`.
#[derive(Debug)]
pub(in crate::profile) struct RawFeeder {
    pub(in crate::profile) csv: Option<At<Text>>,
    pub(in crate::profile) json: Option<At<Text>>,
    pub(in crate::profile) strategy: Option<At<FeedStrategy>>,
}

/// `[[scenario.step]]`.
#[derive(Debug)]
pub(in crate::profile) struct RawStep {
    pub(in crate::profile) weight: Option<At<f64>>,
    pub(in crate::profile) think: Option<At<Think>>,
    pub(in crate::profile) act: RawAct,
}

/// What a step does.
#[derive(Debug)]
pub(in crate::profile) enum RawAct {
    Request(Box<RawRequest>),
    Pause(At<Think>),
    /// Steps in order; without a number of times, once.
    Repeat(Option<At<u32>>, At<Vec<At<RawStep>>>),
    During(At<Span>, At<Vec<At<RawStep>>>),
    Choose(At<Vec<At<RawStep>>>),
}

impl RawStep {
    fn collect<'a>(&'a self, found: &mut Vec<&'a RawRequest>) {
        match &self.act {
            RawAct::Request(request) => found.push(request),
            RawAct::Pause(_) => {}
            RawAct::Repeat(_, steps) | RawAct::During(_, steps) | RawAct::Choose(steps) => {
                steps.value.iter().for_each(|step| step.value.collect(found));
            }
        }
    }
}

pub(super) fn scenario(r: &mut Reader<'_>, node: &Node<'_>) -> Option<RawScenario> {
    let mut t = Table::of(r, node, "[[scenario]] with a name")?;
    let name = t.need(r, "name", "name = \"browse\"", leaf::text);
    let weight = t.take(r, "weight", leaf::number);
    let think = t.take(r, "think", think::think);
    let feeder = t.take(r, "feeder", feeder);
    let tags = request::tags(r, &mut t);
    let once = t.take(r, "once", leaf::list(once));
    let steps = t.need(r, "step", "[[scenario.step]] with get = \"/\"", leaf::list(step));
    t.done(r);
    Some(RawScenario { name: name?, weight, think, feeder, tags, once: once.map(|o| o.value).unwrap_or_default(), steps: steps? })
}

const STRATEGIES: &[(&str, FeedStrategy)] =
    &[("circular", FeedStrategy::Circular), ("random", FeedStrategy::Random), ("shuffled", FeedStrategy::Shuffled), ("queue", FeedStrategy::Queue)];

fn feeder(r: &mut Reader<'_>, node: &Node<'_>) -> Option<RawFeeder> {
    let mut t = Table::of(r, node, "feeder = { csv = \"accounts.csv\" }")?;
    let raw = RawFeeder {
        csv: t.take(r, "csv", leaf::text),
        json: t.take(r, "json", leaf::text),
        strategy: t.take(r, "strategy", leaf::one_of(STRATEGIES)),
    };
    t.done(r);
    Some(raw)
}

fn once(r: &mut Reader<'_>, node: &Node<'_>) -> Option<RawRequest> {
    let mut t = Table::of(r, node, "[[scenario.once]] with post = \"/login\"")?;
    let request = request::request(r, &mut t);
    t.done(r);
    request
}

fn step(r: &mut Reader<'_>, node: &Node<'_>) -> Option<RawStep> {
    if node.path.matches('.').count() > DEEPEST {
        return r.refuse(node.at(()).problem("too many groups inside each other", "write the steps in fewer levels"));
    }
    let mut t = Table::of(r, node, "[[scenario.step]] with get = \"/\"")?;
    let weight = t.take(r, "weight", leaf::number);
    let think = t.take(r, "think", think::think);
    let act = act(r, &mut t);
    t.done(r);
    Some(RawStep { weight, think, act: act? })
}

/// The keys that make a step something else than a request.
const GROUPS: [&str; 5] = ["pause", "choose", "repeat", "during", "step"];

fn act(r: &mut Reader<'_>, t: &mut Table<'_>) -> Option<RawAct> {
    let written: Vec<&str> = METHODS.iter().map(|(key, _)| *key).chain(GROUPS).filter(|key| t.has(key)).collect();
    let is_request = written.iter().all(|key| !GROUPS.contains(key));
    let pause = t.take(r, "pause", think::pause);
    let choose = t.take(r, "choose", leaf::list(step));
    let times = t.take(r, "repeat", leaf::count);
    let during = t.take(r, "during", leaf::span);
    let steps = t.take(r, "step", leaf::list(step));
    if is_request {
        return request::request(r, t).map(|request| RawAct::Request(Box::new(request)));
    }
    // A request beside a group is told of below, not as a key nobody knows.
    for (key, _) in METHODS {
        let _told_of_below = t.take(r, key, leaf::pattern);
    }
    match written.as_slice() {
        ["pause"] => pause.map(RawAct::Pause),
        ["choose"] => choose.map(RawAct::Choose),
        ["repeat" | "during"] => {
            let hint = "add [[scenario.step.step]] with get = \"/\" below it";
            r.refuse(t.at(()).problem(&format!("`{}` of nothing: there are no steps in it", written.concat()), hint))
        }
        ["step"] | ["repeat", "step"] => steps.map(|steps| RawAct::Repeat(times, steps)),
        ["during", "step"] => Some(RawAct::During(during?, steps?)),
        [first, second, ..] => {
            let what = format!("both `{first}` and `{second}`: a step does one thing");
            r.refuse(t.at(()).problem(&what, "write one step for each, or put them into a group as [[scenario.step.step]]"))
        }
        _ => None,
    }
}
