//! Text from outside made safe to show: control sequences, bidirectional overrides and other invisible characters are taken out.
//!
//! Every label, error, name or note that Plimsoll did not write itself passes through here before it reaches a screen or a report.

/// Takes out control characters (ANSI sequences lose their introducer and so their power), line breaks become spaces,
/// and characters that reorder or hide text are dropped.
#[must_use]
pub fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => skip_sequence(&mut rest),
            '\n' | '\r' | '\t' => out.push(' '),
            c if c.is_control() || is_invisible(c) => {}
            c => out.push(c),
        }
    }
    out
}

/// As [`clean`], cut to at most `most` characters with an ellipsis.
#[must_use]
pub fn clean_short(text: &str, most: usize) -> String {
    let whole = clean(text);
    if whole.chars().count() <= most {
        return whole;
    }
    let mut cut: String = whole.chars().take(most.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// The candidate closest to `word`, if any is close enough to be what was meant.
#[must_use]
pub fn nearest<'a>(word: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let limit = (word.chars().count() / 2).clamp(1, 5);
    candidates
        .iter()
        .map(|c| (if c.starts_with(word) || word.starts_with(*c) { 1 } else { distance(word, c) }, *c))
        .filter(|(d, _)| *d <= limit)
        .min_by_key(|(d, _)| *d)
        .map(|(_, c)| c)
}

/// Levenshtein's distance between two words.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (cell, cb) in row.iter_mut().skip(1).zip(&b) {
            let change = diagonal + usize::from(ca != *cb);
            diagonal = *cell;
            left = change.min(left + 1).min(*cell + 1);
            *cell = left;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}

/// After an escape character: a CSI sequence runs to its final byte, an OSC string to its terminator, anything else is one character.
fn skip_sequence(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match rest.next() {
        Some('[') => {
            for c in rest.by_ref() {
                if ('\u{40}'..='\u{7e}').contains(&c) {
                    break;
                }
            }
        }
        Some(']' | 'P' | '_' | '^' | 'X') => {
            while let Some(c) = rest.next() {
                if c == '\u{7}' {
                    break;
                }
                if c == '\u{1b}' {
                    if rest.peek() == Some(&'\\') {
                        rest.next();
                    }
                    break;
                }
            }
        }
        _ => {}
    }
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

/// The text without any of these values: each stands as `***`. Values of fewer than four characters would take words apart and bare
/// numbers (a port) figures: they stay.
#[must_use]
pub fn hide(text: &str, secrets: &[String]) -> String {
    let known = secrets.iter().filter(|s| s.chars().count() >= 4 && !s.chars().all(|c| c.is_ascii_digit()));
    known.fold(text.to_owned(), |text, secret| if text.contains(secret.as_str()) { text.replace(secret.as_str(), "***") } else { text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_out_terminal_sequences() {
        assert_eq!(clean("a\u{1b}[31mred\u{1b}[0m b"), "ared b");
        assert_eq!(clean("x\u{1b}]0;title\u{7}y"), "xy");
        assert_eq!(clean("x\u{1b}]52;c;AAAA\u{1b}\\y"), "xy");
        assert_eq!(clean("bell\u{7} back\u{8}"), "bell back");
    }

    #[test]
    fn takes_out_reordering_and_keeps_scripts() {
        assert_eq!(clean("abc\u{202e}def"), "abcdef");
        assert_eq!(clean("결제 서비스 🚢"), "결제 서비스 🚢");
    }

    #[test]
    fn finds_the_nearest_word() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(nearest("warmpu", &["warmup", "measure"]), Some("warmup"));
        assert_eq!(nearest("xyz", &["warmup", "measure"]), None);
    }

    #[test]
    fn one_line_and_short() {
        assert_eq!(clean("a\r\nb\tc"), "a  b c");
        assert_eq!(clean_short("abcdef", 4), "abc…");
        assert_eq!(clean_short("abcd", 4), "abcd");
    }

    #[test]
    fn an_unfinished_sequence_swallows_only_itself() {
        assert_eq!(clean("a\u{1b}["), "a");
        assert_eq!(clean("a\u{1b}"), "a");
    }

    #[test]
    fn secrets_are_hidden_wherever_they_stand() {
        let secrets = ["s3cret", "ab", "8080"].map(str::to_owned);
        assert_eq!(hide("told s3cret, s3cret and ab at 8080", &secrets), "told ***, *** and ab at 8080");
    }
}
