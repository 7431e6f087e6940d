//! The client against a server over sockets.
#![allow(clippy::unwrap_used, reason = "a failing `unwrap` fails the test")]

mod addresses;
mod cutter;
mod every_operation;
mod polling;
mod repeating;
mod secrets;
mod world;
