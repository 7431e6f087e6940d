//! The part of the servers that does not depend on the framework, and the tasks of `care-admin`.
//!
//! `care-server` is the service in Poem, and `care-server-rocket` is the same program in Rocket. They take the same
//! [`Options`], each of which can also be set by an environment variable, and they give the same answers.
//!
//! A server prints `listening on http://ADDRESS/BASE` to standard output as soon as it answers requests. If the server
//! generated a key, the line `api key: KEY` follows. On a terminal, or with [`--demo`](Options::demo), a few `curl`
//! commands follow. Everything else goes to standard error: the address of the console if there is one, the log (see
//! [`LogFormat`] and [`RequestLog`]; `RUST_LOG` sets its level), or one sentence that says why the server did not
//! start.

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod admin;
pub mod chart;
mod database;
pub mod demo;
mod files;
mod logs;
mod options;
#[cfg(feature = "poem")]
pub mod poem_server;
#[cfg(feature = "rocket")]
pub mod rocket_server;
mod serve;
mod start_error;

pub use database::DatabaseAddress;
pub use files::{InputFile, OutputFile};
pub use logs::{LogFormat, RequestLog};
pub use options::{Options, unshown};
pub use serve::host::{Host, run};
pub use serve::stop::Stop;
pub use start_error::StartError;

/// The version that the programs print, with the commit they are built from if the build knew it.
const VERSION: &str = env!("CARE_VERSION");

// The tests compile the code in the README.
#[cfg(all(doctest, feature = "poem", feature = "rocket"))]
#[doc = include_str!("../../../README.md")]
struct Readme;
