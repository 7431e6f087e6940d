//! The cost of requests: the most expensive ones that the limits allow, and what they leave in the file.

pub(crate) mod dearest;
pub(crate) mod heavy;
pub(crate) mod reports;
pub(crate) mod requests;
pub(crate) mod stored;
