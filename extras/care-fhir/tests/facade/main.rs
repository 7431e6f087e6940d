//! The facade through the gate, in process.

#![allow(clippy::unwrap_used, reason = "a failing `unwrap` fails the test")]

mod allergies;
mod clinic;
mod erased;
mod everything;
mod gate;
mod history;
mod search;
mod statement;
mod work;
