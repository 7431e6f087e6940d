//! Servers as processes of their own, in each web framework.

use std::{
    env,
    ffi::OsStr,
    io,
    ops::Deref,
    os::unix::process::CommandExt,
    process::{Command, Stdio},
};

use crate::{Failure, load::KEY};

/// A web framework in which servers are written.
#[derive(Clone, Copy)]
pub(crate) struct Framework {
    /// Its name in the tables.
    pub(crate) name: &'static str,
    /// The name of the service's program on it.
    care: &'static str,
    /// The name under which this program is the hand-written server.
    other: &'static str,
}

const POEM: Framework = Framework { name: "Poem", care: "care-server", other: "hand-written" };
const ROCKET: Framework = Framework { name: "Rocket", care: "care-server-rocket", other: "hand-written-rocket" };
pub(crate) const FRAMEWORKS: [Framework; 2] = [POEM, ROCKET];

/// Returns the command that starts this program under the name of another one.
pub(crate) fn program(name: &str) -> io::Result<Command> {
    let mut command = Command::new(env::current_exe()?);
    command.arg0(name);
    Ok(command)
}

/// A running server. Dropping this stops it.
pub(crate) struct Server(care_testkit::Server);

impl Server {
    /// Starts the service's own server with options on a database, by its path or its address.
    pub(crate) fn care(framework: Framework, database: impl AsRef<OsStr>, options: &[&str]) -> Result<Self, Failure> {
        let mut command = program(framework.care)?;
        command.args(["--bind", "127.0.0.1:0", "--api-key", KEY]).args(options).arg("--database").arg(database);
        Self::start(&mut command)
    }

    /// Starts a hand-written server.
    pub(crate) fn other(framework: Framework, database: impl AsRef<OsStr>) -> Result<Self, Failure> {
        Self::start(program(framework.other)?.arg(database))
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

impl Drop for Server {
    fn drop(&mut self) {
        let ended = self.terminate();
        // It has written errors, or nothing.
        eprint!("{}", ended.map_or_else(|error| error.to_string(), |end| end.log));
    }
}
