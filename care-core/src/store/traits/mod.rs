//! The traits of a store, and the types that only their methods need.
//!
//! [`store`] has those that the service needs. [`api_keys`] and [`maintenance`] are capabilities that a store may lack.

pub(crate) mod api_keys;
pub(crate) mod feed;
pub(crate) mod maintenance;
pub(crate) mod pointers;
pub(crate) mod replay;
pub(crate) mod store;
