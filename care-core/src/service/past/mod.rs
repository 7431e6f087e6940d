//! The journal as readers see it: earlier versions, commits as they happen, and the reads that it notes.

pub(crate) mod feed;
pub(crate) mod versions;
