//! The contract over HTTP, framework-free.
//!
//! [`Api`] answers requests of the `http` crate; a web framework only has to move bytes between its own types and
//! [`Api::begin`]. [`Operation`] is the only list of operations.
//!
//! | your framework has | use | who sends `Content-Length` |
//! |---|---|---|
//! | Poem 3, Rocket 0.5 | the crates `care-poem` and `care-rocket` | the framework |
//! | tower services, such as axum | `ApiService`, feature `tower` | the framework, from the body's size |
//! | requests of `http` with the body in memory | [`Api::handle`] | the host; the body is whole |
//! | a body that the host reads itself | [`Api::answer`] | the framework; for a `HEAD` the answer has it |
//! | head and body in different places | [`Api::begin`], then [`Pending::finish`] | as with [`Api::answer`] |
//!
//! It has seven rooms, each of which may use those before it and none after: `http` is the vocabulary of HTTP,
//! `admission` decides which client waits for which, `body` reads and writes documents, `contract` is the contract as
//! data, `operations` calls the use cases, `openapi` describes the contract, and `gate` leads a request from its head
//! to its answer.

mod admission;
mod body;
mod contract;
mod gate;
mod http;
#[cfg(feature = "openapi")]
pub(crate) mod openapi;
mod operations;

pub use contract::{
    facade::{Facade, FacadeAnswer, FacadeRequest, Load, Plan, Refusal, pass},
    limits::Limits,
};
#[cfg(feature = "tower")]
pub use gate::service::{AnswerBody, ApiService};
pub use gate::{
    HeadOutcome, Pending,
    bodies::BodyPermit,
    files::{File, Files},
    run::BodyOutcome,
    settings::{Api, BadBasePath, BadOrigin, BadPublicUrl, BadScheme},
    throttle::{Peer, Throttle},
};

// The code of `derive(Record)` and `derive(Filter)` names these.
pub(crate) use body::form::{Form, FromForm, Most};
pub(crate) use contract::input::{Body, named};
pub(crate) use operations::{
    query::{Parameters, Queried},
    shown::{Shown, numbered},
};

pub use self::http::{cursor::CursorMark, etag::names_tag, list::list_members, media_type::MediaForm};
pub use crate::operation::{Effect, Input, Nature, Operation, Segment};
