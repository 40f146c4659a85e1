//! What two plans do not share, said before any figure: a difference between other loads is no difference of the service.

use crate::model::plan::{LoadModel, Plan};

/// The differences in words, the gravest first.
pub(super) fn differences(base: Option<&Plan>, new: Option<&Plan>) -> Vec<String> {
    let (Some(base), Some(new)) = (base, new) else { return vec!["the plan of one of them is not known".to_owned()] };
    let mut out = Vec::new();
    let mut say = |what: &str, before: String, after: String| {
        if before != after {
            out.push(format!("{what}: {before} → {after}"));
        }
    };
    say("load", load(base), load(new));
    say("time-out", base.load.timeout.to_string(), new.load.timeout.to_string());
    say("target", base.target.url.clone(), new.target.url.clone());
    for setting in &new.settings {
        let known = base.setting(&setting.name).map_or_else(|| "not set".to_owned(), |s| values(&s.values));
        say(&setting.name, known, values(&setting.values));
    }
    for setting in base.settings.iter().filter(|s| new.setting(&s.name).is_none()) {
        say(&setting.name, values(&setting.values), "not set".to_owned());
    }
    let (before, after) = (&base.experiment, &new.experiment);
    say("warm-up", before.warmup.to_string(), after.warmup.to_string());
    say("measured for at least", before.measure.min.to_string(), after.measure.min.to_string());
    if base.scenarios != new.scenarios {
        out.push("the scenarios differ: other requests, other weights or other think times".to_owned());
    } else if base.load.http != new.load.http || base.load.line != new.load.line {
        out.push("how the load is sent or its time line differs".to_owned());
    }
    out
}

/// Whether both were asked the same.
pub(super) fn same_load(base: Option<&Plan>, new: Option<&Plan>) -> bool {
    base.zip(new).is_none_or(|(b, n)| load(b) == load(n) && b.load.line == n.load.line && b.scenarios == n.scenarios)
}

fn load(plan: &Plan) -> String {
    match plan.load.model {
        LoadModel::Closed { users } => format!("{users} users"),
        LoadModel::Open { rate, max_users } => format!("{rate}, at most {max_users} users"),
        LoadModel::Line => "a time line".to_owned(),
    }
}

fn values(values: &[f64]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
