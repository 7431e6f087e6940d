//! TLS by rustls with ring. Trusts the certificates that the system trusts.

use std::sync::Arc;

use rustls::{ClientConfig, crypto::ring};
use rustls_platform_verifier::BuilderVerifierExt as _;

/// Returns the TLS settings of a connection.
///
/// # Errors
/// The system's certificates cannot be used.
pub(crate) fn config() -> Result<ClientConfig, rustls::Error> {
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    Ok(config.with_safe_default_protocol_versions()?.with_platform_verifier()?.with_no_client_auth())
}
