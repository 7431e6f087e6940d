//! A server as a process.

use std::{
    ffi::OsString,
    net::SocketAddr,
    ops::Deref,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use care_testkit::{ProgramEnd, get};

use super::{admin::admin, attempt::Port, programs::Program, wire::Wire};
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
        Self::run(command.env_clear().args(program.arguments(database)).stdin(Stdio::null()))
    }

    /// Runs a command that becomes a server.
    pub(crate) fn run(command: &mut Command) -> Result<Self> {
        Ok(Self(care_testkit::Server::start(command)?))
    }

    /// Returns a client.
    pub(crate) fn port(&self) -> Wire {
        Wire::new(self.address)
    }

    /// Returns this many clients, each with a connection of its own.
    pub(crate) fn ports(&self, count: usize) -> Vec<Box<dyn Port>> {
        (0..count).map(|_| Box::new(self.port()) as Box<dyn Port>).collect()
    }

    /// Tells it to stop, and returns its end, which must be a good one.
    pub(crate) fn end(&self) -> Result<ProgramEnd> {
        let end = self.terminate()?;
        let last = || end.log.lines().last().unwrap_or_default().to_owned();
        ensure!(end.status.success(), "it ended with {}: {}", end.status, last());
        Ok(end)
    }
}

impl Deref for Server {
    type Target = care_testkit::Server;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Program {
    /// Returns its arguments, those of a server on this database and a free port among them.
    pub(crate) fn arguments(&self, database: &Path) -> Vec<OsString> {
        let given = ["--bind", "127.0.0.1:0", "--api-key", "secret", "--database"];
        let all = self.args.iter().map(String::as_str).chain(given);
        all.map(Into::into).chain([database.as_os_str().to_owned()]).collect()
    }
}

/// Runs `care-admin verify`.
///
/// # Errors
/// The error message about the database.
pub(crate) fn verify(database: &Path) -> Result<()> {
    let path = database.to_str().ok_or_else(|| Failure::new("the path is no text"))?;
    let done = admin(Path::new("/"), &["verify", "--database", path], None)?;
    ensure!(done.is_done(), "{}", done.err);
    Ok(())
}

/// Requests a path from the metrics address, and returns the answer's status and how long it took.
pub(crate) fn probe(metrics: SocketAddr, path: &str) -> Result<(u16, Duration)> {
    let asked = Instant::now();
    let answer = get(metrics, path, "")?;
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
    let status = status.ok_or_else(|| Failure::new(format!("{path} is answered {:?}", answer.lines().next())))?;
    Ok((status, asked.elapsed()))
}
