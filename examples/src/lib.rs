//! What the example servers share.

pub mod demo;
