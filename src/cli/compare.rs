//! `plimsoll compare`: recordings against a base, or each against the one before it.

use std::path::Path;

use super::args::CompareArgs;
use super::exit::{CliError, Exit};
use super::print::out;
use super::records::session;
use crate::analysis::{self, Change, Comparison};
use crate::model::session::Session;
use crate::report;

pub(super) async fn run(args: &CompareArgs) -> Result<Exit, CliError> {
    let base = session(&args.base).await?;
    let mut found = Vec::new();
    for path in &args.new {
        let new = session(path).await?;
        found.push(told(args, &args.base, path, &base.1, &new.1));
    }
    if args.json && found.len() > 1 {
        out(&serde_json::Value::Array(found.iter().map(|(c, _)| report::comparison_object(c)).collect()).to_string());
    } else {
        out(&found.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n\n"));
    }
    let all: Vec<Change> = found.iter().map(|(c, _)| c.verdict).collect();
    Ok(exit(&all))
}

fn told(args: &CompareArgs, base: &Path, path: &Path, before: &Session, after: &Session) -> (Comparison, String) {
    let comparison = analysis::compare(before, after);
    let text = if args.json {
        report::comparison_object(&comparison).to_string()
    } else {
        report::comparison_text(&comparison, &base.display().to_string(), &path.display().to_string())
    };
    (comparison, text)
}

/// A regression anywhere is 1, nothing to compare 4.
fn exit(all: &[Change]) -> Exit {
    if all.contains(&Change::Regression) {
        Exit::Failed
    } else if all.contains(&Change::Unknown) {
        Exit::NoAnswer
    } else {
        Exit::Done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_decides_the_exit_code() {
        assert_eq!(exit(&[Change::Same, Change::Regression, Change::Unknown]), Exit::Failed);
        assert_eq!(exit(&[Change::Improvement, Change::Unknown]), Exit::NoAnswer);
        assert_eq!(exit(&[Change::Improvement, Change::Same]), Exit::Done);
    }
}
