//! The dialects that come with the program, embedded so that one binary is all there is to install. It may import the
//! rest of `dialect/`; it must not look for files.

use super::file::DialectError;
use super::rule::Dialect;
use crate::model::signal::Signal;

/// In order of trust: where two tell the same signal, the earlier is believed.
const FILES: [(&str, &str); 7] = [
    ("hikaricp-micrometer", include_str!("../../../assets/dialects/hikaricp-micrometer.toml")),
    ("jdbc-micrometer", include_str!("../../../assets/dialects/jdbc-micrometer.toml")),
    ("tomcat-micrometer", include_str!("../../../assets/dialects/tomcat-micrometer.toml")),
    ("spring-http-micrometer", include_str!("../../../assets/dialects/spring-http-micrometer.toml")),
    ("jvm-micrometer", include_str!("../../../assets/dialects/jvm-micrometer.toml")),
    ("process", include_str!("../../../assets/dialects/process.toml")),
    ("postgres-exporter", include_str!("../../../assets/dialects/postgres-exporter.toml")),
];

/// The names of the built-in dialects, in order of trust.
#[must_use]
pub fn known() -> Vec<&'static str> {
    FILES.iter().map(|(name, _)| *name).collect()
}

/// The built-in dialects: those named, in the order named, or all of them where none is.
pub fn builtin(names: &[String]) -> Result<Vec<Dialect>, DialectError> {
    if names.is_empty() {
        return FILES.iter().map(|(name, text)| Dialect::parse(name, text)).collect();
    }
    names.iter().map(|name| one(name)).collect()
}

fn one(name: &str) -> Result<Dialect, DialectError> {
    match FILES.iter().find(|(known, _)| *known == name) {
        Some((known, text)) => Dialect::parse(known, text),
        None => Err(DialectError::Unknown { name: name.to_owned(), known: known().into_iter().map(str::to_owned).collect() }),
    }
}

/// What would turn a signal on, by everything the built-in dialects know: dialect and advice.
#[must_use]
pub fn hints(signal: Signal) -> Vec<(String, String)> {
    let dialects = builtin(&[]).unwrap_or_default();
    let mut hints: Vec<(String, String)> = Vec::new();
    for dialect in dialects {
        // One advice for each dialect: the first rule is the one it trusts most.
        if let Some(rule) = dialect.rules.iter().find(|rule| rule.signal == signal) {
            hints.push((dialect.name.clone(), rule.missing.clone()));
        }
    }
    hints
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_dialect_is_sound_and_bears_its_files_name() {
        let dialects = builtin(&[]).unwrap();
        let names: Vec<&str> = dialects.iter().map(|dialect| dialect.name.as_str()).collect();
        assert_eq!(names, known());
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/dialects");
        let files = std::fs::read_dir(folder).unwrap().count();
        assert_eq!(files, known().len(), "a dialect file is not built in");
        for dialect in &dialects {
            assert!(dialect.yields_to.iter().all(|other| names.contains(&other.as_str())), "{}", dialect.name);
            assert!(!dialect.about.is_empty() && !dialect.signals().is_empty(), "{}", dialect.name);
        }
    }

    #[test]
    fn named_ones_come_in_the_order_named() {
        let dialects = builtin(&["process".into(), "jvm-micrometer".into()]).unwrap();
        assert_eq!(dialects[0].name, "process");
        assert_eq!(dialects[1].name, "jvm-micrometer");
    }

    #[test]
    fn an_unknown_name_is_told_the_known_ones() {
        let error = builtin(&["hikari".into()]).unwrap_err().to_string();
        assert!(error.contains("`hikari`") && error.contains("hikaricp-micrometer"), "{error}");
    }

    #[test]
    fn a_hint_says_what_to_turn_on() {
        let hints = hints(Signal::ThreadsBusy);
        assert_eq!(hints, [("tomcat-micrometer".into(), "set server.tomcat.mbeanregistry.enabled=true".into())]);
        assert!(super::hints(Signal::ClientUsers).is_empty());
    }
}
