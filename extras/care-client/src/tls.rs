//! TLS by rustls with ring. Trusts the certificates that the system trusts.

use std::error::Error;

use reqwest::ClientBuilder;

/// Sets how connections are encrypted. Without TLS no certificate is looked for.
///
/// # Errors
/// The system's certificates cannot be used.
#[cfg(feature = "tls")]
pub(crate) fn settled(
    client: ClientBuilder,
    is_encrypted: bool,
) -> Result<ClientBuilder, Box<dyn Error + Send + Sync>> {
    use std::sync::Arc;

    use rustls::{ClientConfig, RootCertStore, crypto::ring};
    use rustls_platform_verifier::BuilderVerifierExt as _;

    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config = config.with_safe_default_protocol_versions()?;
    let config = match is_encrypted {
        true => config.with_platform_verifier()?,
        false => config.with_root_certificates(RootCertStore::empty()),
    };
    Ok(client.tls_backend_preconfigured(config.with_no_client_auth()))
}

/// Refuses TLS, which this build cannot speak.
///
/// # Errors
/// An address that needs TLS.
#[cfg(not(feature = "tls"))]
pub(crate) fn settled(
    client: ClientBuilder,
    is_encrypted: bool,
) -> Result<ClientBuilder, Box<dyn Error + Send + Sync>> {
    if is_encrypted { Err("an https:// address needs the feature tls of care-client".into()) } else { Ok(client) }
}
