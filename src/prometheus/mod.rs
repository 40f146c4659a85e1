//! The Prometheus text format, the dialects that translate it into canonical signals, and rates from counters. Pure.
