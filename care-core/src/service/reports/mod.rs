//! Reports over many records: advice on restocking, back-tests, and what waits at the front desk.
//!
//! They read a lot and decide nothing. A long one runs in pieces, between which other tasks of the thread run.

pub(crate) mod backtests;
pub(crate) mod desk;
pub(crate) mod orders;
pub(crate) mod restock;
