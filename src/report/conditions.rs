//! Under which conditions a session was measured: everything a reader needs to weigh it or to repeat it.

use super::course;
use super::format::{count, duration, plain};
use crate::model::event::{Proof, SessionStarted};
use crate::model::plan::{Apply, Design, Order, Plan, Setting, SourceKind};
use crate::model::session::{Session, StepState};
use crate::model::text::clean;

/// Each condition with its name.
pub(super) fn of(session: &Session) -> Vec<(&'static str, String)> {
    let Some(head) = session.head() else { return vec![("session", "its beginning is not in the recording".to_owned())] };
    let plan = &head.plan;
    let mut out = vec![
        ("target", clean(&plan.target.url)),
        ("load", course::words(&plan.load)),
        ("longest wait", format!("{} a request (the client's time-out)", duration(plan.load.timeout))),
        ("cost of a failure (K)", cost(plan)),
    ];
    out.extend(course::populations(&plan.load).into_iter().map(|(name, text)| ("population", format!("{name}: {text}"))));
    out.extend(plan.settings.iter().map(|s| ("setting", setting(s))));
    out.push(("proof", proofs(session)));
    out.push(("order", order(plan)));
    out.push(("lengths", lengths(plan)));
    out.extend(objectives(plan).map(|o| ("objectives", o)));
    out.push(("metrics", sources(plan)));
    out.extend(machine(head));
    out
}

fn cost(plan: &Plan) -> String {
    match plan.objective.failure_cost {
        Some(cost) => format!("{}, as the profile says", duration(cost)),
        None => format!("{}, the longest a caller waits", duration(plan.load.timeout)),
    }
}

fn setting(setting: &Setting) -> String {
    let values: Vec<String> = setting.values.iter().map(|v| plain(*v)).collect();
    let how = match &setting.apply {
        Apply::Http { method, path, .. } => format!("by {} {}", clean(method), clean(&path.to_string())),
        Apply::Command(parts) => format!("by the command `{}`", clean(&parts.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))),
        Apply::Restart => "by restarting the service".to_owned(),
        Apply::Load => "by changing the load".to_owned(),
    };
    let verified = setting.verify.as_ref().map_or_else(|| "not verified".to_owned(), |v| format!("verified by {}", v.signal));
    format!("{} {}, {how}, {verified}", clean(&setting.name), values.join(", "))
}

fn proofs(session: &Session) -> String {
    let all: Vec<Proof> = session.steps().iter().flat_map(StepState::proofs).map(|p| p.proof).collect();
    let of = |proof: Proof, word: &str| {
        let n = all.iter().filter(|p| **p == proof).count();
        (n > 0).then(|| format!("{n} {word}"))
    };
    let parts: Vec<String> = [
        of(Proof::Acted, "seen to act"),
        of(Proof::Unexercised, "read back only, nothing waited"),
        of(Proof::Refuted, "refuted"),
        of(Proof::Unverified, "without proof"),
    ]
    .into_iter()
    .flatten()
    .collect();
    if parts.is_empty() { "none was asked for".to_owned() } else { format!("of {} changes: {}", all.len(), parts.join(", ")) }
}

fn order(plan: &Plan) -> String {
    let e = &plan.experiment;
    let design = match e.design {
        Design::Grid => "all combinations",
        Design::OneAtATime => "one setting at a time",
    };
    let order = match e.order {
        Order::Blocked => "each repeat a block in random order",
        Order::Listed => "in the order listed",
    };
    format!("{design}, {} repeats, {order}, up to {} further steps chosen, seed {}", e.repeats, e.refine, e.seed)
}

fn lengths(plan: &Plan) -> String {
    format!("{}, intervals of {}", course::lengths(plan), duration(plan.experiment.tick))
}

fn objectives(plan: &Plan) -> Option<String> {
    let all: Vec<String> = plan.objective.slo.iter().map(|s| clean(&s.text)).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

fn sources(plan: &Plan) -> String {
    let all: Vec<String> = plan
        .sources
        .iter()
        .map(|s| {
            let SourceKind::Prometheus { url, .. } = &s.kind;
            format!("{} from {} every {}", clean(&s.name), clean(url), duration(s.every))
        })
        .collect();
    if all.is_empty() { "none: only what the clients saw".to_owned() } else { all.join("; ") }
}

fn machine(head: &SessionStarted) -> Vec<(&'static str, String)> {
    let host = &head.host;
    let parts: Vec<String> = [
        host.os.as_deref().map(clean),
        host.cores.map(|n| format!("{n} cores")),
        host.memory_bytes.map(|b| format!("{} MiB of memory", count(b >> 20))),
    ]
    .into_iter()
    .flatten()
    .collect();
    let host = if parts.is_empty() { "unknown".to_owned() } else { parts.join(", ") };
    vec![
        ("load from", host),
        ("began", clean(&head.started_at)),
        ("made with", format!("Plimsoll {}, judge {}", clean(&head.version), clean(&head.judge))),
    ]
}
