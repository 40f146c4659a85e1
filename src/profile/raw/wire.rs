//! Reads how requests are sent: `[load.http]` and `[load.tls]`. It may import the rest of `profile/`; it must not judge what goes
//! together.

use toml::de::DeValue;

use super::leaf;
use super::reader::{At, Node, Reader, Table};
use crate::model::plan::{Connections, HttpVersion, Resolving};
use crate::model::units::Span;
use crate::profile::secret::Text;

/// `[load.http]`.
#[derive(Debug)]
pub(in crate::profile) struct RawSending {
    pub(in crate::profile) version: Option<At<HttpVersion>>,
    pub(in crate::profile) connections: Option<At<Connections>>,
    pub(in crate::profile) resolve: Option<At<Resolving>>,
    pub(in crate::profile) keep_alive: Option<At<bool>>,
    pub(in crate::profile) idle: Option<At<Span>>,
    pub(in crate::profile) gzip: Option<At<bool>>,
    pub(in crate::profile) redirects: Option<At<u32>>,
}

/// `[load.tls]`.
#[derive(Debug)]
pub(in crate::profile) struct RawTls {
    pub(in crate::profile) ca: Option<At<Text>>,
    pub(in crate::profile) certificate: Option<At<Text>>,
    pub(in crate::profile) key: Option<At<Text>>,
    pub(in crate::profile) insecure: Option<At<bool>>,
}

const VERSIONS: &[(&str, HttpVersion)] = &[("auto", HttpVersion::Auto), ("1.1", HttpVersion::Http1), ("2", HttpVersion::Http2)];
const RESOLVING: &[(&str, Resolving)] = &[("once", Resolving::Once), ("each-connection", Resolving::EachConnection)];

pub(super) fn http(r: &mut Reader<'_>, node: &Node<'_>) -> Option<RawSending> {
    let mut t = Table::of(r, node, "[load.http] with version = \"2\"")?;
    let raw = RawSending {
        version: t.take(r, "version", leaf::one_of(VERSIONS)),
        connections: t.take(r, "connections", connections),
        resolve: t.take(r, "resolve", leaf::one_of(RESOLVING)),
        keep_alive: t.take(r, "keep_alive", leaf::yes),
        idle: t.take(r, "idle", leaf::span),
        gzip: t.take(r, "gzip", leaf::yes),
        redirects: t.take(r, "redirects", leaf::count),
    };
    t.done(r);
    Some(raw)
}

fn connections(r: &mut Reader<'_>, node: &Node<'_>) -> Option<Connections> {
    match node.value() {
        DeValue::Table(_) => {
            let mut t = Table::of(r, node, "{ shared = 16 }")?;
            let shared = t.need(r, "shared", "{ shared = 16 }", leaf::count);
            t.done(r);
            shared.map(|n| Connections::Shared(n.value))
        }
        DeValue::String(text) if text == "per-user" => Some(Connections::PerUser),
        _ => {
            let what = format!("{} says not whose the connections are", r.written(node));
            r.refuse(node.at(()).problem(&what, "write \"per-user\", or { shared = 16 }"))
        }
    }
}

pub(super) fn tls(r: &mut Reader<'_>, node: &Node<'_>) -> Option<RawTls> {
    let mut t = Table::of(r, node, "[load.tls] with ca = \"ca.pem\"")?;
    let raw = RawTls {
        ca: t.take(r, "ca", leaf::text),
        certificate: t.take(r, "certificate", leaf::text),
        key: t.take(r, "key", leaf::text),
        insecure: t.take(r, "insecure", leaf::yes),
    };
    t.done(r);
    Some(raw)
}
