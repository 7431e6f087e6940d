//! What a store and a frontend of the Patient Care Service must do, as tests that anyone can run.
//!
//! [`store`] proves an implementation of the storage traits of `care_core::store`; it needs no HTTP and no async
//! runtime. [`samples`] are the records that it proves it with. `http` (a feature, on by default) proves a frontend.

mod dice;
#[cfg(feature = "http")]
pub mod http;
pub mod samples;
pub mod store;
