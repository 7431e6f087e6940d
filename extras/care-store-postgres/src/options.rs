//! Options for opening a database.

use std::{
    num::NonZero,
    path::PathBuf,
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use care_core::{model::Visible, store::queue::spawn};
use futures_executor::block_on;
use tokio_postgres::{
    Config,
    config::{SslMode, TargetSessionAttrs},
};

use crate::{
    base::{
        figures::Figures,
        open_error::{OpenError, OpenErrorKind},
        settings::Settings,
    },
    connect::{
        endpoint::{Address, Endpoint, is_remote},
        opening::{self, Opener},
        password,
        pool::Pool,
        schema,
        signals::Signals,
        wire::Wire,
    },
    read::{news, ready::Probe},
    store::{PostgresStore, Running},
    write::writer::Writer,
};

/// The time after which a machine that does not answer counts as gone, unless the address says otherwise.
const SILENCE: Duration = Duration::from_secs(10);

/// Options for opening a [`PostgresStore`].
#[derive(Debug, Clone)]
#[must_use]
pub struct Options {
    readers: NonZero<usize>,
    queue: NonZero<usize>,
    wait: Duration,
    patience: Duration,
    opening: Duration,
    fills: bool,
    requires_synchronous: bool,
    password: Option<Vec<u8>>,
    /// Whether the password comes from the environment; an address with a password is then refused.
    takes_password: bool,
    is_pooled: bool,
    is_plain: bool,
    roots: Option<PathBuf>,
}

impl Options {
    /// The number of connections that read, unless it is set.
    pub const READERS: NonZero<usize> = NonZero::new(8).expect("not zero");

    pub(crate) const fn new() -> Self {
        Self {
            readers: Self::READERS,
            queue: NonZero::new(4096).expect("not zero"),
            wait: Duration::from_secs(2),
            patience: Duration::from_secs(10),
            opening: Duration::from_secs(600),
            fills: true,
            requires_synchronous: false,
            password: None,
            takes_password: false,
            is_pooled: false,
            is_plain: false,
            roots: None,
        }
    }

    /// Sets how many connections read; 8 unless set. They are opened as they are needed. Two of them, or half of fewer
    /// than four, are kept for reads of single records.
    pub const fn readers(mut self, readers: NonZero<usize>) -> Self {
        self.readers = readers;
        self
    }

    /// Sets how many decisions may wait; 4,096 unless set. A decision beyond that is refused as
    /// [`Busy`](care_core::error::StoreErrorKind::Busy).
    pub const fn queue(mut self, queue: NonZero<usize>) -> Self {
        self.queue = queue;
        self
    }

    /// Sets how long a write waits for another writer's lock, and any request for a connection; 2 seconds unless set.
    /// After that it is refused as [`Busy`](care_core::error::StoreErrorKind::Busy).
    pub const fn lock_wait(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self
    }

    /// Sets how long the store tries to find out the outcome of a commit, through the loss of a connection and a
    /// failover; 10 seconds unless set. After that the outcome is
    /// [`Unknown`](care_core::error::StoreErrorKind::Unknown).
    pub const fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Sets how long opening waits for others that hold locks or do not answer; ten minutes unless set. Every few
    /// seconds, the log says what it waits for. The time that migrations themselves take does not count.
    pub const fn opening_wait(mut self, wait: Duration) -> Self {
        self.opening = wait;
        self
    }

    /// Sets whether opening creates the tables in an empty schema. It does unless set; otherwise an empty schema is
    /// refused.
    pub const fn fill(mut self, fills: bool) -> Self {
        self.fills = fills;
        self
    }

    /// Refuses a server that acknowledges commits before a synchronous standby has them, or that has no such standby
    /// connected. Later, a write fails while commits wait for no standby.
    pub const fn require_synchronous(mut self, required: bool) -> Self {
        self.requires_synchronous = required;
        self
    }

    /// Sets the password, for an address without one.
    pub fn password(mut self, password: impl Into<Vec<u8>>) -> Self {
        self.password = Some(password.into());
        self
    }

    /// Takes the password from the places where libpq looks: `PGPASSWORD`, or the file that `PGPASSFILE` names
    /// (`~/.pgpass` by default), which only its owner may read. Refuses an address that contains a password.
    ///
    /// For programs that take the address as an argument, because other users of the machine can list arguments.
    pub const fn password_from_environment(mut self) -> Self {
        self.takes_password = true;
        self
    }

    /// Sets whether a password may be sent over a connection without TLS, or with TLS whose certificate is not
    /// verified. The same as `auth=plain` in a URL. By default, the store sends a password only over sockets and over
    /// TLS with `sslmode=require`. A server that asks for it over anything else gets none, on the loopback interface
    /// too.
    ///
    /// With plain authentication, a program that impersonates the server can ask for the password itself, and a
    /// listener can try to guess it from what MD5 and SCRAM send.
    pub const fn plain_auth(mut self, is_plain: bool) -> Self {
        self.is_plain = is_plain;
        self
    }

    /// Prepares no statements, and sets nothing for longer than a transaction. Poolers that give each transaction a
    /// different server connection, such as PgBouncer in transaction mode, require this. The same as
    /// `pooler=transaction` in a URL.
    ///
    /// PostgreSQL then plans each statement anew.
    pub const fn pooled(mut self, is_pooled: bool) -> Self {
        self.is_pooled = is_pooled;
        self
    }

    /// Trusts the certificates in this PEM file instead of those that the system trusts. `sslrootcert` in a URL does
    /// the same and takes precedence. Needs the feature `tls`.
    pub fn root_certificates(mut self, path: impl Into<PathBuf>) -> Self {
        self.roots = Some(path.into());
        self
    }

    /// Opens the database at this address: a `postgres://` URL, or `key=value` words as libpq takes them. The address
    /// may name several hosts, of which the store picks the one that accepts writes, or a socket directory
    /// (`host=/directory`). In an empty schema, it creates the tables.
    ///
    /// With the feature `tls`, `sslmode=require` allows TLS only; `prefer`, the default, uses TLS wherever the server
    /// offers it; `disable` never does. With `require`, or if a file of root certificates is named, the certificate is
    /// verified along with the host's name, and opening fails if it is not trusted. With `prefer` alone it is not
    /// verified, as in libpq: that protects against listeners, but not against another server in the database's place.
    /// Without the feature, `require` is refused. Sockets use no TLS.
    ///
    /// A machine that does not answer for ten seconds counts as gone, unless the address sets `tcp_user_timeout` or
    /// `keepalives_idle`.
    ///
    /// Blocks until the server has answered; nothing runs on the caller's runtime.
    ///
    /// # Errors
    /// One sentence that names the address and says why the database is refused. The database is then unchanged.
    pub fn open(self, address: &str) -> Result<PostgresStore, OpenError> {
        let shown = shown(address);
        self.start(address).map_err(|error| error.of(&shown))
    }

    fn start(self, address: &str) -> Result<PostgresStore, OpenError> {
        let mut address = Address::parse(address)?;
        address.session.is_pooled |= self.is_pooled;
        address.session.requires_standby = self.requires_synchronous;
        address.is_plain |= self.is_plain;
        address.roots = address.roots.or_else(|| self.roots.clone());
        let figures = Arc::new(Figures::default());
        let endpoint = Endpoint::new(self.config(&address)?, &address, Arc::clone(&figures))?;
        let failed = |_| OpenErrorKind::Failed;
        let wire = Arc::new(Wire::start(endpoint).map_err(failed)?);
        let settings = Settings::default().with("lock_timeout", self.wait.as_millis().max(1));
        let settings = settings.with("idle_in_transaction_session_timeout", opening::IDLE).with("statement_timeout", 0);
        let opening = Opener {
            wire: Arc::clone(&wire),
            settings: settings.clone(),
            requires_synchronous: self.requires_synchronous,
            fills: self.fills,
            limit: self.opening,
            scripts: &schema::MIGRATIONS,
        };
        // This runs on a thread of its own, because the caller may be inside an executor, where `block_on` must not be
        // called.
        let opened = thread::scope(|scope| scope.spawn(|| block_on(opening.open())).join());
        let (session, epoch) = opened.map_err(|_| OpenErrorKind::Failed)??;
        session.limit(self.wait + self.patience);
        let signals = Arc::new(Signals::new(epoch, figures));
        let pool = Arc::new(Pool::new(Arc::clone(&wire), self.readers.get(), self.wait));
        news::watch(&wire, Arc::clone(&signals));
        let writer = Writer {
            wire: Arc::clone(&wire),
            settings,
            session: Some(Arc::new(session)),
            attempt: None,
            signals: Arc::clone(&signals),
            wait: self.wait,
            patience: self.patience,
        };
        let (jobs, waiting) = mpsc::sync_channel(self.queue.get());
        let writer = spawn("care-postgres-writer", move || writer.run(&waiting)).map_err(failed)?;
        Ok(PostgresStore { pool, signals, probe: Probe::default(), running: Some(Running { jobs, writer, wire }) })
    }

    fn config(&self, address: &Address) -> Result<Config, OpenError> {
        let mut config: Config = address.known.parse().map_err(|_| OpenErrorKind::Address)?;
        let (hosts, addresses) = (config.get_hosts().len(), config.get_hostaddrs().len());
        let (count, ports) = (hosts.max(addresses), config.get_ports().len());
        if count == 0 || (hosts.min(addresses) > 0 && hosts != addresses) || (ports > 1 && ports != count) {
            return Err(OpenErrorKind::Address.into());
        }
        // Over any other connection the server gets no password, even if it asks.
        let may_send = address.is_plain || !is_remote(&config) || config.get_ssl_mode() == SslMode::Require;
        if config.get_password().is_some() {
            match (self.takes_password, may_send) {
                (true, _) => return Err(OpenErrorKind::Password.into()),
                (false, false) => return Err(OpenErrorKind::PasswordAsked.into()),
                (false, true) => {}
            }
        } else if may_send {
            let found = if self.takes_password { password::from_environment(&config) } else { None };
            if let Some(password) = found.or_else(|| self.password.clone()) {
                config.password(password);
            }
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(self.wait);
        }
        // Without this, the system would wait for hours for a machine that has vanished.
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(SILENCE);
        }
        if config.get_keepalives() && config.get_keepalives_idle() > SILENCE {
            config.keepalives_idle(SILENCE).keepalives_interval(SILENCE / 4).keepalives_retries(2);
        }
        // A standby lags behind and takes no writes.
        config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        if config.get_application_name().is_none() {
            config.application_name("care");
        }
        Ok(config)
    }
}

