//! A page for each key of a profile, as files under `assets/docs`: what the key does, its default, an example. They are built in, so that
//! help needs no files. It imports nothing of the package.

/// Pairs each key with its file.
macro_rules! table {
    ($($key:literal)*) => {
        /// Keys and their pages, in the order of a profile.
        const PAGES: &[(&str, &str)] = &[$(($key, include_str!(concat!("../../assets/docs/", $key, ".md")))),*];
    };
}

table! {
    "name"
    "target"
    "target.url"
    "target.instances"
    "target.allow"
    "target.ready"
    "target.ready.path"
    "target.ready.status"
    "target.ready.within"
    "target.process"
    "target.process.command"
    "target.process.env"
    "settings"
    "settings.NAME.values"
    "settings.NAME.range"
    "settings.NAME.apply"
    "settings.NAME.apply.http"
    "settings.NAME.apply.http.method"
    "settings.NAME.apply.http.path"
    "settings.NAME.apply.http.headers"
    "settings.NAME.apply.http.json"
    "settings.NAME.apply.http.body"
    "settings.NAME.apply.command"
    "settings.NAME.apply.restart"
    "settings.NAME.verify"
    "settings.NAME.verify.signal"
    "settings.NAME.verify.of"
    "settings.NAME.restore"
    "experiment"
    "experiment.design"
    "experiment.order"
    "experiment.repeats"
    "experiment.refine"
    "experiment.warmup"
    "experiment.measure"
    "experiment.measure.min"
    "experiment.measure.max"
    "experiment.measure.precision"
    "experiment.drain"
    "experiment.settle"
    "experiment.settle.max"
    "experiment.tick"
    "experiment.seed"
    "experiment.compress"
    "load"
    "load.model"
    "load.users"
    "load.rate"
    "load.max_users"
    "load.timeout"
    "scenario"
    "scenario.name"
    "scenario.weight"
    "scenario.think"
    "scenario.think.fixed"
    "scenario.think.between"
    "scenario.think.exponential"
    "scenario.think.normal"
    "scenario.once"
    "scenario.step"
    "scenario.step.name"
    "scenario.step.weight"
    "scenario.step.think"
    "scenario.step.METHOD"
    "scenario.step.headers"
    "scenario.step.json"
    "scenario.step.body"
    "scenario.step.expect"
    "scenario.step.expect.status"
    "scenario.step.extract"
    "metrics"
    "metrics.NAME.prometheus"
    "metrics.NAME.dialects"
    "metrics.NAME.select"
    "metrics.NAME.every"
    "objective"
    "objective.minimise"
    "objective.slo"
    "objective.failure_cost"
    "threshold"
    "threshold.metric"
    "threshold.pass"
    "threshold.abort"
    "threshold.abort.on_fail"
    "threshold.abort.after"
    "guard"
}

/// All keys with their pages, in the order of a profile. `NAME` and `METHOD` stand for words of the user's own choice.
pub fn pages() -> impl Iterator<Item = (&'static str, &'static str)> {
    PAGES.iter().copied()
}

/// The page of a key as it stands in a profile: `settings.pool.values`, `scenario.step.get`.
#[must_use]
pub fn page(path: &str) -> Option<&'static str> {
    let found = |key: &str| PAGES.iter().find(|(known, _)| *known == key).map(|(_, text)| *text);
    found(path).or_else(|| found(&general(path)))
}

/// The key with the user's own words replaced.
fn general(path: &str) -> String {
    let path = path.replacen("scenario.once.", "scenario.step.", 1);
    let mut parts: Vec<&str> = path.split('.').collect();
    match parts.as_slice() {
        ["settings" | "metrics", _] | ["guard", ..] => parts.truncate(1),
        ["settings" | "metrics", _, ..] => parts[1] = "NAME",
        ["scenario", "step", "get" | "post" | "put" | "patch" | "delete" | "head" | "options"] => parts[2] = "METHOD",
        ["scenario", "step", "think", ..] => drop(parts.remove(1)),
        _ => {}
    }
    parts.join(".")
}
