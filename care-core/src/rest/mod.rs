//! The contract over HTTP, framework-free.
//!
//! [`Api`] answers requests of the `http` crate; a web framework only has to move bytes between its own types and
//! [`Api::begin`]. [`Operation`] is the only list of operations.
//!
//! It has seven rooms, each of which may use those before it and none after: `http` is the vocabulary of HTTP, `fair`
//! the rule by which clients wait for each other, `body` reads and writes documents, `contract` is the contract as
//! data, `operations` calls the use cases, `openapi` describes the contract, and `gate` leads a request from its head
//! to its answer.

mod body;
mod contract;
mod fair;
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
pub use gate::service::ApiService;
pub use gate::{
    HeadOutcome, Pending,
    files::{File, Files},
    run::BodyOutcome,
    settings::{Api, BadBasePath, BadOrigin, BadPublicUrl, BadScheme},
    throttle::{Peer, Throttle},
};

// The code of `derive(Record)` and `derive(Filter)` names these.
pub(crate) use body::form::{Form, FromForm, Most};
pub(crate) use contract::input::named;
pub(crate) use operations::query::{Parameters, Queried};

pub use self::http::{cursor::CursorMark, etag::names_tag, media_type::MediaForm};
pub use crate::operation::{Effect, Input, Nature, Operation, Segment};
