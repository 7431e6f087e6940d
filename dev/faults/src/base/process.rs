//! A server as a process.

use std::{
    net::SocketAddr,
    ops::Deref,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use care_testkit::{ProgramEnd, get};

use super::{
    attempt::{Front, Port},
    programs::Program,
    wire::Wire,
};
use crate::{Failure, Result, ensure};

/// A running server. Dropping it kills it.
#[derive(Debug)]
pub(crate) struct Server(care_testkit::Server);

impl Server {
    /// Starts a program on this database.
    ///
    /// # Errors
    /// The server's own message, if it did not start.
    pub(crate) fn start(program: &Program, database: &Path) -> Result<Self> {
        let mut command = Command::new(&program.path);
        command.env_clear().args(program.arguments(database)).stdin(Stdio::piped());
        Ok(Self(care_testkit::Server::start(&mut command)?))
    }

    /// Returns a client.
    pub(crate) fn port(&self) -> Wire {
        Wire::new(self.address)
    }

    /// Tells it to stop, and returns its end, which must be a good one.
    pub(crate) fn end(&self) -> Result<ProgramEnd> {
        let end = self.terminate()?;
        let last = || end.log.lines().last().unwrap_or_default().to_owned();
        ensure!(end.status.success(), "it ended with {}: {}", end.status, last());
        Ok(end)
    }
}

impl Front for Server {
    fn client(&self, _: usize) -> Box<dyn Port> {
        Box::new(self.port())
    }
}

impl Deref for Server {
    type Target = care_testkit::Server;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

/// Requests a path from the metrics address, and returns the answer's status and how long it took.
pub(crate) fn probe(metrics: SocketAddr, path: &str) -> Result<(u16, Duration)> {
    let asked = Instant::now();
    let answer = get(metrics, path, "")?;
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
    let status = status.ok_or_else(|| Failure::new(format!("{path} is answered {:?}", answer.lines().next())))?;
    Ok((status, asked.elapsed()))
}
