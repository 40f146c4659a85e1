//! The shipped sample sessions: each replays to what its run printed, byte for byte, folds the same live and stored, and exports.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper that fails fails its test")]

mod support;

use std::path::{Path, PathBuf};

use support::plain::{json, run};

fn samples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings");
    let mut found: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().filter_map(|e| Some(e.ok()?.path())).filter(|p| p.extension().is_some_and(|e| e == "plim")).collect();
    found.sort();
    assert!(!found.is_empty(), "there are sample sessions");
    found
}

/// What the run printed when the sample was made (`run-summary/1`), beside it.
fn printed(recording: &Path) -> serde_json::Value {
    let path = recording.with_extension("run.json");
    serde_json::from_str(&std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))).unwrap()
}

#[test]
fn each_replays_to_what_its_run_printed_byte_for_byte() {
    let home = tempfile::tempdir().unwrap();
    for recording in samples() {
        let replayed = json(&["replay", &recording.to_string_lossy(), "--headless", "--json"], home.path());
        let printed = printed(&recording);
        assert_eq!(replayed["verdict"].to_string(), printed["verdict"].to_string(), "{}", recording.display());
        assert_eq!(replayed["outcome"], printed["outcome"]);
        assert_eq!(replayed["restored"], printed["restored"]);
        assert_eq!(replayed["steps"].as_array().map(Vec::len), printed["steps"].as_u64().and_then(|n| usize::try_from(n).ok()));
    }
}

#[test]
fn show_and_replay_say_the_same_and_every_export_is_written() {
    let home = tempfile::tempdir().unwrap();
    for recording in samples() {
        let name = recording.to_string_lossy().into_owned();
        assert_eq!(json(&["show", &name, "--json"], home.path()), json(&["replay", &name, "--headless", "--json"], home.path()));
        for format in ["md", "json", "csv", "csv-seconds"] {
            let output = run(&["export", &name, "--format", format], home.path());
            assert_eq!(output.status.code(), Some(0), "{format}");
            assert!(output.stdout.len() > 200, "{format}: {} bytes", output.stdout.len());
        }
    }
}

#[test]
fn todays_judge_accepts_each_and_its_interchange_form_alike() {
    let home = tempfile::tempdir().unwrap();
    for recording in samples() {
        let name = recording.to_string_lossy().into_owned();
        let direct = json(&["analyze", &name, "--json"], home.path());
        let exported = home.path().join("sweep.json");
        std::fs::write(&exported, run(&["export", &name, "--format", "json"], home.path()).stdout).unwrap();
        let through_file = json(&["analyze", &exported.to_string_lossy(), "--json"], home.path());
        for key in ["verdict", "setting", "value", "zone"] {
            assert_eq!(direct[key], through_file[key], "{key} of {name}");
        }
    }
}

#[test]
fn reading_leaves_the_samples_as_they_are() {
    let home = tempfile::tempdir().unwrap();
    for recording in samples() {
        let before = std::fs::read(&recording).unwrap();
        run(&["show", &recording.to_string_lossy()], home.path());
        assert!(std::fs::read(&recording).unwrap() == before, "{}", recording.display());
        for leftover in ["plim-wal", "plim-shm"] {
            assert!(!recording.with_extension(leftover).exists());
        }
    }
}
