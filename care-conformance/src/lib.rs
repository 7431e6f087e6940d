//! What a store and a frontend of the Patient Care Service must do, as tests that anyone can run.

pub mod http;
