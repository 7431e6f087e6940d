//! Results on standard output, and the reasons why there are none.

use std::{
    fmt::Display,
    io::{self, Write as _},
    net::SocketAddr,
};

use crate::RelayError;

/// The reason why the program ends without success.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error(transparent)]
    Relay(#[from] RelayError),
    #[error("the address or the key of the service cannot be used")]
    Service(#[source] care_client::ClientError),
    #[error("the variable CARE_KEY must hold a key with the scope events:read")]
    Key,
    #[error("cannot listen on {0}")]
    Listen(SocketAddr, #[source] io::Error),
    #[error("the file of --ca cannot be read")]
    Ca(#[source] io::Error),
    #[error("the system refused a thread or a signal handler")]
    System(#[source] io::Error),
    #[error("standard output cannot be written to")]
    Output(#[source] io::Error),
    #[error("a metrics recorder is already installed")]
    Recorder,
}

impl From<crate::StateError> for Failure {
    fn from(error: crate::StateError) -> Self {
        Self::Relay(error.into())
    }
}

/// Prints a line. A result that is not shown fails the task, although it was done.
pub(super) fn say(line: impl Display) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(Failure::Output)
}
