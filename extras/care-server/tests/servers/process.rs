//! The servers and `care-admin`, run in a directory with a clean environment.

use std::{
    path::Path,
    process::{Child, Command, Output, Stdio},
};

use care_testkit::{Program, ProgramEnd, Server};

/// One of the servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bin(&'static str);

/// Runs `care-admin`.
pub(crate) fn admin(directory: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_care-admin"));
    command.env_clear().current_dir(directory).args(args).output().unwrap()
}

impl Bin {
    pub(crate) const POEM: Self = Self(env!("CARGO_BIN_EXE_care-server"));
    pub(crate) const ROCKET: Self = Self(env!("CARGO_BIN_EXE_care-server-rocket"));

    /// Returns the command that runs it in this directory, with a clean environment.
    pub(crate) fn command(self, directory: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(self.0);
        command.env_clear().current_dir(directory).args(args).stdin(Stdio::null());
        command
    }

    /// Starts it without waiting until it listens.
    pub(crate) fn spawn(self, directory: &Path, args: &[&str]) -> Child {
        let mut command = self.command(directory, args);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// Starts it on a free port, with a key.
    pub(crate) fn start(self, directory: &Path, args: &[&str]) -> Server {
        started(self.command(directory, args).args(["--api-key", "secret"]))
    }

    /// Runs it with options that it must refuse.
    pub(crate) fn refuses(self, directory: &Path, args: &[&str]) -> ProgramEnd {
        Program::run(&mut self.command(directory, args)).unwrap()
    }
}

/// Starts a server on a free port.
pub(crate) fn started(command: &mut Command) -> Server {
    Server::start(command.args(["--bind", "127.0.0.1:0"])).unwrap()
}
