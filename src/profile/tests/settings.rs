//! Settings: ways to apply, to verify, and names.

use super::{LEAST, plan, refusals, with};
use crate::model::plan::{Apply, Body, Verify};
use crate::model::signal::Signal;

const METRICS: &str = "[metrics.app]\nprometheus = \"http://127.0.0.1:8080/m\"\n";

fn applied(apply: &str) -> String {
    format!("{LEAST}[settings.pool]\nvalues = [1, 2]\napply = {apply}\n")
}

#[test]
fn a_value_goes_by_request_command_or_restart() {
    let plan = plan(&applied("{ http = { path = \"/p/{pool}\", body = \"{pool}\", headers = { A = \"b\" } } }"));
    let Apply::Http { method, path, headers, body } = &plan.settings[0].apply else { panic!("{:?}", plan.settings[0].apply) };
    assert_eq!((method.as_str(), path.to_string(), headers["A"].to_string()), ("POST", "/p/{pool}".to_owned(), "b".to_owned()));
    assert!(matches!(body, Some(Body::Text(text)) if text.sole_name() == Some("pool")));

    let plan = super::plan(&applied("{ command = [\"kubectl\", \"DB_POOL_SIZE={pool}\"] }"));
    assert!(matches!(&plan.settings[0].apply, Apply::Command(pieces) if pieces.len() == 2));

    let process = "[target.process]\ncommand = [\"java\"]\nenv = { POOL = \"{pool}\" }\n";
    let plan = super::plan(&format!("{}{process}", applied("{ restart = true }")));
    assert_eq!(plan.settings[0].apply, Apply::Restart);
    assert_eq!(plan.target.process.unwrap().command[0].to_string(), "java");
}

#[test]
fn settings_keep_the_order_of_the_profile() {
    let more = "[settings.zeta]\nvalues = [3]\napply = { command = [\"a\", \"{zeta}\"] }\n[settings.alpha]\nvalues = [2, 1]\nrange = [0, 9]\nrestore = 1\napply = { command = [\"a\", \"{alpha}\"] }\n";
    let plan = with(more);
    let names: Vec<&str> = plan.settings.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["zeta", "alpha"]);
    assert_eq!(plan.settings[1].values, [2.0, 1.0]);
    assert_eq!((plan.settings[1].range, plan.settings[1].restore), ((0.0, 9.0), Some(1.0)));
}

#[test]
fn a_proof_reads_a_level_from_a_source() {
    let apply = "{ command = [\"a\", \"{pool}\"] }\nverify = ";
    let plan = plan(&format!("{}{METRICS}", applied(&format!("{apply}{{ signal = \"pool.max\", of = \"main\" }}"))));
    assert_eq!(plan.settings[0].verify, Some(Verify { signal: Signal::PoolMax, of: Some("main".to_owned()) }));
    assert_eq!(
        refusals(&applied(&format!("{apply}{{ signal = \"pool.acquire\" }}"))),
        [
            "`settings.pool.verify`: no source of metrics to read it from",
            "`settings.pool.verify.signal`: `pool.acquire` is not a level that reads a setting back",
        ]
    );
}

#[test]
fn an_apply_is_exactly_one_way() {
    assert_eq!(refusals(&applied("{}")), ["`settings.pool.apply`: no way to put a value into effect"]);
    assert_eq!(refusals(&applied("{ restart = false }")), ["`settings.pool.apply`: no way to put a value into effect"]);
    assert_eq!(
        refusals(&applied("{ restart = true, command = [\"{pool}\"] }")),
        ["`settings.pool.apply`: more than one way to put a value into effect"]
    );
    assert_eq!(refusals(&applied("{ command = [] }")), ["`settings.pool.apply.command`: no program"]);
    assert_eq!(
        refusals(&applied("{ command = [\"a\"] }")),
        ["`settings.pool.apply.command`: `{pool}` stands nowhere in the command: every value would do the same"]
    );
}

#[test]
fn a_request_elsewhere_needs_an_allowed_host() {
    let http = |path: &str| applied(&format!("{{ http = {{ method = \"PUT\", path = \"{path}\" }} }}"));
    assert!(matches!(&plan(&http("http://localhost:9/p/{pool}")).settings[0].apply, Apply::Http { path, .. } if path.names().count() == 1));
    assert_eq!(refusals(&http("http://db.example/p/{pool}")), ["`settings.pool.apply.http.path`: host `db.example` is not allowed"]);
    assert_eq!(refusals(&http("http://{pool}/p")), ["`settings.pool.apply.http.path`: no address: the host has a character that no host has"]);
    assert_eq!(
        refusals(&applied("{ http = { method = \"PSOT\", path = \"/{pool}\" } }")),
        ["`settings.pool.apply.http.method`: `PSOT` is no method known here"]
    );
}

#[test]
fn names_can_stand_in_braces_and_mean_one_thing() {
    let named = |name: &str| format!("{LEAST}[settings.\"{name}\"]\nvalues = [1]\napply = {{ command = [\"{{{name}}}\"] }}\n");
    assert_eq!(plan(&named("pool.main")).settings[0].name, "pool.main");
    assert_eq!(refusals(&named("feed.x")), ["`settings.\"feed.x\"`: `{feed.x}` would mean two things: a setting and a row of a feeder"]);
    assert!(refusals(&named("a b"))[0].contains("can not be a setting's name"));
}

#[test]
fn values_are_told_apart() {
    let valued = |values: &str| format!("{LEAST}[settings.pool]\nvalues = {values}\napply = {{ command = [\"{{pool}}\"] }}\n");
    assert_eq!(plan(&valued("[0, 1.5, 1_000]")).settings[0].values, [0.0, 1.5, 1000.0]);
    assert_eq!(
        refusals(&valued("[1, 2, 1.0, -3]")),
        ["`settings.pool.values`: `1` stands here twice", "`settings.pool.values`: `-3` is no value for this setting",]
    );
    assert_eq!(
        refusals(&valued("[nan, \"30\"]")),
        ["`settings.pool.values`: `nan` is no number to go by", "`settings.pool.values`: expected a number, found text",]
    );
    assert_eq!(refusals(&valued("[5]\nrange = [9, 3]")), ["`settings.pool.range`: `9` is above `3`"]);
    assert_eq!(refusals(&valued("[5]\nrange = [9]")), ["`settings.pool.range`: expected two, found 1"]);
}
