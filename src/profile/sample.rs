//! Profiles to start from, for `plimsoll init`. They are files of this repository, read by tests, so that none can go stale.

/// What a profile to start from is called, what it is for, and its text.
const SAMPLES: [(&str, &str, &str); 6] = [
    ("full", "every key there is, with what else could be written", include_str!("sample.toml")),
    ("spring-boot-http", "a Spring Boot service whose pool changes by a request", include_str!("../../profiles/spring-boot-http.toml")),
    ("spring-boot-restart", "a Spring Boot service that is started anew for each pool", include_str!("../../profiles/spring-boot-restart.toml")),
    ("lab", "the built-in lab service", include_str!("../../profiles/lab.toml")),
    (
        "four-phase",
        "several kinds of users through named phases, with rows of accounts and thresholds",
        include_str!("../../profiles/four-phase.toml"),
    ),
    ("purchase-flow", "a flow under arrivals that climb until the service is full", include_str!("../../profiles/purchase-flow.toml")),
];

/// The profiles to start from: name and what for. The first is the one for whoever names none.
pub fn samples() -> impl Iterator<Item = (&'static str, &'static str)> {
    SAMPLES.iter().map(|(name, about, _)| (*name, *about))
}

/// The files a profile to start from names, to be put beside it: name and text.
#[must_use]
pub fn companions(kind: &str) -> &'static [(&'static str, &'static str)] {
    if kind == "four-phase" { &[("accounts.csv", include_str!("../../profiles/accounts.csv"))] } else { &[] }
}

/// A commented profile to start from, by its name.
#[must_use]
pub fn template(kind: &str) -> Option<String> {
    SAMPLES.iter().find(|(name, ..)| *name == kind).map(|(.., text)| (*text).to_owned())
}
