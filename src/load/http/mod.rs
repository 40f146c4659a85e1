//! HTTP/1.1 as a load generator needs it: one request at a time on a kept connection, the answer read right and thrown away.
//!
//! May import tokio's I/O traits and `httparse`; knows nothing of plans, users or histograms.

mod alarm;
mod chunked;
mod connection;
mod decoder;
mod head;

pub(super) use alarm::Alarm;
pub(super) use connection::{Broke, Connection};
pub(super) use decoder::{Decoder, Keep};
