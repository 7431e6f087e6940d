//! The demo clinic: its year, and what its stock advises.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod clinic;
mod stock;
