//! Every key has its page, every page its key, and what a page shows is TOML.

use std::collections::BTreeSet;

use super::{LEAST, attempt};
use crate::profile::{page, pages};

/// Every table with a key of its own that nobody knows: the hint then names all that are known.
const PROBES: &[(&str, &str)] = &[
    ("", "zzzzzzzz = 1\nTARGET"),
    ("target", "[target]\nzzzzzzzz = 1\nurl = \"http://127.0.0.1\"\n"),
    ("target.ready", "[target]\nurl = \"http://127.0.0.1\"\nready = { path = \"/\", zzzzzzzz = 1 }\n"),
    ("target.process", "[target]\nurl = \"http://127.0.0.1\"\nprocess = { command = [], zzzzzzzz = 1 }\n"),
    ("settings.NAME", "TARGET[settings.a]\nvalues = [1]\nzzzzzzzz = 1\n"),
    ("settings.NAME.apply", "TARGET[settings.a]\nvalues = [1]\napply = { zzzzzzzz = 1 }\n"),
    ("settings.NAME.apply.http", "TARGET[settings.a]\nvalues = [1]\napply = { http = { path = \"/\", zzzzzzzz = 1 } }\n"),
    ("settings.NAME.verify", "TARGET[settings.a]\nvalues = [1]\nverify = { signal = \"pool.max\", zzzzzzzz = 1 }\n"),
    ("experiment", "TARGET[experiment]\nzzzzzzzz = 1\n"),
    ("experiment.measure", "TARGET[experiment]\nmeasure = { zzzzzzzz = 1 }\n"),
    ("experiment.settle", "TARGET[experiment]\nsettle = { zzzzzzzz = 1 }\n"),
    ("load", "[load]\nzzzzzzzz = 1\n"),
    ("load.stage", "[load]\nstage = [{ to = 5, for = \"1m\", zzzzzzzz = 1 }]\n"),
    ("load.population", "[load]\npopulation = [{ name = \"p\", inject = [], zzzzzzzz = 1 }]\n"),
    ("load.population.passes", "[load]\npopulation = [{ name = \"p\", inject = [], passes = { for = \"1m\", zzzzzzzz = 1 } }]\n"),
    ("load.population.inject", "[load]\npopulation = [{ name = \"p\", inject = [{ at_once = 1, zzzzzzzz = 1 }] }]\n"),
    ("load.phase", "[load]\nphase = [{ name = \"p\", for = \"1m\", zzzzzzzz = 1 }]\n"),
    ("load.http", "[load.http]\nzzzzzzzz = 1\n"),
    ("load.http.connections", "[load.http]\nconnections = { shared = 1, zzzzzzzz = 1 }\n"),
    ("load.tls", "[load.tls]\nzzzzzzzz = 1\n"),
    ("scenario", "[[scenario]]\nname = \"x\"\nstep = []\nzzzzzzzz = 1\n"),
    ("scenario.think", "[[scenario]]\nname = \"x\"\nstep = []\nthink = { fixed = \"1s\", zzzzzzzz = 1 }\n"),
    ("scenario.feeder", "[[scenario]]\nname = \"x\"\nstep = []\nfeeder = { csv = \"a\", zzzzzzzz = 1 }\n"),
    ("scenario.step.pause", "[[scenario]]\nname = \"x\"\nstep = [{ pause = { fixed = \"1s\", zzzzzzzz = 1 } }]\n"),
    ("scenario.step.step", "[[scenario]]\nname = \"x\"\nstep = [{ step = [{ get = \"/\", zzzzzzzz = 1 }] }]\n"),
    ("scenario.step.choose", "[[scenario]]\nname = \"x\"\nstep = [{ choose = [{ get = \"/\", zzzzzzzz = 1 }] }]\n"),
    ("scenario.step.multipart", "[[scenario]]\nname = \"x\"\nstep = [{ post = \"/\", multipart = [{ name = \"a\", zzzzzzzz = 1 }] }]\n"),
    ("scenario.step.check", "[[scenario]]\nname = \"x\"\nstep = [{ get = \"/\", check = [{ is = \"a\", zzzzzzzz = 1 }] }]\n"),
    ("scenario.step", "[[scenario]]\nname = \"x\"\nstep = [{ get = \"/\", zzzzzzzz = 1 }]\n"),
    ("scenario.step.expect", "[[scenario]]\nname = \"x\"\nstep = [{ get = \"/\", expect = { status = 200, zzzzzzzz = 1 } }]\n"),
    ("metrics.NAME", "TARGET[metrics.a]\nprometheus = \"http://h\"\nzzzzzzzz = 1\n"),
    ("objective", "TARGET[objective]\nzzzzzzzz = 1\n"),
    ("threshold", "TARGET[[threshold]]\nmetric = \"checks\"\npass = \"rate > 0.9\"\nzzzzzzzz = 1\n"),
    ("threshold.abort", "TARGET[[threshold]]\nmetric = \"checks\"\npass = \"rate > 0.9\"\nabort = { on_fail = true, zzzzzzzz = 1 }\n"),
    ("scenario.once", "[[scenario]]\nname = \"x\"\nstep = []\n[[scenario.once]]\nget = \"/\"\nzzzzzzzz = 1\n"),
];

