//! Tests of the lab that need more than one of its files.

mod engine;
mod law;
mod simulate;
