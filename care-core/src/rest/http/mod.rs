//! The vocabulary of HTTP: paths, media types, negotiation, origins, entity tags and request ids. This room knows no
//! records.

pub(crate) mod cursor;
pub(crate) mod etag;
pub(crate) mod lines;
pub(crate) mod media;
pub(crate) mod media_type;
pub(crate) mod negotiate;
pub(crate) mod origin;
pub(crate) mod path;
pub(crate) mod request_id;
pub(crate) mod trace;
