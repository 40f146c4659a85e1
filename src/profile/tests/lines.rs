//! Loads over time: stages, populations, phases, and what compresses them.

use super::{LEAST, attempt, plan, refusals};
use crate::model::plan::{Arrivals, LoadModel, LoadPhase, Passes, Plan, Population, Segment};
use crate::model::units::{Rate, Span};

fn loaded(load: &str) -> String {
    LEAST.replace("users = 5", load)
}

fn rate(per_second: f64) -> Rate {
    Rate::per_second(per_second)
}

fn secs(n: u64) -> Span {
    Span::from_secs(n)
}

/// The populations of a load that has a line.
#[track_caller]
fn populations(plan: Plan) -> Vec<Population> {
    assert_eq!(plan.load.model, LoadModel::Line);
    plan.load.line.unwrap().populations
}

#[track_caller]
fn staged(load: &str) -> Population {
    let mut all = populations(plan(&loaded(load)));
    assert_eq!(all.len(), 1);
    all.remove(0)
}

#[test]
fn stages_go_on_from_the_one_before() {
    let stages =
        "max_users = 500\nprestart = 50\nstage = [{ to = \"30/s\", for = \"1m\" }, { to = \"30/s\", for = \"2m\" }, { to = \"0/s\", for = \"30s\" }]";
    let read = plan(&loaded(stages));
    assert_eq!(read.load.prestart, 50);
    let all = populations(read);
    assert_eq!((all[0].max_users, all[0].passes, all[0].scenarios.len()), (500, Passes::Times(1), 0));
    assert_eq!(
        all[0].segments,
        [
            Segment::Rate { from: rate(0.0), to: rate(30.0), over: secs(60) },
            Segment::Rate { from: rate(30.0), to: rate(30.0), over: secs(120) },
            Segment::Rate { from: rate(30.0), to: rate(0.0), over: secs(30) },
        ]
    );
}

#[test]
fn stages_begin_where_the_load_says() {
    let from_ten = staged("rate = \"10/s\"\nstage = [{ to = \"30/s\", for = \"1m\" }]");
    assert_eq!(from_ten.segments, [Segment::Rate { from: rate(10.0), to: rate(30.0), over: secs(60) }]);
    assert_eq!(from_ten.max_users, 10_000);
    let users = staged("users = 20\nstage = [{ to = 5, for = \"1m\" }, { to = 0, for = \"1m\" }]");
    assert_eq!(users.segments, [Segment::Users { from: 20, to: 5, over: secs(60) }, Segment::Users { from: 5, to: 0, over: secs(60) }]);
    assert_eq!((users.max_users, users.passes), (20, Passes::Forever));
    let from_none = staged("model = \"closed\"\nstage = [{ to = 7, for = \"1m\" }]");
    assert_eq!(from_none.segments, [Segment::Users { from: 0, to: 7, over: secs(60) }]);
}

#[test]
fn a_stage_of_no_time_is_a_jump() {
    let jump = staged("stage = [{ to = 50, for = \"0s\" }, { to = 50, for = \"1m\" }]");
    assert_eq!(jump.segments, [Segment::Users { from: 50, to: 50, over: secs(60) }]);
}

#[test]
fn a_load_without_anybody_is_refused() {
    for stages in ["[]", "[{ to = \"0/s\", for = \"1m\" }]", "[{ to = 5, for = \"0s\" }]", "[{ to = 0, for = \"1m\" }]"] {
        assert_eq!(refusals(&loaded(&format!("stage = {stages}"))), ["`load.stage`: nobody ever comes"], "{stages}");
    }
    let none = "population = []";
    assert_eq!(refusals(&loaded(none)), ["`load.population`: no populations"]);
    assert_eq!(refusals(&loaded("users = 5\nphase = []")), ["`load.phase`: no phases"]);
}

#[test]
fn every_word_of_injection() {
    let text = loaded(
        r#"
arrivals = "poisson"
[[load.population]]
name = "people"
scenarios = ["s"]
passes = { for = "25m" }
max_users = 300
inject = [
    { ramp = 40, over = "2m" }, { rate = "0/s", for = "8m" }, { rate = ["1/s", "10/s"], for = "4m" }, { at_once = 1 }, { nothing = "5m" },
]
[[load.population]]
name = "there"
inject = [{ users = [0, 50], for = "1m" }, { users = 50, for = "5m" }, { nothing = "1m" }]
"#,
    );
    let read = plan(&text);
    assert_eq!(read.load.arrivals, Arrivals::Poisson);
    let all = populations(read);
    assert_eq!((all[0].name.as_str(), all[0].scenarios.as_slice()), ("people", ["s".to_owned()].as_slice()));
    assert_eq!((all[0].passes, all[0].max_users), (Passes::For(secs(1500)), 300));
    assert_eq!(
        all[0].segments,
        [
            Segment::Ramp { users: 40, over: secs(120) },
            Segment::Rate { from: rate(0.0), to: rate(0.0), over: secs(480) },
            Segment::Rate { from: rate(1.0), to: rate(10.0), over: secs(240) },
            Segment::AtOnce { users: 1 },
            Segment::Nothing { over: secs(300) },
        ]
    );
    assert_eq!((all[1].passes, all[1].max_users), (Passes::Forever, 50));
    assert_eq!(all[1].segments.len(), 3);
    assert_eq!(all[1].segments[1], Segment::Users { from: 50, to: 50, over: secs(300) });
}

