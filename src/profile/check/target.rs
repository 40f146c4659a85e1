//! Checks `[target]`: addresses, and that each host may be loaded and changed. It may import the rest of `profile/`.

use super::Context;
use super::address::{Address, is_loopback};
use super::http;
use super::names::{Scope, check_pattern};
use crate::model::plan::{ProcessPlan, Ready, TargetPlan};
use crate::model::units::Span;
use crate::profile::raw::reader::At;
use crate::profile::raw::target::{RawProcess, RawReady};
use crate::profile::secret::Text;

/// The hosts a profile that names none may load.
const LOOPBACK: [&str; 3] = ["127.0.0.1", "localhost", "::1"];

/// The longest to wait for readiness, unless the profile says otherwise.
const READY_WITHIN: Span = Span::from_secs(60);

pub(super) fn target(c: &mut Context<'_>) -> TargetPlan {
    let raw = &c.raw.target.value;
    let instances = raw.instances.as_ref().map(|i| i.value.as_slice()).unwrap_or_default();
    let mut plan = TargetPlan {
        url: origin(c, &raw.url),
        instances: instances.iter().map(|i| origin(c, i)).collect(),
        allow: allow(c),
        ready: raw.ready.as_ref().map(|r| ready(c, &r.value)),
        process: raw.process.as_ref().map(|p| process(c, &p.value)),
    };
    for address in std::iter::once(&raw.url).chain(instances) {
        // Whoever reads the plan need not know that this machine is always allowed.
        if let Ok(parts) = Address::parse(&address.value.value)
            && is_loopback(parts.host)
            && !plan.allow.iter().any(|h| h.eq_ignore_ascii_case(parts.host))
        {
            plan.allow.push(parts.host.to_owned());
        }
    }
    plan
}

/// Whether an address may be loaded and changed: this machine always, another host by its name, with or without a port.
fn is_allowed(c: &Context<'_>, address: &Address<'_>) -> bool {
    let with_port = format!("{}:{}", address.host, address.port);
    let named = |name: &str| bare(name).eq_ignore_ascii_case(address.host) || name.eq_ignore_ascii_case(&with_port);
    is_loopback(address.host) || c.raw.target.value.allow.iter().flat_map(|list| &list.value).any(|name| named(&name.value.value))
}

/// An address that is scheme, host and port alone, on an allowed host.
fn origin(c: &mut Context<'_>, at: &At<Text>) -> String {
    match Address::parse(&at.value.value) {
        Err(why) => c.refuse(at, &format!("`{}` is no address: {why}", at.value.shown), "write scheme, host and port, as \"http://127.0.0.1:8080\""),
        Ok(parts) => {
            allowed(c, at, &parts);
            if !matches!(parts.path, "" | "/") {
                c.refuse(at, "a path in the target's address", "write scheme, host and port here, and the path in each request, as get = \"/api\"");
            }
            let shown = Address::parse(&at.value.shown).map_or(at.value.shown.as_str(), |shown| shown.origin);
            return if c.side == super::Side::Real { parts.origin.to_owned() } else { shown.to_owned() };
        }
    }
    String::new()
}

/// Refuses an address whose host is not allowed. The host is named only where it is written in the profile.
pub(super) fn allowed<T>(c: &mut Context<'_>, at: &At<T>, address: &Address<'_>) {
    if is_allowed(c, address) {
        return;
    }
    let host = address.host;
    let written = c.text.get(at.span.clone()).is_some_and(|written| written.contains(host));
    let name = if written { host } else { "its name" };
    let hint = if c.raw.target.value.allow.is_some() {
        format!("if the host is yours to load and change, add \"{name}\" to target.allow")
    } else {
        format!("only this machine is allowed by default; if the host is yours to load and change, write allow = [\"{name}\"] under [target]")
    };
    let what = if written { format!("host `{host}` is not allowed") } else { "the host is not allowed".to_owned() };
    c.refuse_part(at, if written { host } else { "" }, &what, hint);
}

fn allow(c: &mut Context<'_>) -> Vec<String> {
    let raw = c.raw;
    let Some(list) = &raw.target.value.allow else {
        return LOOPBACK.map(str::to_owned).to_vec();
    };
    for host in &list.value {
        let bare = bare(&host.value.value);
        let is_ipv6 = bare.matches(':').count() > 1;
        let written = if is_ipv6 { format!("http://[{bare}]") } else { format!("http://{bare}") };
        if !Address::parse(&written).is_ok_and(|a| a.path.is_empty()) || bare.contains('@') {
            c.refuse(
                host,
                &format!("`{}` is no host", host.value.shown),
                "write the host, without scheme and path, as \"10.0.0.1\" or \"10.0.0.1:8080\"",
            );
        }
    }
    list.value.iter().map(|h| bare(&c.text(&h.value)).to_owned()).collect()
}

fn bare(host: &str) -> &str {
    host.strip_prefix('[').and_then(|h| h.strip_suffix(']')).unwrap_or(host)
}

fn ready(c: &mut Context<'_>, raw: &RawReady) -> Ready {
    http::plain_path(c, &raw.path);
    if let Some(status) = &raw.status {
        http::status(c, status);
    }
    Ready {
        path: c.text(&raw.path.value),
        status: raw.status.as_ref().and_then(|s| u16::try_from(s.value).ok()).unwrap_or(200),
        within: raw.within.as_ref().map_or(READY_WITHIN, |w| w.value),
    }
}

fn process(c: &mut Context<'_>, raw: &RawProcess) -> ProcessPlan {
    if raw.command.value.is_empty() {
        c.refuse(&raw.command, "no program", "write the program and its arguments, as [\"java\", \"-jar\", \"app.jar\"]");
    }
    let scope = Scope::settings(c);
    for piece in raw.command.value.iter().chain(raw.env.iter().map(|(_, value)| value)) {
        check_pattern(c, piece, &scope);
    }
    ProcessPlan {
        command: raw.command.value.iter().map(|p| c.pattern(&p.value)).collect(),
        env: raw.env.iter().map(|(name, value)| (name.value.clone(), c.pattern(&value.value))).collect(),
    }
}
