//! Holds the layers of the package: who may import whom, what may be known where, how long a file may be. The rules are in
//! `layering/rules.rs`; that they can fail is shown here with planted sources.

#[path = "layering/rules.rs"]
mod rules;
#[path = "layering/scan.rs"]
mod scan;

use std::fs;
use std::path::Path;

use rules::findings;
use scan::{Source, blank};

fn collect(folder: &Path, root: &Path, sources: &mut Vec<Source>) {
    let mut entries: Vec<_> = fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(&path, root, sources);
        } else if path.extension().is_some_and(|x| x == "rs") {
            let text = fs::read_to_string(&path).unwrap_or_default();
            let short = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            sources.push(Source { path: short, text });
        }
    }
}

#[test]
fn the_layers_hold() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut sources = Vec::new();
    collect(&root, &root, &mut sources);
    assert!(sources.len() > 50, "only {} sources were found", sources.len());
    let found = findings(&sources);
    assert!(found.is_empty(), "{} findings:\n{}", found.len(), found.join("\n"));
}

/// A small sound package, to plant faults in.
fn sound() -> Vec<Source> {
    let source = |path: &str, text: &str| Source { path: path.to_owned(), text: format!("//! Why.\n{text}\n") };
    vec![
        source("lib.rs", "pub mod model;"),
        source("model/mod.rs", "pub mod units; pub mod plan;"),
        source("model/units.rs", "use std::fmt; pub struct Span;"),
        source("model/plan/mod.rs", "use super::units::Span; mod load; pub use load::Load;"),
        source("model/plan/load.rs", "use crate::model::units::Span; pub struct Load;"),
        source("control/mod.rs", "use crate::model::plan::Load; /* use crate::ui::x; */ const A: &str = \"crate::ui::run\";"),
        source("ports.rs", "use std::time::Instant; use tokio::sync::mpsc; use crate::model::units::Span;"),
        source("load/mod.rs", "use crate::ports::Clock; fn now() { let _ = std::time::Instant::now(); }"),
        source("runner/mod.rs", "use crate::{control, ports::Engine};"),
        source("ui/mod.rs", "use crate::model::plan::Load; use ratatui::Frame;"),
        source("cli/mod.rs", "use crate::ui; use crate::load; fn f() { println!(\"x\"); std::process::exit(0) }"),
        source("main.rs", "fn main() { plimsoll::cli::main() }"),
    ]
}

/// What is found once a line is added to a file, or a file to the package.
fn planted(path: &str, text: &str) -> Vec<String> {
    let mut sources = sound();
    match sources.iter_mut().find(|s| s.path == path) {
        Some(source) => source.text.push_str(text),
        None => sources.push(Source { path: path.to_owned(), text: text.to_owned() }),
    }
    findings(&sources)
}

#[track_caller]
fn one(path: &str, text: &str, said: &str) {
    let found = planted(path, text);
    // An import that goes up mostly closes a cycle too.
    let (cycles, others): (Vec<&String>, Vec<&String>) = found.iter().partition(|f| f.contains("in a cycle"));
    assert!(others.len() == 1 && others[0].contains(said) && cycles.len() <= 1, "{text:?} in {path}: {found:?}");
}

#[test]
fn the_sound_package_is_sound() {
    assert_eq!(findings(&sound()), Vec::<String>::new());
}

#[test]
fn a_planted_upward_import_is_found() {
    one("model/units.rs", "use crate::ui::Theme;", "`model` (rank 0) imports `ui` (rank 7): out of its ranks");
    one("control/mod.rs", "use crate::{model::units::Span, runner};", "imports `runner`");
    one("control/mod.rs", "fn f() { crate::ports::go() }", "imports `ports`");
    one("model/plan/load.rs", "use super::super::super::lab::Lab;", "imports `lab`");
    one("runner/mod.rs", "use crate::load::Engine;", "`runner` (rank 6) imports `load` (rank 5): out of its ranks");
    one("ui/mod.rs", "use crate::runner;", "imports `runner`");
    one("ui/mod.rs", "use crate::ports::Clock;", "imports `ports`");
}

#[test]
fn a_planted_edge_between_siblings_is_found() {
    one("load/mod.rs", "use crate::store::Recording;", "imports `store` (rank 5): sideways");
    one("profile/mod.rs", "//! Why.\nuse crate::prometheus::known;", "imports `prometheus` (rank 1): sideways");
}

