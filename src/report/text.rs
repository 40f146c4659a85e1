//! The result for people, on stdout: the answer in a sentence, how sure, why, what it costs, what casts doubt, the table.

use super::{doubt, phases, requests, table, thresholds, words};
use crate::model::session::Session;
use crate::model::text::clean;
use crate::model::verdict::PoolVerdict;

/// Column in which the texts begin.
const INDENT: usize = 11;

/// A verdict alone.
#[must_use]
pub fn text_verdict(verdict: &PoolVerdict) -> String {
    with_doubts(verdict, &doubt::of_verdict(verdict))
}

/// A session: its last verdict if there is one, how it ended, and what a reader must know of it.
#[must_use]
pub fn session_text(session: &Session) -> String {
    let mut parts = Vec::new();
    if let Some(judged) = session.judged().last() {
        parts.push(with_doubts(&judged.verdict, &doubt::of_session(session)));
    } else {
        parts.push(entries(&[("no verdict", "nothing was judged in this session".to_owned())]));
        parts.push(entries(&list("doubt", &doubt::of_session(session))));
    }
    parts.extend(requests::table(session).map(|t| t.text()));
    parts.extend(phases::table(session).map(|t| t.text()));
    parts.extend(thresholds::table(session).map(|t| t.text()));
    parts.push(entries(&[("session", ending(session))]));
    parts.retain(|p| !p.is_empty());
    parts.join("\n\n")
}

/// How the session ended, and whether everything is as it was.
pub(super) fn ending(session: &Session) -> String {
    let Some(ended) = session.ended() else {
        return "not ended: it was cut off, or is still under way; whether settings were put back is unknown".to_owned();
    };
    let restored = match ended.restored {
        Some(true) => "settings put back",
        Some(false) => "settings NOT put back",
        None => "whether settings were put back is unknown",
    };
    format!(
        "{} after {} ({}); {restored}",
        ended.outcome.name(),
        super::format::duration(ended.at.since(crate::model::units::Elapsed::ZERO)),
        clean(&ended.reason)
    )
}

fn with_doubts(verdict: &PoolVerdict, doubts: &[String]) -> String {
    let mut all = vec![(words::headline(verdict.verdict), words::answer(verdict))];
    all.extend(list("sure", &words::certainty(verdict)));
    all.extend(list("because", &verdict.reasons.iter().map(|r| clean(&r.text)).collect::<Vec<_>>()));
    all.extend(words::costs(verdict).map(|t| ("costs", t)));
    all.extend(words::also_set(verdict).map(|t| ("also set", t)));
    all.extend(words::next(verdict).map(|t| ("next", t)));
    all.extend(if doubts.is_empty() { vec![("doubt", "none".to_owned())] } else { list("doubt", doubts) });
    let mut out = entries(&all);
    let figures = table::figures(verdict, table::Width::Narrow);
    if !figures.is_empty() {
        out.push_str("\n\n");
        out.push_str(&figures.text());
    }
    for short in table::shorts(verdict) {
        out.push('\n');
        out.push_str(&short);
    }
    out
}

fn list<'a>(head: &'a str, lines: &[String]) -> Vec<(&'a str, String)> {
    lines.iter().enumerate().map(|(i, line)| (if i == 0 { head } else { "" }, line.clone())).collect()
}

fn entries(all: &[(&str, String)]) -> String {
    let wide = all.iter().map(|(head, _)| head.chars().count() + 2).max().unwrap_or(0).max(INDENT);
    let line = |(head, text): &(&str, String)| format!("{head:<wide$}{text}").trim_end().to_owned();
    all.iter().map(line).collect::<Vec<_>>().join("\n")
}
