//! The store suite: proves that an implementation of `care_core::store::{Records, Journal, ApiKeys}` keeps their contract.
//!
//! Say how a store is opened, and [`store_suite!`](crate::store_suite) makes one `#[test]` of every case:
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
//!     // Nothing is left of a store in memory.
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
//! # What the cases take for granted
//! They write what the service could write, so that a store may check it: a prescription, a consultation and a
//! history refer to records that are there, a patient has at most one active prescription for a medicine, a
//! prescription has at most one unpaid invoice, and counts are at most 2^63-1. What is referred to is put before,
//! and removed after, what refers to it. A paid invoice outlives its prescription and its patient. Up to 64 decisions
//! are under way at a time, and each of them must be taken.

mod cases;
mod clinic;
mod fixture;
mod model;
mod moves;
mod race;
mod subject;
mod suite;
mod universe;
mod walk;

pub use fixture::StoreFixture;
pub use suite::{Case, cases, run};
