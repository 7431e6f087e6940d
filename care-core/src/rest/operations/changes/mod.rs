//! Changes whose requests take more than a line to read or to answer.

pub(super) mod money;
pub(super) mod stock;
