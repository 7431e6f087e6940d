//! The errors of starting a server.

use std::{error::Error, io, iter, net::SocketAddr};

use care_core::{model::Visible, rest::BadBasePath};
use care_store_sqlite::OpenError;

/// The reason why a server does not start, or did not continue.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The database is refused.
    #[error(transparent)]
    Database(#[from] OpenError),
    /// The database in PostgreSQL is refused.
    #[cfg(feature = "postgres")]
    #[error(transparent)]
    Postgres(#[from] care_store_postgres::OpenError),
    /// The address is one in PostgreSQL, and the program is built without it.
    #[cfg(not(feature = "postgres"))]
    #[error("{}", crate::database::NO_POSTGRES)]
    NoPostgres,
    /// The address is neither a path nor a URL of PostgreSQL.
    #[error("{}", crate::database::MISSPELT)]
    Misspelt,
    /// The database cannot be read, or filled with the demo clinic.
    #[error("the database cannot be read or filled")]
    Store(#[from] care_core::error::Error),
    /// The base path is not one.
    #[error("--base-path is not a base path")]
    BasePath(#[from] BadBasePath),
    /// A client could not send this key.
    #[error("an API key must be 1 to 256 visible ASCII characters without commas")]
    ApiKey,
    /// The system provides no random numbers for a key.
    #[error("no API key could be generated")]
    Random(#[from] getrandom::Error),
    /// The address is in use, not of this machine, or not allowed.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        source: io::Error,
    },
    /// The parent process has left open a file that is no TCP socket.
    #[error("the file from the parent process is no socket to listen on")]
    Socket(#[source] io::Error),
    /// The parent process has left open a connection, or a socket that it has only bound.
    #[error("the socket from the parent process does not listen")]
    NotListening,
    /// The parent process has left more than one socket open.
    #[error("the parent process may pass on one socket only")]
    Sockets,
    /// The framework opens its own socket.
    #[error("rocket-server cannot listen on a socket from the parent process; poem-server can")]
    OwnSocket,
    /// Another part of the program has already installed a recorder of figures.
    #[error("figures are recorded already")]
    Recorder,
    /// The system allows too few open files for threads, a database, a socket and some connections.
    #[error("at least 64 files must be allowed to be open (`ulimit -n`)")]
    OpenFiles,
    /// The system refuses threads, signals or sockets.
    #[error("the system refuses what the server needs")]
    System(#[from] io::Error),
    /// The framework refuses to start.
    #[error("the framework does not start: {0}")]
    Framework(String),
}

impl StartError {
    /// Returns the error and its causes in one sentence and one line.
    pub fn sentence(&self) -> String {
        let causes = iter::successors(self.source(), |&cause| cause.source());
        let said = causes.fold(self.to_string(), |said, cause| format!("{said}: {cause}"));
        Visible(&said).to_string()
    }
}
