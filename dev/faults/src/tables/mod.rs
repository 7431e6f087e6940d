//! The results as Markdown tables, one module for each kind of result.

pub(crate) mod bounds;
pub(crate) mod emergencies;
#[cfg(feature = "postgres")]
pub(crate) mod failover;
pub(crate) mod judged;
pub(crate) mod report;
pub(crate) mod table;
