//! The OpenAPI document, held to the table of operations, to what the service really does, and to the model.

#![allow(clippy::unwrap_used, reason = "a test's expectations")]

mod bodies;
mod clinic;
mod description;
mod document;
mod examples;
mod markup;
mod model;
mod refusals;
mod schema;
mod served;
