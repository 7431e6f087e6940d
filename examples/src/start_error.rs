//! Why a server does not start.

use std::{error::Error, io, iter, net::SocketAddr};

use care_core::rest::BadBasePath;
use care_store_sqlite::OpenError;

/// Why a server does not start, or did not go on.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The database is refused.
    #[error(transparent)]
    Database(#[from] OpenError),
    /// The database cannot be read, or filled with the demonstration.
    #[error("the database cannot be read or filled")]
    Store(#[from] care_core::error::Error),
    /// No path can begin like this.
    #[error("--base-path is not one")]
    BasePath(#[from] BadBasePath),
    /// A client could not send such a key.
    #[error("an API key must be 1 to 256 visible ASCII characters without commas")]
    ApiKey,
    /// There is no randomness to make a key from.
    #[error("no API key could be made up")]
    Random(#[from] getrandom::Error),
    /// The address is in use, not of this machine, or not allowed.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// The system allows too few open files for threads, a database, a socket and some connections.
    #[error("at least 64 files must be allowed to be open (`ulimit -n`)")]
    OpenFiles,
    /// The system refuses what a server needs: threads, signals, sockets.
    #[error("the system refuses what the server needs")]
    System(#[from] io::Error),
    /// The framework refuses to start.
    #[error("the framework does not start: {0}")]
    Framework(String),
}

impl StartError {
    /// All of it in one sentence, causes included.
    pub fn sentence(&self) -> String {
        let causes = iter::successors(self.source(), |&cause| cause.source());
        causes.fold(self.to_string(), |said, cause| format!("{said}: {cause}"))
    }
}
