//! The relay as a process and as a library, between a real service and receivers of all kinds.

#![allow(clippy::unwrap_used, reason = "a failing `unwrap` fails the test")]

mod addresses;
mod clocks;
mod commands;
mod delivery;
mod documented;
mod leaks;
mod pasts;
mod process;
mod receiver;
mod trouble;
mod world;
