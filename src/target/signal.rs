//! Ending a process with its children. Both are told as a group, because what a service started must not outlive it.

use tokio::process::{Child, Command};

/// Makes a command the head of a group of its own, so that a ctrl-C meant for this program does not reach it.
pub(super) fn own_group(command: &mut Command) -> &mut Command {
    #[cfg(unix)]
    command.process_group(0);
    command
}

/// Asks a process and its group to end. False where that can not be asked, or nobody is left.
#[cfg(unix)]
pub(super) fn ask_to_end(group: Option<u32>) -> bool {
    send(group, rustix::process::Signal::TERM)
}

#[cfg(not(unix))]
pub(super) fn ask_to_end(_group: Option<u32>) -> bool {
    false
}

/// Ends a process and its group at once.
pub(super) async fn end(child: &mut Child, group: Option<u32>) {
    #[cfg(unix)]
    send(group, rustix::process::Signal::KILL);
    #[cfg(not(unix))]
    let _ = group;
    // An error means that it has ended already.
    let _ = child.kill().await;
}

#[cfg(unix)]
fn send(group: Option<u32>, signal: rustix::process::Signal) -> bool {
    let pid = group.and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw);
    pid.is_some_and(|pid| rustix::process::kill_process_group(pid, signal).is_ok())
}
