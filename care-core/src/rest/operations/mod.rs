//! Where operations meet use cases: from what a request says, through the service, to the answer.

pub(crate) mod idempotency;
pub(crate) mod lists;
mod pages;
pub(crate) mod poll;
pub(crate) mod query;
pub(crate) mod reads;
pub(crate) mod request;
pub(crate) mod run;
pub(crate) mod stock;
pub(crate) mod versions;
