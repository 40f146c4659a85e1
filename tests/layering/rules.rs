//! The layers of the package as a table, and the rules that hold them.

use std::collections::{BTreeMap, BTreeSet};

use super::scan::{File, Source, read};

/// A top-level module, its rank, and the highest rank it may import.
struct Layer {
    module: &'static str,
    rank: u8,
    up_to: u8,
}

const fn layer(module: &'static str, rank: u8, up_to: u8) -> Layer {
    Layer { module, rank, up_to }
}

/// The table. Siblings of a rank do not know each other.
const LAYERS: &[Layer] = &[
    layer("model", 0, 0),
    layer("profile", 1, 0),
    layer("prometheus", 1, 0),
    layer("analysis", 2, 1),
    layer("control", 3, 2),
    layer("report", 3, 2),
    layer("ingest", 3, 2),
    layer("ports", 4, 3),
    layer("load", 5, 4),
    layer("target", 5, 4),
    layer("scrape", 5, 4),
    layer("store", 5, 4),
    layer("lab", 5, 4),
    layer("publish", 5, 4),
    layer("runner", 6, 4),
    layer("ui", 7, 3),
    layer("cli", 8, 7),
];

/// Edges that the table does not allow and that are allowed all the same, each with its reason. None so far.
const EXTRA_EDGES: &[(&str, &str, &str)] = &[];

/// The order inside `model/`: a part may import parts before it.
const MODEL: &[&[&str]] =
    &[&["text", "units"], &["histogram", "signal", "rows"], &["series"], &["template"], &["plan", "verdict"], &["event"], &["session"]];

/// Most production lines of a file.
const MOST_LINES: usize = 400;

/// Below `ports` nobody reads a clock, a socket, a file or the environment, or draws unseeded random numbers.
const IMPURE: &[&str] = &[
    "tokio",
    "sqlx",
    "reqwest",
    "hyper",
    "axum",
    "sysinfo",
    "ratatui",
    "crossterm",
    "std::fs",
    "std::net",
    "std::env",
    "std::process",
    "std::thread",
    "std::io::stdin",
    "std::io::stdout",
    "std::io::stderr",
    "Instant::now",
    "SystemTime::now",
    "Zoned::now",
    "Timestamp::now",
    "thread_rng",
    "rand::rng",
    "rand::random",
];
/// `ports` describes with tokio's channels and the clock's types; it reads nothing either.
const IMPURE_PORTS: &[&str] = &[
    "tokio::net",
    "tokio::fs",
    "tokio::time",
    "tokio::process",
    "tokio::spawn",
    "sqlx",
    "reqwest",
    "hyper",
    "axum",
    "ratatui",
    "crossterm",
    "std::fs",
    "std::net",
    "std::env",
    "Instant::now",
    "SystemTime::now",
    "thread_rng",
    "rand::rng",
];
const SCREEN: &[&str] = &["ratatui", "crossterm"];
const NOT_IN_UI: &[&str] = &["sqlx", "reqwest", "hyper", "axum"];
const PRINTING: &[&str] = &["println", "print", "eprintln", "eprint"];

/// Everything that breaks a rule, one sentence each.
pub(super) fn findings(sources: &[Source]) -> Vec<String> {
    let files = read(sources);
    let mut found = Vec::new();
    for file in &files {
        if !file.head.starts_with("//!") {
            found.push(format!("{}: begins without a `//!` paragraph", file.path));
        }
    }
    let production: Vec<&File> = files.iter().filter(|f| !f.is_test).collect();
    for file in &production {
        if file.production_lines > MOST_LINES {
            found.push(format!("{}: {} production lines, at most {MOST_LINES}", file.path, file.production_lines));
        }
        found.extend(imports(file));
        found.extend(words(file));
    }
    found.extend(cycles(&production));
    found
}

fn rank(module: &str) -> Option<&'static Layer> {
    LAYERS.iter().find(|l| l.module == module)
}

/// The top-level module a file is of; the crate's root has none.
fn top(file: &File) -> Option<&str> {
    file.module.first().map(String::as_str)
}

/// Imports that go up, sideways, or out of the order inside `model/`.
fn imports(file: &File) -> Vec<String> {
    let mut found = Vec::new();
    let Some(from) = top(file) else {
        return found;
    };
    let Some(layer) = rank(from) else {
        return vec![format!("{}: the table of layers has no module `{from}`", file.path)];
    };
    for (line, path) in own(file) {
        let Some(to) = path.get(1) else { continue };
        let Some(other) = rank(to) else {
            found.push(format!("{}:{line}: the table of layers has no module `{to}`", file.path));
            continue;
        };
        let declared = EXTRA_EDGES.iter().any(|(a, b, _)| *a == from && b == to);
        if to != from && other.rank > layer.up_to && !declared {
            let how = if other.rank == layer.rank { "sideways" } else { "out of its ranks" };
            found.push(format!("{}:{line}: `{from}` (rank {}) imports `{to}` (rank {}): {how}", file.path, layer.rank, other.rank));
        }
        if from == "model" && to == "model" {
            found.extend(inside_model(file, line, path));
        }
    }
    found
}

