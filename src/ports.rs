//! The traits an experiment is driven through: engine, target, scraper, store and clock. No implementation.
