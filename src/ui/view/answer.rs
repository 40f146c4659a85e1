//! The verdict in the reader's words: the answer with its uncertainty, why, what it costs, what else to set, what casts doubt, what next.

use crate::model::session::Session;
use crate::model::verdict::{Kind, PoolVerdict, Remark};
use crate::report::{doubts, threshold_lines};
use crate::ui::look::Tone;
use crate::ui::number;
use crate::ui::reading::label;

/// One entry: what it is about, the text, how it looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// What it is about.
    pub head: &'static str,
    /// The text.
    pub text: String,
    /// How it looks.
    pub tone: Tone,
}

fn entry(head: &'static str, text: impl Into<String>, tone: Tone) -> Entry {
    Entry { head, text: text.into(), tone }
}

/// All entries, the answer first.
#[must_use]
pub(super) fn entries(session: &Session, verdict: &PoolVerdict) -> Vec<Entry> {
    let mut out = vec![entry(headline(verdict.verdict), answer(session, verdict), if verdict.verdict.is_answer() { Tone::Line } else { Tone::Warn })];
    out.extend(thresholds(session));
    // A recommendation's first reason says again what the answer says, and the judge may have put the costs in words itself.
    let said = |r: &&Remark| r.code != "costs" && (r.code != verdict.verdict.name() || verdict.verdict != Kind::Recommend);
    for (i, reason) in verdict.reasons.iter().filter(said).enumerate() {
        out.push(entry(if i == 0 { "because" } else { "" }, &reason.text, Tone::Text));
    }
    let judged = verdict.reasons.iter().find(|r| r.code == "costs").map(|r| r.text.clone());
    if let Some(text) = judged.or_else(|| costs(session, verdict)) {
        out.push(entry("costs", text, Tone::Text));
    }
    if let Some(text) = derived(verdict) {
        out.push(entry("also set", text, Tone::Text));
    }
    let doubts: Vec<String> = doubts(session).into_iter().chain(short(session, verdict)).collect();
    if doubts.is_empty() {
        out.push(entry("doubt", "none", Tone::Dim));
    }
    for (i, doubt) in doubts.into_iter().enumerate() {
        out.push(entry(if i == 0 { "doubt" } else { "" }, doubt, Tone::Warn));
    }
    if let Some(next) = &verdict.next {
        let name = name(session, verdict);
        let key = if session.ended().is_none() { " (n does it)" } else { "" };
        let times = if next.runs == 1 { "once more".to_owned() } else { format!("{} times more", next.runs) };
        out.push(entry("next", format!("measure {name} {} {times}{key}: {}", number::setting(next.value), next.why), Tone::Focus));
    }
    out
}

/// The thresholds: how many hold, and each that does not; all of them if there is no verdict to be said beside them.
pub(super) fn thresholds(session: &Session) -> Vec<Entry> {
    let lines = threshold_lines(session);
    if lines.is_empty() {
        return Vec::new();
    }
    let held = lines.iter().filter(|l| l.ok).count();
    let whole = session.judged().is_empty();
    let tone = if held == lines.len() { Tone::Good } else { Tone::Bad };
    let mut out = vec![entry("thresholds", format!("{held} of {} hold", lines.len()), tone)];
    for line in lines.iter().filter(|l| whole || !l.ok) {
        let text = format!("{} {} {}: {} ({})", if line.ok { "✓" } else { "✗" }, line.metric, line.pass, line.value, line.result);
        out.push(entry("", text, if line.ok { Tone::Good } else { Tone::Bad }));
    }
    out
}

/// Values whose figures do not count in full, with the reason.
fn short(session: &Session, verdict: &PoolVerdict) -> impl Iterator<Item = String> {
    let name = name(session, verdict);
    verdict.steps.iter().filter_map(move |s| s.short.as_ref().map(|why| format!("◇ {name} {}: {why}", number::setting(s.value))))
}

