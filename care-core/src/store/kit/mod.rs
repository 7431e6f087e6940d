//! Parts that stores share: rows for those with tables, the turn and the figures of those with one writer.
//!
//! The service knows nothing of this room. A store uses what helps it.

pub(crate) mod figures;
pub mod find;
pub mod rows;
pub mod sql;
pub(crate) mod turn;
