//! Servers as processes of their own.

use std::{
    env,
    ffi::OsStr,
    fmt,
    ops::Deref,
    os::unix::process::CommandExt,
    process::{Command, Stdio},
    time::Duration,
};

use crate::{Failure, Framework, load::KEY};

/// Processes that work for the clients.
pub(crate) trait Busy: fmt::Debug {
    /// Returns the processor time that they have used.
    ///
    /// # Errors
    /// When the system does not report it.
    fn cpu(&self) -> Result<Duration, Failure>;
}

/// A running server. Dropping this stops it.
#[derive(Debug)]
pub(crate) struct Server(care_testkit::Server);

impl Server {
    /// Starts the service's own server on a database, by its path or its address.
    pub(crate) fn care(framework: Framework, database: impl AsRef<OsStr>) -> Result<Self, Failure> {
        Self::care_with(framework, database, &[])
    }

    /// Starts the service's own server with options.
    pub(crate) fn care_with(
        framework: Framework,
        database: impl AsRef<OsStr>,
        options: &[&str],
    ) -> Result<Self, Failure> {
        let mut command = Command::new(env::current_exe()?);
        command.arg0(framework.program()).args(["--bind", "127.0.0.1:0", "--api-key", KEY]);
        command.arg("--database").arg(database.as_ref()).args(options);
        Self::start(&mut command)
    }

    /// Starts a hand-written server.
    pub(crate) fn other(framework: Framework, database: impl AsRef<OsStr>) -> Result<Self, Failure> {
        let mut command = Command::new(env::current_exe()?);
        command.args(["serve", framework.word()]).arg(database.as_ref());
        Self::start(&mut command)
    }

    fn start(command: &mut Command) -> Result<Self, Failure> {
        // The other servers write no log, so this one writes only errors.
        Ok(Self(care_testkit::Server::start(command.env("RUST_LOG", "error").stdin(Stdio::null()))?))
    }
}

impl Deref for Server {
    type Target = care_testkit::Server;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Busy for Server {
    fn cpu(&self) -> Result<Duration, Failure> {
        Ok(self.processor()?)
    }
}

impl Busy for Vec<Server> {
    fn cpu(&self) -> Result<Duration, Failure> {
        self.iter().map(Busy::cpu).sum()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let ended = self.terminate();
        // It has written errors, or nothing.
        eprint!("{}", ended.map_or_else(|error| error.to_string(), |end| end.log));
    }
}
