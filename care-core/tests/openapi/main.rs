//! The OpenAPI document, compared with the table of operations, with the behaviour of the service, and with the model.

#![allow(clippy::unwrap_used, reason = "a test's expectations")]

mod audited;
mod bodies;
mod clinic;
mod description;
mod document;
mod examples;
mod markup;
mod model;
mod needs;
mod refusals;
mod schema;
mod work;
