//! Running operations: from a request through the service to its answer.

mod changes;
mod events;
pub(crate) mod idempotency;
pub(crate) mod lists;
mod pages;
pub(crate) mod poll;
pub(crate) mod queries;
pub(crate) mod query;
pub(crate) mod reads;
pub(crate) mod request;
pub(crate) mod run;
pub(crate) mod shown;
mod singles;
pub(crate) mod versions;
