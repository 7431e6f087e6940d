//! The server at the other end of every connection, and how it is reached.

use std::{
    future::poll_fn,
    path::PathBuf,
    sync::{Arc, OnceLock},
};

use care_core::model::Visible;
use percent_encoding::percent_decode_str;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_postgres::{
    AsyncMessage, Config, Connection, NoTls, Socket,
    config::{Host, SslMode},
    error::Severity,
    tls::MakeTlsConnect,
};

use super::session::Session;
use crate::base::{
    error::{Fault, is_severe},
    figures::Figures,
    open_error::{OpenError, OpenErrorKind},
    settings::Settings,
};

/// The server, and how it is reached.
#[derive(Debug, Clone)]
pub(crate) struct Endpoint {
    config: Config,
    is_pooled: bool,
    figures: Arc<Figures>,
    /// The schema that every connection is held to, once it is known.
    schema: OnceLock<String>,
    #[cfg(feature = "tls")]
    tls: Option<super::tls::Tls>,
}

impl Endpoint {
    /// Takes the library's form of an address, and the store's own parameters of it.
    #[cfg(feature = "tls")]
    pub(crate) fn new(config: Config, address: &Address, figures: Arc<Figures>) -> Result<Self, OpenError> {
        let tls = match is_remote(&config) && config.get_ssl_mode() != SslMode::Disable {
            true => {
                let is_required = config.get_ssl_mode() == SslMode::Require;
                Some(super::tls::Tls::trusting(address.roots.as_deref(), is_required)?)
            }
            false if config.get_ssl_mode() == SslMode::Require => return Err(OpenErrorKind::Tls.into()),
            false => None,
        };
        Ok(Self { config, is_pooled: address.is_pooled, figures, schema: OnceLock::new(), tls })
    }

    /// Takes the library's form of an address, and the store's own parameters of it. Refuses one that asks for TLS.
    #[cfg(not(feature = "tls"))]
    pub(crate) fn new(config: Config, address: &Address, figures: Arc<Figures>) -> Result<Self, OpenError> {
        match config.get_ssl_mode() == SslMode::Require || (is_remote(&config) && address.roots.is_some()) {
            true => Err(OpenErrorKind::WithoutTls.into()),
            false => Ok(Self { config, is_pooled: address.is_pooled, figures, schema: OnceLock::new() }),
        }
    }

    /// Holds every later connection to this schema, once and for good.
    pub(crate) fn pin(&self, schema: &str) {
        self.schema.get_or_init(|| schema.to_owned());
    }

    /// Returns the schema that connections are held to, once it is known.
    pub(crate) fn schema(&self) -> Option<&str> {
        self.schema.get().map(String::as_str)
    }

    /// Returns the settings of a connection, with the schema that it is held to.
    pub(crate) fn pinned(&self, settings: &Settings) -> Settings {
        match self.schema() {
            Some(schema) => settings.clone().within(schema),
            None => settings.clone(),
        }
    }

    /// Opens a connection under these settings. Call it in a runtime, which then drives the connection.
    pub(crate) async fn connect(&self, settings: &Settings) -> Result<Session, Fault> {
        let settings = &self.pinned(settings);
        #[cfg(feature = "tls")]
        if let Some(tls) = &self.tls {
            return self.connect_by(tls.clone(), settings).await;
        }
        self.connect_by(NoTls, settings).await
    }

    async fn connect_by<T>(&self, tls: T, settings: &Settings) -> Result<Session, Fault>
    where
        T: MakeTlsConnect<Socket>,
        T::Stream: Send + 'static,
    {
        let (client, connection) = self.config.connect(tls).await?;
        tokio::spawn(drive(connection, Arc::clone(&self.figures)));
        Session::begin(client, settings, self.is_pooled).await
    }
}

/// Returns whether a host is reached over the network. Over sockets there is no TLS.
pub(crate) fn is_remote(config: &Config) -> bool {
    let is_tcp = |host: &Host| matches!(host, Host::Tcp(_));
    config.get_hosts().iter().any(is_tcp) || !config.get_hostaddrs().is_empty()
}

