//! The HTTP suite: tests that a frontend serves the contract.
//!
//! The cases are text files in `cases/`, meant to be read beside `docs/contract.md`; [`format`](mod@format) describes
//! them. Each case has a small [`World`] of its own and runs against a [`Target`]: in process ([`InProcess`]), or
//! over a socket that a frontend of yours listens on. [`http_suite!`](crate::http_suite) makes one `#[test]` of every
//! file:
//!
//! ```
//! use care_conformance::http::InProcess;
//!
//! care_conformance::http_suite!(InProcess);
//! ```
//!
//! A frontend joins the suite by saying how it is started and stopped:
//!
//! ```no_run
//! use care_conformance::http::{RunningTarget, Target};
//! use care_core::rest::Api;
//! # struct Guard;
//! # fn serve(_: std::net::TcpListener, _: Api) -> Guard { Guard }
//!
//! struct MyFrontend;
//!
//! impl Target for MyFrontend {
//!     fn start(&self, api: Api) -> RunningTarget {
//!         let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
//!         let address = listener.local_addr().expect("an address");
//!         // Dropping the guard stops the server.
//!         RunningTarget::at(address, serve(listener, api))
//!     }
//! }
//!
//! care_conformance::http_suite!(MyFrontend);
//! ```
//!
//! # Rules for every answer
//! Besides the expectations of its case, every answer under the base path is checked against the rules of the contract
//! for all answers: the headers that each one carries, a problem document for every error, the right root element in
//! XML, no `null`, and an unchanged journal after an answer other than a success. Every `GET` is repeated as a `HEAD`.
//! After each case the records and the journal are [audited](care_core::audit).

mod client;
mod fixture;
pub mod hostile;
mod judge;
pub mod parity;
pub mod races;
mod run;
mod suite;
mod target;
mod text;
mod world;

pub use suite::{cases, files, prove};
pub use target::{InProcess, RunningTarget, Target};
pub use text::{case::Case, format};
pub use world::{EPOCH, Setting, World};