#[test]
fn users_that_came_go_once_unless_told() {
    let passes = |written: &str| {
        let text = format!("[[load.population]]\nname = \"p\"\n{written}\ninject = [{{ at_once = 1 }}]\n");
        populations(plan(&loaded(&text))).remove(0).passes
    };
    assert_eq!(passes(""), Passes::Times(1));
    assert_eq!(passes("passes = 3"), Passes::Times(3));
    assert_eq!(passes("passes = \"forever\""), Passes::Forever);
    assert_eq!(passes("passes = \"3\""), Passes::Times(3), "what --set makes of a number where a word stood");
}

#[test]
fn phases_cut_a_steady_load_and_say_how_long_it_is() {
    let phases = "[[load.phase]]\nname = \"baseline\"\nfor = \"10m\"\n[[load.phase]]\nname = \"spike\"\nfor = \"5m\"\n";
    let closed = plan(&loaded(&format!("users = 5\n{phases}")));
    let line = closed.load.line.clone().unwrap();
    assert_eq!(
        line.phases,
        [LoadPhase { name: "baseline".to_owned(), length: secs(600) }, LoadPhase { name: "spike".to_owned(), length: secs(300) }]
    );
    assert_eq!(line.populations[0].segments, [Segment::Users { from: 5, to: 5, over: secs(900) }]);
    assert_eq!((line.length(), closed.experiment.warmup), (secs(900), Span::ZERO));
    assert_eq!((closed.experiment.measure.min, closed.experiment.measure.max), (secs(900), secs(900)));
    let open = populations(plan(&loaded(&format!("rate = \"8/s\"\nmax_users = 9\narrivals = \"uniform\"\nprestart = 2\n{phases}"))));
    assert_eq!((open[0].segments.as_slice(), open[0].max_users), ([Segment::Rate { from: rate(8.0), to: rate(8.0), over: secs(900) }].as_slice(), 9));
    let named = populations(plan(&loaded(&format!("stage = [{{ to = 5, for = \"20m\" }}]\n{phases}"))));
    assert_eq!(named[0].segments, [Segment::Users { from: 0, to: 5, over: secs(1200) }], "with stages they only name parts");
}

#[test]
fn compression_divides_times_and_leaves_amounts() {
    let text = loaded(
        r#"
[[load.population]]
name = "people"
passes = { for = "10m" }
inject = [{ ramp = 40, over = "2m" }, { rate = "1/s", for = "1m" }, { nothing = "5m" }]
[[load.phase]]
name = "baseline"
for = "8m"
[experiment]
compress = 60
"#,
    );
    let line = plan(&text).load.line.unwrap();
    assert_eq!(line.populations[0].passes, Passes::For(secs(10)));
    assert_eq!(
        line.populations[0].segments,
        [
            Segment::Ramp { users: 40, over: secs(2) },
            Segment::Rate { from: rate(1.0), to: rate(1.0), over: secs(1) },
            Segment::Nothing { over: secs(5) }
        ]
    );
    assert_eq!((line.phases[0].length, line.length()), (secs(8), secs(8)));
    let staged = plan(&format!("{}[experiment]\ncompress = 10\n", loaded("stage = [{ to = 5, for = \"1m\" }]")));
    assert_eq!(staged.load.line.unwrap().length(), secs(6));
    assert_eq!(staged.experiment.tick, Span::from_millis(100));
}

#[test]
fn a_line_takes_no_warmup_and_no_other_length() {
    let text = format!("{}[experiment]\nmeasure = {{ precision = 0.05 }}\n", loaded("stage = [{ to = 5, for = \"1m\" }]"));
    assert_eq!(refusals(&text), ["`experiment.measure`: does not apply: a load with a time line is measured over exactly that line"]);
    let short = format!("{}[experiment]\ntick = \"2m\"\n", loaded("stage = [{ to = 5, for = \"1m\" }]"));
    assert_eq!(refusals(&short), ["`experiment.tick`: a tick of 2m is longer than the shortest measurement, 1m"]);
}

#[test]
fn stages_are_of_one_model() {
    let closed = "model = \"closed\"\nrate = \"5/s\"\nmax_users = 5\narrivals = \"poisson\"\nstage = [{ to = \"5/s\", for = \"1m\" }]";
    assert_eq!(
        refusals(&loaded(closed)),
        [
            "`load.rate`: belongs to the open model, and the load is closed",
            "`load.max_users`: belongs to the open model, and the load is closed",
            "`load.arrivals`: belongs to the open model, and the load is closed",
            "`load.stage.to`: `5/s` is a rate, and the load is closed",
        ]
    );
}

#[test]
fn times_of_requests_are_bounded() {
    let read = plan(&loaded("users = 5\ntimeout = \"10s\"\nconnect_timeout = \"2s\"")).load;
    assert_eq!((read.timeout, read.connect_timeout), (secs(10), Some(secs(2))));
    assert_eq!(plan(LEAST).load.connect_timeout, None);
    assert_eq!(refusals(&loaded("users = 5\nconnect_timeout = \"0s\"")), ["`load.connect_timeout`: a connection that may take no time"]);
}

#[test]
fn what_is_recorded_holds_the_line_too() {
    let profile = attempt(&loaded("stage = [{ to = 5, for = \"1m\" }]")).unwrap();
    assert_eq!(profile.recorded.load, profile.plan.load);
}
