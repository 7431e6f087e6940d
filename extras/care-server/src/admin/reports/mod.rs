//! Reports on a database: the order list, counts, and the ledger of money.

pub(super) mod formulas;
pub(super) mod restock;
pub(super) mod stats;
pub(super) mod takings;
