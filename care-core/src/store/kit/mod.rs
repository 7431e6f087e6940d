//! Parts that stores share: rows and statements for those with tables, the queue, the turn and the figures of those
//! with one writer.
//!
//! The service knows nothing of this room. A store uses what helps it.

pub(crate) mod figures;
pub mod find;
pub(crate) mod inside;
pub mod queue;
pub mod rows;
pub mod sql;
pub(crate) mod turn;
