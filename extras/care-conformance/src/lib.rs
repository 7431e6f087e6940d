//! The obligations of a store and of a frontend of the Patient Care Service, as tests that every implementer can run.
//!
//! [`store`] tests an implementation of the storage traits of `care_core::store`; it needs no HTTP and no async
//! runtime. [`samples`] has its records, and [`Dice`] chooses its moves. `http` (a feature, on by default) tests a
//! frontend.
//!
//! ```
//! use care_conformance::store::StoreFixture;
//! use care_core::store::{ApiKeys, MemoryStore};
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
//!     fn keys<'a>(&self, store: &'a MemoryStore) -> Option<&'a dyn ApiKeys> {
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
//! // One test for each case.
//! care_conformance::store_suite!(Memory);
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]

mod dice;
#[cfg(feature = "http")]
pub mod http;
pub mod samples;
pub mod store;

pub use dice::Dice;

// Compiles the code in the README along with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
