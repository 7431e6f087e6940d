//! The vocabulary of schemas: ordered JSON, values with the ranges of the model's types, and records made of them.

pub(crate) mod headers;
pub(crate) mod node;
pub(crate) mod record;
pub(crate) mod value;
