//! The file at its path: finding, recognising and making it, the lock of its owner, and the files beside it.
//!
//! This room knows how a file is opened and told from another. It reads no record.

pub(crate) mod database;
pub(crate) mod lock;
pub(crate) mod paths;
pub(crate) mod place;
pub(crate) mod schema;
pub(crate) mod space;
pub(crate) mod staging;
