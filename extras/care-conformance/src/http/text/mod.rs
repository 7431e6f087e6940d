//! The cases as text: their format, and the requests that it describes.

pub(crate) mod case;
pub mod format;
pub(crate) mod pattern;
pub(crate) mod request;
pub(crate) mod twin;
