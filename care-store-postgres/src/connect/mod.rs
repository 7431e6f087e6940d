//! The way to the database: its address, sessions with their settings, and the opening of its schema.
//!
//! [`wire`] drives every socket, [`session`] sends statements, [`pool`] lends the connections that read. Before a store
//! is made, [`opening`] finds or makes the [`schema`], asks whether commits reach a standby ([`synchronous`]), and says
//! for whom it waits ([`waiting`]).

pub(crate) mod endpoint;
pub(crate) mod holders;
pub(crate) mod opening;
pub(crate) mod password;
pub(crate) mod pool;
pub(crate) mod schema;
pub(crate) mod session;
pub(crate) mod signals;
pub(crate) mod strangers;
pub(crate) mod synchronous;
#[cfg(feature = "tls")]
pub(crate) mod tls;
pub(crate) mod waiting;
pub(crate) mod wire;
