//! The scraper of an exposition page: fetch, read, translate, stamp. It may import `fetch` and `prometheus/`; it must
//! not wait longer than its time-out, nor bring a half-understood page as if it were a whole one.

use async_trait::async_trait;

use super::error::ScrapeError;
use super::fetch::Fetcher;
use crate::model::event::{Gap, Sample};
use crate::model::plan::{SourceKind, SourcePlan};
use crate::model::text::clean_short;
use crate::model::units::{Elapsed, Span};
use crate::ports::{Clock, Scraped, Scraper};
use crate::prometheus::{Dialects, Page, Skipped, Translation, Translator, builtin};

/// How many names of a strange page are shown.
const NAMES_SHOWN: usize = 5;

/// What one look at a page found.
#[derive(Debug, Clone, PartialEq)]
pub struct Examined {
    /// The page in canonical words, with what it lacks.
    pub translation: Translation,
    /// Lines that could not be read.
    pub skipped: Skipped,
    /// Samples on the page.
    pub samples: usize,
}

/// Reads one exposition page when asked.
#[derive(Debug)]
pub struct PrometheusScraper {
    source: String,
    instance: Option<String>,
    every: Span,
    fetcher: Fetcher,
    translator: Translator,
}

impl PrometheusScraper {
    /// For a source of the plan.
    pub fn new(plan: &SourcePlan) -> Result<Self, ScrapeError> {
        let SourceKind::Prometheus { url, dialects, select } = &plan.kind;
        let known = if dialects.is_empty() { Dialects::Detected } else { Dialects::Named };
        Ok(Self {
            source: plan.name.clone(),
            instance: None,
            every: plan.every,
            fetcher: Fetcher::new(url, patience(plan.every))?,
            translator: Translator::new(builtin(dialects)?, known, select.clone()),
        })
    }

    /// The same for one instance of a fleet, at an address of its own.
    pub fn for_instance(plan: &SourcePlan, instance: &str, url: &str) -> Result<Self, ScrapeError> {
        let mut scraper = Self::new(plan)?;
        scraper.fetcher = Fetcher::new(url, patience(plan.every))?;
        scraper.instance = Some(instance.to_owned());
        Ok(scraper)
    }

    /// Looks at the page once, for a person or a doctor: what is there, what is missing, what turns it on. A part that
    /// has to be named first is told in the translation and is no error here.
    pub async fn examine(&mut self, at: Elapsed) -> Result<Examined, ScrapeError> {
        let text = self.fetcher.page().await?;
        let url = || self.fetcher.shown().to_owned();
        let page = Page::parse(&text).map_err(|why| ScrapeError::Page { url: url(), why })?;
        let translation = self.translator.translate(&page, at);
        if translation.dialects.is_empty() {
            return Err(ScrapeError::NoDialect { url: url(), samples: page.rows().len(), names: first_names(&page) });
        }
        Ok(Examined { translation, skipped: page.skipped().clone(), samples: page.rows().len() })
    }

    async fn read(&mut self, asked: Elapsed) -> Result<Translation, ScrapeError> {
        let mut translation = self.examine(asked).await?.translation;
        match translation.undecided.pop() {
            Some(why) => Err(ScrapeError::Undecided { url: self.fetcher.shown().to_owned(), why }),
            None => Ok(translation),
        }
    }
}

/// How long an answer may take. A saturated service, or a JVM in its first seconds, answers late, just when it is looked at most
/// closely: one late look, which passes over the next turn, tells more than two that were given up.
fn patience(every: Span) -> Span {
    Span::from_micros(every.as_micros().saturating_mul(2)).clamp(Span::from_secs(1), Span::from_secs(10))
}

/// Names to recognise a strange page by, each once.
fn first_names(page: &Page<'_>) -> String {
    let mut names: Vec<&str> = Vec::new();
    for row in page.rows() {
        if !names.contains(&row.name) {
            names.push(row.name);
        }
        if names.len() == NAMES_SHOWN {
            break;
        }
    }
    clean_short(&names.join(", "), 200)
}

#[async_trait]
impl Scraper for PrometheusScraper {
    fn source(&self) -> &str {
        &self.source
    }

    fn every(&self) -> Span {
        self.every
    }

    async fn scrape(&mut self, clock: &dyn Clock) -> Scraped {
        let asked = clock.now();
        let read = self.read(asked).await;
        let (source, instance) = (self.source.clone(), self.instance.clone());
        match read {
            Ok(translation) => Scraped::Sample(Box::new(Sample { source, instance, asked, answered: clock.now(), readings: translation.readings })),
            Err(error) => Scraped::Gap(Gap { source, instance, asked, reason: error.to_string() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_answer_is_waited_for_and_a_lost_one_is_not() {
        let waited = [250, 1_000, 5_000, 60_000].map(|ms| patience(Span::from_millis(ms)).as_micros() / 1_000);
        assert_eq!(waited, [1_000, 2_000, 10_000, 10_000]);
    }
}
