//! Planted bugs, which test the harness itself: it must find each of them.

mod serve;
mod stale;
mod store;

use clap::ValueEnum;

pub use serve::{Frontend, serve};
pub use stale::StaleStore;
pub use store::BuggyStore;

/// A bug that a store, or a change to one, could plausibly have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Plant {
    /// A write is acknowledged once it is decided, and committed later.
    EarlyAnswer,
    /// The journal entry is written in a transaction of its own.
    JournalApart,
    /// A registration under a number that is taken replaces the patient.
    UpsertOnCreate,
    /// A payment counts the visit twice.
    DoubleCount,
    /// The changes of a decision are written in two transactions.
    TornUpdate,
    /// Now and then, a committed write is refused as if nothing had happened.
    FalseRefusal,
    /// Every read leaks memory.
    Leak,
    /// Not a bug of the store: decisions about patient 666 panic, and so does the store when patient 667 is registered.
    Panic,
}