#[test]
fn a_planted_cycle_is_found() {
    let files = [("load/inner/mod.rs", "//! Why.\nuse super::other::O;"), ("load/other.rs", "//! Why.\nuse super::inner::I;")];
    let mut sources = sound();
    sources.extend(files.map(|(path, text)| Source { path: path.to_owned(), text: text.to_owned() }));
    sources.push(Source { path: "load/inner/part.rs".to_owned(), text: "//! Why.\nstruct Part;".to_owned() });
    assert_eq!(findings(&sources), ["`load::inner` is in a cycle of modules: load::inner -> load::other -> load::inner"]);
    // One way only is what a folder is for.
    sources.retain(|s| s.path != "load/other.rs");
    assert_eq!(findings(&sources), Vec::<String>::new());
}

#[test]
fn a_planted_disorder_inside_the_model_is_found() {
    one("model/units.rs", "use super::plan::Load;", "`model::units` imports `model::plan`, which does not come before it");
    one("model/units.rs", "use crate::model::text;", "`model::units` imports `model::text`");
    one("model/odd.rs", "//! Why.\nuse super::units::Span;", "has no part `odd`");
}

#[test]
fn a_planted_clock_is_found() {
    one("control/mod.rs", "fn f() { let t = std::time::Instant::now(); }", "`Instant::now` in `control`");
    one("control/mod.rs", "use std::time::SystemTime; fn f() { SystemTime::now(); }", "`SystemTime::now`");
    one("ports.rs", "fn f() { Instant::now(); }", "`Instant::now` in `ports`");
}

#[test]
fn planted_words_are_found() {
    one("model/units.rs", "use std::{fmt, fs};", "`std::fs` in `model`");
    one("control/mod.rs", "#[tokio::main] fn f() {}", "`tokio`");
    one("control/mod.rs", "use rand::rng;", "`rand::rng`");
    one("load/mod.rs", "use crossterm::event;", "`crossterm` in `load`");
    one("ui/mod.rs", "use sqlx::Row;", "`sqlx` in `ui`");
    one("load/mod.rs", "fn f() { println!(\"x\") }", "`println!` outside cli");
    one("runner/mod.rs", "fn f() { std::process::exit(1) }", "`process::exit` outside cli");
}

#[test]
fn what_tests_do_is_theirs() {
    for text in
        ["#[cfg(test)]\nmod tests { use crate::ui::x; fn f() { println!(\"}\"); std::time::Instant::now(); } }", "#[cfg(test)]\nuse crate::ui::x;"]
    {
        assert_eq!(planted("control/mod.rs", text), Vec::<String>::new(), "{text}");
    }
    let mut sources = sound();
    sources.iter_mut().filter(|s| s.path == "control/mod.rs").for_each(|s| s.text.push_str("#[cfg(test)]\nmod kit;"));
    sources.push(Source { path: "control/kit.rs".to_owned(), text: "//! Why.\nuse crate::ui::x;".to_owned() });
    assert_eq!(findings(&sources), Vec::<String>::new());
    one("control/mod.rs", "#[cfg(test)]\nmod tests { }\nuse crate::ui::x;", "imports `ui`");
}

#[test]
fn heads_and_lengths_are_held() {
    one("control/late.rs", "use std::fmt;\n//! Why.\n", "begins without a `//!` paragraph");
    let long =
        |lines: usize| format!("//! Why.\n{}#[cfg(test)]\nmod tests {{\n{}}}\n", "const A: u8 = 1;\n".repeat(lines), "fn f() {}\n".repeat(500));
    one("control/long.rs", &long(400), "401 production lines, at most 400");
    assert_eq!(planted("control/long.rs", &long(399)), Vec::<String>::new());
}

#[test]
fn a_module_without_a_layer_is_found() {
    one("odd/mod.rs", "//! Why.\nuse crate::model::plan::Load;", "has no module `odd`");
    one("cli/mod.rs", "use crate::odd::x;", "has no module `odd`");
}

#[test]
fn literals_and_comments_are_no_code() {
    let text = r##"a "x // \" y" b 'c' '\'' 'l: r#"z " z"# /* /* n */ n */ d // e
f"##;
    let bare = blank(text);
    assert_eq!(bare.split_whitespace().collect::<Vec<_>>(), ["a", "b", "'l:", "d", "f"]);
    assert_eq!(bare.lines().count(), text.lines().count());
}
