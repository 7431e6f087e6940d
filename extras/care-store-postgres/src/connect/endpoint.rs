//! The database server, and how to reach it.

use std::{
    future::{pending, poll_fn},
    path::PathBuf,
    pin::pin,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use care_core::model::Visible;
use futures_util::{
    StreamExt,
    future::{Either, select},
    stream::FuturesUnordered,
};
use percent_encoding::percent_decode_str;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_postgres::{
    AsyncMessage, Config, Connection, NoTls, Socket,
    config::{Host, SslMode},
    error::Severity,
    tls::MakeTlsConnect,
};

use super::session::{Session, SessionOptions};
use crate::base::{
    error::{Fault, is_severe},
    figures::Figures,
    open_error::{OpenError, OpenErrorKind},
    settings::Settings,
};

/// Time for which one host may stay silent before the next one is tried beside it.
const SILENT: Duration = Duration::from_millis(250);

/// The server that every connection leads to, and how to reach it.
#[derive(Debug)]
pub(crate) struct Endpoint {
    /// The same address for each of its hosts, which are tried in this order. At most one accepts writes.
    hosts: Vec<Config>,
    /// The place of the host that was reached last. It is tried first.
    last: AtomicUsize,
    session: SessionOptions,
    figures: Arc<Figures>,
    /// The schema that every connection is pinned to, once it is known.
    schema: OnceLock<String>,
    #[cfg(feature = "tls")]
    tls: Option<super::tls::Tls>,
}

impl Endpoint {
    /// Takes the parsed address, and the parameters of it that only this store knows. Without the feature `tls` it
    /// refuses an address that asks for TLS.
    pub(crate) fn new(config: Config, address: &Address, figures: Arc<Figures>) -> Result<Self, OpenError> {
        let is_required = config.get_ssl_mode() == SslMode::Require;
        #[cfg(feature = "tls")]
        let tls = match is_remote(&config) && config.get_ssl_mode() != SslMode::Disable {
            true => Some(super::tls::Tls::trusting(address.roots.as_deref(), is_required)?),
            false if is_required => return Err(OpenErrorKind::Tls.into()),
            false => None,
        };
        #[cfg(not(feature = "tls"))]
        if is_required || (is_remote(&config) && address.roots.is_some()) {
            return Err(OpenErrorKind::WithoutTls.into());
        }
        Ok(Self {
            hosts: hosts(&config),
            last: AtomicUsize::new(0),
            session: address.session,
            figures,
            schema: OnceLock::new(),
            #[cfg(feature = "tls")]
            tls,
        })
    }

    /// Pins every later connection to this schema. The first call counts.
    pub(crate) fn pin(&self, schema: &str) {
        self.schema.get_or_init(|| schema.to_owned());
    }

    /// Returns whether the address names a search path in its options.
    pub(crate) fn names_a_path(&self) -> bool {
        let named = |options: &str| options.replace('-', "_").to_ascii_lowercase().contains("search_path");
        self.hosts.iter().filter_map(Config::get_options).any(named)
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
    ///
    /// A host that refuses makes way for the next one at once, and one that stays silent is tried beside the next one:
    /// a machine that hangs still accepts connections. The first host that answers well is taken.
    pub(crate) async fn connect(&self, settings: &Settings) -> Result<Session, Fault> {
        let settings = &self.pinned(settings);
        let first = self.last.load(Ordering::Relaxed);
        let mut left = (0..self.hosts.len()).map(|place| (first + place) % self.hosts.len());
        let mut tried = FuturesUnordered::new();
        let mut refused = Fault::NoConnection;
        loop {
            match left.next() {
                Some(place) => tried.push(async move { (place, self.connect_to(&self.hosts[place], settings).await) }),
                None if tried.is_empty() => return Err(refused),
                None => {}
            }
            let silence = async {
                match left.len() {
                    0 => pending().await,
                    _ => tokio::time::sleep(SILENT).await,
                }
            };
            match select(tried.next(), pin!(silence)).await {
                Either::Left((Some((place, Ok(session))), _)) => {
                    self.last.store(place, Ordering::Relaxed);
                    return Ok(session);
                }
                Either::Left((Some((_, Err(fault))), _)) => refused = fault,
                Either::Left((None, _)) | Either::Right(_) => {}
            }
        }
    }

    async fn connect_to(&self, host: &Config, settings: &Settings) -> Result<Session, Fault> {
        #[cfg(feature = "tls")]
        if let Some(tls) = &self.tls {
            return self.connect_by(host, tls.clone(), settings).await;
        }
        self.connect_by(host, NoTls, settings).await
    }

    async fn connect_by<T>(&self, host: &Config, tls: T, settings: &Settings) -> Result<Session, Fault>
    where
        T: MakeTlsConnect<Socket>,
        T::Stream: Send + 'static,
    {
        let (client, connection) = host.connect(tls).await?;
        let driver = tokio::spawn(drive(connection, Arc::clone(&self.figures)));
        Session::begin(client, driver.abort_handle(), settings, self.session).await
    }
}

/// Returns the same address for each of its hosts.
fn hosts(config: &Config) -> Vec<Config> {
    let count = config.get_hosts().len().max(config.get_hostaddrs().len());
    (0..count).map(|place| only(config, place)).collect()
}

/// Returns the address with only the host at this place.
fn only(config: &Config, place: usize) -> Config {
    let mut one = Config::new();
    config.get_hosts().get(place).map(|host| match host {
        Host::Tcp(host) => one.host(host),
        Host::Unix(path) => one.host_path(path),
    });
    config.get_hostaddrs().get(place).map(|address| one.hostaddr(*address));
    config.get_ports().get(place).or(config.get_ports().first()).map(|port| one.port(*port));
    config.get_user().map(|user| one.user(user));
    config.get_password().map(|password| one.password(password));
    config.get_dbname().map(|name| one.dbname(name));
    config.get_options().map(|options| one.options(options));
    config.get_application_name().map(|name| one.application_name(name));
    config.get_connect_timeout().map(|limit| one.connect_timeout(*limit));
    config.get_tcp_user_timeout().map(|limit| one.tcp_user_timeout(*limit));
    config.get_keepalives_interval().map(|time| one.keepalives_interval(time));
    config.get_keepalives_retries().map(|count| one.keepalives_retries(count));
    one.keepalives(config.get_keepalives())
        .keepalives_idle(config.get_keepalives_idle())
        .ssl_mode(config.get_ssl_mode())
        .ssl_negotiation(config.get_ssl_negotiation())
        .channel_binding(config.get_channel_binding())
        .target_session_attrs(config.get_target_session_attrs())
        .load_balance_hosts(config.get_load_balance_hosts());
    one
}

/// Returns whether a host is reached over the network, where TLS is possible, rather than over a socket.
pub(crate) fn is_remote(config: &Config) -> bool {
    let is_tcp = |host: &Host| matches!(host, Host::Tcp(_));
    config.get_hosts().iter().any(is_tcp) || !config.get_hostaddrs().is_empty()
}

/// The code of a warning that names none, as those of functions do.
const RAISED: &str = "01000";

/// Drives a connection until it ends, and logs the warnings that arrive on it. Nothing depends on those warnings,
/// because a setting can hide them.
async fn drive<S>(mut connection: Connection<Socket, S>, figures: Arc<Figures>)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    loop {
        match poll_fn(|context| connection.poll_message(context)).await {
            Some(Ok(AsyncMessage::Notice(notice))) if is_severe(&notice, &[Severity::Warning]) => {
                let code = notice.code().code();
                // A function's warning may quote a value. PostgreSQL's own log has its text.
                let text = if code == RAISED { "see its log" } else { notice.message() };
                tracing::warn!(code, "PostgreSQL warns: {}", Visible(text));
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
    pub(crate) session: SessionOptions,
    /// Whether a password may be sent over a connection that an attacker could listen to or impersonate.
    pub(crate) is_plain: bool,
    /// The file of root certificates to trust instead of the system's.
    pub(crate) roots: Option<PathBuf>,
}

impl Address {
    /// Splits the store's own parameters off a URL.
    pub(crate) fn parse(address: &str) -> Result<Self, OpenErrorKind> {
        let mut parsed =
            Self { known: address.to_owned(), session: SessionOptions::default(), is_plain: false, roots: None };
        let Some((place, parameters)) = address.split_once('?').filter(|_| address.contains("://")) else {
            return Ok(parsed);
        };
        let mut others = Vec::new();
        for parameter in parameters.split('&') {
            match parameter.split_once('=') {
                Some((POOLER, "transaction")) => parsed.session.is_pooled = true,
                Some((POOLER, "session")) => parsed.session.is_pooled = false,
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
        assert!(parsed.session.is_pooled && parsed.is_plain);
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
