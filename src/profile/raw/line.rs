//! Reads what a load does over time: `[[load.stage]]`, `[[load.population]]`, `[[load.phase]]`. It may import the rest of `profile/`;
//! it must not judge how they go together.

use toml::de::DeValue;

use super::leaf;
use super::reader::{At, Node, Reader, Table};
use crate::model::plan::Passes;
use crate::model::units::{Rate, Span};
use crate::profile::secret::Text;

/// How much load a stage goes to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::profile) enum Level {
    /// Arrivals.
    Rate(Rate),
    /// Users at work.
    Users(u32),
}

/// `[[load.stage]]`.
#[derive(Debug)]
pub(in crate::profile) struct RawStage {
    pub(in crate::profile) to: At<Level>,
    pub(in crate::profile) length: At<Span>,
}

/// `[[load.population]]`.
#[derive(Debug)]
pub(in crate::profile) struct RawPopulation {
    pub(in crate::profile) name: At<Text>,
    pub(in crate::profile) scenarios: Option<At<Vec<At<Text>>>>,
    pub(in crate::profile) passes: Option<At<Passes>>,
    pub(in crate::profile) max_users: Option<At<u32>>,
    pub(in crate::profile) inject: At<Vec<At<RawSegment>>>,
}

/// A value at the begin and one at the end of a stretch.
pub(in crate::profile) type Ends<T> = At<(At<T>, At<T>)>;

/// One entry of `inject`.
#[derive(Debug)]
pub(in crate::profile) enum RawSegment {
    Ramp(At<u32>, At<Span>),
    AtOnce(At<u32>),
    Rate(Ends<Rate>, At<Span>),
    Users(Ends<u32>, At<Span>),
    Nothing(At<Span>),
}

/// `[[load.phase]]`.
#[derive(Debug)]
pub(in crate::profile) struct RawPhase {
    pub(in crate::profile) name: At<Text>,
    pub(in crate::profile) length: At<Span>,
}

pub(super) fn stage(r: &mut Reader<'_>, node: &Node<'_>) -> Option<RawStage> {
    let mut t = Table::of(r, node, "[[load.stage]] with to = \"30/s\" and for = \"1m\"")?;
    let to = t.need(r, "to", "to = \"30/s\" for arrivals, or to = 200 for users", level);
    let length = t.need(r, "for", "for = \"1m\"", leaf::span);
    t.done(r);
    Some(RawStage { to: to?, length: length? })
}

fn level(r: &mut Reader<'_>, node: &Node<'_>) -> Option<Level> {
    match node.value() {
        DeValue::Integer(_) => leaf::count(r, node).map(Level::Users),
        DeValue::String(text) if text.parse::<f64>().is_ok() => {
            let hint = format!("write \"{text}/s\" for arrivals, or a number without quotes for users");
            r.refuse(node.at(()).problem(&format!("{} has no unit", r.written(node)), hint))
        }
        DeValue::String(_) => leaf::rate(r, node).map(Level::Rate),
        _ => r.refuse(node.expected("a rate or a number of users", "write \"30/s\" for arrivals, or 200 for users")),
    }
}

pub(super) fn population(r: &mut Reader<'_>, node: &Node<'_>) -> Option<RawPopulation> {
    let mut t = Table::of(r, node, "[[load.population]] with a name and inject = [ … ]")?;
    let name = t.need(r, "name", "name = \"signed-in\"", leaf::text);
    let scenarios = t.take(r, "scenarios", leaf::list(leaf::text));
    let passes = t.take(r, "passes", passes);
    let max_users = t.take(r, "max_users", leaf::count);
    let inject = t.need(r, "inject", "inject = [ { ramp = 40, over = \"2m\" }, { nothing = \"5m\" } ]", leaf::list(segment));
    t.done(r);
    Some(RawPopulation { name: name?, scenarios, passes, max_users, inject: inject? })
}

