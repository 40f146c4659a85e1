//! One request made ready: its bytes, what its answer must be, and what is taken from it.

use std::sync::atomic::{AtomicBool, Ordering};

use super::request::Wire;
use crate::load::checks::Test;
use crate::load::extract::Taker;
use crate::load::http::Keep;

/// One request.
#[derive(Debug)]
pub(crate) struct Ask {
    /// Which of the job's keys.
    pub(crate) key: usize,
    /// What it is called.
    pub(crate) name: String,
    /// What is sent.
    pub(crate) wire: Wire,
    /// Whether it asks for a head only.
    pub(crate) to_head: bool,
    /// Whether sending it twice does no harm.
    pub(crate) safe: bool,
    /// What of its answer is kept.
    pub(crate) keep: Keep,
    /// Statuses that are success; empty: 200 to 399.
    pub(crate) expect: Vec<u16>,
    /// What must hold of the answer.
    pub(crate) checks: Vec<Test>,
    /// What is taken from the answer.
    pub(crate) takes: Vec<Take>,
    /// What must have been taken before it can be sent.
    pub(crate) needs: Vec<Need>,
    /// Whether a setting stands in it.
    pub(crate) uses_settings: bool,
}

impl Ask {
    /// Whether a status is success.
    pub(crate) fn expects(&self, status: u16) -> bool {
        if self.expect.is_empty() { (200..400).contains(&status) } else { self.expect.contains(&status) }
    }
}

/// Something taken from an answer.
#[derive(Debug)]
pub(crate) struct Take {
    /// Into which variable.
    pub(crate) var: usize,
    /// Its name.
    pub(crate) name: String,
    /// What.
    pub(crate) taker: Taker,
    /// Whether it was said that it is not there.
    pub(crate) said: Once,
}

/// A variable that must be known.
#[derive(Debug)]
pub(crate) struct Need {
    /// Which.
    pub(crate) var: usize,
    /// Its name.
    pub(crate) name: String,
    /// Whether it was said that it is not.
    pub(crate) said: Once,
}

/// Something that is said once, by whoever notices first.
#[derive(Debug, Default)]
pub(crate) struct Once(AtomicBool);

impl Once {
    /// Whether it was not said before.
    pub(crate) fn is_first(&self) -> bool {
        !self.0.load(Ordering::Relaxed) && !self.0.swap(true, Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_says_it() {
        let once = Once::default();
        assert_eq!([once.is_first(), once.is_first()], [true, false]);
    }
}
