//! The ground of the store: errors, connections with their settings, the tables as rows and statements, and the state
//! that the threads of one store share.
//!
//! Nothing here decides when to read or to write. A module that names a path, a lock or a draft belongs in
//! [`file`](crate::file); one that answers a question, in [`read`](crate::read).

pub(crate) mod cells;
pub(crate) mod connect;
pub(crate) mod error;
pub(crate) mod figures;
pub(crate) mod journal;
pub(crate) mod log;
pub(crate) mod open_error;
pub(crate) mod packed;
pub(crate) mod records;
pub(crate) mod signals;
pub(crate) mod skip_pointers;
pub(crate) mod statements;
