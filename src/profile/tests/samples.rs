//! The profiles to start from read as they are, and so does every line of theirs that is commented out, once it is not.

use super::{attempt, plan};
use crate::model::rows::Rows;
use crate::profile::{companions, page, samples, template};

#[test]
fn every_sample_reads() {
    for (name, about) in samples() {
        assert!(!about.is_empty());
        let plan = plan(&template(name).unwrap());
        assert!(!plan.settings.is_empty() && !plan.sources.is_empty(), "{name}");
    }
    assert_eq!(template("nonesuch"), None);
    assert_eq!(samples().next().map(|(name, _)| name), Some("full"));
}

#[test]
fn a_sample_brings_the_files_it_names() {
    for (name, _) in samples() {
        let text = template(name).unwrap();
        let fed = text.lines().any(|line| line.starts_with("feeder = { csv = \"accounts.csv\""));
        assert_eq!(fed, companions(name).iter().any(|(file, _)| *file == "accounts.csv"), "{name}");
        for (file, rows) in companions(name) {
            assert_eq!(Rows::csv(rows.as_bytes()).unwrap().rows.len(), 19, "{file}");
        }
    }
}

/// Whether a comment is a line of TOML.
fn is_code(comment: &str) -> bool {
    comment.starts_with('[') || comment.split_once(" = ").is_some_and(|(key, _)| !key.trim_matches('"').contains([' ', '`']) || key.starts_with('"'))
}

fn key(line: &str) -> &str {
    line.split(" = ").next().unwrap_or_default()
}

/// The lines with one block of comments as code; what it stands for instead is taken out.
fn uncommented(lines: &[&str], block: std::ops::Range<usize>) -> String {
    let code: Vec<&str> = lines[block.clone()].iter().map(|l| &l[2..]).collect();
    let replaced: Vec<&str> =
        lines[block.start - 1].strip_prefix("# Instead of ").map_or_else(Vec::new, |rest| rest.split('`').skip(1).step_by(2).collect());
    let table = lines[..block.start].iter().rposition(|l| l.starts_with('[')).unwrap_or(0);
    let end = lines[block.end..].iter().position(|l| l.starts_with('[')).map_or(lines.len(), |at| block.end + at);
    let goes = |at: usize, line: &str| {
        // A table of its own stands beside what is there, but for what it names; that may be anywhere.
        let is_table = code[0].starts_with('[');
        let same = replaced.contains(&key(line)) || (!is_table && code.iter().any(|c| key(c) == key(line)));
        (is_table || (table..end).contains(&at)) && !block.contains(&at) && same && !line.starts_with('#')
    };
    let line = |(at, line): (usize, &&str)| {
        let text = if block.contains(&at) { &line[2..] } else { line };
        (!goes(at, line)).then(|| format!("{text}\n"))
    };
    lines.iter().enumerate().filter_map(line).collect()
}

#[test]
fn every_commented_line_of_the_full_sample_could_be_written() {
    let text = template("full").unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let is_code = |at: usize| lines[at].strip_prefix("# ").is_some_and(is_code);
    let mut tried = 0;
    let mut at = 0;
    while at < lines.len() {
        let same_table = |end: usize| lines[at][2..].starts_with('[') || key(lines[end]) != key(lines[at]);
        let end = (at + 1..lines.len()).find(|end| !is_code(*end) || !same_table(*end)).unwrap_or(lines.len());
        if is_code(at) {
            let mut changed = uncommented(&lines, at..end);
            if changed.contains("\napply = { restart = true }") {
                changed = changed.replace("# [target.process]\n# command", "[target.process]\ncommand").replace("# env = ", "env = ");
            }
            attempt(&changed).unwrap_or_else(|e| panic!("with line {} as code:\n{e}", at + 1));
            tried += 1;
            at = end;
        } else {
            at += 1;
        }
    }
    assert!(tried >= 20, "only {tried} blocks were found");
}

#[test]
fn the_full_sample_names_every_key() {
    let text = template("full").unwrap();
    for (path, _) in crate::profile::pages() {
        let own = path.rsplit('.').next().unwrap();
        assert!(
            own == "METHOD" || text.contains(&format!("{own} = ")) || text.contains(&format!("{own}.")) || text.contains(&format!("{own}]")),
            "{path}"
        );
    }
    assert!(page("experiment.compress").is_some());
}
