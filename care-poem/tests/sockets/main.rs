//! The frontend over real sockets: requests reach the service unchanged, and its answers reach the client unchanged.
//! The tests are those of the other frontend, except the ones about the host.

#![allow(clippy::unwrap_used, reason = "a failing `unwrap` fails the test")]

mod hosting;
mod server;

#[path = "../../../care-rocket/tests/sockets/bodies.rs"]
mod bodies;
#[path = "../../../care-rocket/tests/sockets/framing.rs"]
mod framing;
#[path = "../../../care-rocket/tests/sockets/gate.rs"]
mod gate;
#[path = "../../../care-rocket/tests/sockets/unread.rs"]
mod unread;
#[path = "../../../care-rocket/tests/sockets/world.rs"]
mod world;
