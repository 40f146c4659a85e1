//! The laws of the fold.
