//! The answer to an open outcome.

use care_core::error::{StoreError, StoreErrorKind};

/// The end of a transaction whose outcome was open, as far as it was found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resolved {
    Happened,
    DidNot,
    Unknown,
}

impl From<Resolved> for Result<(), StoreError> {
    fn from(resolved: Resolved) -> Self {
        match resolved {
            Resolved::Happened => Ok(()),
            Resolved::DidNot => Err(StoreErrorKind::Busy.into()),
            Resolved::Unknown => Err(StoreErrorKind::Unknown.into()),
        }
    }
}
