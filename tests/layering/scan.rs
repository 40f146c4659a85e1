//! Takes a Rust source apart as far as the layering rules need: comments and literals blanked, test code told from production code,
//! every path that is named. No compiler: a path is what it is written as, with `use` trees spread out and `super` resolved.

/// A source file: its path under `src/`, and its text.
#[derive(Clone)]
pub(super) struct Source {
    pub(super) path: String,
    pub(super) text: String,
}

/// What the rules look at.
pub(super) struct File {
    /// Path under `src/`.
    pub(super) path: String,
    /// Module path: `["model", "plan"]`; empty for the crate's root.
    pub(super) module: Vec<String>,
    /// The first line that is not blank.
    pub(super) head: String,
    /// Lines outside test code.
    pub(super) production_lines: usize,
    /// Absolute paths named in production code, by line: own modules begin with `crate`.
    pub(super) paths: Vec<(usize, Vec<String>)>,
    /// Macros called in production code, by line.
    pub(super) macros: Vec<(usize, String)>,
    /// Modules that are declared for tests only.
    pub(super) test_modules: Vec<String>,
    /// Whether all of it is test code.
    pub(super) is_test: bool,
}

/// Reads all sources; files that only tests reach are marked.
pub(super) fn read(sources: &[Source]) -> Vec<File> {
    let mut files: Vec<File> = sources.iter().map(file).collect();
    let mut tests: Vec<Vec<String>> = Vec::new();
    for file in &files {
        tests.extend(file.test_modules.iter().map(|name| [file.module.as_slice(), std::slice::from_ref(name)].concat()));
    }
    for file in &mut files {
        file.is_test |= tests.iter().any(|t| file.module.starts_with(t));
    }
    files
}

fn file(source: &Source) -> File {
    let bare = blank(&source.text);
    let (production, test_modules) = without_tests(&bare);
    let module = module_of(&source.path);
    let paths = paths(&production).into_iter().map(|(line, path)| (line, absolute(&module, path))).collect();
    let kept = |(a, b): &(&str, &str)| !b.trim().is_empty() || a.trim().is_empty();
    let head = source.text.lines().find(|l| !l.trim().is_empty()).unwrap_or_default().to_owned();
    File {
        path: source.path.clone(),
        head,
        // A line counts unless all that was code on it is test code.
        production_lines: bare.lines().zip(production.lines()).filter(kept).count(),
        macros: macros(&production),
        is_test: source.path.split('/').any(|part| matches!(part, "tests" | "tests.rs")),
        paths,
        test_modules,
        module,
    }
}

/// `model/plan/mod.rs` is `model::plan`.
fn module_of(path: &str) -> Vec<String> {
    let path = path.strip_suffix(".rs").unwrap_or(path);
    let path = path.strip_suffix("/mod").unwrap_or(path);
    if matches!(path, "lib" | "main") { Vec::new() } else { path.split('/').map(str::to_owned).collect() }
}

/// The text with comments, strings and characters blanked; lines stay where they are.
pub(super) fn blank(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let end = skip(&chars, at);
        if end > at {
            out.extend(chars[at..end].iter().map(|c| if *c == '\n' { '\n' } else { ' ' }));
            at = end;
        } else {
            out.push(chars[at]);
            at += 1;
        }
    }
    out
}

/// Where what begins at `at` ends, if it is a comment or a literal; else `at` itself.
fn skip(chars: &[char], at: usize) -> usize {
    let next = chars.get(at + 1).copied();
    let before = at.checked_sub(1).map(|b| chars[b]);
    let in_word = before.is_some_and(|b| b.is_alphanumeric() || b == '_');
    match chars[at] {
        '/' if next == Some('/') => chars[at..].iter().position(|c| *c == '\n').map_or(chars.len(), |n| at + n),
        '/' if next == Some('*') => block_comment(chars, at),
        '"' => quoted(chars, at + 1, '"'),
        'r' if !in_word || before == Some('b') => raw_string(chars, at).unwrap_or(at),
        '\'' => character(chars, at),
        _ => at,
    }
}

