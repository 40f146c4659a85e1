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
    "load.prestart"
    "load.arrivals"
    "load.timeout"
    "load.connect_timeout"
    "load.stage"
    "load.stage.to"
    "load.stage.for"
    "load.population"
    "load.population.name"
    "load.population.scenarios"
    "load.population.passes"
    "load.population.passes.for"
    "load.population.max_users"
    "load.population.inject"
    "load.population.inject.ramp"
    "load.population.inject.over"
    "load.population.inject.rate"
    "load.population.inject.users"
    "load.population.inject.for"
    "load.population.inject.at_once"
    "load.population.inject.nothing"
    "load.phase"
    "load.phase.name"
    "load.phase.for"
    "load.http"
    "load.http.version"
    "load.http.connections"
    "load.http.connections.shared"
    "load.http.resolve"
    "load.http.keep_alive"
    "load.http.idle"
    "load.http.gzip"
    "load.http.redirects"
    "load.tls"
    "load.tls.ca"
    "load.tls.certificate"
    "load.tls.key"
    "load.tls.insecure"
    "scenario"
    "scenario.name"
    "scenario.weight"
    "scenario.think"
    "scenario.think.fixed"
    "scenario.think.between"
    "scenario.think.exponential"
    "scenario.think.normal"
    "scenario.feeder"
    "scenario.feeder.csv"
    "scenario.feeder.json"
    "scenario.feeder.strategy"
    "scenario.tags"
    "scenario.once"
    "scenario.step"
    "scenario.step.name"
    "scenario.step.weight"
    "scenario.step.think"
    "scenario.step.pause"
    "scenario.step.repeat"
    "scenario.step.during"
    "scenario.step.step"
    "scenario.step.choose"
    "scenario.step.METHOD"
    "scenario.step.query"
    "scenario.step.headers"
    "scenario.step.json"
    "scenario.step.body"
    "scenario.step.form"
    "scenario.step.file"
    "scenario.step.multipart"
    "scenario.step.multipart.name"
    "scenario.step.multipart.text"
    "scenario.step.multipart.file"
    "scenario.step.multipart.type"
    "scenario.step.expect"
    "scenario.step.expect.status"
    "scenario.step.check"
    "scenario.step.check.of"
    "scenario.step.check.is"
    "scenario.step.check.contains"
    "scenario.step.check.lacks"
    "scenario.step.check.matches"
    "scenario.step.check.exists"
    "scenario.step.extract"
    "scenario.step.tags"
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
    // Steps inside steps have the keys that steps have.
    while let ["scenario", "step", "step" | "choose", _, ..] = parts.as_slice() {
        parts.remove(2);
    }
    match parts.as_slice() {
        ["settings" | "metrics", _] | ["guard", ..] => parts.truncate(1),
        ["settings" | "metrics", _, ..] => parts[1] = "NAME",
        ["scenario", "step", "get" | "post" | "put" | "patch" | "delete" | "head" | "options"] => parts[2] = "METHOD",
        ["scenario", "step", "think", _, ..] => drop(parts.remove(1)),
        ["scenario", "step", "pause", _, ..] => drop(parts.splice(1..3, ["think"])),
        _ => {}
    }
    parts.join(".")
}
