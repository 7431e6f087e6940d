//! The foundation of the store: errors, records as rows and statements, connection settings, and metrics.
//!
//! Nothing here has a connection. A module that needs one belongs in [`connect`](crate::connect) or after it.

pub(crate) mod blocking;
pub(crate) mod cells;
pub(crate) mod error;
pub(crate) mod figures;
pub(crate) mod open_error;
pub(crate) mod settings;
pub(crate) mod statements;
