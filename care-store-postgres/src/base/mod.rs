//! The ground of the store: errors, the tables as rows and statements, the settings that a connection works under, and
//! the figures of the embedding program.
//!
//! Nothing here has a connection. A module that needs one belongs in [`connect`](crate::connect) or behind it.

pub(crate) mod blocking;
pub(crate) mod error;
pub(crate) mod figures;
pub(crate) mod open_error;
pub(crate) mod records;
pub(crate) mod settings;
