//! The errors of starting a server.

use std::{error::Error, io, iter, net::SocketAddr};

use care_core::{model::Visible, rest::BadBasePath};
use care_store_sqlite::OpenError;

/// The reason why a server did not start, or did not continue.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The database was refused.
    #[error(transparent)]
    Database(#[from] OpenError),
    /// The PostgreSQL database was refused.
    #[cfg(feature = "postgres")]
    #[error(transparent)]
    Postgres(#[from] care_store_postgres::OpenError),
    /// The address is a PostgreSQL URL, but the program is built without PostgreSQL.
    #[cfg(not(feature = "postgres"))]
    #[error("{}", crate::database::NO_POSTGRES)]
    NoPostgres,
    /// The address is neither a path nor a PostgreSQL URL.
    #[error("{}", crate::database::MISSPELT)]
    Misspelt,
    /// The database could not be read, or could not be filled with the demo clinic.
    #[error("the database cannot be read or filled")]
    Store(#[from] care_core::error::Error),
    /// The base path is malformed.
    #[error("--base-path is not a base path")]
    BasePath(#[from] BadBasePath),
    /// The public address is malformed.
    #[cfg(feature = "fhir")]
    #[error("--public-url is not an address")]
    PublicUrl(#[from] care_core::rest::BadPublicUrl),
    /// This key cannot be sent in a header.
    #[error("an API key must be 1 to 256 visible ASCII characters without commas")]
    ApiKey,
    /// The system provides no random numbers for a key.
    #[error("no API key could be generated")]
    Random(#[from] getrandom::Error),
    /// The address is in use, does not belong to this machine, or is not allowed.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        source: io::Error,
    },
    /// The file that the parent process passed on is not a TCP socket.
    #[error("the file that the parent process passed on is not a TCP socket")]
    Socket(#[source] io::Error),
    /// The parent process passed on a connection, or a socket that is merely bound.
    #[error("the socket that the parent process passed on does not listen")]
    NotListening,
    /// The parent process passed on more than one socket.
    #[error("the parent process passed on more than one socket")]
    Sockets,
    /// The framework can only listen on a socket of its own.
    #[error("care-server-rocket cannot take over a socket from the parent process; care-server can")]
    OwnSocket,
    /// Another part of the program has already installed a metrics recorder.
    #[error("a metrics recorder is already installed")]
    Recorder,
    /// The system allows too few open files for the threads, the database, the socket and some connections.
    #[error("the server needs a limit of at least 64 open files (`ulimit -n`)")]
    OpenFiles,
    /// The system refused threads, signals or sockets.
    #[error("the system refused a thread, a signal handler or a socket")]
    System(#[from] io::Error),
    /// The framework failed to start.
    #[error("the framework failed to start: {0}")]
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
