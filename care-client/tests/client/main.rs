//! The client against a server over sockets.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod cutter;
mod every_operation;
mod repeating;
mod secrets;
mod world;
