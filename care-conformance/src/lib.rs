//! The obligations of a store and of a frontend of the Patient Care Service, as tests that every implementer can run.
//!
//! [`store`] proves an implementation of the storage traits of `care_core::store`; it needs no HTTP and no async
//! runtime. [`samples`] are its records. `http` (a feature, on by default) proves a frontend.

mod dice;
#[cfg(feature = "http")]
pub mod http;
pub mod samples;
pub mod store;
