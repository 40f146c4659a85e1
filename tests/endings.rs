//! Whatever ends a run: the settings are put back, the recording opens, the exit code is the documented one.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

mod support;

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

use support::plain::{Lab, alive, command, json, lab_setting, run, signal, wait_for};

const PATIENCE: Duration = Duration::from_secs(30);

/// A short sweep of a lab; the lab's pool is 30 before it.
fn profile(folder: &Path, url: &str, measure: &str) -> PathBuf {
    let path = folder.join("sweep.toml");
    let text = format!(
        r#"
name = "short sweep"
[target]
url   = "{url}"
ready = {{ path = "/actuator/health", status = 200, within = "10s" }}
[settings.pool]
values = [50, 100, 150]
apply  = {{ http = {{ method = "POST", path = "/admin/settings", json = {{ pool_max = "{{pool}}" }} }} }}
verify = {{ signal = "pool.max" }}
[experiment]
repeats = 1
refine  = 0
warmup  = "300ms"
measure = {{ min = "{measure}", max = "{measure}", precision = 0.001 }}
drain   = "2s"
settle  = {{ max = "5s" }}
tick    = "200ms"
[load]
model   = "closed"
users   = 60
timeout = "2s"
[[scenario]]
name = "tickets"
[[scenario.step]]
get  = "/api/tickets"
[metrics.app]
prometheus = "{url}/actuator/prometheus"
every = "200ms"
"#
    );
    std::fs::write(&path, text).unwrap();
    path
}

struct Sweep {
    child: Child,
    folder: tempfile::TempDir,
    lab: Lab,
    lines: std::sync::mpsc::Receiver<String>,
}

impl Sweep {
    /// Starts a sweep whose steps are long.
    fn start(env: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let lab = Lab::start("ticketing", folder.path());
        let profile = profile(folder.path(), &lab.url, "20s");
        let recording = folder.path().join("r.plim");
        let args = ["run", &profile.to_string_lossy(), "--headless", "--json", "-o", &recording.to_string_lossy()];
        let mut command = command(&args, folder.path());
        command.envs(env.iter().copied()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stderr = child.stderr.take().unwrap();
        let (tell, lines) = std::sync::mpsc::channel();
        std::thread::spawn(move || BufReader::new(stderr).lines().map_while(Result::ok).try_for_each(|l| tell.send(l)));
        Self { child, folder, lab, lines }
    }

    fn recording(&self) -> PathBuf {
        self.folder.path().join("r.plim")
    }

    #[track_caller]
    fn wait_until_measuring(&self) {
        let mut said = Vec::new();
        wait_for("a line that says it measures", PATIENCE, || {
            said.extend(self.lines.try_iter());
            said.iter().any(|l| l.contains("measuring")).then_some(())
        });
        // In the middle of the step, and with a second of it on disk.
        std::thread::sleep(Duration::from_millis(1500));
    }

    /// Waits for the end: exit code and what was printed.
    #[track_caller]
    fn end(&mut self) -> (Option<i32>, serde_json::Value) {
        let status = wait_for("the end", PATIENCE, || self.child.try_wait().unwrap());
        let mut text = String::new();
        std::io::Read::read_to_string(&mut self.child.stdout.take().unwrap(), &mut text).unwrap();
        (status.code(), serde_json::from_str(text.trim()).unwrap_or(serde_json::Value::Null))
    }

    fn shown(&self) -> serde_json::Value {
        json(&["show", &self.recording().to_string_lossy(), "--json"], self.folder.path())
    }
}

impl Drop for Sweep {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _gone = self.child.wait();
    }
}

fn interrupted_by(name: &str) {
    let mut sweep = Sweep::start(&[]);
    sweep.wait_until_measuring();
    assert!(lab_setting(&sweep.lab.url, "pool_max") >= 50.0, "it was changed");
    signal(sweep.child.id(), name);
    let (code, summary) = sweep.end();
    assert_eq!(code, Some(130));
    assert_eq!((summary["outcome"].as_str(), summary["restored"].as_bool()), (Some("interrupted"), Some(true)), "{summary}");
    assert!((lab_setting(&sweep.lab.url, "pool_max") - 30.0).abs() < 0.5, "put back");
    assert_eq!(sweep.shown()["outcome"], "interrupted");
}

#[test]
fn ctrl_c_puts_back_and_completes_the_recording() {
    interrupted_by("INT");
}

#[test]
fn sigterm_puts_back_and_completes_the_recording() {
    interrupted_by("TERM");
}

