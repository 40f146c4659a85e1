//! HTTP as a load generator needs it. 1.1: one request at a time on a kept connection, the answer read right and thrown away. 2: many
//! requests on one connection, by hyper; its answers end in the same decoder, so that nobody further up can tell.
//!
//! May import tokio's I/O traits, `httparse`, `hyper` and `flate2`; knows nothing of plans, users or histograms.

mod alarm;
mod chunked;
mod connection;
mod decoder;
mod gzip;
mod head;
mod link;
#[cfg(test)]
mod tests;
mod two;

pub(super) use alarm::Alarm;
pub(super) use connection::{Broke, Connection};
pub(super) use decoder::{Decoder, Keep};
pub(super) use link::Link;
pub(super) use two::Http2;