/// Drives a connection to its end, and logs the warnings that arrive on it. Nothing relies on them: a setting can hide
/// them.
async fn drive<S>(mut connection: Connection<Socket, S>, figures: Arc<Figures>)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    loop {
        match poll_fn(|context| connection.poll_message(context)).await {
            Some(Ok(AsyncMessage::Notice(notice))) if is_severe(&notice, &[Severity::Warning]) => {
                tracing::warn!(code = notice.code().code(), "PostgreSQL warns: {}", Visible(notice.message()));
            }
            Some(Ok(_)) => {}
            Some(Err(error)) => {
                tracing::debug!(%error, "a connection to PostgreSQL has ended");
                figures.lost_connection();
                return;
            }
            None => return,
        }
    }
}

/// The name of the parameter that says what kind of pooler is in between.
const POOLER: &str = "pooler";
/// The name of the parameter that says over which connections a password may go.
const AUTH: &str = "auth";
/// The name of the parameter with the file of trusted certificates.
const ROOTS: &str = "sslrootcert";

/// An address of a database, taken apart.
#[derive(Debug)]
pub(crate) struct Address {
    /// The part that the library understands.
    pub(crate) known: String,
    /// Whether transactions pass through a pooler that gives each the connection that is free.
    pub(crate) is_pooled: bool,
    /// Whether a password may go over a connection that an attacker can listen to, or answer.
    pub(crate) is_plain: bool,
    /// The file of certificates to trust instead of the system's.
    pub(crate) roots: Option<PathBuf>,
}

impl Address {
    /// Takes the store's own parameters out of a URL.
    pub(crate) fn parse(address: &str) -> Result<Self, OpenErrorKind> {
        let mut parsed = Self { known: address.to_owned(), is_pooled: false, is_plain: false, roots: None };
        let Some((place, parameters)) = address.split_once('?').filter(|_| address.contains("://")) else {
            return Ok(parsed);
        };
        let mut others = Vec::new();
        for parameter in parameters.split('&') {
            match parameter.split_once('=') {
                Some((POOLER, "transaction")) => parsed.is_pooled = true,
                Some((POOLER, "session")) => parsed.is_pooled = false,
                Some((POOLER, _)) => return Err(OpenErrorKind::Address),
                Some((AUTH, "plain")) => parsed.is_plain = true,
                Some((AUTH, "tls")) => parsed.is_plain = false,
                Some((AUTH, _)) => return Err(OpenErrorKind::Address),
                Some((ROOTS, path)) => {
                    let path = percent_decode_str(path).decode_utf8().map_err(|_| OpenErrorKind::Address)?;
                    parsed.roots = Some(path.into_owned().into());
                }
                _ => others.push(parameter),
            }
        }
        parsed.known = match others.as_slice() {
            [] => place.to_owned(),
            others => format!("{place}?{}", others.join("&")),
        };
        Ok(parsed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_parameters_are_taken_out() {
        let address = "postgres://db/care?pooler=transaction&auth=plain&sslmode=require&sslrootcert=%2Fetc%2Froot.pem";
        let parsed = Address::parse(address).unwrap();
        assert_eq!(parsed.known, "postgres://db/care?sslmode=require");
        assert!(parsed.is_pooled && parsed.is_plain);
        assert_eq!(parsed.roots, Some("/etc/root.pem".into()));
        assert_eq!(Address::parse("postgres://db/care?pooler=session").unwrap().known, "postgres://db/care");
        for same in ["postgres://db/care", "postgres://db/care?host=/run", "host=/run dbname=care"] {
            assert_eq!(Address::parse(same).unwrap().known, same);
        }
    }

    #[test]
    fn an_unknown_value_is_refused() {
        for address in ["postgres://db/care?pooler=statement", "postgres://db/care?auth=md5"] {
            assert_eq!(Address::parse(address).unwrap_err(), OpenErrorKind::Address);
        }
    }
}