#[test]
fn a_panic_puts_back_and_completes_the_recording() {
    let mut sweep = Sweep::start(&[("PLIMSOLL_FAULT", "panic-in-measure")]);
    let (code, summary) = sweep.end();
    assert_eq!(code, Some(5), "{summary}");
    assert_eq!((summary["outcome"].as_str(), summary["restored"].as_bool()), (Some("failed"), Some(true)), "{summary}");
    assert!((lab_setting(&sweep.lab.url, "pool_max") - 30.0).abs() < 0.5);
    assert_eq!(sweep.shown()["outcome"], "failed");
}

#[test]
fn kill_9_leaves_a_recording_complete_up_to_the_last_second() {
    let mut sweep = Sweep::start(&[]);
    sweep.wait_until_measuring();
    let before = sweep.shown();
    signal(sweep.child.id(), "KILL");
    sweep.end();
    let after = sweep.shown();
    assert!(after["outcome"].is_null() && after["restored"].is_null(), "{after}");
    let (first, last) = (before["last_event_s"].as_f64().unwrap(), after["last_event_s"].as_f64().unwrap());
    assert!(last >= first, "{first} {last}");
    assert!(after["steps"][0]["requests"].as_u64().unwrap() > 0, "{after}");
    let files: Vec<_> = std::fs::read_dir(sweep.folder.path()).unwrap().filter_map(|e| Some(e.ok()?.file_name())).collect();
    assert!(files.iter().any(|f| f == "r.plim"), "{files:?}");
}

#[test]
fn replay_says_what_the_run_said() {
    let folder = tempfile::tempdir().unwrap();
    let lab = Lab::start("ticketing", folder.path());
    let profile = profile(folder.path(), &lab.url, "1s");
    let recording = folder.path().join("r.plim");
    let args = ["run", &profile.to_string_lossy(), "--headless", "--json", "-o", &recording.to_string_lossy()];
    let summary = json(&args, folder.path());
    let replayed = json(&["replay", &recording.to_string_lossy(), "--headless", "--json"], folder.path());
    assert!(!summary["verdict"].is_null(), "{summary}");
    assert_eq!(summary["verdict"].to_string(), replayed["verdict"].to_string());
    assert_eq!(summary["outcome"], replayed["outcome"]);
    assert_eq!(summary["steps"].as_u64().and_then(|n| usize::try_from(n).ok()), replayed["steps"].as_array().map(Vec::len));
}

#[test]
fn the_lab_of_a_demo_is_gone_within_a_second_of_its_parent() {
    let folder = tempfile::tempdir().unwrap();
    let mut demo = command(&["demo", "--headless"], folder.path()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let lab = wait_for("the lab's process", PATIENCE, || child_of(demo.id()));
    std::thread::sleep(Duration::from_millis(500));
    signal(demo.id(), "KILL");
    demo.wait().unwrap();
    wait_for("the lab's end", Duration::from_secs(1), || (!alive(lab)).then_some(()));
}

/// The process whose parent is `parent`.
fn child_of(parent: u32) -> Option<u32> {
    std::fs::read_dir("/proc").ok()?.filter_map(Result::ok).find_map(|entry| {
        let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let after = stat.rsplit_once(") ")?.1;
        (after.split_whitespace().nth(1)?.parse::<u32>().ok()? == parent).then_some(pid)
    })
}

#[test]
fn a_target_that_is_not_there_is_said_and_nothing_is_touched() {
    let folder = tempfile::tempdir().unwrap();
    let profile = profile(folder.path(), "http://127.0.0.1:9", "1s");
    let text = std::fs::read_to_string(&profile).unwrap().replace("within = \"10s\"", "within = \"1s\"");
    std::fs::write(&profile, text).unwrap();
    let output = run(&["run", &profile.to_string_lossy(), "--headless", "--json"], folder.path());
    assert_eq!(output.status.code(), Some(3));
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((summary["outcome"].as_str(), summary["restored"].as_bool()), (Some("failed"), Some(true)), "{summary}");
    assert!(summary["verdict"].is_null());
    assert!(String::from_utf8_lossy(&output.stderr).contains("127.0.0.1:9"));
}

#[test]
fn a_metrics_page_that_is_not_there_or_is_html_is_said_and_nothing_is_touched() {
    let folder = tempfile::tempdir().unwrap();
    let lab = Lab::start("ticketing", folder.path());
    for (path, word) in [("/nowhere", "404"), ("/actuator/health", "metrics")] {
        let profile = profile(folder.path(), &lab.url, "1s");
        let text = std::fs::read_to_string(&profile).unwrap().replace("/actuator/prometheus", path);
        std::fs::write(&profile, text).unwrap();
        let output = run(&["run", &profile.to_string_lossy(), "--headless"], folder.path());
        assert_eq!(output.status.code(), Some(3), "{path}");
        let said = String::from_utf8_lossy(&output.stderr).to_string();
        assert!(said.contains(word), "{path}: {said}");
        assert!((lab_setting(&lab.url, "pool_max") - 30.0).abs() < 0.5);
    }
}
