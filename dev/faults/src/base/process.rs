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

use super::{
    attempt::Port,
    failure::{Failure, ensure},
    programs::{self, Program},
    wire::Wire,
};

/// A running server. Dropping it kills it.
#[derive(Debug)]
pub struct Server(care_testkit::Server);

impl Server {
    /// Starts a program on this database.
    ///
    /// # Errors
    /// The server's own message, if it did not start.
    pub fn start(program: &Program, database: &Path) -> Result<Self, Failure> {
        Self::run(&mut command(program, database))
    }

    /// Runs a command that becomes a server.
    pub(crate) fn run(command: &mut Command) -> Result<Self, Failure> {
        Ok(Self(care_testkit::Server::start(command)?))
    }

    /// Returns this many clients, each with a connection of its own.
    pub fn ports(&self, count: usize) -> Vec<Box<dyn Port>> {
        (0..count).map(|_| Box::new(Wire::new(self.address)) as Box<dyn Port>).collect()
    }

    /// Tells it to stop, and returns its end, which must be a good one.
    pub(crate) fn end(&self) -> Result<ProgramEnd, Failure> {
        let end = self.terminate()?;
        let last = || end.log.lines().last().unwrap_or_default().to_owned();
        ensure(end.status.success(), || format!("it ended with {}: {}", end.status, last()))?;
        Ok(end)
    }
}

impl Deref for Server {
    type Target = care_testkit::Server;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

/// Returns the command that runs a program on a database, on a free port.
pub(crate) fn command(program: &Program, database: &Path) -> Command {
    let mut command = Command::new(&program.path);
    command.env_clear().args(arguments(program, database)).stdin(Stdio::null());
    command
}

/// Returns the arguments of a program, those of a server on a database and a free port among them.
pub(crate) fn arguments(program: &Program, database: &Path) -> Vec<OsString> {
    let given = ["--bind", "127.0.0.1:0", "--api-key", "secret", "--database"];
    let all = program.args.iter().map(String::as_str).chain(given);
    all.map(Into::into).chain([database.as_os_str().to_owned()]).collect()
}

/// Runs `care-admin verify`.
///
/// # Errors
/// The error message about the database.
pub(crate) fn verify(database: &Path) -> Result<(), Failure> {
    let output = Command::new(programs::admin()?).args(["verify", "--database"]).arg(database).env_clear().output()?;
    match output.status.success() {
        true => Ok(()),
        false => Err(Failure::new(String::from_utf8_lossy(&output.stderr).trim())),
    }
}

/// Requests a path from the metrics address, and returns the answer's status and how long it took.
pub(crate) fn probe(metrics: SocketAddr, path: &str) -> Result<(u16, Duration), Failure> {
    let asked = Instant::now();
    let answer = get(metrics, path, "")?;
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
    let status = status.ok_or_else(|| Failure::new(format!("{path} is answered {:?}", answer.lines().next())))?;
    Ok((status, asked.elapsed()))
}