fn block_comment(chars: &[char], mut at: usize) -> usize {
    let mut depth = 0;
    while at < chars.len() {
        let pair = (chars[at], chars.get(at + 1).copied());
        match pair {
            ('/', Some('*')) => (depth, at) = (depth + 1, at + 2),
            ('*', Some('/')) => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at.min(chars.len())
}

fn quoted(chars: &[char], mut at: usize, quote: char) -> usize {
    while at < chars.len() {
        match chars[at] {
            '\\' => at += 2,
            c if c == quote => return at + 1,
            _ => at += 1,
        }
    }
    chars.len()
}

/// `r"…"`, `r#"…"#`.
fn raw_string(chars: &[char], at: usize) -> Option<usize> {
    let hashes = chars[at + 1..].iter().take_while(|c| **c == '#').count();
    let mut from = at + 1 + hashes;
    (chars.get(from) == Some(&'"')).then_some(())?;
    from += 1;
    let closes = |i: usize| chars[i] == '"' && (1..=hashes).all(|n| chars.get(i + n) == Some(&'#'));
    Some((from..chars.len()).find(|i| closes(*i)).map_or(chars.len(), |i| i + 1 + hashes))
}

/// A character literal; a lifetime is none.
fn character(chars: &[char], at: usize) -> usize {
    match (chars.get(at + 1), chars.get(at + 2)) {
        (Some('\\'), _) => quoted(chars, at + 1, '\''),
        (Some(_), Some('\'')) => at + 3,
        _ => at,
    }
}

/// The text with items under `#[cfg(test)]` blanked, and the names of the modules among them.
fn without_tests(bare: &str) -> (String, Vec<String>) {
    const MARK: &str = "#[cfg(test)]";
    let mut out = bare.to_owned();
    let mut modules = Vec::new();
    let mut from = 0;
    while let Some(found) = out[from..].find(MARK) {
        let start = from + found;
        let end = item_end(&out, start + MARK.len());
        let item = out[start..end].to_owned();
        modules.extend(module_name(&item));
        let blank: String = item.chars().map(|c| if c == '\n' { "\n".to_owned() } else { " ".repeat(c.len_utf8()) }).collect();
        out.replace_range(start..end, &blank);
        from = end;
    }
    (out, modules)
}

/// The name of the module that an item declares, whether its body is here or in files of its own.
fn module_name(item: &str) -> Option<String> {
    let words = tokens(item);
    let at = words.iter().position(|(_, w)| w == "mod")?;
    let opens = words.get(at + 2).is_some_and(|(_, w)| w == ";" || w == "{");
    words.get(at + 1).filter(|_| opens).map(|(_, name)| name.clone())
}

/// Where an item ends: at its `;`, or at the brace that closes its block.
fn item_end(text: &str, from: usize) -> usize {
    let mut depth = 0_usize;
    for (at, c) in text[from..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return from + at + 1;
                }
            }
            ';' if depth == 0 => return from + at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Every path of two words or more, with `use` trees spread out.
fn paths(text: &str) -> Vec<(usize, Vec<String>)> {
    let words = tokens(text);
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        if words[at].1 == "use" {
            let line = words[at].0;
            let end = (at..words.len()).find(|i| words[*i].1 == ";").unwrap_or(words.len());
            let tree: Vec<&str> = words[at + 1..end].iter().map(|(_, w)| w.as_str()).collect();
            let mut leaves = Vec::new();
            spread(&tree, &[], &mut leaves);
            found.extend(leaves.into_iter().map(|leaf| (line, leaf)));
            at = end;
        } else if is_word(&words[at].1) && words.get(at + 1).is_some_and(|w| w.1 == "::") {
            let mut path = vec![words[at].1.clone()];
            let line = words[at].0;
            while words.get(at + 1).is_some_and(|w| w.1 == "::") && words.get(at + 2).is_some_and(|w| is_word(&w.1)) {
                path.push(words[at + 2].1.clone());
                at += 2;
            }
            found.push((line, path));
            at += 1;
        } else {
            at += 1;
        }
    }
    found
}

/// Spreads a `use` tree into its leaves.
fn spread(tree: &[&str], above: &[String], leaves: &mut Vec<Vec<String>>) {
    let mut path = above.to_vec();
    let mut at = 0;
    while at < tree.len() {
        match tree[at] {
            "{" => {
                let end = closing(tree, at);
                for branch in branches(&tree[at + 1..end]) {
                    spread(branch, &path, leaves);
                }
                return;
            }
            "as" => break,
            "::" | "*" => {}
            // `{self}` is the path above it.
            "self" if !path.is_empty() => {}
            word => path.push(word.to_owned()),
        }
        at += 1;
    }
    leaves.push(path);
}

fn closing(tree: &[&str], open: usize) -> usize {
    let mut depth = 0;
    for (at, word) in tree.iter().enumerate().skip(open) {
        match *word {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    tree.len()
}

fn branches<'t, 'w>(tree: &'t [&'w str]) -> Vec<&'t [&'w str]> {
    let mut depth = 0;
    let split = move |word: &&str| {
        match *word {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        depth == 0 && *word == ","
    };
    tree.split(split).filter(|branch| !branch.is_empty()).collect()
}

/// Words, `::`, and every other character for itself, with their lines.
fn tokens(text: &str) -> Vec<(usize, String)> {
    let mut words = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let mut rest = line;
        while let Some(c) = rest.chars().next() {
            let length = if c.is_alphanumeric() || c == '_' {
                rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len())
            } else if rest.starts_with("::") {
                2
            } else {
                c.len_utf8()
            };
            let (word, after) = rest.split_at(length);
            if !word.trim().is_empty() {
                words.push((number + 1, word.to_owned()));
            }
            rest = after;
        }
    }
    words
}

fn is_word(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

fn macros(text: &str) -> Vec<(usize, String)> {
    let words = tokens(text);
    words.windows(2).filter(|w| is_word(&w[0].1) && w[1].1 == "!").map(|w| w[0].clone()).collect()
}

/// A path from the crate's root, where it is one of the crate's own.
fn absolute(module: &[String], path: Vec<String>) -> Vec<String> {
    let mut base = module.to_vec();
    let mut rest = path.as_slice();
    match rest.first().map(String::as_str) {
        Some("self") => rest = &rest[1..],
        Some("super") => {
            while rest.first().is_some_and(|w| w == "super") {
                base.pop();
                rest = &rest[1..];
            }
        }
        Some("crate" | "plimsoll") => {
            base.clear();
            rest = &rest[1..];
        }
        _ => return path,
    }
    let mut whole = vec!["crate".to_owned()];
    whole.extend(base);
    whole.extend_from_slice(rest);
    whole
}