/// How long a user goes on: a number, a word, or a time.
fn passes(r: &mut Reader<'_>, node: &Node<'_>) -> Option<Passes> {
    const HINT: &str = "write passes = 3, passes = \"forever\" or passes = { for = \"25m\" }";
    match node.value() {
        DeValue::Integer(_) => leaf::count(r, node).map(Passes::Times),
        DeValue::Table(_) => {
            let mut t = Table::of(r, node, "{ for = \"25m\" }")?;
            let length = t.need(r, "for", "{ for = \"25m\" }", leaf::span);
            t.done(r);
            length.map(|l| Passes::For(l.value))
        }
        // A number in quotes is what changing the word from outside gives.
        DeValue::String(text) => match (text.as_ref(), text.parse()) {
            ("forever", _) => Some(Passes::Forever),
            (_, Ok(times)) => Some(Passes::Times(times)),
            _ => r.refuse(node.at(()).problem(&format!("{} is not known here", r.written(node)), HINT)),
        },
        _ => r.refuse(node.expected("a number of passes", HINT)),
    }
}

/// What can be injected, with the key of its length where that is a key of its own.
const FORMS: [(&str, Option<&str>); 5] =
    [("ramp", Some("over")), ("at_once", None), ("rate", Some("for")), ("users", Some("for")), ("nothing", None)];

fn segment(r: &mut Reader<'_>, node: &Node<'_>) -> Option<RawSegment> {
    const HINT: &str = "write one of { ramp = 40, over = \"2m\" }, { rate = \"1/s\", for = \"4m\" }, { rate = [\"1/s\", \"10/s\"], for = \"4m\" }, \
                        { users = 50, for = \"5m\" }, { at_once = 1 }, { nothing = \"5m\" }";
    let mut t = Table::of(r, node, "{ ramp = 40, over = \"2m\" }")?;
    let written: Vec<_> = FORMS.into_iter().filter(|(key, _)| t.has(key)).collect();
    let missing = written.iter().find_map(|(_, length)| length.filter(|key| !t.has(key)));
    let (has_over, has_for) = (t.has("over"), t.has("for"));
    let ramp = t.take(r, "ramp", leaf::count);
    let at_once = t.take(r, "at_once", leaf::count);
    let rate = t.take(r, "rate", |r, n| leaf::ends(r, n, "[\"1/s\", \"10/s\"]", leaf::rate));
    let users = t.take(r, "users", |r, n| leaf::ends(r, n, "[0, 50]", leaf::count));
    let nothing = t.take(r, "nothing", leaf::span);
    let over = t.take(r, "over", leaf::span);
    let length = t.take(r, "for", leaf::span);
    t.done(r);
    match (written.as_slice(), missing) {
        ([], _) => return r.refuse(node.at(()).problem("nothing to inject", HINT)),
        ([(first, _), (second, _), ..], _) => {
            return r.refuse(node.at(()).problem(&format!("both `{first}` and `{second}`"), format!("one entry is one stretch of time: {HINT}")));
        }
        ([(key, _)], Some(length)) => {
            return r.refuse(node.at(()).problem(&format!("`{key}` without `{length}`"), format!("say how long, as {length} = \"2m\"")));
        }
        ([(key, takes)], None) => {
            if let Some(extra) = [("over", has_over), ("for", has_for)].into_iter().find(|(k, has)| *has && *takes != Some(k)) {
                return r.refuse(node.at(()).problem(&format!("`{}` does not go with `{key}`", extra.0), HINT));
            }
        }
    }
    ramp.zip(over)
        .map(|(n, over)| RawSegment::Ramp(n, over))
        .or_else(|| at_once.map(RawSegment::AtOnce))
        .or_else(|| nothing.map(RawSegment::Nothing))
        .or_else(|| Some(RawSegment::Rate(rate?, length.clone()?)))
        .or_else(|| Some(RawSegment::Users(users?, length?)))
}

pub(super) fn phase(r: &mut Reader<'_>, node: &Node<'_>) -> Option<RawPhase> {
    let mut t = Table::of(r, node, "[[load.phase]] with name = \"baseline\" and for = \"10m\"")?;
    let name = t.need(r, "name", "name = \"baseline\"", leaf::text);
    let length = t.need(r, "for", "for = \"10m\"", leaf::span);
    t.done(r);
    Some(RawPhase { name: name?, length: length? })
}
