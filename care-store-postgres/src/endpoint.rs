//! The server at the other end of every connection, and how it is reached.

use std::{
    future::poll_fn,
    sync::{Arc, OnceLock},
};

use care_core::model::Visible;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_postgres::{
    AsyncMessage, Config, Connection, NoTls, Socket,
    config::{Host, SslMode},
    error::Severity,
    tls::MakeTlsConnect,
};

use crate::{
    address::Address,
    error::{Fault, is_severe},
    figures::Figures,
    open_error::{OpenError, OpenErrorKind},
    session::Session,
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
    tls: Option<crate::tls::Tls>,
}

impl Endpoint {
    /// Takes the library's form of an address, and the store's own parameters of it.
    #[cfg(feature = "tls")]
    pub(crate) fn new(config: Config, address: &Address, figures: Arc<Figures>) -> Result<Self, OpenError> {
        let tls = match is_remote(&config) && config.get_ssl_mode() != SslMode::Disable {
            true => {
                let is_required = config.get_ssl_mode() == SslMode::Require;
                Some(crate::tls::Tls::trusting(address.roots.as_deref(), is_required)?)
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