/// All keys the reader knows in a table, from what it says of one it does not.
fn known(probe: &str) -> Vec<String> {
    let text = probe.replace("TARGET", "[target]\nurl = \"http://127.0.0.1\"\n");
    let errors = attempt(&text).unwrap_err();
    let hint = errors.errors().iter().find(|e| e.message.contains("zzzzzzzz")).and_then(|e| e.hint.clone()).unwrap();
    let list = hint.strip_prefix("known here: ").unwrap_or_else(|| panic!("{hint}"));
    list.split(", ").map(str::to_owned).collect()
}

#[test]
fn every_key_the_reader_knows_has_a_page_and_no_page_is_of_another() {
    let mut used = BTreeSet::new();
    for (table, probe) in PROBES.iter().copied() {
        for key in known(probe) {
            let path = if table.is_empty() { key } else { format!("{table}.{key}") };
            let text = page(&path).unwrap_or_else(|| panic!("assets/docs has no page for `{path}`"));
            used.insert(text);
        }
    }
    for (key, text) in pages() {
        assert!(used.contains(text), "the page of `{key}` is of no key");
    }
}

#[test]
fn a_page_is_found_by_the_key_as_it_stands_in_a_profile() {
    for (path, key) in [
        ("settings.pool.values", "settings.NAME.values"),
        ("settings.pool", "settings"),
        ("metrics.app.every", "metrics.NAME.every"),
        ("scenario.once.post", "scenario.step.METHOD"),
        ("scenario.step.think.fixed", "scenario.think.fixed"),
        ("scenario.step.step.choose.get", "scenario.step.METHOD"),
        ("scenario.step.step", "scenario.step.step"),
        ("scenario.step.pause.between", "scenario.think.between"),
        ("scenario.step.choose.think.normal", "scenario.think.normal"),
        ("guard.failed", "guard"),
    ] {
        let title = page(path).and_then(|text| text.lines().next());
        assert_eq!(title, Some(format!("# {key}").as_str()), "{path}");
    }
    assert_eq!(page("experiment.warmpu"), None);
}

#[test]
fn pages_have_a_title_prose_and_an_example_that_is_toml() {
    for (key, text) in pages() {
        let (title, rest) = text.split_once("\n\n").unwrap();
        assert_eq!(title, format!("# {key}"));
        let example: String = rest.lines().filter_map(|l| l.strip_prefix("    ")).flat_map(|l| [l, "\n"]).collect();
        assert!(!example.is_empty(), "{key} has no example");
        toml::from_str::<toml::Table>(&example).unwrap_or_else(|e| panic!("{key}: {e}"));
        let own = key.rsplit('.').next().unwrap();
        assert!(["NAME", "METHOD"].contains(&own) || example.contains(own), "{key}: the example does not show it");
    }
}

#[test]
fn every_file_is_built_in() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/docs");
    let files = std::fs::read_dir(folder).unwrap().count();
    assert_eq!(files, pages().count());
    assert!(attempt(LEAST).is_ok(), "the probes stand on a sound profile");
}
