//! A service of our own: started with its values, asked to end, ended when it does not listen, heard when it dies.

use std::path::Path;

use super::*;
use crate::model::plan::ProcessPlan;

/// A shell script as a service; it notes in `$NOTES` what happens to it.
fn service(script: &str, notes: &Path) -> ProcessPlan {
    let command = ["/bin/sh", "-c", script, "service", "heap={heap}"].map(Template::parse).to_vec();
    let env = BTreeMap::from([("NOTES".to_owned(), Template::parse(&notes.display().to_string())), ("POOL".to_owned(), Template::parse("{pool}"))]);
    ProcessPlan { command, env }
}

/// Notes its start and its orderly end.
const ORDERLY: &str = "trap 'echo ended >> $NOTES; exit 0' TERM; echo \"$1 pool=$POOL\" >> $NOTES; while :; do sleep 0.02; done";

struct Case {
    target: ServiceTarget,
    asked: Shared,
    heap: Setting,
    pool: Setting,
    folder: tempfile::TempDir,
}

impl Case {
    async fn new(script: &str) -> Self {
        let (url, asked) = serve(&[]).await;
        asked.lock().unwrap().comes_and_goes = true;
        let folder = tempfile::tempdir().unwrap();
        let notes = folder.path().join("notes");
        let (heap, pool) = (setting("heap", Apply::Restart), setting("pool", post("/admin/pool")));
        let plan = TargetPlan { process: Some(service(script, &notes)), ready: Some(ready(200)), ..plan(&url) };
        let log = Some(folder.path().join("log"));
        let settings = [heap.clone(), pool.clone()];
        let target = ServiceTarget::new(&plan, &settings, impatient(), log).unwrap();
        Self { target, asked, heap, pool, folder }
    }

    fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(file)).unwrap_or_default()
    }

    /// Waits until the service has noted so many lines.
    async fn notes(&self, lines: usize) -> Vec<String> {
        for _ in 0..500 {
            let notes: Vec<String> = self.read("notes").lines().map(str::to_owned).collect();
            if notes.len() >= lines {
                return notes;
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        panic!("the service noted only: {:?}", self.read("notes"));
    }

    fn posts(&self) -> usize {
        requests(&self.asked).iter().filter(|request| request.starts_with("POST")).count()
    }
}

#[tokio::test]
async fn readiness_starts_the_service_with_what_will_be_put_back() {
    let mut case = Case::new(ORDERLY).await;
    case.target.ready().await.unwrap();
    assert_eq!(case.notes(1).await, ["heap=10 pool=10"]);
    case.target.ready().await.unwrap();
    case.target.close().await;
    assert_eq!(case.notes(2).await, ["heap=10 pool=10", "ended"]);
}

#[tokio::test]
async fn a_new_value_restarts_and_the_same_does_not() {
    let mut case = Case::new(ORDERLY).await;
    case.target.ready().await.unwrap();
    case.notes(1).await;
    assert_eq!(case.target.apply(&[(&case.heap, 50.0)]).await, Ok(vec!["restart".to_owned()]));
    assert_eq!(case.notes(3).await[1..], ["ended", "heap=50 pool=10"]);
    assert_eq!(case.target.apply(&[(&case.heap, 50.0)]).await, Ok(vec!["already started so".to_owned()]));
    case.target.close().await;
    assert_eq!(case.notes(4).await.len(), 4);
}

#[tokio::test]
async fn what_a_restart_takes_back_is_put_in_again() {
    let mut case = Case::new(ORDERLY).await;
    case.target.ready().await.unwrap();
    case.target.apply(&[(&case.pool, 30.0)]).await.unwrap();
    assert_eq!(case.posts(), 1);
    case.notes(1).await;
    case.target.apply(&[(&case.heap, 50.0)]).await.unwrap();
    assert_eq!(case.posts(), 2);
    let how = case.target.apply(&[(&case.heap, 30.0), (&case.pool, 50.0)]).await.unwrap();
    assert_eq!((how, case.posts()), (vec!["restart".to_owned(), "POST /admin/pool".to_owned()], 3));
    assert!(requests(&case.asked).last().unwrap().contains(r#"{"max":50}"#));
    case.target.close().await;
}

#[tokio::test]
async fn one_that_does_not_listen_is_ended_with_its_children() {
    let mut case = Case::new("trap '' TERM; echo $$ >> $NOTES; sleep 600 & echo $! >> $NOTES; wait; sleep 600").await;
    case.target.ready().await.unwrap();
    let pids = case.notes(2).await;
    case.target.close().await;
    for pid in pids {
        // A process that was ended and not yet collected by init is a zombie: it has no command line. The kernel takes its time over it.
        let command = || std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        for _ in 0..500 {
            if command().is_empty() {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        assert!(command().is_empty(), "{pid} still runs: {}", command());
    }
}

#[tokio::test]
async fn one_that_dies_before_it_is_ready_is_heard() {
    let mut case = Case::new("echo 'port 8080 is taken' >&2; exit 7").await;
    case.asked.lock().unwrap().answers = vec![(503, ""); 99];
    let text = case.target.ready().await.unwrap_err().to_string();
    assert!(text.contains("the process ended by itself, exit status: 7; its last words: \"port 8080 is taken\""), "{text}");
}

#[tokio::test]
async fn another_service_at_the_address_is_not_taken_for_ours() {
    let mut case = Case::new(ORDERLY).await;
    case.asked.lock().unwrap().comes_and_goes = false;
    let text = case.target.ready().await.unwrap_err().to_string();
    assert!(text.contains("another service answers there already; end it first"), "{text}");
    assert_eq!(case.read("notes"), "");
}

#[tokio::test]
async fn one_that_died_is_started_again_with_its_settings() {
    let mut case = Case::new("echo started >> $NOTES; read line < $NOTES; exec sleep 0.05").await;
    case.target.ready().await.unwrap();
    case.target.apply(&[(&case.pool, 30.0)]).await.unwrap();
    case.notes(1).await;
    for _ in 0..500 {
        case.target.ready().await.unwrap();
        if case.posts() > 1 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert!(case.notes(2).await.len() >= 2 && case.posts() > 1);
    case.target.close().await;
}

#[tokio::test]
async fn what_it_writes_is_kept() {
    let mut case = Case::new("echo out; echo err >&2; echo noted >> $NOTES; exec sleep 600").await;
    case.target.ready().await.unwrap();
    case.notes(1).await;
    for _ in 0..500 {
        if case.read("log").contains("out") && case.read("log").contains("err") {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert!(case.read("log").contains("out\n") && case.read("log").contains("err\n"), "{}", case.read("log"));
    case.target.close().await;
}

#[tokio::test]
async fn a_program_that_is_not_there_is_said() {
    let url = nobody().await;
    let command = vec![Template::parse("/no/such/service")];
    let plan = TargetPlan { process: Some(ProcessPlan { command, env: BTreeMap::new() }), ..plan(&url) };
    let text = target(&plan, &[]).ready().await.unwrap_err().to_string();
    assert!(text.starts_with("starting `/no/such/service`: refused ("), "{text}");
    assert!(text.contains("check target.process.command"), "{text}");
}

#[tokio::test]
async fn a_dropped_target_leaves_nothing_behind() {
    let mut case = Case::new("echo $$ >> $NOTES; exec sleep 600").await;
    case.target.ready().await.unwrap();
    let pid = case.notes(1).await.remove(0);
    let Case { target, folder, .. } = case;
    drop(target);
    let command = || std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    for _ in 0..500 {
        if command().is_empty() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert_eq!(command(), "");
    drop(folder);
}
