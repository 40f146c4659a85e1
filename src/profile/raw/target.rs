//! Reads `[target]`. It may import the rest of `profile/`; it must not judge hosts.

use super::leaf::{self, Named, Pattern};
use super::reader::{At, Node, Reader, Table};
use crate::model::units::Span;
use crate::profile::secret::Text;

/// `[target]`.
#[derive(Debug)]
pub(in crate::profile) struct RawTarget {
    pub(in crate::profile) url: At<Text>,
    pub(in crate::profile) instances: Option<At<Vec<At<Text>>>>,
    pub(in crate::profile) allow: Option<At<Vec<At<Text>>>>,
    pub(in crate::profile) ready: Option<At<RawReady>>,
    pub(in crate::profile) process: Option<At<RawProcess>>,
}

/// `target.ready`.
#[derive(Debug)]
pub(in crate::profile) struct RawReady {
    pub(in crate::profile) path: At<Text>,
    pub(in crate::profile) status: Option<At<u32>>,
    pub(in crate::profile) within: Option<At<Span>>,
}

/// `[target.process]`.
#[derive(Debug)]
pub(in crate::profile) struct RawProcess {
    pub(in crate::profile) command: At<Vec<At<Pattern>>>,
    pub(in crate::profile) env: Named<Pattern>,
}

pub(super) fn target(r: &mut Reader<'_>, node: &Node<'_>) -> Option<RawTarget> {
    let mut t = Table::of(r, node, "[target] with url = \"http://127.0.0.1:8080\"")?;
    let url = t.need(r, "url", "url = \"http://127.0.0.1:8080\"", leaf::text);
    let instances = t.take(r, "instances", leaf::list(leaf::text));
    let allow = t.take(r, "allow", leaf::list(leaf::text));
    let ready = t.take(r, "ready", ready);
    let process = t.take(r, "process", process);
    t.done(r);
    Some(RawTarget { url: url?, instances, allow, ready, process })
}

fn ready(r: &mut Reader<'_>, node: &Node<'_>) -> Option<RawReady> {
    let mut t = Table::of(r, node, "ready = { path = \"/actuator/health\", status = 200, within = \"60s\" }")?;
    let path = t.need(r, "path", "path = \"/actuator/health\"", leaf::text);
    let status = t.take(r, "status", leaf::count);
    let within = t.take(r, "within", leaf::span);
    t.done(r);
    Some(RawReady { path: path?, status, within })
}

fn process(r: &mut Reader<'_>, node: &Node<'_>) -> Option<RawProcess> {
    let mut t = Table::of(r, node, "[target.process] with command = [\"java\", \"-jar\", \"app.jar\"]")?;
    let command = t.need(r, "command", "command = [\"java\", \"-jar\", \"app.jar\"]", leaf::list(leaf::pattern));
    let env = t.take(r, "env", leaf::map("env = { NAME = \"{pool}\" }", leaf::pattern));
    t.done(r);
    Some(RawProcess { command: command?, env: env.map(|e| e.value).unwrap_or_default() })
}
