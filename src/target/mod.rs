//! Applies settings to the target, reads them back, puts them back.