fn own(file: &File) -> impl Iterator<Item = (usize, &Vec<String>)> {
    file.paths.iter().filter(|(_, p)| p[0] == "crate").map(|(line, p)| (*line, p))
}

fn inside_model(file: &File, line: usize, path: &[String]) -> Option<String> {
    let place = |part: &str| MODEL.iter().position(|level| level.contains(&part));
    let (from, to) = (file.module.get(1)?, path.get(2)?);
    let (a, b) = (place(from), place(to)?);
    let Some(a) = a else {
        return Some(format!("{}: the order inside model has no part `{from}`", file.path));
    };
    (from != to && b >= a).then(|| format!("{}:{line}: `model::{from}` imports `model::{to}`, which does not come before it", file.path))
}

/// Words that a rank may not know.
fn words(file: &File) -> Vec<String> {
    let layer = top(file).and_then(rank);
    let refused: &[&[&str]] = match layer.map(|l| (l.module, l.rank)) {
        Some((_, 0..=3)) => &[IMPURE],
        Some((_, 4)) => &[IMPURE_PORTS],
        Some((_, 5 | 6)) => &[SCREEN],
        Some(("ui", _)) => &[NOT_IN_UI],
        _ => &[],
    };
    let mut found: Vec<String> = Vec::new();
    for (line, path) in &file.paths {
        for word in refused.iter().flat_map(|list| list.iter()).filter(|word| names(path, word)) {
            found.push(format!("{}:{line}: `{word}` in `{}`", file.path, top(file).unwrap_or("the root")));
        }
        if names(path, "process::exit") && layer.is_none_or(|l| l.module != "cli") {
            found.push(format!("{}:{line}: `process::exit` outside cli", file.path));
        }
    }
    let may_print = layer.is_some_and(|l| l.module == "cli");
    for (line, name) in file.macros.iter().filter(|(_, name)| !may_print && PRINTING.contains(&name.as_str())) {
        found.push(format!("{}:{line}: `{name}!` outside cli", file.path));
    }
    found
}

/// Whether a path is what a word names: from its beginning for a crate, anywhere for a call such as `Instant::now`.
fn names(path: &[String], word: &str) -> bool {
    let wanted: Vec<&str> = word.split("::").collect();
    let is_root = |p: &[String]| p.len() >= wanted.len() && p.iter().zip(&wanted).all(|(a, b)| a == b);
    let is_call = word.starts_with(|c: char| c.is_uppercase()) || matches!(word, "thread_rng" | "process::exit");
    if is_call { path.windows(wanted.len()).any(is_root) } else { is_root(path) }
}

/// Cycles between modules that are not one inside the other: a folder and its neighbours import one way only. Files side by side in one
/// folder are one module and may know each other.
fn cycles(files: &[&File]) -> Vec<String> {
    let modules: BTreeSet<&[String]> = files.iter().map(|f| f.module.as_slice()).collect();
    let folders: BTreeSet<&[String]> = files.iter().filter_map(|f| f.module.split_last().map(|(_, above)| above)).collect();
    let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in files {
        for (_, path) in own(file) {
            let target = (1..=path.len()).rev().map(|n| &path[1..n]).find(|p| modules.contains(p)).unwrap_or_default();
            let shared = file.module.iter().zip(target).take_while(|(a, b)| a == b).count();
            if let (Some(_), Some(_)) = (file.module.get(shared), target.get(shared)) {
                let (a, b) = (&file.module[..=shared], &target[..=shared]);
                edges.entry(a.join("::")).or_default().insert(b.join("::"));
            }
        }
    }
    let is_folder = |name: &String| folders.contains(name.split("::").map(str::to_owned).collect::<Vec<_>>().as_slice());
    let loops = edges.keys().filter(|from| is_folder(from) && reach(&edges, from).contains(*from));
    loops.map(|from| format!("`{from}` is in a cycle of modules: {}", route(&edges, from).join(" -> "))).collect()
}

/// Everything that can be reached from a module.
fn reach(edges: &BTreeMap<String, BTreeSet<String>>, from: &str) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let mut todo = vec![from.to_owned()];
    while let Some(next) = todo.pop() {
        for to in edges.get(&next).into_iter().flatten() {
            if seen.insert(to.clone()) {
                todo.push(to.clone());
            }
        }
    }
    seen
}

/// One way round from a module to itself.
fn route(edges: &BTreeMap<String, BTreeSet<String>>, from: &str) -> Vec<String> {
    let mut way = vec![from.to_owned()];
    loop {
        let at = way.last().cloned().unwrap_or_default();
        let next = edges.get(&at).into_iter().flatten().find(|to| *to == from || (!way.contains(to) && reach(edges, to).contains(from)));
        match next {
            Some(to) => way.push(to.clone()),
            None => return way,
        }
        if way.last().is_some_and(|last| last == from) {
            return way;
        }
    }
}
