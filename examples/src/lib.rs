//! What the example servers share, and `care-admin`.

pub mod admin;
pub mod demo;
