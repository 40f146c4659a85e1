//! How requests are sent: version of HTTP, TLS, connections.

use serde::{Deserialize, Serialize};

use crate::model::units::Span;

/// How requests are sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HttpPlan {
    /// Which version.
    pub version: HttpVersion,
    /// TLS of `https` targets.
    pub tls: TlsPlan,
    /// Whose the connections are.
    pub connections: Connections,
    /// When names are looked up.
    pub resolve: Resolving,
    /// Whether connections are kept between requests.
    pub keep_alive: bool,
    /// How long a kept connection may rest before it is closed and made anew; none: as long as the server keeps it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle: Option<Span>,
    /// Whether compressed answers are asked for.
    pub gzip: bool,
    /// How many redirects of one request are followed.
    pub redirects: u8,
}

impl Default for HttpPlan {
    fn default() -> Self {
        Self {
            version: HttpVersion::default(),
            tls: TlsPlan::default(),
            connections: Connections::default(),
            resolve: Resolving::default(),
            keep_alive: true,
            idle: None,
            gzip: false,
            redirects: 0,
        }
    }
}

/// Which version of HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum HttpVersion {
    /// 1.1 on plain connections; what the server chooses by ALPN under TLS.
    #[default]
    #[serde(rename = "auto")]
    Auto,
    /// 1.1 only.
    #[serde(rename = "1.1")]
    Http1,
    /// 2 only: by ALPN under TLS, by prior knowledge on plain connections.
    #[serde(rename = "2")]
    Http2,
}

/// Whom to trust and how to prove oneself. Names of files are as the profile has them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TlsPlan {
    /// PEM file of certificate authorities to trust beside the system's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ca: Option<String>,
    /// PEM file of the client's certificate chain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<String>,
    /// PEM file of the client's private key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Trust any certificate. Only by an explicit word of the profile.
    pub insecure: bool,
}

/// Whose the connections are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Connections {
    /// Each user has its own, as a browser does.
    #[default]
    PerUser,
    /// All users share so many, as a proxy or a service mesh does; who finds none free waits.
    Shared(u32),
}

/// When names are looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resolving {
    /// Once, before the load.
    #[default]
    Once,
    /// For each new connection.
    EachConnection,
}
