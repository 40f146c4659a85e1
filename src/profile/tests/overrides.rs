//! What `--set` changes reads as what was meant: the text is changed, read, and the plan looked at.

use super::{LEAST, attempt, plan};
use crate::model::plan::{Connections, LoadModel, Passes, Plan, Segment};
use crate::model::units::{Rate, Span};
use crate::profile::apply_override;

const LINE: &str = r#"
[target]
url = "http://127.0.0.1:8080"

[experiment]
tick = "1s"

[load]
[[load.population]]
name = "people"
scenarios = ["browse"]
passes = "forever"
inject = [ { ramp = 40, over = "2m" }, { rate = "1/s", for = "4m" } ]

[[load.phase]]
name = "baseline"
for = "6m"

[[scenario]]
name = "browse"
feeder = { csv = "accounts.csv" }
[[scenario.step]]
name = "list"
get = "/"
[[scenario.step]]
pause = "5s"
"#;

const STAGED: &str = r#"
[target]
url = "http://127.0.0.1:8080"
[load]
max_users = 500
[[load.stage]]
to = "30/s"
for = "1m"
[[load.stage]]
to = "0/s"
for = "30s"
[[scenario]]
name = "s"
[[scenario.step]]
get = "/"
"#;

#[track_caller]
fn set(text: &str, changes: &[&str]) -> Plan {
    let edited = changes.iter().fold(text.to_owned(), |text, change| apply_override(&text, change).unwrap_or_else(|e| panic!("{change}: {e}")));
    plan(&edited)
}

#[track_caller]
fn first_segment(plan: &Plan) -> Segment {
    plan.load.line.as_ref().unwrap().populations[0].segments[0]
}

/// What is told of a change that makes no sound profile.
#[track_caller]
fn refused(text: &str, change: &str) -> String {
    attempt(&apply_override(text, change).unwrap()).unwrap_err().headline()
}

#[test]
fn a_line_is_compressed_from_outside() {
    let fast = set(LINE, &["experiment.compress=60"]);
    assert_eq!(fast.load.line.as_ref().map(crate::model::plan::TimeLine::length), Some(Span::from_secs(6)));
    assert_eq!(first_segment(&fast), Segment::Ramp { users: 40, over: Span::from_secs(2) });
}

#[test]
fn amounts_and_lengths_of_injection() {
    let changed = set(LINE, &["load.population.people.inject.0.ramp=4", "load.population.people.inject.0.over=10s"]);
    assert_eq!(first_segment(&changed), Segment::Ramp { users: 4, over: Span::from_secs(10) });
    let whole = set(LINE, &["load.population.people.inject=[{ at_once = 7 }]"]);
    assert_eq!(first_segment(&whole), Segment::AtOnce { users: 7 });
    let climbing = set(LINE, &["load.population.people.inject.1.rate=[\"1/s\", \"9/s\"]"]);
    let segments = &climbing.load.line.unwrap().populations[0].segments;
    assert_eq!(segments[1], Segment::Rate { from: Rate::per_second(1.0), to: Rate::per_second(9.0), over: Span::from_secs(240) });
}

#[test]
fn passes_in_each_of_their_forms() {
    let passes = |change: &str| set(LINE, &[change]).load.line.unwrap().populations[0].passes;
    assert_eq!(passes("load.population.people.passes=3"), Passes::Times(3));
    assert_eq!(passes("load.population.people.passes=forever"), Passes::Forever);
    assert_eq!(passes("load.population.people.passes={ for = \"90s\" }"), Passes::For(Span::from_secs(90)));
    assert!(refused(LINE, "load.population.people.passes=often").contains("\"often\" is not known here"));
}

#[test]
fn stages_one_by_one_or_all_at_once() {
    let higher = set(STAGED, &["load.stage.0.to=60/s", "load.stage.0.for=2m", "load.max_users=50"]);
    assert_eq!(first_segment(&higher), Segment::Rate { from: Rate::per_second(0.0), to: Rate::per_second(60.0), over: Span::from_secs(120) });
    assert_eq!(higher.load.line.unwrap().populations[0].max_users, 50);
    let other = set(STAGED, &["load.stage=[{ to = \"5/s\", for = \"10s\" }]"]);
    assert_eq!(other.load.line.as_ref().unwrap().populations[0].segments.len(), 1);
    assert!(refused(STAGED, "load.stage.0.to=60").contains("\"60\" has no unit"));
    assert!(refused(STAGED, "load.users=5").contains("belongs to the closed model"));
}

#[test]
fn phases_are_added_and_changed() {
    let longer = set(LINE, &["load.phase.baseline.for=3m"]);
    assert_eq!(longer.load.line.unwrap().phases[0].length, Span::from_secs(180));
    let cut = set(LEAST, &["load.phase=[{ name = \"a\", for = \"10s\" }, { name = \"b\", for = \"5s\" }]"]);
    assert_eq!(cut.load.model, LoadModel::Line);
    assert_eq!(cut.load.line.unwrap().length(), Span::from_secs(15));
}

#[test]
fn ways_of_sending() {
    let sent = set(LEAST, &["load.http.connections={ shared = 8 }", "load.http.gzip=true", "load.http.idle=5s", "load.tls.insecure=true"]).load.http;
    assert_eq!((sent.connections, sent.gzip, sent.idle, sent.tls.insecure), (Connections::Shared(8), true, Some(Span::from_secs(5)), true));
    assert_eq!(set(LEAST, &["load.connect_timeout=2s"]).load.connect_timeout, Some(Span::from_secs(2)));
    assert!(refused(LEAST, "load.http.version=3").contains("expected text, found a whole number"));
    assert_eq!(set(LEAST, &["load.http.version=\"2\""]).load.http.version, crate::model::plan::HttpVersion::Http2);
}

#[test]
fn steps_and_feeders() {
    let shuffled = set(LINE, &["scenario.browse.feeder.strategy=shuffled"]);
    assert_eq!(shuffled.scenarios[0].feeder.as_ref().unwrap().strategy, crate::model::plan::FeedStrategy::Shuffled);
    let checked = set(LINE, &["scenario.browse.step.list.check=[{ of = \"body\", contains = \"ok\" }]"]);
    assert_eq!(checked.scenarios[0].steps[0].request().unwrap().checks.len(), 1);
    let tagged = set(LINE, &["scenario.browse.tags.kind=read"]);
    assert_eq!(tagged.scenarios[0].tags["kind"], "read");
    assert!(refused(LINE, "scenario.browse.feeder.csv=nowhere.csv").contains("reading `nowhere.csv`"));
}

#[test]
fn what_was_set_stands_in_the_recorded_profile() {
    let text = apply_override(LINE, "load.phase.baseline.for=3m").unwrap();
    let recorded = attempt(&text).unwrap().recorded;
    assert!(recorded.profile_text.contains("for = \"3m\"") && !recorded.profile_text.contains("for = \"6m\""));
}