/// The kind of answer, in capitals.
#[must_use]
pub(super) const fn headline(kind: Kind) -> &'static str {
    match kind {
        Kind::Recommend => "RECOMMENDED",
        Kind::Repeat => "NOT DECIDED",
        Kind::EdgeHigh => "TRY MORE",
        Kind::EdgeLow => "TRY LESS",
        Kind::Underloaded => "UNDERLOADED",
        Kind::ThreadBound => "THREADS",
        Kind::Overloaded => "OVERLOADED",
        Kind::GeneratorBound | Kind::Invalid => "NO ANSWER",
    }
}

fn name(session: &Session, verdict: &PoolVerdict) -> String {
    verdict.setting.clone().unwrap_or_else(|| label::axis(session))
}

/// The answer in one sentence, with its uncertainty.
fn answer(session: &Session, verdict: &PoolVerdict) -> String {
    let name = name(session, verdict);
    let value = verdict.value.map_or_else(|| format!("no {name}"), |v| format!("{name} {}", number::setting(v)));
    let what = match verdict.verdict {
        Kind::Recommend => value,
        Kind::Repeat => format!("best guess {value}, not yet sure enough to act on"),
        Kind::EdgeHigh => format!("the best lies above what was tried; of these, {value}"),
        Kind::EdgeLow => format!("the best lies below what was tried; of these, {value}"),
        Kind::Underloaded => format!("the load is too small for {name} to matter; {value} is enough for it"),
        Kind::ThreadBound => format!("worker threads are the limit, not {name}; best guess {value}"),
        Kind::Overloaded => format!("no {name} carries this load; least bad {value}"),
        Kind::GeneratorBound => format!("the load generator was the limit, so {name} can not be judged"),
        Kind::Invalid => "these data can not be judged".to_owned(),
    };
    let mut parts = vec![what];
    if let Some((low, high)) = verdict.zone.filter(|_| verdict.verdict.is_answer()) {
        parts.push(format!("equal within 2%: {low:.0} to {high:.0}"));
    }
    if let Some(regret) = verdict.expected_regret {
        parts.push(format!("expected to cost {} against the best", number::share(regret)));
    }
    if let Some((low, high)) = verdict.best_interval_90 {
        parts.push(format!("the best lies in {low:.0} to {high:.0} (90% sure)"));
    }
    if let Some(free) = verdict.unconstrained {
        parts.push(format!("without the objectives it would be {}", number::setting(free)));
    }
    parts.join(" · ")
}

/// What the values at both ends of the sweep cost against the chosen one.
fn costs(session: &Session, verdict: &PoolVerdict) -> Option<String> {
    let name = name(session, verdict);
    let chosen = verdict.value?;
    let losses: Vec<(f64, f64)> = verdict.steps.iter().filter_map(|s| s.loss_s.map(|l| (s.value, l.mean))).collect();
    let best = losses.iter().min_by(|a, b| (a.0 - chosen).abs().total_cmp(&(b.0 - chosen).abs()))?.1;
    let (first, last) = (losses.first()?, losses.last()?);
    let dear = |(value, loss): &&(f64, f64)| best > 0.0 && (value - chosen).abs() > 1e-9 && loss / best > 1.005;
    let ends = [Some(first), (losses.len() > 1).then_some(last)];
    let parts: Vec<String> =
        ends.into_iter().flatten().filter(dear).map(|(v, loss)| format!("at {} {}", number::setting(*v), number::times(loss / best))).collect();
    if parts.is_empty() {
        (losses.len() > 1).then(|| "nothing: the ends of the sweep are as good".to_owned())
    } else {
        Some(format!("loss against {name} {}: {}", number::setting(chosen), parts.join(", ")))
    }
}

