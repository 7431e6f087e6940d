//! The frontend over real sockets: requests reach the service unchanged, and its answers reach the client unchanged.
//! The other frontend shares all of these tests except those about the host.

#![allow(clippy::unwrap_used, reason = "a failing `unwrap` fails the test")]

mod bodies;
mod framing;
mod gate;
mod hosting;
mod server;
mod unread;
mod world;
