//! The Patient Care Service as plain logic.

pub mod error;
pub mod model;
#[cfg(feature = "rest")]
pub mod rest;
pub mod service;
pub mod store;
