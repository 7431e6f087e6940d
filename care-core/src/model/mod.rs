//! Records and the value types they are made of; a value of these types is valid by construction.

mod invalid;
mod patch;

pub use invalid::Invalid;
pub use patch::Patch;
