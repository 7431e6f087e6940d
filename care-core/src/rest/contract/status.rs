//! The status of each refusal of the domain, which no other file names.

use http::StatusCode;

use crate::error::{Error, StoreErrorKind};

/// Returns the status of a refusal.
pub(crate) const fn status(error: &Error) -> StatusCode {
    match error {
        Error::Invalid(_) => StatusCode::UNPROCESSABLE_ENTITY,
        Error::NotFound(_) => StatusCode::NOT_FOUND,
        Error::Stale(_) => StatusCode::PRECONDITION_FAILED,
        Error::Conflict(_) => StatusCode::CONFLICT,
        Error::Store(error) => match error.kind() {
            StoreErrorKind::Busy | StoreErrorKind::Excessive | StoreErrorKind::Stopped => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            StoreErrorKind::Full => StatusCode::INSUFFICIENT_STORAGE,
            StoreErrorKind::Unknown | StoreErrorKind::Unsupported | StoreErrorKind::Broken => {
                StatusCode::INTERNAL_SERVER_ERROR
            }
        },
    }
}
