//! Tests of the lab that need more than one of its files.

mod engine;
mod exposition;
mod law;
mod simulate;
