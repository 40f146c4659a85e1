//! What must hold of an answer whose status is as expected.

use regex::bytes::Regex;

use super::extract::{Answer, Taker, pattern_of};
use super::http::Keep;
use crate::model::plan::{Check, Condition};

/// One check, made ready.
#[derive(Debug)]
pub(crate) struct Test {
    of: Option<Taker>,
    holds: Holds,
}

#[derive(Debug)]
enum Holds {
    Exists,
    Missing,
    Is(String),
    Contains(String),
    Lacks(String),
    Matches(Regex),
}

impl Test {
    /// Makes it ready, or says why that can not be.
    pub(crate) fn new(check: &Check) -> Result<Self, String> {
        let holds = match &check.holds {
            Condition::Exists => Holds::Exists,
            Condition::Missing => Holds::Missing,
            Condition::Is(text) => Holds::Is(text.clone()),
            Condition::Contains(text) => Holds::Contains(text.clone()),
            Condition::Lacks(text) => Holds::Lacks(text.clone()),
            Condition::Matches(pattern) => Holds::Matches(pattern_of(pattern)?),
        };
        Ok(Self { of: check.of.as_ref().map(Taker::new).transpose()?, holds })
    }

    /// What of an answer it needs.
    pub(crate) fn keep(&self) -> Keep {
        self.of.as_ref().map_or(Keep { head: false, body: true }, Taker::keep)
    }

    /// Whether it holds. An empty body is one that is not there.
    pub(crate) fn holds(&self, answer: Answer<'_>) -> bool {
        match &self.of {
            None => self.holds_of((!answer.body.is_empty()).then_some(answer.body)),
            Some(taker) => self.holds_of(taker.take(answer).as_ref().map(|v| v.text.as_bytes())),
        }
    }

    fn holds_of(&self, part: Option<&[u8]>) -> bool {
        let Some(part) = part else { return matches!(self.holds, Holds::Missing) };
        match &self.holds {
            Holds::Exists => true,
            Holds::Missing => false,
            Holds::Is(text) => part == text.as_bytes(),
            Holds::Contains(text) => contains(part, text.as_bytes()),
            Holds::Lacks(text) => !contains(part, text.as_bytes()),
            Holds::Matches(pattern) => pattern.is_match(part),
        }
    }
}

fn contains(part: &[u8], text: &[u8]) -> bool {
    text.is_empty() || part.windows(text.len()).any(|w| w == text)
}

/// How many held and how many did not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Tested {
    /// How many held.
    pub(crate) passed: u64,
    /// How many did not.
    pub(crate) failed: u64,
}

impl Tested {
    /// Counts one.
    pub(crate) fn count(&mut self, held: bool) {
        if held {
            self.passed += 1;
        } else {
            self.failed += 1;
        }
    }

    /// Adds others.
    pub(crate) const fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::plan::Extract;

    const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nSet-Cookie: sid=1\r\n\r\n";

    fn holds(of: Option<Extract>, condition: Condition, body: &str) -> bool {
        Test::new(&Check { of, holds: condition }).unwrap().holds(Answer { head: HEAD, body: body.as_bytes() })
    }

    #[test]
    fn conditions_of_the_body() {
        let text = |t: &str| t.to_owned();
        for (condition, good, bad) in [
            (Condition::Exists, "x", ""),
            (Condition::Missing, "", "x"),
            (Condition::Is(text("ok")), "ok", "ok "),
            (Condition::Contains(text("ok")), "it is ok", "it is not"),
            (Condition::Lacks(text("error")), "fine", "an error"),
            (Condition::Matches(text("^a+$")), "aaa", "ab"),
        ] {
            assert!(holds(None, condition.clone(), good), "{condition:?}");
            assert!(!holds(None, condition.clone(), bad), "{condition:?}");
        }
    }

    #[test]
    fn a_part_that_is_not_there_meets_only_missing() {
        let nowhere = || Some(Extract::Json("gone".to_owned()));
        for condition in [
            Condition::Exists,
            Condition::Is(String::new()),
            Condition::Contains(String::new()),
            Condition::Lacks("x".to_owned()),
            Condition::Matches(String::new()),
        ] {
            assert!(!holds(nowhere(), condition.clone(), "{}"), "{condition:?}");
        }
        assert!(holds(nowhere(), Condition::Missing, "{}"));
    }

    #[test]
    fn conditions_of_parts() {
        for (of, is) in [
            (Extract::Json("a.b".to_owned()), "5"),
            (Extract::Header("content-type".to_owned()), "application/json"),
            (Extract::Cookie("sid".to_owned()), "1"),
            (Extract::Regex("\"b\":(.)".to_owned()), "5"),
        ] {
            assert!(holds(Some(of.clone()), Condition::Is(is.to_owned()), "{\"a\":{\"b\":5}}"), "{of:?}");
            assert!(!holds(Some(of.clone()), Condition::Is("other".to_owned()), "{\"a\":{\"b\":5}}"), "{of:?}");
        }
    }

    #[test]
    fn only_what_is_needed_is_kept() {
        let keep = |of| Test::new(&Check { of, holds: Condition::Exists }).unwrap().keep();
        assert_eq!(keep(None), Keep { head: false, body: true });
        assert_eq!(keep(Some(Extract::Header("x".to_owned()))), Keep { head: true, body: false });
        assert!(Test::new(&Check { of: None, holds: Condition::Matches("[".to_owned()) }).is_err());
    }
}
