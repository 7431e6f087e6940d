//! The service compared with hand-written servers, each a process of its own.

mod reads;
mod start;
mod versus;
mod writes;

pub(crate) use reads::{audit, reads};
pub(crate) use start::start;
pub(crate) use versus::{Comparisons, Side};
pub(crate) use writes::writes;
