//! The frontend over real sockets: what is sent reaches the service as it is, and the service's answer reaches the
//! client as it is. The other frontend shares all of these tests but those about the host.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bodies;
mod framing;
mod gate;
mod hosting;
mod paths;
mod request;
mod server;
#[allow(dead_code, reason = "tests of several crates use it, each a part")]
mod wire;
mod world;
