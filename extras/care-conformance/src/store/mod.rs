//! The store suite: proves that an implementation of `care_core::store::{Records, Journal, ApiKeys}` keeps their
//! contract.
//!
//! Implement [`StoreFixture`] for your store, and [`store_suite!`](crate::store_suite) makes one `#[test]` of every
//! case:
//!
//! ```
//! use care_conformance::store::StoreFixture;
//! use care_core::store::MemoryStore;
//!
//! struct Memory;
//!
//! impl StoreFixture for Memory {
//!     type Store = MemoryStore;
//!
//!     fn open(&self) -> MemoryStore {
//!         MemoryStore::new()
//!     }
//!
//!     fn keys<'a>(&self, store: &'a Self::Store) -> Option<&'a dyn care_core::store::ApiKeys> {
//!         Some(store)
//!     }
//!
//!     fn reopen(&self, _: MemoryStore) -> Option<MemoryStore> {
//!         None
//!     }
//!
//!     // One lock guards it all.
//!     fn reads_pass_decisions(&self) -> bool {
//!         false
//!     }
//! }
//!
//! care_conformance::store_suite!(Memory);
//! ```
//!
//! # What the cases rely on
//!
//! The cases write only what the service could write, so that a store may check it: a prescription, a consultation and
//! a history refer to records that exist, a patient has at most one active prescription for a medicine, a prescription
//! has at most one unpaid invoice, and counts are at most 2^63-1. Records are put before the records that refer to
//! them, and removed after these. A paid invoice outlives its prescription and its patient. Up to 64 decisions run at a
//! time, and the store must take each of them.

mod asked;
mod cases;
mod clinic;
mod fixture;
mod listed;
mod model;
mod moves;
mod opened;
mod race;
mod subject;
mod suite;
mod universe;
mod walk;

pub use fixture::StoreFixture;
pub use suite::{Case, cases, run};
