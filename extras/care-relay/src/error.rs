//! The errors of the relay.

use std::{error::Error, iter};

use care_core::model::Visible;

use crate::{state::StateError, target::BadTarget, tls::BadCertificates};

/// The reason why the relay cannot do what it is told. It shows no URL and no secret.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RelayError {
    /// The state file cannot be used.
    #[error("the state")]
    State(#[from] StateError),
    /// An endpoint's URL is refused.
    #[error(transparent)]
    Target(#[from] BadTarget),
    /// The certificates to trust cannot be used.
    #[error(transparent)]
    Certificates(#[from] BadCertificates),
    /// The proxy's URL is not understood.
    #[error("the proxy's URL is not understood")]
    Proxy,
}

impl RelayError {
    /// Returns the error and its causes in one line.
    pub fn sentence(&self) -> String {
        let causes = iter::successors(self.source(), |&cause| cause.source());
        let said = causes.fold(self.to_string(), |said, cause| format!("{said}: {cause}"));
        Visible(&said).to_string()
    }
}
