//! Checks how requests are sent: `[load.http]` and `[load.tls]`. It may import the rest of `profile/`.

use super::Context;
use crate::model::plan::{Connections, HttpPlan, HttpVersion, Resolving, TlsPlan};
use crate::profile::raw::load::RawLoad;
use crate::profile::raw::reader::At;
use crate::profile::raw::wire::{RawSending, RawTls};
use crate::profile::secret::Text;

/// More than any browser follows.
const MOST_REDIRECTS: u8 = 20;

/// How requests are sent.
pub(super) fn http(c: &mut Context<'_>, raw: &RawLoad) -> HttpPlan {
    let tls = raw.tls.as_ref().map_or_else(TlsPlan::default, |tls| self::tls(c, &tls.value));
    let Some(sending) = raw.http.as_ref().map(|h| &h.value) else {
        return HttpPlan { tls, ..HttpPlan::default() };
    };
    check(c, sending);
    HttpPlan {
        version: sending.version.as_ref().map_or(HttpVersion::Auto, |v| v.value),
        tls,
        connections: sending.connections.as_ref().map_or(Connections::PerUser, |s| s.value),
        resolve: sending.resolve.as_ref().map_or(Resolving::Once, |r| r.value),
        keep_alive: sending.keep_alive.as_ref().is_none_or(|k| k.value),
        idle: sending.idle.as_ref().map(|i| i.value),
        gzip: sending.gzip.as_ref().is_some_and(|g| g.value),
        redirects: redirects(c, sending.redirects.as_ref()),
    }
}

fn check(c: &mut Context<'_>, raw: &RawSending) {
    if let Some(shared) = raw.connections.as_ref().filter(|s| s.value == Connections::Shared(0)) {
        c.refuse(shared, "`0` connections carry nothing", "write a number from 1 up, as { shared = 16 }");
    }
    let closes = raw.keep_alive.as_ref().is_some_and(|k| !k.value);
    match &raw.idle {
        Some(idle) if idle.value.is_zero() => c.refuse(idle, "a connection that may not rest", "write a time above 0, or keep_alive = false"),
        Some(idle) if closes => c.refuse(idle, "no connection is kept: `keep_alive` is false", "leave one of them out"),
        _ => {}
    }
    if let Some(shared) = raw.connections.as_ref().filter(|s| closes && matches!(s.value, Connections::Shared(1..))) {
        c.refuse(shared, "connections can not be shared when none is kept", "leave keep_alive out");
    }
}

fn redirects(c: &mut Context<'_>, raw: Option<&At<u32>>) -> u8 {
    let Some(at) = raw else { return 0 };
    let n = u8::try_from(at.value).ok().filter(|n| *n <= MOST_REDIRECTS);
    if n.is_none() {
        c.refuse(at, &format!("`{}` redirects in a row", at.value), format!("write a number from 0 to {MOST_REDIRECTS}"));
    }
    n.unwrap_or_default()
}

fn tls(c: &mut Context<'_>, raw: &RawTls) -> TlsPlan {
    for (one, other, key) in [(&raw.certificate, &raw.key, "key"), (&raw.key, &raw.certificate, "certificate")] {
        if let (Some(at), None) = (one, other) {
            c.refuse(
                at,
                &format!("a client proves itself by a certificate and its key, and `{key}` is missing"),
                format!("add {key} = \"client.pem\""),
            );
        }
    }
    if let (Some(ca), Some(true)) = (&raw.ca, raw.insecure.as_ref().map(|i| i.value)) {
        c.refuse(ca, "an authority to trust, and `insecure` trusts anybody", "leave one of them out");
    }
    for file in [&raw.ca, &raw.certificate, &raw.key].into_iter().flatten() {
        pem(c, file);
    }
    let text = |at: &Option<At<Text>>| at.as_ref().map(|t| c.text(&t.value));
    TlsPlan { ca: text(&raw.ca), certificate: text(&raw.certificate), key: text(&raw.key), insecure: raw.insecure.as_ref().is_some_and(|i| i.value) }
}

fn pem(c: &mut Context<'_>, file: &At<Text>) {
    const BEGIN: &[u8] = b"-----BEGIN ";
    if let Some(bytes) = c.file(file)
        && !bytes.windows(BEGIN.len()).any(|w| w == BEGIN)
    {
        c.refuse(file, &format!("`{}` is no PEM file", file.value.shown), "convert it, as `openssl x509 -inform der -in a.der -out a.pem` does");
    }
}
