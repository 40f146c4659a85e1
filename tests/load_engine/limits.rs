//! This machine's own limits are the generator's fault: a process that may open few files, apart so that no other test is short of them.

use std::collections::BTreeMap;
use std::process::Command;

use plimsoll::model::event::ErrorKind;

use super::faulty::{Fault, Faulty};
use super::rig::{Rig, get, pause, plan, scenario, step};

const TARGET: &str = "PLIMSOLL_TEST_TARGET";
const USERS: u32 = 10;
/// Files that the engine may open beyond those it has when the load begins.
const SPARE: u64 = 4;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_this_machine_lacks_is_told_apart_and_counted() {
    let service = Faulty::start(Fault::Status, u64::MAX).await;
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "limits::a_process_of_few_files", "--ignored", "--nocapture"]).env(TARGET, service.url());
    let said = tokio::task::spawn_blocking(move || child.output()).await.unwrap().unwrap();
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    let figures: Vec<u64> =
        text.split_once("FIGURES ").map(|t| t.1.lines().next().unwrap().split(' ').map(|n| n.parse().unwrap()).collect()).unwrap_or_default();
    let &[sent, finished, lacking, others] = figures.as_slice() else { panic!("{text}\n{}", String::from_utf8_lossy(&said.stderr)) };
    assert_eq!((sent, others), (finished, 0));
    assert_eq!(lacking, sent - service.requests(), "what did not arrive had no file to go through");
    assert!(lacking >= u64::from(USERS) - SPARE && service.requests() > 0, "{lacking} of {sent}");
    assert_eq!(service.connections(), SPARE);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
#[ignore = "a part of the test above, in a process of its own"]
async fn a_process_of_few_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let Ok(target) = std::env::var(TARGET) else { return };
    let mut rig = Rig::new(&plan(&target, vec![scenario(vec![step(get("/"))])]), 1).await;
    // The next file takes the lowest free number: all below it are taken.
    let next = std::os::fd::AsRawFd::as_raw_fd(&std::fs::File::open("/dev/null").unwrap());
    let most = u64::try_from(next).unwrap() + SPARE;
    setrlimit(Resource::Nofile, Rlimit { current: Some(most), maximum: getrlimit(Resource::Nofile).maximum }).unwrap();
    rig.closed(USERS).await;
    pause(400).await;
    rig.drain().await;
    let said = rig.close().await;
    let failed: BTreeMap<ErrorKind, u64> = said.failed();
    let lacking = failed.get(&ErrorKind::LocalPorts).copied().unwrap_or(0);
    let line = format!("FIGURES {} {} {lacking} {}\n", said.sent(), said.finished(), failed.values().sum::<u64>() - lacking);
    std::io::Write::write_all(&mut std::io::stdout(), line.as_bytes()).unwrap();
}