impl PostgresStore {
    /// Opens the database at this address with the default [`Options`]; see [`Options::open`].
    ///
    /// # Errors
    /// One sentence that names the address and says why the database is refused. The database is then unchanged.
    pub fn open(address: &str) -> Result<Self, OpenError> {
        Self::options().open(address)
    }

    /// Returns the default options, to change before opening a database.
    pub const fn options() -> Options {
        Options::new()
    }
}

/// Returns the parts of an address that can be shown: scheme, hosts and database. A password may contain a character
/// that should have been escaped and that ends a part too early. Hosts are therefore the text after the last `@`, and
/// only if it looks like hosts. Of `key=value` words, only those that never hold a password are shown.
fn shown(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else {
        let is_shown = |word: &&str| SHOWN.iter().any(|name| word.starts_with(name));
        let words: Vec<_> = address.split_whitespace().filter(is_shown).collect();
        let holds_quotes = address.contains(['\'', '\\']);
        return if holds_quotes || words.is_empty() { "the address".to_owned() } else { visible(&words.join(" ")) };
    };
    let behind = rest.rsplit_once('@').map_or(rest, |(_, behind)| behind);
    let place = behind.split(['?', '#']).next().unwrap_or_default();
    // If the `@` is missing, what looks like a port is the password.
    let is_place = place.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._,:/[]%".contains(&byte));
    let ports = place.split('/').next().unwrap_or_default().split(',').filter_map(|host| host.rsplit_once(':'));
    let is_plain = ports.into_iter().all(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit() || byte == b']'));
    match is_place && is_plain && scheme.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        true => format!("{scheme}://{place}"),
        false => "the address".to_owned(),
    }
}

