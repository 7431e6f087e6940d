//! The vocabulary of HTTP: paths, media types, negotiation, entity tags, request ids and traces. It knows no record.

pub(crate) mod etag;
pub(crate) mod media;
pub(crate) mod negotiate;
pub(crate) mod path;
pub(crate) mod request_id;
pub(crate) mod trace;
