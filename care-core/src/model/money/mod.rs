//! Money: the ledger of receipts, and what each holder took on a day.

pub(crate) mod receipt;
pub(crate) mod takings;

pub use {receipt::*, takings::*};