/// The words of an address that may be shown.
const SHOWN: [&str; 4] = ["host=", "hostaddr=", "port=", "dbname="];

fn visible(text: &str) -> String {
    Visible(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_password() {
        assert_eq!(shown("postgres://care:secret@db/care?options=x"), "postgres://db/care");
        assert_eq!(shown("postgres://db/care"), "postgres://db/care");
        assert_eq!(shown("postgres://one,two:5433,[::1]:5432/care"), "postgres://one,two:5433,[::1]:5432/care");
        assert_eq!(shown("host=/run password=secret dbname=care"), "host=/run dbname=care");
        for hidden in [
            "postgres://care:se?cret@h@db/care",
            "postgres://care:secret",
            "postgres://care:sec/ret@db",
            "postgres://care:se?cretpw",
            "postgres:// care:secret@db",
            "host=db password = secret",
            "host=db password='se cret' dbname=care",
            "password=secret",
            "care:secret@db",
        ] {
            let shown = shown(hidden);
            assert!(!shown.contains("cret") && !shown.contains("sec"), "{hidden}: {shown}");
        }
    }

    #[test]
    fn what_is_no_address_is_refused_without_a_server() {
        let words = "host=a,b,c port=1,2";
        for address in ["care.db", "postgres://", "postgres://u@h:port/db", words, "host=a,b hostaddr=127.0.0.1"] {
            let refused = Options::new().open(address).unwrap_err();
            assert_eq!(refused.kind(), OpenErrorKind::Address, "{address}");
        }
    }
}
