//! The reasons of a verdict in plain words, each with its figures.

use super::choice::Choice;
use super::evidence::Evidence;
use super::group::Group;
use super::rules::Ruling;
use super::words::{figure, percent, seconds};
use crate::model::verdict::{Kind, Remark};

/// Why this verdict.
pub(super) fn reasons(evidence: &Evidence<'_>, choice: &Choice, ruling: &Ruling, regret: f64) -> Vec<Remark> {
    let setting = &evidence.sweep.setting;
    let mut out = vec![main(evidence, choice, ruling, regret)];
    if let Some(text) = balance(evidence, ruling.value) {
        out.push(Remark::new("balance", text));
    }
    let worst = evidence.groups.iter().filter(|g| g.loss() > 1.05 * evidence.best().loss());
    let costs: Vec<String> = worst.map(|g| format!("{:.2}x at {}", g.loss() / evidence.best().loss(), figure(g.value))).collect();
    if !costs.is_empty() {
        out.push(Remark::new("costs", format!("against the best {setting} measured, the mean loss is {}", costs.join(", "))));
    }
    out
}

fn main(evidence: &Evidence<'_>, choice: &Choice, ruling: &Ruling, regret: f64) -> Remark {
    let (setting, value) = (&evidence.sweep.setting, figure(ruling.value));
    let zone = choice.zone(&evidence.posterior.grid);
    let best = evidence.best();
    let rate = figure(evidence.target.unwrap_or_else(|| best.rate()));
    let text = match ruling.kind {
        Kind::Recommend => format!(
            "{setting} {value} is expected to cost at most {} more than the best; {} to {} are as good within 2%",
            percent(regret),
            figure(zone.0),
            figure(zone.1)
        ),
        Kind::Repeat => match ruling.figure {
            Some(capacity) => format!(
                "no step carried {rate} requests/s, but the hold times say that {setting} {value} could carry {}: a backlog outlived the steps. Warm up at low load, drain, and run again",
                figure(capacity)
            ),
            None if evidence.best().failed() > 0.5 => "every step was still warming up when it ended (connections were held shorter and shorter): warm up at low load until that stops, drain, and run again".to_owned(),
            None => {
                format!("{setting} {value} is the best guess, but it may cost {} against the best: measure again before using it", percent(regret))
            }
        },
        Kind::EdgeHigh => format!("the loss still falls at {value}, the largest {setting} tried, and requests wait there: try larger ones"),
        Kind::EdgeLow => format!("the loss is least at {value}, the smallest {setting} tried: try smaller ones"),
        Kind::Underloaded => {
            let enough = ruling.figure.map_or_else(String::new, |n| format!("; {} would be enough for the most seen in use", figure(n)));
            format!("nothing waited at any {setting} tried and the loss did not move{enough}: raise the load to learn more")
        }
        Kind::ThreadBound => format!(
            "all {} worker threads are at work and nothing waits for a connection at the best {setting}: the threads limit, not the pool",
            figure(ruling.figure.unwrap_or(0.0))
        ),
        Kind::Overloaded => {
            format!("no {setting} carries {rate} requests/s: the most is about {}", figure(ruling.figure.unwrap_or_else(|| best.good())))
        }
        Kind::GeneratorBound if ruling.figure.is_some() => format!(
            "the load generator was the limit for at least {} of every run of the best {setting}: those figures are its own",
            percent(ruling.figure.unwrap_or(0.0))
        ),
        Kind::GeneratorBound => format!(
            "of {rate} requests/s planned, {} could not be sent and nothing waited at the service: the load generator was the limit",
            figure(best.dropped())
        ),
        Kind::Invalid => "the data can not be judged".to_owned(),
    };
    Remark::new(ruling.kind.name(), text)
}

/// Waiting against holding on both sides of the value.
fn balance(evidence: &Evidence<'_>, value: f64) -> Option<String> {
    let groups = &evidence.groups;
    let at = groups.iter().position(|g| g.value >= value).unwrap_or(groups.len() - 1).clamp(1, groups.len() - 1);
    let pairs: Vec<String> = [(at - 1, at), (at, at + 1)].iter().filter_map(|(a, b)| pair(groups.get(*a)?, groups.get(*b)?)).collect();
    let balanced = pairs.len() == 2 && evidence.best().loss() < groups.first()?.loss() && evidence.best().loss() < groups.last()?.loss();
    let end = if balanced { format!(": they balance near {}", figure(value)) } else { String::new() };
    (!pairs.is_empty()).then(|| format!("{}{end}", pairs.join("; ")))
}

fn pair(a: &Group, b: &Group) -> Option<String> {
    let width = b.value - a.value;
    let moved = |x: f64| {
        let word = if x < 0.0 { "falls" } else { "grows" };
        format!("{word} by {}", seconds(x.abs()))
    };
    let (wait, hold) = ((b.wait()? - a.wait()?) / width, (b.hold()? - a.hold()?) / width);
    Some(format!("from {} to {} waiting {} a connection while holding {}", figure(a.value), figure(b.value), moved(wait), moved(hold)))
}
