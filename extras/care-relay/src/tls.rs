//! TLS by rustls with ring, 1.2 and newer.

use std::sync::{Arc, Mutex, PoisonError};

use rustls::{
    ClientConfig, ConfigBuilder, RootCertStore, WantsVerifier,
    client::WantsClientCert,
    crypto::ring,
    pki_types::{CertificateDer, pem::PemObject as _},
};
use rustls_platform_verifier::BuilderVerifierExt as _;

/// The certificates that the system trusts, read once for all endpoints.
#[derive(Debug, Default)]
pub(crate) struct Certificates(Mutex<Option<ClientConfig>>);

/// The reason why certificates cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BadCertificates {
    /// The file holds no certificate in PEM.
    #[error("the CA file holds no certificate in PEM")]
    None,
    /// The system's certificates, or those of the file, cannot be used.
    #[error("the certificates to trust cannot be used")]
    Unusable(#[from] rustls::Error),
}

impl Certificates {
    /// Returns TLS settings that trust what the system trusts.
    pub(crate) fn of_the_system(&self) -> Result<ClientConfig, BadCertificates> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(config) = &*known {
            return Ok(config.clone());
        }
        let config = finished(builder()?.with_platform_verifier()?);
        Ok(known.insert(config).clone())
    }
}

/// Returns TLS settings that trust these certificates in PEM, and no others.
pub(crate) fn only(pem: &str) -> Result<ClientConfig, BadCertificates> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem.as_bytes()) {
        roots.add(certificate.map_err(|_| BadCertificates::None)?)?;
    }
    match roots.is_empty() {
        true => Err(BadCertificates::None),
        false => Ok(finished(builder()?.with_root_certificates(roots))),
    }
}

/// Returns TLS settings for connections that are not encrypted: they trust nothing.
pub(crate) fn nothing() -> Result<ClientConfig, BadCertificates> {
    Ok(finished(builder()?.with_root_certificates(RootCertStore::empty())))
}

fn builder() -> Result<ConfigBuilder<ClientConfig, WantsVerifier>, rustls::Error> {
    ClientConfig::builder_with_provider(Arc::new(ring::default_provider())).with_safe_default_protocol_versions()
}

fn finished(builder: ConfigBuilder<ClientConfig, WantsClientCert>) -> ClientConfig {
    builder.with_no_client_auth()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_a_certificate_is_refused() {
        for pem in ["", "certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
            assert!(only(pem).is_err(), "{pem}");
        }
        assert!(nothing().is_ok());
    }
}
