//! The database server, and how to reach it.

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

/// The server that every connection leads to, and how to reach it.
#[derive(Debug, Clone)]
pub(crate) struct Endpoint {
    config: Config,
    is_pooled: bool,
    figures: Arc<Figures>,
    /// The schema that every connection is pinned to, once it is known.
    schema: OnceLock<String>,
    #[cfg(feature = "tls")]
    tls: Option<super::tls::Tls>,
}

impl Endpoint {
    /// Takes the parsed address, and the parameters of it that only this store knows.
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

    /// Takes the parsed address, and the parameters of it that only this store knows. Refuses an address that asks for
    /// TLS.
    #[cfg(not(feature = "tls"))]
    pub(crate) fn new(config: Config, address: &Address, figures: Arc<Figures>) -> Result<Self, OpenError> {
        match config.get_ssl_mode() == SslMode::Require || (is_remote(&config) && address.roots.is_some()) {
            true => Err(OpenErrorKind::WithoutTls.into()),
            false => Ok(Self { config, is_pooled: address.is_pooled, figures, schema: OnceLock::new() }),
        }
    }

    /// Pins every later connection to this schema. The first call counts.
    pub(crate) fn pin(&self, schema: &str) {
        self.schema.get_or_init(|| schema.to_owned());
    }

    /// Returns the schema that connections are pinned to, once it is known.
    pub(crate) fn schema(&self) -> Option<&str> {
        self.schema.get().map(String::as_str)
    }

    /// Returns these settings, with the schema that connections are pinned to.
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

/// Returns whether a host is reached over the network, where TLS is possible, rather than over a socket.
pub(crate) fn is_remote(config: &Config) -> bool {
    let is_tcp = |host: &Host| matches!(host, Host::Tcp(_));
    config.get_hosts().iter().any(is_tcp) || !config.get_hostaddrs().is_empty()
}

/// Drives a connection until it ends, and logs the warnings that arrive on it. Nothing depends on those warnings,
/// because a setting can hide them.
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

/// The URL parameter that names the pooler's mode.
const POOLER: &str = "pooler";
/// The URL parameter that says over which connections a password may be sent.
const AUTH: &str = "auth";
/// The URL parameter that names the file of root certificates.
const ROOTS: &str = "sslrootcert";

/// A database address, split into the library's part and ours.
#[derive(Debug)]
pub(crate) struct Address {
    /// The part that tokio-postgres understands.
    pub(crate) known: String,
    /// Whether connections pass through a pooler that may give each transaction a different server connection.
    pub(crate) is_pooled: bool,
    /// Whether a password may be sent over a connection that an attacker could listen to or impersonate.
    pub(crate) is_plain: bool,
    /// The file of root certificates to trust instead of the system's.
    pub(crate) roots: Option<PathBuf>,
}

impl Address {
    /// Splits the store's own parameters off a URL.
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
