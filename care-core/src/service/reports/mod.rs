//! Reports over many medicines: advice on restocking, and back-tests.
//!
//! They read a lot and decide nothing. A long one runs in [`pieces`], between which other tasks of the thread run.

pub(crate) mod backtests;
pub(crate) mod pieces;
pub(crate) mod restock;
