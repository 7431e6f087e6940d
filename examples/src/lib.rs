//! What the example servers share: everything but the framework; and what `care-admin` does.
//!
//! `rocket-server` and `poem-server` are the same program with the service mounted in the one or
//! the other framework. They take the same [`Options`], each of which can also be given as an
//! environment variable, and they answer alike.
//!
//! On standard output a server says `listening on http://ADDRESS/BASE` as soon as it answers
//! requests. A line `api key: KEY` follows when it made up a key, and a few `curl` commands when
//! somebody looks (a terminal, or [`--demo`](Options::demo)). Everything else goes to standard
//! error: the address of the console where there is one, the log (`RUST_LOG` says how much of it), or the one sentence that says why the server
//! did not start.

pub mod admin;
mod banner;
pub mod demo;
mod host;
mod logs;
mod open_files;
mod options;
#[cfg(feature = "poem")]
pub mod poem_server;
#[cfg(feature = "rocket")]
pub mod rocket_server;
mod site;
mod start_error;
mod stop;

pub use host::{Host, run};
pub use options::Options;
pub use start_error::StartError;
pub use stop::Stop;

// The code in the README is compiled with the tests.
#[cfg(all(doctest, feature = "poem", feature = "rocket"))]
#[doc = include_str!("../../README.md")]
struct Readme;
