//! Dialect files: read as written first, then checked and made into rules, so that nothing behind it has to doubt one.
//! It may import `model/signal`; it is handed the text and must not open a file.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::rule::{Combine, Dialect, Rule};
use crate::model::signal::{Kind, Signal};

/// Why a dialect can not be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DialectError {
    /// The file is no TOML, or has keys that mean nothing.
    #[error("reading dialect `{origin}`: {message}")]
    Unreadable {
        /// Which file.
        origin: String,
        /// What the TOML reader says, with line and column.
        message: String,
    },
    /// The file can be read, but says something that can not be done.
    #[error("dialect `{dialect}`, `{subject}`: {problem}")]
    Contradiction {
        /// Which dialect.
        dialect: String,
        /// Which part of it.
        subject: String,
        /// What is wrong, and what to write instead.
        problem: &'static str,
    },
    /// A profile names a dialect that nobody has.
    #[error("no dialect is called `{name}`; there are {}", known.join(", "))]
    Unknown {
        /// The name.
        name: String,
        /// Those there are.
        known: Vec<String>,
    },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DialectFile {
    name: String,
    about: String,
    found_by: Vec<String>,
    #[serde(default)]
    yields_to: Vec<String>,
    signal: Vec<RuleFile>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleFile {
    name: Signal,
    #[serde(default)]
    from: Names,
    of: Option<String>,
    choose: Option<String>,
    scale: Option<f64>,
    times: Option<String>,
    #[serde(default)]
    less: Names,
    #[serde(default)]
    growth: bool,
    #[serde(default)]
    combine: Combine,
    #[serde(default)]
    only: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    leave_out: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    rename: BTreeMap<String, String>,
    missing: String,
}

/// One name or a list of them.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Names {
    One(String),
    Many(Vec<String>),
}

impl Default for Names {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}

impl Names {
    fn is_empty(&self) -> bool {
        matches!(self, Self::Many(names) if names.is_empty())
    }
}

impl From<Names> for Vec<String> {
    fn from(names: Names) -> Self {
        match names {
            Names::One(name) => vec![name],
            Names::Many(names) => names,
        }
    }
}

impl Dialect {
    /// Reads a dialect; `origin` is how errors call the file.
    pub fn parse(origin: &str, text: &str) -> Result<Self, DialectError> {
        let file: DialectFile = toml::from_str(text)
            .map_err(|error| DialectError::Unreadable { origin: origin.to_owned(), message: error.to_string().trim_end().to_owned() })?;
        let refuse = |subject: &str, problem| Err(DialectError::Contradiction { dialect: file.name.clone(), subject: subject.to_owned(), problem });
        if file.found_by.is_empty() {
            return refuse("found_by", "name at least one sample by which the dialect is recognised");
        }
        for rule in &file.signal {
            if let Some(problem) = contradiction(rule) {
                return refuse(rule.name.name(), problem);
            }
        }
        Ok(Self {
            name: file.name,
            about: file.about,
            found_by: file.found_by,
            yields_to: file.yields_to,
            rules: file.signal.into_iter().map(Rule::from).collect(),
        })
    }
}

/// What a rule says that can not be done.
fn contradiction(rule: &RuleFile) -> Option<&'static str> {
    let kind = rule.name.kind();
    let level = kind == Kind::Gauge;
    if kind == Kind::Histogram {
        Some("histograms are the load generator's own; no page supplies them")
    } else if rule.growth && !level {
        Some("`growth` makes a level of a counter; this signal is none, leave it out")
    } else if (rule.times.is_some() || !rule.less.is_empty()) && !level {
        Some("`times` and `less` are for levels only")
    } else if rule.growth && rule.combine == Combine::Max {
        Some("`growth` needs the rows added up; leave `combine` out")
    } else if rule.choose.is_some() && rule.of.is_none() {
        Some("`choose` needs `of`, the label to choose by")
    } else if rule.scale.is_some_and(|scale| !(scale.is_finite() && scale > 0.0)) {
        Some("`scale` must be a number above 0")
    } else if rule.missing.trim().is_empty() {
        Some("`missing` must say what turns the signal on")
    } else {
        None
    }
}

impl From<RuleFile> for Rule {
    fn from(file: RuleFile) -> Self {
        Self {
            signal: file.name,
            from: file.from.into(),
            of: file.of,
            choose: file.choose,
            scale: file.scale.unwrap_or(1.0),
            times: file.times,
            less: file.less.into(),
            growth: file.growth,
            combine: file.combine,
            only: file.only,
            leave_out: file.leave_out,
            rename: file.rename,
            missing: file.missing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "name = \"d\"\nabout = \"a\"\nfound_by = [\"x\"]\n";

    fn parse(rule: &str) -> Result<Dialect, DialectError> {
        Dialect::parse("d.toml", &format!("{HEAD}[[signal]]\n{rule}"))
    }

    #[track_caller]
    fn problem(rule: &str) -> String {
        parse(rule).unwrap_err().to_string()
    }

    #[test]
    fn a_rule_needs_little() {
        let dialect = parse("name = \"pool.max\"\nfrom = \"x\"\nmissing = \"m\"").unwrap();
        assert_eq!(dialect.signals(), [Signal::PoolMax]);
        assert_eq!(dialect.rules[0].from, ["x"]);
        assert!((dialect.rules[0].scale - 1.0).abs() < f64::EPSILON);
    }

    #[test]
    fn unknown_keys_and_signals_are_refused_with_their_place() {
        let unknown = problem("name = \"pool.max\"\nfrm = \"x\"\nmissing = \"m\"");
        assert!(unknown.contains("d.toml") && unknown.contains("frm") && unknown.contains("line 6"), "{unknown}");
        let signal = problem("name = \"pool.maximum\"\nfrom = \"x\"\nmissing = \"m\"");
        assert!(signal.contains("pool.maximum"), "{signal}");
    }

    #[test]
    fn contradictions_are_named() {
        for (rule, wanted) in [
            ("name = \"client.latency\"\nmissing = \"m\"", "histograms"),
            ("name = \"pool.timeouts\"\ngrowth = true\nmissing = \"m\"", "growth"),
            ("name = \"pool.timeouts\"\ntimes = \"y\"\nmissing = \"m\"", "levels"),
            ("name = \"process.cpu\"\ngrowth = true\ncombine = \"max\"\nmissing = \"m\"", "combine"),
            ("name = \"pool.max\"\nchoose = \"pool\"\nmissing = \"m\"", "needs `of`"),
            ("name = \"pool.max\"\nscale = 0.0\nmissing = \"m\"", "scale"),
            ("name = \"pool.max\"\nmissing = \" \"", "missing"),
        ] {
            let problem = problem(rule);
            assert!(problem.contains(wanted), "{rule}: {problem}");
        }
        let nameless = Dialect::parse("d", "name=\"d\"\nabout=\"\"\nfound_by=[]\nsignal=[]").unwrap_err();
        assert!(nameless.to_string().contains("found_by"), "{nameless}");
    }
}
