//! The way to the database: its address, its sessions and their settings, and opening its schema.
//!
//! [`wire`] drives every socket, [`session`] sends statements, and [`pool`] lends out the connections that read. To
//! open a store, [`opening`] finds or creates the [`schema`], checks whether commits reach a standby ([`synchronous`]),
//! and logs what it waits for ([`waiting`]).

pub(crate) mod endpoint;
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