fn derived(verdict: &PoolVerdict) -> Option<String> {
    let d = &verdict.derived;
    let parts: Vec<String> = [
        d.threads.map(|n| format!("threads ≥ {n}")),
        d.connection_timeout_s.map(|s| format!("connection time-out {}", number::time(s))),
        d.bulkhead.map(|n| format!("bulkhead {n} requests")),
        d.sustainable_rate.map(|r| format!("sustainable rate {}", number::rate(r))),
    ]
    .into_iter()
    .flatten()
    .collect();
    (!parts.is_empty()).then(|| parts.join(" · "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::testkit;

    fn said(done: usize) -> Vec<Entry> {
        entries(&Session::of(testkit::sweep().iter()), &testkit::verdict(done))
    }

    #[test]
    fn the_answer_comes_with_its_uncertainty() {
        let first = said(10).into_iter().next().unwrap();
        assert_eq!(first.head, "RECOMMENDED");
        let expected = "pool 150 · equal within 2%: 128 to 172 · expected to cost 0.80% against the best · the best lies in 121 to 180 (90% sure)";
        assert_eq!(first.text, expected);
    }

    #[test]
    fn thresholds_that_do_not_hold_stand_under_the_answer() {
        let mut events = testkit::sweep();
        if let Some(crate::model::event::Event::SessionStarted(head)) = events.first_mut().map(|e| &mut e.event) {
            head.plan.thresholds = [("http_reqs", "count > 1"), ("http_req_failed", "rate <= 0%"), ("checks", "rate > 0.9")]
                .map(|(metric, pass)| crate::model::plan::Threshold::new(metric, pass))
                .to_vec();
        }
        let all = entries(&Session::of(events.iter()), &testkit::verdict(10));
        assert_eq!((all[1].head, all[1].text.as_str(), all[1].tone), ("thresholds", "1 of 3 hold", Tone::Bad));
        assert!(all[2].text.starts_with("✗ http_req_failed rate <= 0%: 0.") && all[2].text.ends_with("(crossed)"), "{}", all[2].text);
        assert!(all[3].text.ends_with("? (no data: no check was made of such requests)"), "{}", all[3].text);
        let unjudged: Vec<_> = events.into_iter().filter(|e| !matches!(e.event, crate::model::event::Event::Judged(_))).collect();
        assert_eq!(thresholds(&Session::of(unjudged.iter())).len(), 4, "without a verdict all are told");
        assert!(thresholds(&Session::of(testkit::sweep().iter())).is_empty());
    }

    #[test]
    fn the_ends_of_the_sweep_have_a_price() {
        let costs = said(10).into_iter().find(|e| e.head == "costs").unwrap();
        assert_eq!(costs.text, "loss against pool 150: at 30 1.68×, at 200 1.02×");
    }

    #[test]
    fn a_refusal_says_what_to_do_next() {
        let all = said(3);
        assert_eq!(all[0].head, "NOT DECIDED");
        let next = all.iter().find(|e| e.head == "next").unwrap();
        assert_eq!(next.text, "measure pool 170 once more: between 150 and 200 the curve is least known");
    }

    #[test]
    fn a_value_with_too_few_samples_is_named() {
        let all = said(3);
        let doubt = all.iter().find(|e| e.head == "doubt").unwrap();
        assert_eq!(doubt.text, "◇ pool 30: fewer than 300 requests in a batch");
        assert_eq!(said(10).iter().find(|e| e.head == "doubt").unwrap().text, "none");
    }

    #[test]
    fn every_kind_has_words() {
        let session = Session::new();
        for kind in [
            Kind::Recommend,
            Kind::Repeat,
            Kind::EdgeHigh,
            Kind::EdgeLow,
            Kind::Underloaded,
            Kind::ThreadBound,
            Kind::Overloaded,
            Kind::GeneratorBound,
            Kind::Invalid,
        ] {
            let mut verdict = testkit::verdict(10);
            (verdict.verdict, verdict.value, verdict.setting) = (kind, None, None);
            let all = entries(&session, &verdict);
            assert!(all[0].text.len() > 8 && !all[0].head.is_empty(), "{kind}");
        }
    }
}
